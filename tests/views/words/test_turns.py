"""The table of turns: the rows that tell something, and what fits into them."""

import re
from pathlib import Path

import pytest

from sleuth.tree.loops.runs import loops_of
from sleuth.tree.loops.turns import table, turns_of
from sleuth.tree.node import Key
from sleuth.tree.observe.calls import behaviour_of
from sleuth.views.cli import main
from sleuth.views.drawing.styled import plain
from sleuth.views.words.question import question_lines
from sleuth.views.words.turns import turn_rows
from tests.recorded import call_of, recorded

pytestmark = pytest.mark.two_versions

SPARSE = """
def large(numbers):
    found = []
    for n in numbers:
        if n % 13 == 0:
            found.append(n)
            print("took", n)
    return found

large(range(1, 42))
"""


def test_of_many_turns_those_are_shown_of_which_something_came(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = recorded(tmp_path, SPARSE).path
    answers = tmp_path / "answers.txt"
    answers.write_text("j large\nn\nturns 1 41\nq\n")
    capsys.readouterr()
    main(["ask", str(trace), "--answers", str(answers)])
    shown = capsys.readouterr().out
    rows = shown.rpartition("what came of it")[2].splitlines()[1:9]
    assert rows == [
        "     1  1   nothing changed",
        "   ...  11 more: nothing came of them",
        "    13  13  found[0] = 13, printed took 13",
        "   ...  12 more: nothing came of them",
        "    26  26  found[1] = 26, printed took 26",
        "   ...  12 more: nothing came of them",
        "    39  39  found[2] = 39, printed took 39",
        "   ...  1 more: nothing came of them",
    ], shown


def test_objects_that_only_moved_in_a_list_are_no_changes(tmp_path: Path) -> None:
    program = """
        import heapq
        class Job:
            def __init__(self, weight):
                self.weight = weight
            def __lt__(self, other):
                return self.weight < other.weight
        def take(heap):
            heapq.heappop(heap)
            heapq.heappush(heap, Job(9))
        heap = [Job(number) for number in range(8)]
        take(heap)
        def fill(numbers):
            numbers[:] = [1, 0, 1, 2]
        fill([0, 1, 2, 3])
    """
    trace = recorded(tmp_path, program)
    took, filled = (
        "\n".join(plain(question_lines(trace, behaviour_of(trace, call_of(trace, name)), width=80)))
        for name in ("take", "fill")
    )
    rows = re.sub(r"#\d+", "#1", took).partition("changed")[2].splitlines()
    assert rows[0].strip() == "heap  removed <Job #1 weight=0>"
    assert rows[1].strip() == "heap  added <Job #1 weight=9>"
    assert "numbers[0]  0 -> 1" in filled


def test_items_of_turns_stand_above_what_came_of_them_on_a_narrow_terminal(tmp_path: Path) -> None:
    program = """
        def run(lines, orders):
            for line in lines:
                number, _, event = line.partition(" ")
                orders[int(number)] = event
        run(["1 pay", "2 pay", "1 pack"], {})
    """
    trace = recorded(tmp_path, program)
    call = call_of(trace, "run")
    (loop,) = loops_of(trace, call.id).runs(int(call.first), int(call.last or 0), None)
    turns = turns_of(trace, Key(call.id, loop.first, loop.last))
    assert turns is not None
    lines = list(plain(turn_rows(trace, table(trace, turns, 1, 3), width=40)))
    assert lines[0] == "  turn  line: what came of it"
    assert lines[1:3] == ["     1  '1 pay'", "        orders[1] = 'pay', number = '1',"]
    assert "        orders[1] 'pay' -> 'pack'," in lines
    wide = list(plain(turn_rows(trace, table(trace, turns, 1, 3), width=80)))
    assert wide[2].startswith("     2  '2 pay'   orders[2] = 'pay', ")
