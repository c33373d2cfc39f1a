"""The notices before the first question."""

from pathlib import Path

from sleuth.tree.names.known_names import known_as
from sleuth.views.words.recording import notices
from tests.recorded import recorded

_COMPILED = """
from jinja2.runtime import Undefined
name = 'page.txt'
def root(context):
    yield str(context)
debug_info = '1=5'
"""


def test_the_file_of_a_template_is_not_told_as_changed_for_it_never_was_that_code(
    tmp_path: Path,
) -> None:
    (tmp_path / "page.txt").write_text("{{ context }}")
    (tmp_path / "jinja2").mkdir()
    (tmp_path / "jinja2" / "__init__.py").touch()
    (tmp_path / "jinja2" / "runtime.py").write_text("class Undefined: pass\n")
    trace = recorded(
        tmp_path,
        f"""
        import os
        names = {{}}
        exec(compile({_COMPILED!r}, os.path.abspath("page.txt"), "exec"), names)
        list(names["root"](1))
        """,
    )
    assert list(notices(trace)) == []
    known = [found.name for call in trace.calls() if (found := known_as(trace, call))]
    assert known == ["exec of page.txt", "page.txt"]


def test_a_program_that_was_edited_is_told_as_changed(tmp_path: Path) -> None:
    trace = recorded(tmp_path, "x = eval('1')")
    (tmp_path / "prog.py").write_text("x = 2")
    assert "Changed since it was recorded: prog.py." in next(iter(notices(trace)))
