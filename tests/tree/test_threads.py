"""Calls that ran elsewhere: their place in the tree, their starters, and bugs in them."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sleuth import _flat
from sleuth.search.question import Diagnosis
from sleuth.search.session import Session
from sleuth.search.strategies import STRATEGIES
from sleuth.trace.reader import Trace
from sleuth.trace.values import Atom
from sleuth.tree.build import tree_of
from sleuth.tree.failing.uncaught import symptom_path
from sleuth.tree.flat import FlatTree
from sleuth.tree.loops.parts import part_behaviour, part_of
from sleuth.tree.loops.runs import loops_of
from sleuth.tree.node import Key
from sleuth.tree.observe.behaviour import Behaviour
from sleuth.tree.observe.calls import behaviour_of
from tests.recorded import call_of, calls_of, recorded
from tests.shapes import problem_of, searched

SHAPES = ((), ("loops",), ("balance",), ("loops", "balance"), ("loops", "balance-chains"))


def above(trace: Trace, tree: FlatTree, name: str) -> str:
    node = tree.find_call(call_of(trace, name).id)
    assert node is not None
    routine = int(tree.routine[tree.parent[node]])
    function = trace.function(routine) if routine >= 0 else None
    return function.qualified_name if function else "the run"


@given(st.data())
def test_a_call_that_outlived_its_starter_hangs_under_the_nearest_that_lasted(
    data: st.DataObject,
) -> None:
    size = data.draw(st.integers(1, 60))
    parents = [-1, *(data.draw(st.integers(0, i - 1)) for i in range(1, size))]
    ends = [10_000, *(data.draw(st.integers(0, 20)) for _ in range(1, size))]
    is_elsewhere = [False, *(data.draw(st.booleans()) for _ in range(1, size))]
    above = np.empty(size, np.int32)
    _flat.hang(np.array(parents, np.int32), np.array(ends, np.int64), np.array(is_elsewhere), above)
    for node in range(1, size):
        wanted = parents[node]
        while is_elsewhere[node] and ends[wanted] < ends[node]:
            wanted = parents[wanted]
        assert above[node] == wanted


LATE = """
    import asyncio, threading
    def start(target, *args):
        t = threading.Thread(target=target, args=args)
        t.start()
        return t
    def quick(): pass
    def slow(gate): gate.wait(); wrong()
    def wrong(): return 1
    def wait(gate):
        start(quick).join()
        slowly = start(slow, gate)
        return slowly
    def whole():
        gate = threading.Event()
        t = wait(gate)
        gate.set()
        t.join()
    def spawn(): return asyncio.create_task(job())
    async def job(): await asyncio.sleep(0)
    async def main(): await spawn()
    whole()
    asyncio.run(main())
"""


def test_a_right_starter_does_not_clear_what_was_done_after_it_returned(tmp_path: Path) -> None:
    trace = recorded(tmp_path, LATE)
    tree = tree_of(trace)
    assert above(trace, tree, "slow") == "whole"
    assert above(trace, tree, "wrong") == "slow"
    assert above(trace, tree, "job") == "main"
    assert trace.call(call_of(trace, "slow").parent or 0) == calls_of(trace, "start")[1]
    assert trace.call(call_of(trace, "job").parent or 0) == call_of(trace, "spawn")


BUGGY = """
    import asyncio, threading
    from concurrent.futures import ThreadPoolExecutor

    def twice(n): return n * 2 if n != 3 else 7
    def job(out, n): out.append(twice(n))

    def threads(out):
        started = []
        for n in range(5):
            t = threading.Thread(target=job, args=(out, n))
            t.start()
            started.append(t)
        for t in started:
            t.join()

    def one_by_one(out):
        for n in range(5):
            t = threading.Thread(target=job, args=(out, n))
            t.start()
            t.join()

    def mapped():
        with ThreadPoolExecutor(2) as pool:
            return list(pool.map(twice, range(5)))

    def left(out, gate):
        def later(): gate.wait(); job(out, 3)
        t = threading.Thread(target=later)
        t.start()
        return t

    async def awaited():
        found = []
        for n in range(5):
            found.append(await asyncio.to_thread(twice, n))
        return found

    def main():
        out, gate = [], threading.Event()
        threads(out)
        one_by_one(out)
        mapped()
        t = left(out, gate)
        gate.set()
        t.join()
        asyncio.run(awaited())
    main()
