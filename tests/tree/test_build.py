"""From a trace to its tree: of the toy language, and of recorded Python."""

import os
import shutil
import sqlite3
import subprocess
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sleuth
from sleuth.search.problem import Problem
from sleuth.search.question import Diagnosis, NoBug, Question, Verdict
from sleuth.search.session import Session
from sleuth.search.strategies import STRATEGIES
from sleuth.trace.events import FunctionRow, Outcome
from sleuth.trace.reader import Trace
from sleuth.trace.store.encode import Segment
from sleuth.trace.store.writer import Writer
from sleuth.trace.values import Atom
from sleuth.tree.build import preordered, tree_of
from sleuth.tree.failing.uncaught import symptom_path
from sleuth.tree.flat import FlatTree
from sleuth.tree.node import Key, NodeKind
from tests import toy, trees
from tests.recorded import recorded


def names(trace: Trace, tree: FlatTree) -> list[str]:
    """Return the nodes in order, indented by depth."""
    found = []
    for number in range(1, len(tree)):
        function = trace.function(int(tree.routine[number]))
        assert function is not None
        found.append("  " * int(tree.depth[number] - 1) + function.qualified_name)
    return found


def check(trace: Trace, tree: FlatTree) -> None:
    """Compare the arrays with what the trace says call by call."""
    assert len(tree) == trace.call_count + 1
    assert sorted(tree.call.tolist()) == list(range(-1, trace.call_count))
    for number in range(len(tree)):
        node = tree.node(number)
        assert tree.find(node.key) == number
        inside = [each for each in range(len(tree)) if number in tree.path(each)]
        assert inside == list(range(number, number + node.size))
        below = tree.children(number).tolist()
        if node.kind is NodeKind.RUN:
            assert tree.call[below].tolist() == list(trace.child_ids(None))
            continue
        call = trace.call(node.call)
        assert tree.find_call(call.id) == number
        assert tree.call[below].tolist() == list(trace.child_ids(call.id))
        assert node.key == Key(call.id, call.first, -1 if call.last is None else call.last)
        assert (node.outcome, node.routine) == (call.outcome, call.function)
        above = tree.node(0 if node.parent is None else node.parent)
        assert above.call == (-1 if call.parent is None else call.parent)


@pytest.mark.parametrize("limit", [40, 400])
@pytest.mark.parametrize("program", [toy.FACTORIAL, toy.FAILING, toy.ARRAYS])
def test_the_tree_of_a_toy_program(tmp_path: Path, program: toy.Program, limit: int) -> None:
    trace = Trace(toy.record(tmp_path / "t.trace", program, [], limit=limit))
    tree = tree_of(trace)
    check(trace, tree)
    assert tree.mass.tolist() == [0.0] + [1.0] * trace.call_count
    assert tree.is_done.all()
    assert not tree.is_growing


def test_a_toy_bug_is_found(tmp_path: Path) -> None:
    opened = sleuth.open(toy.record(tmp_path / "t.trace", toy.FACTORIAL, []))
    session = opened.session(transform=())
    asked = []
    while isinstance(question := session.pending, Question):
        asked.append(question.node)
        is_wrong = question.node <= 4
        verdict = Verdict.WRONG if is_wrong else Verdict.RIGHT
        session = session.given(sleuth.Answer(question.about, verdict))
    assert isinstance(session.pending, Diagnosis)
    assert session.pending.candidates == (4,)
    assert len(asked) == 3


PROGRAM = """
    import asyncio, atexit, threading

    def leaf(x):
        return x

    def stream(n):
        for i in range(n):
            yield leaf(i)

    def consume(items):
        return sum(items)

    def work():
        return consume(stream(2))

    async def fetch(i):
        await asyncio.sleep(0)
        return leaf(i)

    async def both():
        return await asyncio.gather(fetch(1), fetch(2))

    def fail(n):
        if n == 0:
            raise ValueError("no")
        fail(n - 1)

    def caught():
        try:
            fail(1)
        except ValueError:
            pass

    work()
    thread = threading.Thread(target=leaf, args=(3,))
    thread.start()
    thread.join()
    asyncio.run(both())
    caught()
    atexit.register(leaf, 5)
    fail(2)
"""


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    return recorded(tmp_path_factory.mktemp("recorded"), PROGRAM, status=1)


def test_streams_tasks_and_threads_are_where_they_were_made(trace: Trace) -> None:
    tree = tree_of(trace)
    check(trace, tree)
    assert names(trace, tree) == [
        "<module>",
        "  work",
        "    stream",
        "      leaf",
        "      leaf",
        "    consume",
        "  leaf",
        "  both",
        "    fetch",
        "      leaf",
        "    fetch",
        "      leaf",
        "  caught",
        "    fail",
        "      fail",
        "  fail",
        "    fail",
        "      fail",
        "leaf",
    ]


