"""The moments at which loops began, turned and ended, for every kind of loop."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[3]))
from sleuth.trace import columns
from sleuth.trace.events import Call, EventKind
from sleuth.trace.reader import Trace
from sleuth.tree.loops.parts import part_behaviour, part_coverage, part_of
from sleuth.tree.loops.runs import LoopRun, loops_of
from sleuth.tree.node import Key
from tests.recorded import call_of, recorded
from tests.tree.looping import PROGRAM


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    return recorded(tmp_path_factory.mktemp("runs"), PROGRAM)


def runs(trace: Trace, name: str, number: int = 0) -> list[LoopRun]:
    call = call_of(trace, name, number)
    assert call.last is not None
    return loops_of(trace, call.id).runs(call.first, call.last, None)


def inner(trace: Trace, call: Call, run: LoopRun, turn: int) -> list[LoopRun]:
    first, last = int(run.turns[turn]), run.turn_end(turn)
    return loops_of(trace, call.id).runs(first, last, run.site)


def made_in(trace: Trace, call: Call, run: LoopRun, turn: int) -> int:
    """Return how many calls a turn made."""
    first, last = int(run.turns[turn]), run.turn_end(turn)
    return sum(first <= child.first <= last for child in trace.children(call.id))


@pytest.mark.parametrize(
    ("name", "number", "turns"),
    [
        ("nested", 0, [4]),
        ("nested", 1, [2]),
        ("whiles", 0, [4]),
        ("comprehensions", 0, [3, 3]),
        ("leaves", 0, [3]),
        ("raises", 0, [2]),
        ("stream", 0, [3]),
        ("reads", 0, [3]),
        ("prints", 0, [2]),
        ("reads_async", 0, [3]),
        ("numbers", 0, [3]),
        ("deep", 0, [2]),
        ("long", 0, [300]),
        ("comprehensions.<locals>.<genexpr>", 0, [2]),
        ("work", 0, []),
    ],
)
def test_every_loop_has_its_turns(trace: Trace, name: str, number: int, turns: list[int]) -> None:
    assert [len(run.turns) for run in runs(trace, name, number)] == turns


def test_loops_in_a_turn_are_found_in_that_turn(trace: Trace) -> None:
    call = call_of(trace, "nested")
    (run,) = runs(trace, "nested")
    found = [[len(each.turns) for each in inner(trace, call, run, turn)] for turn in range(4)]
    assert found == [[2], [], [2], [2]]
    _, pairs = runs(trace, "comprehensions")
    call = call_of(trace, "comprehensions")
    found = [[len(each.turns) for each in inner(trace, call, pairs, turn)] for turn in range(3)]
    assert found == [[0], [1], [2]]


def test_what_follows_a_loop_is_not_in_its_last_turn(trace: Trace) -> None:
    for name, number, calls in (("nested", 1, [2, 0]), ("comprehensions", 0, [1, 1, 1])):
        call = call_of(trace, name, number)
        run = runs(trace, name, number)[0]
        found = [made_in(trace, call, run, turn) for turn in range(len(run.turns))]
        assert found == calls
    call = call_of(trace, "whiles")
    (run,) = runs(trace, "whiles")
    # The condition is computed anew at the end of a turn; not so at the end of the last.
    assert [made_in(trace, call, run, turn) for turn in range(4)] == [1, 1, 1, 0]


def printed(trace: Trace, call: Call, run: LoopRun, turn: int) -> tuple[str, ...]:
    key = Key(call.id, int(run.turns[turn]), run.turn_end(turn))
    part = part_of(trace, key)
    assert part is not None
    return part_behaviour(trace, key, part).printed.lines


def test_what_is_printed_behind_a_loop_is_not_of_a_last_turn_that_printed_nothing(
    tmp_path: Path,
) -> None:
    program = """
        def prints():
            for number in range(3):
                if number < 2:
                    print(number)
            print("end")
        prints()
    """
    trace = recorded(tmp_path, program)
    call = call_of(trace, "prints")
    (run,) = runs(trace, "prints")
    assert [printed(trace, call, run, turn) for turn in range(3)] == [("0",), ("1",), ()]


def test_what_a_last_turn_printed_is_its_own(trace: Trace) -> None:
    for number, turn in ((0, 1), (0, 0)):
        call = call_of(trace, "prints", number)
        (run,) = runs(trace, "prints", number)
        assert printed(trace, call, run, turn) == ("ab"[turn],)


def test_turns_say_what_they_changed(trace: Trace) -> None:
    call = call_of(trace, "long")
    (run,) = runs(trace, "long")
    key = Key(call.id, int(run.turns[0]), run.turn_end(149))
    part = part_of(trace, key)
    assert part is not None
    assert (part.first, part.last, part.count, part.is_loop) == (1, 150, 300, False)
    behaviour = part_behaviour(trace, key, part)
    told = [(each.path, str(each.old), str(each.new)) for each in behaviour.changes]
    assert told == [("total", "Atom(content=0)", f"Atom(content={sum(range(150))})")]


def test_a_turn_that_leaves_the_call_says_how(trace: Trace) -> None:
    for name, how in (("leaves", "returned"), ("raises", "raised"), ("nested", "left")):
        call = call_of(trace, name)
        (run,) = runs(trace, name)
        last = len(run.turns) - 1
        key = Key(call.id, int(run.turns[last]), run.turn_end(last))
        part = part_of(trace, key)
        assert part is not None
        assert part_behaviour(trace, key, part).outcome.how == how


def test_the_lines_of_a_loop_are_its_head_those_of_a_turn_what_it_ran(trace: Trace) -> None:
    source = PROGRAM.splitlines()
    call = call_of(trace, "nested")
    (run,) = runs(trace, "nested")
    lines = {}
    for name, key in (
        ("loop", Key(call.id, run.first, run.last)),
        ("first", Key(call.id, int(run.turns[0]), run.turn_end(0))),
        ("second", Key(call.id, int(run.turns[1]), run.turn_end(1))),
    ):
        part = part_of(trace, key)
        assert part is not None
        covered = part_coverage(trace, key, part)
        lines[name] = [source[line - 1].strip() for line in covered.lines]
    assert lines["loop"] == ["for i in range(n):"]
    assert lines["first"] == ["if i == 1:", "if i == 3:"]
    assert lines["second"] == ["if i == 1:", "continue"]


def test_own_events_come_as_columns(trace: Trace) -> None:
    call = call_of(trace, "whiles")
    assert call.last is not None
    own = columns.own(trace, call.id, call.first, call.last)
    events = list(trace.events(call.first, call.last, call=call.id))
    assert own.moment.tolist() == [event.moment for event in events]
    assert own.kind.tolist() == [event.kind for event in events]
    sited = [at for at, event in enumerate(events) if event.site is not None]
    assert [int(own.site[at]) for at in sited] == [events[at].site for at in sited]
    assert events[-1].kind is EventKind.RETURN
