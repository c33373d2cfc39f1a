"""Transformed trees at the prompt: commands, questions, kept answers and reports."""

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
from sleuth.tree.transformations import DEFAULT_SHAPE
from sleuth.views.commands import run
from sleuth.views.drawing.screen import Screen
from sleuth.views.drawing.styled import plain
from sleuth.views.guilty_code import guilty
from sleuth.views.prompt import handlers, loop_views, messages
from sleuth.views.prompt.conversation import Conversation
from sleuth.views.prompt.grammar import understood
from sleuth.views.prompt.inquiry import Inquiry, opened
from sleuth.views.prompt.typed_lines import FileLines
from sleuth.views.wire import machine
from sleuth.views.wire.markdown import markdown
from sleuth.views.wire.sarif import sarif
from sleuth.views.words.node_line import node_text
from sleuth.views.words.question import question_lines
from sleuth.views.words.turns import table_lines
from tests.recorded import call_of, recorded

pytestmark = pytest.mark.two_versions

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


def text_of(inquiry: Inquiry, node: int) -> str:
    return node_text(inquiry.trace, inquiry.tree.key(node), inquiry.loop_names, 80)


def test_a_question_says_what_some_turns_changed(inquiry: Inquiry) -> None:
    node = inquiry.tree.children(int(inquiry.tree.find_call(1) or 0)).tolist()[0]
    first_half = inquiry.tree.children(node).tolist()[0]
    shown = list(plain(question_lines(inquiry.trace, inquiry.behaviour(first_half), width=80)))
    assert shown[0].startswith("turns 1 to 50 of 100 in total ")
    assert shown[0].endswith("prog.py:4")
    assert "  written   for line in lines" in shown
    assert f"  changed   result  0 -> {sum(range(50)) + 1000 - 37}" in shown


def test_the_first_wrong_turn_is_found_at_once_and_its_lines_are_those_of_the_body(
    inquiry: Inquiry,
) -> None:
    loop_views.first_wrong(inquiry, pending(inquiry).node, 38)
    found = inquiry.session.pending
    assert isinstance(found, Diagnosis)
    (guilt,) = guilty(inquiry.trace, found, inquiry.session)
    assert (guilt.kind, guilt.lines) == ("loop-body", (5, 6, 7))
    assert "turn 38 of 100" in "\n".join(markdown(inquiry.trace, inquiry.session))
    assert json.dumps(sarif(inquiry.trace, inquiry.session))
    with pytest.raises(UsageError):
        loop_views.first_wrong(inquiry, found.node, 101)
    with pytest.raises(UsageError, match="Questions about loops come later"):
        loop_views.first_wrong(inquiry, 0, 1)


def test_the_shape_and_answers_about_turns_are_kept(path: Path) -> None:
    path.with_name("prog.answers.jsonl").unlink(missing_ok=True)
    with opened(path) as first:
        first.search_in(first.tree.find_call(1) or 0)
        first.shape(("loops",))
        loop_views.first_wrong(first, pending(first).node, 38)
        about = first.session.pending
    with opened(path) as again:
        assert again.session.problem.shape == ("loops",)
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


def said(inquiry: Inquiry, *documents: object) -> list[dict[str, object]]:
    sink = io.StringIO()
    machine.loop(inquiry, io.StringIO("\n".join(map(json.dumps, documents))), sink)
    return [json.loads(line) for line in sink.getvalue().splitlines()]


def test_programs_can_name_the_first_wrong_turn(inquiry: Inquiry) -> None:
    *_, report = said(inquiry, {"verdict": "first", "turn": 38})
    assert report["state"] == "found"
    named = report["diagnosis"]
    assert isinstance(named, dict)
    assert (named["kind"], named["lines"]) == ("loop-body", [5, 6, 7])


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({"verdict": "first"}, "first needs the number of a turn"),
        ({"verdict": "first", "turn": True}, "first needs the number of a turn"),
        ({"verdict": "first", "turn": 101}, "The turns are numbered from 1 to 100."),
        ({"verdict": "first", "turn": 0}, "The turns are numbered from 1 to 100."),
        ({"verdict": "first", "turn": 1, "id": "1:1-1"}, "no node with the id 1:1-1"),
        ({"show": "turns", "from": 5, "to": 4}, "The turns are numbered from 1 to 100."),
        ({"show": "turns", "from": "a"}, "from must be a number from 1 on."),
        ({"show": "truns"}, "show takes one of these"),
    ],
)
def test_programs_are_told_what_is_wrong_with_a_turn(
    inquiry: Inquiry, document: object, message: str
) -> None:
    _, error, *_ = said(inquiry, document)
    assert error["type"] == "error"
    assert message in str(error["message"])


