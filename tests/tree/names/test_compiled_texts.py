"""Texts that a program compiles itself: their names, and the variables that they used."""

from pathlib import Path

from sleuth.trace.reader import Trace
from sleuth.tree.identity.same_run import fingerprint
from sleuth.tree.names.known_names import known_as
from sleuth.tree.observe import behaviour as words
from sleuth.tree.observe.behaviour import Behaviour
from sleuth.tree.observe.calls import behaviour_of
from tests.recorded import recorded

_LONG = "1 + " * 30 + "1"


def _texts(folder: Path, source: str) -> tuple[Trace, list[Behaviour]]:
    trace = recorded(folder, source)
    found = [behaviour_of(trace, call) for call in trace.calls()]
    return trace, [each for each in found if each.kind in (words.CODE_BODY, words.EXPRESSION)]


def _used(behaviour: Behaviour) -> dict[str, object]:
    return {each.path: getattr(each.value, "content", None) for each in behaviour.used}


def test_a_text_is_known_by_what_it_says_or_by_the_name_that_it_was_compiled_under(
    tmp_path: Path,
) -> None:
    trace, found = _texts(
        tmp_path,
        f"""
        eval("1 + 1")
        eval('"a" + "b"')
        exec("x = 1")
        exec("\\n\\nx = 1\\ny = 2")
        exec(compile("x = 1", "<rule 7>", "exec"))
        eval(compile("1 + 1", "<rule 8>", "eval"))
        eval("{_LONG}")
        """,
    )
    assert [each.name for each in found] == [
        'eval("1 + 1")',
        """eval('"a" + "b"')""",
        'exec("x = 1")',
        'exec("x = 1 ...")',
        "exec of <rule 7>",
        'eval("1 + 1")',
        f'eval("{_LONG[:60]} ...")',
    ]
    assert all(known_as(trace, each.call) == each.known for each in found)


def test_a_text_used_the_variables_of_its_caller_or_of_what_it_was_given(tmp_path: Path) -> None:
    _, found = _texts(
        tmp_path,
        """
        size = 5
        def area(width):
            height = 2
            return eval("width * height + size")
        area(3)
        names = {"width": 7}
        eval("width + 1", names)
        eval("width + len(tail)", names, {"tail": ""})
        eval("width + size", {"size": 9}, names)
        exec("new = size\\nolder = new")
        """,
    )
    assert [_used(each) for each in found] == [
        {"width": 3, "height": 2, "size": 5},
        {"width": 7},
        {},
        {"width": 7},
        {"size": 5},
    ]
    assert [each.gaps.variables for each in found] == [
        (),
        (),
        ("width", "tail"),
        ("size",),
        (),
    ]


def test_a_variable_that_may_be_another_one_is_not_told(tmp_path: Path) -> None:
    _, found = _texts(
        tmp_path,
        """
        width = 5
        def area(width):
            return [eval("width + 0") for _ in range(1)]
        area(3)
        """,
    )
    assert [(_used(each), each.gaps.variables) for each in found] == [({}, ("width",))]


def test_texts_whose_variables_are_not_known_are_equal_to_no_other(tmp_path: Path) -> None:
    trace, found = _texts(
        tmp_path,
        """
        for age in (36, 17, 36):
            eval("age > 3", {"age": age})
            eval("age > 3")
        """,
    )
    hidden, known = found[::2], found[1::2]
    assert [each.gaps.variables for each in hidden] == 3 * [("age",)]
    marks = [fingerprint(trace, each.call) for each in known]
    assert marks[0] == marks[2]
    assert marks[0] != marks[1]
    marks = [fingerprint(trace, each.call) for each in hidden]
    assert marks[0] != marks[1]
    assert marks[0] != marks[2]
