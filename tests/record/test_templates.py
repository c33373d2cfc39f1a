"""The template and its lines are read from the code that it was compiled to."""

import textwrap
from pathlib import Path

from sleuth.record.templates import template_of
from sleuth.trace.events import Module
from sleuth.tree.build import tree_of
from sleuth.views.drawing.places import where
from tests.recorded import calls_of, recorded

JINJA = """\
from jinja2.runtime import Undefined, missing
name = 'mail/page.html'

def root(context, missing=missing):
    if 0: yield None
    yield from context.blocks['title'][0](context)
    yield str(1)

def block_title(context, missing=missing):
    if 0: yield None
    yield 'x'

blocks = {'title': block_title}
debug_info = '1=6&3=7&1=11'"""
MAKO = '''\
def render_body(context, **pageargs):
    write = context.append
    for item in pageargs["items"]:
        write(render_row(context, item))
    return ""


def render_row(context, item):
    context.append("<li>")
    return str(item * 2)


"""
__M_BEGIN_METADATA
{"filename": "page.mako", "uri": "page.mako", "line_map": {"1": 0, "3": 5, "4": 6, "9": 2, "10": 3}}
__M_END_METADATA
"""
'''


def test_a_template_of_jinja_is_read_from_its_debug_info() -> None:
    assert template_of(JINJA) == {
        "name": "mail/page.html",
        "lines": [[6, 1], [7, 3], [11, 1]],
        "names": [["block_title", "block title of mail/page.html"], ["root", "mail/page.html"]],
    }


def test_a_template_of_mako_is_read_from_its_metadata() -> None:
    found = template_of(MAKO)
    assert found is not None
    assert found["lines"] == [[3, 5], [4, 6], [9, 2], [10, 3]]
    assert dict(found["names"]) == {"render_body": "page.mako", "render_row": "row of page.mako"}


def test_other_sources_are_no_templates() -> None:
    broken = MAKO.replace('{"filename"', "{filename")
    no_name = JINJA.replace("name = 'mail/page.html'\n", "")
    other = "name = 'x'\ndebug_info = '1=2'\n"
    assert [template_of(each) for each in ("", "x = 1\n", broken, no_name, other)] == [None] * 5


def test_functions_and_lines_of_a_template_are_told_as_its_author_knows_them(
    tmp_path: Path,
) -> None:
    (tmp_path / "page_mako.py").write_text(MAKO)
    program = """
        import page_mako
        page_mako.render_body([], items=[1, 2])
        """
    trace = recorded(tmp_path, textwrap.dedent(program))
    body, row = (calls_of(trace, name)[0] for name in ("render_body", "render_row"))
    functions = [trace.function(each.function) for each in (body, row)]
    assert [where(trace, each) for each in functions] == ["page.mako:5", "page.mako:2"]
    assert where(trace, functions[0], 4) == "page.mako:6"
    (module,) = (each for each in trace.modules() if each.name == "page_mako")
    assert isinstance(module, Module)
    assert module.template is not None
    assert functions[0] is not None
    assert module.template.lines_in(functions[0], (2, 3, 4, 5)) == (5, 6)


def test_the_code_around_a_template_is_trusted_and_has_none_of_its_lines(tmp_path: Path) -> None:
    (tmp_path / "page.mako").write_text("(the template)")
    program = f"""
        exec(compile({MAKO!r}, "page.mako", "exec"), names := {{}})
        names["render_body"]([], items=[1, 2])
        """
    trace = recorded(tmp_path, textwrap.dedent(program))
    tree = tree_of(trace)
    (body,) = (
        call
        for call in trace.calls()
        if (function := trace.function(call.function)) and function.kind == "code body"
    )
    function = trace.function(body.function)
    assert function is not None
    assert function.module.template is not None
    assert function.module.template.lines_in(function, range(1, 20)) == ()
    assert tree.is_trusted[tree.find_call(body.id)]
    assert not tree.is_trusted[tree.find_call(calls_of(trace, "render_body")[0].id)]