def test_the_symptom_is_the_exception_that_nobody_caught(trace: Trace) -> None:
    tree = tree_of(trace)
    path = symptom_path(trace, tree)
    assert [names(trace, tree)[node - 1].strip() for node in path] == ["<module>"] + ["fail"] * 3
    assert path.tolist() == [1, 16, 17, 18]
    session = sleuth.open(trace.path).session(transform=())
    assert isinstance(session.pending, Question)
    assert session.pending.node in path
    assert session.space.focus == 1


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_each_bug_of_a_recorded_program_is_found(trace: Trace, strategy: str) -> None:
    opened = sleuth.open(trace.path)
    problem = Problem(opened.tree, path=tuple(symptom_path(trace, opened.tree).tolist()))
    for bug in range(1, len(opened.tree)):
        asked, found = trees.searched(Session(problem, strategy=strategy), bug)
        assert isinstance(found, Diagnosis)
        assert found.candidates == (bug,)
        assert len(set(asked)) == len(asked)


def test_without_an_uncaught_exception_there_is_no_path(tmp_path: Path) -> None:
    source = """
        import sys
        def fail():
            raise KeyError(1)
        try:
            fail()
        except KeyError:
            pass
        sys.exit(0)
    """
    trace = recorded(tmp_path, source)
    assert len(symptom_path(trace, tree_of(trace))) == 0


def test_an_exception_that_took_anothers_place_begins_there(tmp_path: Path) -> None:
    source = """
        def inner():
            raise KeyError(1)
        def outer():
            try:
                inner()
            except KeyError:
                raise ValueError(2)
        outer()
    """
    trace = recorded(tmp_path, source, status=1)
    tree = tree_of(trace)
    named = [names(trace, tree)[node - 1].strip() for node in symptom_path(trace, tree)]
    assert named == ["<module>", "outer"]


def test_an_uncaught_exception_of_a_thread_is_a_symptom(tmp_path: Path) -> None:
    source = """
        import threading
        def fail():
            raise KeyError(1)
        thread = threading.Thread(target=fail)
        thread.start()
        thread.join()
    """
    trace = recorded(tmp_path, source)
    tree = tree_of(trace)
    assert [names(trace, tree)[node - 1] for node in symptom_path(trace, tree)] == ["  fail"]


def test_installed_code_is_trusted(tmp_path: Path) -> None:
    packages = tmp_path / "work" / "lib" / "site-packages"
    packages.mkdir(parents=True)
    (packages / "others.py").write_text("def apply(f, x):\n    return f(x)\n")
    (tmp_path / "work" / "pyproject.toml").write_text('[tool.sleuth]\ninclude = ["others"]\n')
    source = """
        import sys
        sys.path.insert(0, "lib/site-packages")
        import others
        def twice(x):
            return 2 * x
        others.apply(twice, 3)
    """
    trace = recorded(tmp_path / "work", source)
    tree = tree_of(trace)
    trusted = [name.strip() for name in np.array(names(trace, tree))[tree.is_trusted[1:]]]
    assert trusted == ["<module>", "apply"]
    asked = sleuth.open(trace.path).session(transform=()).space.candidates + 1
    assert [names(trace, tree)[node - 1].strip() for node in asked] == ["twice"]


# --- Traces that are not whole -------------------------------------------------------------------


def begun(path: Path, **about: object) -> Writer:
    """Write a trace of three nested calls, of which only the innermost is over."""
    writer = Writer.create(path, {"language": "toy", "argv": ["t"], "cwd": "/", **about})
    module = writer.add_module(name="m", path="m", recorded=True, reason="", source=None)
    row = FunctionRow(1, "f", "f", "procedure", 1, 2, "aa", (), [])
    writer.add_functions(module, [row])
    segment = Segment(("None",))
    for _ in range(3):
        segment.enter(1, [])
    segment.leave(Atom(1))
    writer.write_segment(0, segment.data, closed=True)
    return writer