def test_of_a_call_with_one_loop_the_first_wrong_turn_can_be_named(inquiry: Inquiry) -> None:
    """Its turns can be seen, so no question about the loop has to come first."""
    whole = inquiry.tree.key(inquiry.session.problem.root)
    about = f"{whole.call}:{whole.first}-{whole.last}"
    *_, report = said(inquiry, {"verdict": "first", "turn": 38, "id": about})
    assert report["state"] == "found"
    inquiry.undo()
    inquiry.undo()
    inquiry.shape(())
    with pytest.raises(UsageError, match="To be asked about loops"):
        loop_views.first_wrong(inquiry, inquiry.session.problem.root, 38)


def test_programs_can_change_the_shape_and_the_strategy(inquiry: Inquiry) -> None:
    def shape_after(*documents: object) -> tuple[str, ...]:
        said(inquiry, *documents)
        return inquiry.session.problem.shape

    assert shape_after({"transform": "loops, balance:min=8", "strategy": "top"}) == (
        "loops",
        "balance:min=8",
    )
    assert inquiry.session.strategy == "top-down"
    assert shape_after({"transform": ["+streams", "+collapse"]}, {"transform": "-balance"}) == (
        "loops",
        "streams",
        "collapse",
    )
    assert shape_after({"transform": "default"}) == DEFAULT_SHAPE
    errors = said(inquiry, {"transform": "loop"}, {"strategy": 3}, {"transform": [1]})[1:4]
    assert [each["type"] for each in errors] == ["error"] * 3
    assert shape_after({"transform": "none"}) == ()


def test_programs_can_see_the_table_of_turns(inquiry: Inquiry) -> None:
    _, shown, *_ = said(inquiry, {"show": "turns", "from": 1, "to": 100})
    assert shown["type"] == "turns"
    assert (shown["first"], shown["last"], shown["turns"]) == (1, 100, 100)
    rows, courses = shown["rows"], shown["courses"]
    assert isinstance(rows, list)
    assert isinstance(courses, list)
    assert [row["turn"] for row in rows] == [1, 13, 26, 38, 50, 63, 75, 88, 100]
    assert rows[3]["changes"][1]["new"] == {"kind": "integer", "value": sum(range(37)) + 1000}
    assert courses[0]["path"] == "result"
    assert len(courses[0]["turns"]) == len(courses[0]["values"]) == 40


def test_a_table_shows_turns_spread_over_all_and_a_sparkline(inquiry: Inquiry) -> None:
    (table,) = loop_views.tables(inquiry, pending(inquiry).node, loop_views.Wanted(1, 100))
    shown = list(plain(table_lines(inquiry.trace, table, width=80)))
    assert shown[2:6] == [
        "  turn  line  what came of it",
        "     1  0     nothing changed",
        "   ...  11 more",
        "    13  12    result 66 -> 78",
    ]
    assert shown[-2].startswith("  result  ▁▁")
    assert shown[-2].endswith("█  0 to 5913")
    assert max(map(len, shown)) <= 80
    shown = list(plain(table_lines(inquiry.trace, table, is_ascii=True, width=80)))
    assert all(line.isascii() for line in shown)


def test_few_turns_are_shown_one_by_one(inquiry: Inquiry) -> None:
    (table,) = loop_views.tables(inquiry, inquiry.session.problem.root, loop_views.Wanted(30, 45))
    shown = list(plain(table_lines(inquiry.trace, table, width=80)))
    assert [line.split()[0] for line in shown[3:19]] == [str(turn) for turn in range(30, 46)]
    assert "    38  37    line 37 -> 1000, result 666 -> 1666" in shown
    with pytest.raises(UsageError, match="numbered from 1 to 100"):
        loop_views.tables(inquiry, inquiry.session.problem.root, loop_views.Wanted(90, 101))


def test_a_call_without_loops_has_no_table(inquiry: Inquiry) -> None:
    whole_run = inquiry.tree.parent[inquiry.session.problem.root]
    with pytest.raises(UsageError, match="did not run a loop itself"):
        loop_views.tables(inquiry, int(whole_run), loop_views.Wanted())


