"""The tree in another shape: what is typed, shown, kept and reported."""

import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))
from sleuth.errors import UsageError
from sleuth.search.question import Answer, Diagnosis, Question, Verdict
from sleuth.tree.node import NodeKind
from sleuth.views import machine, run
from sleuth.views.guilt import guilty
from sleuth.views.inquiry import Inquiry, opened
from sleuth.views.markdown import markdown
from sleuth.views.sarif import sarif
from sleuth.views.words.question import question_lines
from sleuth.views.words.styled import plain
from tests.recorded import call_of, recorded

PROGRAM = """
def total(lines):
    result = 0
    for line in lines:
        if line == 37:
            line = 1000
        result += line
    return result


print(total(range(100)))
"""


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return recorded(tmp_path_factory.mktemp("shapes"), PROGRAM).path


@pytest.fixture
def inquiry(path: Path) -> Iterator[Inquiry]:
    path.with_name("prog.answers.jsonl").unlink(missing_ok=True)
    with opened(path) as found:
        found.search_in(found.tree.find_call(call_of(found.trace, "total").id) or 0)
        found.shape(("loops",))
        yield found


def pending(inquiry: Inquiry) -> Question:
    found = inquiry.session.pending
    assert isinstance(found, Question)
    return found


def test_a_question_says_what_some_turns_changed(inquiry: Inquiry) -> None:
    node = inquiry.tree.children(int(inquiry.tree.find_call(1) or 0)).tolist()[0]
    first_half = inquiry.tree.children(node).tolist()[0]
    shown = list(plain(question_lines(inquiry.trace, inquiry.behaviour(first_half))))
    assert shown[0].startswith("turns 1 to 50 of 100 in total ")
    assert shown[0].endswith("prog.py:4")
    assert "  written   for line in lines" in shown
    assert f"  changed   result  0 -> {sum(range(50)) + 1000 - 37}" in shown


def test_the_first_wrong_turn_is_found_at_once_and_its_lines_are_those_of_the_body(
    inquiry: Inquiry,
) -> None:
    inquiry.first_wrong(pending(inquiry).node, 38)
    found = inquiry.session.pending
    assert isinstance(found, Diagnosis)
    (guilt,) = guilty(inquiry.trace, found, inquiry.tree)
    assert (guilt.kind, guilt.lines) == ("loop-body", (5, 6, 7))
    assert "turn 38 of 100" in "\n".join(markdown(inquiry.trace, inquiry.session))
    assert json.dumps(sarif(inquiry.trace, inquiry.session))
    with pytest.raises(UsageError):
        inquiry.first_wrong(found.node, 101)
    with pytest.raises(UsageError):
        inquiry.first_wrong(inquiry.session.case.root, 1)


def test_the_shape_and_answers_about_turns_are_kept(path: Path) -> None:
    path.with_name("prog.answers.jsonl").unlink(missing_ok=True)
    with opened(path) as first:
        first.search_in(first.tree.find_call(1) or 0)
        first.shape(("loops",))
        first.first_wrong(pending(first).node, 38)
        about = first.session.pending
    with opened(path) as again:
        assert again.session.case.shape == ("loops",)
        assert again.session.pending == about
        again.shape(())
        assert len(again.tree) == again.trace.call_count + 1
        again.shape(("loops",))
        assert again.session.pending == about


def test_programs_are_asked_about_turns_as_well(inquiry: Inquiry) -> None:
    sink = io.StringIO()
    machine.loop(inquiry, io.StringIO(""), sink)
    asked = json.loads(sink.getvalue().splitlines()[0])
    assert asked["kind"] in ("turns", "turn", "loop")
    assert asked["loop"]["turns"] == 100
    assert asked["outcome"]["how"] == "passed"


def test_a_part_of_what_turns_left_can_be_wrong(inquiry: Inquiry) -> None:
    asked = pending(inquiry)
    inquiry.check_path(asked.node, "result")
    inquiry.give(Answer(asked.about, Verdict.WRONG, path="result"))
    assert inquiry.session.answers[-1].answer.path == "result"


def test_a_group_can_not_be_trusted(tmp_path: Path) -> None:
    program = """
        def f(x):
            return x

        def main():
            return f(1), f(2), f(3), f(4)

        main()
        """
    with opened(recorded(tmp_path, program).path) as found:
        found.search_in(found.tree.find_call(1) or 0)
        found.shape(("balance",))
        nodes = (found.tree.node(number) for number in range(len(found.tree)))
        group = next(node for node in nodes if node.kind is NodeKind.GROUP)
        with pytest.raises(UsageError, match="of no function"):
            found.give(Answer(group.key, Verdict.TRUST_FUNCTION))
        found.give(Answer(group.key, Verdict.RIGHT))


@pytest.mark.parametrize(
    ("argv", "rest", "names"),
    [
        (
            ["--transform", "loops", "p.py", "--transform", "x"],
            ["p.py", "--transform", "x"],
            "loops",
        ),
        (["--quiet", "--transform=none", "p.py"], ["--quiet", "p.py"], "none"),
        (["--output", "--transform", "p.py"], ["--output", "--transform", "p.py"], ""),
        (["p.py", "--transform", "x"], ["p.py", "--transform", "x"], ""),
        (["--", "--transform", "x"], ["--", "--transform", "x"], ""),
    ],
)
def test_the_option_of_run_is_told_from_the_programs(
    argv: list[str], rest: list[str], names: str
) -> None:
    assert run.without_transform(argv) == (rest, names)