def test_while_the_run_goes_on_only_what_is_over_is_asked_about(tmp_path: Path) -> None:
    path = tmp_path / "t.trace"
    writer = begun(path)
    session = sleuth.open(path).session(transform=())
    assert session.problem.tree.is_growing
    assert isinstance(session.pending, Question)
    assert session.pending.node == 3
    session = session.given(sleuth.Answer(session.pending.about, Verdict.RIGHT))
    assert isinstance(session.pending, NoBug)
    assert session.pending.is_running
    more = Segment(("None",))
    more.leave(Atom(2))
    more.leave(Atom(3))
    writer.write_segment(1, more.data, closed=True)
    writer.finish({"how": "exited", "status": 0})
    later = session.on(sleuth.open(path).problem())
    assert isinstance(later.pending, Question)
    assert later.pending.node == 2


def test_after_a_crash_unfinished_calls_are_asked_about(tmp_path: Path) -> None:
    path = tmp_path / "t.trace"
    begun(path).finish({"how": "killed", "signal": 9})
    session = sleuth.open(path).session(transform=())
    tree = session.problem.tree
    assert isinstance(tree, FlatTree)
    assert [tree.node(number).outcome for number in (1, 2, 3)] == [
        Outcome.UNFINISHED,
        Outcome.UNFINISHED,
        Outcome.RETURNED,
    ]
    assert tree.node(2).key.last == -1
    assert session.space.focus == 1
    assert isinstance(session.pending, Question)
    assert session.pending.node == 2, "the innermost call that was running comes first"


def test_a_trace_that_nobody_writes_any_more_is_like_one_of_a_crash(tmp_path: Path) -> None:
    path = tmp_path / "t.trace"
    ended = subprocess.Popen(["true"])
    ended.wait()
    writer = begun(path, pid=ended.pid)
    assert tree_of(Trace(path)).is_growing
    for file in tmp_path.iterdir():
        os.utime(file, (0, 0))
    tree = tree_of(Trace(path))
    assert not tree.is_growing
    assert tree.is_done.all()
    writer.finish({"how": "exited", "status": 0})


def test_a_trace_without_calls_has_no_bug(tmp_path: Path) -> None:
    path = tmp_path / "t.trace"
    writer = Writer.create(path, {"language": "toy", "argv": ["t"], "cwd": "/"})
    writer.finish({"how": "exited", "status": 0})
    opened = sleuth.open(path)
    assert len(opened.tree) == 1
    assert isinstance(opened.session(transform=()).pending, NoBug)


def test_damaged_calls_are_refused(tmp_path: Path) -> None:
    path = toy.record(tmp_path / "t.trace", toy.FACTORIAL, [])
    broken = tmp_path / "broken.trace"
    shutil.copy(path, broken)
    with closing(sqlite3.connect(broken)) as connection, connection:
        connection.execute("UPDATE segments SET block = x'00'")
    with pytest.raises(sleuth.TraceDamaged):
        tree_of(Trace(broken))


def test_a_call_that_is_not_there_is_refused(tmp_path: Path) -> None:
    opened = sleuth.open(toy.record(tmp_path / "t.trace", toy.FACTORIAL, []))
    assert opened.session(root=3, transform=()).problem.root == 4
    with pytest.raises(sleuth.UsageError, match="no call 99; they go up to 6"):
        opened.session(root=99, transform=())
    with pytest.raises(IndexError):
        opened.tree.node(99)


# --- Arrays --------------------------------------------------------------------------------------


@given(above=trees.parents())
def test_paths_children_and_depths_agree_with_the_parents(above: list[int]) -> None:
    tree = trees.tree_of(above)
    for number in range(len(tree)):
        assert tree.children(number).tolist() == [
            each for each in range(len(above)) if above[each] == number
        ]
        path = tree.path(number)
        assert len(path) == tree.depth[number] + 1
        assert all(above[low] == high for high, low in pairwise(path))


@given(data=st.data())
def test_any_order_of_parents_is_numbered_in_preorder(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 30))
    above = [-1] + [data.draw(st.integers(0, number - 1)) for number in range(1, size)]
    numbers, end, depth = preordered(np.array(above, np.int32))
    assert sorted(numbers.tolist()) == list(range(size))
    for node in range(1, size):
        parent = above[node]
        assert numbers[parent] < numbers[node] < end[parent]
        assert end[node] <= end[parent]
        assert depth[node] == depth[parent] + 1
    for parent in range(size):
        order = [numbers[node] for node in range(size) if above[node] == parent]
        assert order == sorted(order)


@pytest.mark.parametrize("shape", ["deep", "wide"])
def test_deep_and_wide_trees_need_no_recursion(shape: str) -> None:
    size = 200_000
    tree = trees.tree_of(range(-1, size - 1) if shape == "deep" else [-1] + [0] * (size - 1))
    assert len(tree.children(0)) == (1 if shape == "deep" else size - 1)
    assert len(tree.path(size - 1)) == (size if shape == "deep" else 2)