def test_a_loop_can_be_given_a_name_that_is_kept_and_undone(path: Path, inquiry: Inquiry) -> None:
    loop_views.name(inquiry, pending(inquiry).node, "adding up")
    shown = list(
        plain(question_lines(inquiry.trace, inquiry.behaviour(pending(inquiry).node), width=80))
    )
    assert shown[0].startswith("adding up: ")
    loop_views.first_wrong(inquiry, pending(inquiry).node, 38)
    lines = messages.diagnosis(inquiry, diagnosis(inquiry), 80)
    found = "\n".join(plain(each for each in lines if not isinstance(each, str)))
    assert "It is the body of the loop adding up: it did wrong in the turn below." in found
    assert "wrong (you)  adding up: turn 38 of 100 in total: for line in lines" in found
    assert "adding up: turn 38" in "\n".join(markdown(inquiry.trace, inquiry.session))
    assert json.dumps(sarif(inquiry.trace, inquiry.session)).count("adding up: turn 38")
    assert inquiry.journal is not None
    inquiry.journal.close()
    with opened(path) as again:
        assert text_of(again, diagnosis(again).node).startswith("adding up: turn 38")
        again.undo()
        again.undo()
        again.undo()
        assert not text_of(again, pending(again).node).startswith("adding up")
        again.redo()
        assert text_of(again, pending(again).node).startswith("adding up")


def test_a_name_can_be_taken_back_and_belongs_to_a_loop(inquiry: Inquiry) -> None:
    node = pending(inquiry).node
    with pytest.raises(UsageError, match="no name to remove"):
        loop_views.name(inquiry, node, "")
    loop_views.name(inquiry, node, "adding up")
    loop_views.name(inquiry, node, "")
    assert not text_of(inquiry, node).startswith("adding up")
    with pytest.raises(UsageError, match="at most 40"):
        loop_views.name(inquiry, node, "x" * 41)
    with pytest.raises(UsageError, match="Only loops"):
        loop_views.name(inquiry, inquiry.session.problem.root, "adding up")


def test_programs_can_name_a_loop(inquiry: Inquiry) -> None:
    before, after, _ = said(inquiry, {"verdict": "name", "name": "adding up"})
    assert isinstance(before["loop"], dict)
    assert isinstance(after["loop"], dict)
    assert (before["loop"]["name"], after["loop"]["name"]) == (None, "adding up")


def diagnosis(inquiry: Inquiry) -> Diagnosis:
    found = inquiry.session.pending
    assert isinstance(found, Diagnosis)
    return found


def test_a_part_of_what_turns_left_can_be_wrong(inquiry: Inquiry) -> None:
    asked = pending(inquiry)
    assert inquiry.about(asked.node, "result") == asked.about
    inquiry.give(Answer(asked.about, Verdict.WRONG, path="result"))
    assert inquiry.session.answers[-1].answer.path == "result"


SEEN = """
    def distinct(items):
        seen = set()
        for item in items:
            seen.add(item)
            seen.discard(item - 1)
        return seen

    distinct([1, 2, 5])
    """


def test_what_came_into_a_set_or_went_is_told_so(tmp_path: Path) -> None:
    with opened(recorded(tmp_path, SEEN).path) as found:
        call = found.tree.find_call(call_of(found.trace, "distinct").id) or 0
        found.search_in(call)
        found.shape(("loops",))
        (table,) = loop_views.tables(found, call, loop_views.Wanted())
        assert list(plain(table_lines(found.trace, table, width=80)))[3:6] == [
            "     1  1     seen added 1",
            "     2  2     seen removed 1, seen added 2",
            "     3  5     seen added 5",
        ]
        shown = "\n".join(plain(question_lines(found.trace, table.behaviour, width=80)))
        assert "seen  added 2, 5" in shown


STREAM = """
    def evens(limit):
        n = 0
        while n < limit:
            yield n
            n += 2
            if n == 6:
                n = 7

    def main():
        return list(evens(12))

    main()
    """


