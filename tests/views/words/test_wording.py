"""Each kind of question as it is shown at 80 columns."""

import re
from pathlib import Path

import pytest

from sleuth.trace.reader import Trace
from sleuth.tree.observe.calls import behaviour_of
from sleuth.tree.observe.whole_run import run_behaviour
from sleuth.views.drawing.styled import plain, width
from sleuth.views.words.question import asked, question_lines
from tests import toy
from tests.recorded import call_of, recorded

EXPECTED = {
    tuple(head.rsplit(" ", 1)): body.strip("\n")
    for head, _, body in (
        part.partition("\n")
        for part in (Path(__file__).parent / "questions.txt")
        .read_text(encoding="utf-8")
        .split("=== ")[1:]
    )
}


def steady(text: str) -> str:
    """Leave out what is different in each run."""
    return re.sub(r"tag [0-9a-f]+", "tag T", re.sub(r"#\d+", "#N", text))


@pytest.mark.parametrize("name", EXPECTED, ids=" ".join)
def test_each_kind_has_its_wording(shop: Trace, name: tuple[str, str]) -> None:
    behaviour = behaviour_of(shop, call_of(shop, name[0], int(name[1])))
    lines = [*plain(question_lines(shop, behaviour, width=80)), asked(behaviour)]
    assert steady("\n".join(lines)) == EXPECTED[name]


@pytest.mark.parametrize("columns", [40, 60, 80, 120])
@pytest.mark.parametrize("height", [4, 10, 18])
def test_no_question_is_wider_or_longer_than_asked_for(
    shop: Trace, columns: int, height: int
) -> None:
    for call in shop.calls():
        behaviour = behaviour_of(shop, call)
        lines = list(plain(question_lines(shop, behaviour, width=columns, height=height)))
        assert max(map(width, lines)) <= columns
        sections = 10
        assert len(lines) <= max(height, sections + 2)


def test_the_whole_run_is_a_question_too(shop: Trace) -> None:
    text = "\n".join(plain(question_lines(shop, run_behaviour(shop), width=80)))
    assert text.startswith("the whole run: shop.py")
    assert "ended     exited" in text
    assert "stdout[0]  7" in text


@pytest.mark.parametrize(
    ("program", "name", "expected"),
    [
        (toy.FACTORIAL, "fact", ["fact(a0=5)", "returned  120"]),
        (toy.FAILING, "check", ["check(a0=3)", "raised    toy.Error('not-zero')  at line 8"]),
        (
            toy.ARRAYS,
            "order",
            ["order(a0=<array #1 [0, 7, 0]>)", "returned  1", "a0[2]  0 -> 9"],
        ),
    ],
)
def test_a_program_in_another_language_is_asked_about(
    tmp_path: Path, program: toy.Program, name: str, expected: list[str]
) -> None:
    trace = Trace(toy.record(tmp_path / "toy.trace", program, []))
    behaviour = behaviour_of(trace, call_of(trace, name))
    text = "\n".join(plain(question_lines(trace, behaviour, width=80)))
    assert [each for each in expected if each not in text] == []


def test_without_contents_it_is_said_that_they_are_not_known(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.sleuth]\ncontents = false\n")
    trace = recorded(tmp_path, "def add(xs):\n    xs.append(1)\nadd([])\n")
    behaviour = behaviour_of(trace, call_of(trace, "add"))
    text = "\n".join(plain(question_lines(trace, behaviour, width=80)))
    assert "not known what objects contain, and what changed in them" in text


def test_setting_a_property_is_asked_about_as_such(tmp_path: Path) -> None:
    source = """
        class Box:
            def __init__(self):
                self._v = 1
            @property
            def v(self):
                return self._v
            @v.setter
            def v(self, new):
                self._v = new
        Box().v = 5
        """
    trace = recorded(tmp_path, source)
    behaviour = behaviour_of(trace, call_of(trace, "Box.v"))
    text = "\n".join(plain(question_lines(trace, behaviour, width=80)))
    assert steady(text).startswith("Box.v set of self=<Box #N _v=1>, new=5")
    assert "self._v  1 -> 5" in text
    assert "None" not in text
    assert asked(behaviour) == "Was it set right?"