"""


@pytest.fixture(scope="module")
def buggy(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    return recorded(tmp_path_factory.mktemp("buggy"), BUGGY)


@pytest.mark.parametrize("shape", SHAPES, ids="+".join)
def test_every_strategy_finds_the_wrong_call_of_a_worker(
    buggy: Trace, shape: tuple[str, ...]
) -> None:
    tree = tree_of(buggy)
    bad = [call.id for call in calls_of(buggy, "twice") if buggy.arguments(call)[0] == Atom(3)]
    assert len(bad) == 5
    for strategy in STRATEGIES if shape in ((), ("loops",)) else ("optimal",):
        for call in bad:
            session = Session(problem_of(tree, buggy)).using(strategy).shaped(shape)
            found = searched(session, call)
            pending = found.pending
            assert isinstance(pending, Diagnosis), (strategy, call)
            calls = [int(found.problem.tree.call[node]) for node in pending.candidates]
            assert calls == [call], (strategy, call)


def behaviour_in(trace: Trace, call: int, number: int, turn: int | None = None) -> Behaviour:
    """Return what a loop of a call did, or one of its turns."""
    made = trace.call(call)
    run = loops_of(trace, call).runs(made.first, made.last or 0, None)[number]
    first = run.first if turn is None else int(run.turns[turn])
    last = run.last if turn is None else run.turn_end(turn)
    key = Key(call, first, last)
    part = part_of(trace, key)
    assert part is not None
    return part_behaviour(trace, key, part)


def test_what_other_threads_wrote_is_no_effect_of_a_loop_that_waited(buggy: Trace) -> None:
    call = call_of(buggy, "threads")
    waited = behaviour_in(buggy, call.id, 1)
    assert not [change for change in waited.changes if change.path.startswith("out")]
    assert not behaviour_of(buggy, call).changes


def test_a_global_that_a_thread_set_is_no_effect_of_a_loop_that_waited(tmp_path: Path) -> None:
    trace = recorded(
        tmp_path,
        """
        import threading
        total = 0
        def work(gate):
            global total
            gate.wait()
            total = 5
        gate = threading.Event()
        thread = threading.Thread(target=work, args=(gate,))
        thread.start()
        for each in [thread]:
            gate.set()
            each.join()
        total = 1
        """,
    )
    loop = behaviour_in(trace, 0, 0)
    assert "total" not in {change.path for change in loop.changes}
    assert "total" in {change.path for change in loop.meanwhile}


def test_effects_of_a_thread_that_ended_within_a_call_are_shown_with_it(
    buggy: Trace, tmp_path: Path
) -> None:
    whole = behaviour_of(buggy, call_of(buggy, "threads"))
    assert [change.path for change in whole.meanwhile] == [f"out[{i}]" for i in range(5)]
    turn = behaviour_in(buggy, call_of(buggy, "one_by_one").id, 0, 3)
    assert [change.path for change in turn.meanwhile] == ["out[8]"]
    trace = recorded(
        tmp_path,
        """
        import threading
        STATE = [0]
        def work():
            STATE[0] = 1
            print("worked")
        def starts():
            t = threading.Thread(target=work); t.start(); t.join()
        starts()
        """,
    )
    told = behaviour_of(trace, call_of(trace, "starts"))
    assert [change.path for change in told.meanwhile] == ["STATE[0]"]
    assert told.printed.lines == ("worked",)


def test_what_a_thread_did_later_is_no_effect_of_its_starter(buggy: Trace) -> None:
    behaviour = behaviour_of(buggy, call_of(buggy, "left"))
    assert not behaviour.changes


def test_an_exception_that_left_a_thread_is_the_symptom(tmp_path: Path) -> None:
    trace = recorded(
        tmp_path,
        """
        import threading
        def fail(): raise ValueError
        def work(): fail()
        def start(): t = threading.Thread(target=work); t.start(); t.join()
        start()
        """,
    )
    tree = tree_of(trace)
    calls = [int(tree.call[node]) for node in symptom_path(trace, tree)]
    assert calls == [call_of(trace, "work").id, call_of(trace, "fail").id]