def test_a_wrong_stream_is_asked_about_step_by_step(tmp_path: Path) -> None:
    with opened(recorded(tmp_path, STREAM).path) as found:
        stream = call_of(found.trace, "evens").id
        found.search_in(found.tree.find_call(stream) or 0)
        found.shape(("loops", "streams"))
        asked = found.behaviour(pending(found).node)
        assert asked.kind in ("step", "steps")
        root = found.session.problem.root
        (table,) = loop_views.tables(found, root, loop_views.Wanted())
        shown = list(plain(table_lines(found.trace, table, width=80)))
        assert shown[1:4] == [
            "  next  what came of it",
            "     1  yielded 0, n = 0",
            "     2  yielded 2, n 0 -> 2",
        ]
        loop_views.first_wrong(found, root, 4)
        (guilt,) = guilty(found.trace, diagnosis(found), found.session)
        assert (guilt.kind, guilt.behaviour.kind) == ("turn", "step")
        assert guilt.lines == (4, 5, 6, 7, 8)
        lines = messages.diagnosis(found, diagnosis(found), 80)
        told = "\n".join(plain(each for each in lines if not isinstance(each, str)))
        assert "It is a generator: it did wrong in the step below." in told
        assert "wrong (you)  next 4 of 7 in evens" in told
        *_, report = said(found)
        assert report["state"] == "found"


def test_without_streams_a_generator_has_no_steps(tmp_path: Path) -> None:
    with opened(recorded(tmp_path, STREAM).path) as found:
        stream = found.tree.find_call(call_of(found.trace, "evens").id) or 0
        found.shape(("loops",))
        with pytest.raises(UsageError, match="not about a loop"):
            loop_views.first_wrong(found, stream, 4)


def talked(inquiry: Inquiry, *lines: str) -> None:
    """Type lines at questions."""
    for line in lines:
        talk = Conversation(
            inquiry, FileLines(Path(), []), Screen(has_colour=False, can_move=False)
        )
        handlers.reply(talk, pending(inquiry), understood(line))


MANY = """
    def square(x):
        return x * x

    def main():
        return [square(number) for number in range(500)]

    main()
    """


def test_all_members_of_a_group_can_be_seen(tmp_path: Path) -> None:
    with opened(recorded(tmp_path, MANY).path) as found:
        found.search_in(found.tree.find_call(1) or 0)
        found.shape(("balance",))
        asked = pending(found)
        assert found.tree.node(asked.node).kind is NodeKind.GROUP
        shown = list(plain(question_lines(found.trace, found.behaviour(asked.node), width=80)))
        assert "square(x=0) -> 0" in shown[1]
        assert shown[-1].endswith("calls lists them, unfold asks one by one")
        first, members, count = loop_views.members(found, asked.node, loop_views.Wanted())
        assert (first, len(members), count) == (1, 40, 250)
        *_, calls, again, report = said(found, {"show": "calls", "from": 241, "to": 250})
        assert (calls["first"], calls["last"], calls["count"]) == (241, 250, 250)
        rows = calls["rows"]
        assert isinstance(rows, list)
        assert rows[-1]["outcome"]["value"] == {"kind": "integer", "value": 249 * 249}
        assert again["id"] == f"{asked.about.call}:{asked.about.first}-{asked.about.last}"
        assert report["type"] == "report"
        talked(found, "unfold")
        assert found.session.problem.find(asked.about) is None
        children = found.tree.children(found.session.problem.root).tolist()
        kinds = [found.tree.node(child).kind for child in children]
        assert kinds.count(NodeKind.CALL) == 250
        found.undo()
        assert pending(found) == asked
        with pytest.raises(UsageError, match="numbered from 1 to 250"):
            loop_views.members(found, asked.node, loop_views.Wanted(251))
        with pytest.raises(UsageError, match="not about a group"):
            loop_views.members(found, found.session.problem.root, loop_views.Wanted())


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
        with pytest.raises(UsageError, match="can't be trusted"):
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
    found, asking = run.parted(argv)
    assert (found, "".join(asking.get("--transform", []))) == (rest, names)


def test_options_for_oracles_are_taken_from_before_the_program() -> None:
    found, asking = run.parted(["--spec", "a.py", "--quiet", "--spec=b", "p.py", "--spec", "c"])
    assert (found, asking) == (["--quiet", "p.py", "--spec", "c"], {"--spec": ["a.py", "b"]})


def test_how_it_is_asked_can_stand_before_the_program() -> None:
    argv = [
        "--inline",
        "f",
        "--strategy=top-down",
        "--plain",
        "--answers",
        "a.txt",
        "p.py",
        "--inline",
    ]
    found, asking = run.parted([*argv, "--inline=g"])
    assert found == ["p.py", "--inline", "--inline=g"]
    assert asking == {
        "--inline": ["f"],
        "--strategy": ["top-down"],
        "--plain": [""],
        "--answers": ["a.txt"],
    }
    with pytest.raises(UsageError, match="There is no strategy"):
        run.parted(["--strategy", "upside-down", "p.py"])
