"""All transformations, alone and together: no code is lost, and the bug is found."""

import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parents[3]))
from sleuth.opening import Opened
from sleuth.search.journal import replayed, steps
from sleuth.search.question import Answer, Contradiction, Diagnosis, NoBug, Question, Verdict
from sleuth.search.session import Session
from sleuth.search.strategies import STRATEGIES
from sleuth.tree.flat import FlatTree
from sleuth.tree.node import Key, NodeKind
from sleuth.tree.transformations import TRANSFORMATIONS
from sleuth.tree.transformations.outline import Wish, Wished
from tests.effort import examples
from tests.recorded import call_of, calls_of, recorded
from tests.shapes import contains, problem_of, searched, tree_in, with_wrong
from tests.tree.looping import PROGRAM, own_events, owner_is, owners
from tests.trees import parents, tree_of

pytestmark = pytest.mark.any_version
BY_TREE_ALONE = ("compress", "compress-all", "balance")
"""Those that need no trace."""
EXAMPLES = (
    "examples/merge_sort.py",
    "examples/matrix_recursive.py",
    "examples/castling.py",
    "bench/questions/programs/rnd_quicksort.py",
)
"""Recorded as they are: loops, recursion, chains of calls."""
FOLDER = Path(__file__).parents[3]
SYNTHETIC = (NodeKind.RUN, NodeKind.GROUP, NodeKind.MERGED)


def subsets(names: tuple[str, ...]) -> list[tuple[str, ...]]:
    return [some for count in range(len(names) + 1) for some in combinations(names, count)]


SHAPES = subsets(tuple(TRANSFORMATIONS))


@settings(max_examples=examples(80))
@given(data=st.data(), shape=parents(most=40))
def test_on_any_tree_the_wrong_call_is_found(data: st.DataObject, shape: list[int]) -> None:
    routines = data.draw(st.lists(st.integers(0, 2), min_size=len(shape), max_size=len(shape)))
    tree = tree_of(shape, routines=routines)
    bug = data.draw(st.integers(0, len(tree) - 1))
    strategy = data.draw(st.sampled_from(sorted(STRATEGIES)))
    session = Session(problem_of(tree)).using(strategy)
    session = session.shaped(data.draw(st.sampled_from(subsets(BY_TREE_ALONE))))
    # In the middle of a session the shape may change: answers hold in any.
    for _ in range(data.draw(st.integers(0, 2))):
        session = _some_answers(session, bug, data.draw(st.integers(0, 3)))
        session = session.shaped(data.draw(st.sampled_from(subsets(BY_TREE_ALONE))))
    ended = searched(session, bug)
    assert isinstance(ended.pending, Diagnosis)
    assert ended.pending.candidates == (ended.problem.find(tree.key(bug)),)
    assert ended.shaped(()).problem.tree is tree
    assert isinstance(ended.shaped(()).pending, Diagnosis | Question)


def _some_answers(session: Session, bug: int, most: int) -> Session:
    for _ in range(most):
        pending, tree = session.pending, session.problem.tree
        if isinstance(pending, Question) and isinstance(tree, FlatTree):
            is_wrong = contains(tree, pending.node, bug)
            verdict = Verdict.WRONG if is_wrong else Verdict.RIGHT
            session = session.given(Answer(pending.about, verdict))
    return session


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Opened:
    return Opened(recorded(tmp_path_factory.mktemp("combined"), PROGRAM))


def answered(found: Opened, session: Session, bug: tuple[int, int], *, most: int = 900) -> Session:
    for _ in range(most):
        pending = session.pending
        if not isinstance(pending, Question):
            return session
        is_wrong = holds(found, tree_in(session), pending.node, bug)
        session = session.given(Answer(pending.about, Verdict.WRONG if is_wrong else Verdict.RIGHT))
    return session


def holds(found: Opened, tree: FlatTree, node: int, bug: tuple[int, int]) -> bool:
    """Tell whether a wrong event makes a node wrong; the tree as recorded says who made what."""
    if tree.kind[node] in (NodeKind.GROUP, NodeKind.MERGED):
        return contains(tree, node, bug[0])
    return owner_is(found.tree, tree.key(node), NodeKind(int(tree.kind[node])), bug)


@pytest.mark.slow
@settings(max_examples=examples(40))
@given(data=st.data())
def test_in_a_recorded_run_the_wrong_event_is_found(found: Opened, data: st.DataObject) -> None:
    search_for_any(found, data)


@pytest.fixture(scope="module", params=EXAMPLES)
def example(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Opened:
    program = FOLDER / request.param
    source = program.read_text(encoding="utf-8")
    return Opened(recorded(tmp_path_factory.mktemp(program.stem), source))


@settings(max_examples=examples(12))
@given(data=st.data())
def test_in_an_example_the_wrong_event_is_found(example: Opened, data: st.DataObject) -> None:
    search_for_any(example, data)


@settings(max_examples=examples(12))
@given(data=st.data())
def test_whatever_the_shape_becomes_what_is_known_is_not_asked_again(
    example: Opened, data: st.DataObject
) -> None:
    """The shape changes in the middle, answers are undone and redone, and a journal goes on."""
    bug = any_event(example, data)
    session = begun(example, data)
    said: dict[Key, tuple[int, bool]] = {}
    written = list(steps(Session(session.problem), session))
    for _ in range(data.draw(st.integers(2, 12))):
        session, before = session_after(example, session, bug, said), session
        written += steps(before, session)
        shape = data.draw(st.sampled_from(SHAPES))
        session, before = session.shaped(shape), session
        written += steps(before, session)
        if session.entries:
            assert shown(tree_in(session.undone().redone())) == shown(tree_in(session))
    ended = answered(example, session, bug)
    assert isinstance(ended.pending, Diagnosis)
    assert owners(example.trace, tree_in(ended))[bug[1]] == [ended.pending.node]
    start = Session(problem_of(example.tree, example.trace))
    resumed = replayed(start, [*written, *steps(session, ended)])
    assert shown(tree_in(resumed)) == shown(tree_in(ended))
    assert resumed.pending == ended.pending


INTERLEAVED = """
def twice(x):
    return 2 * x

def numbers(n):
    for i in range(n):
        yield twice(i)

def read():
    return [twice(x) for x in numbers(5)]

read()
"""


def test_what_an_inlined_generator_called_stands_among_its_callers_calls_in_order(
    tmp_path: Path,
) -> None:
    found = Opened(recorded(tmp_path, INTERLEAVED))
    reads, numbers = (call_of(found.trace, name) for name in ("read", "numbers"))
    session = Session(problem_of(found.tree, found.trace)).shaped(("balance",))
    session = session.wished(Wished(Wish.INLINE, None, numbers.function))
    session = with_wrong(session, reads.id)
    tree = tree_in(session)
    check(found, tree)
    made = np.flatnonzero((tree.kind == NodeKind.CALL) & (tree.depth > 1))
    assert len(made) > 9
    assert (np.diff(tree.first[made]) > 0).all()


PASSED = """
def logged(function):
    def wrapper(*args):
        return function(*args)
    return wrapper

@logged
def double(x):
    return 2 * x

def steps(n):
    total = 0
    for i in range(n):
        total += double(i)
    return total

def main():
    double(1), double(2), double(3)
    steps(2)
    double(4), double(double(5))
    steps(3)
    double(6), double(7)

main()
"""


@pytest.fixture(scope="module")
def passing(tmp_path_factory: pytest.TempPathFactory) -> Opened:
    return Opened(recorded(tmp_path_factory.mktemp("passed"), PASSED))


@settings(max_examples=examples(30))
@given(data=st.data())
def test_what_was_passed_over_is_found_in_any_shape(passing: Opened, data: st.DataObject) -> None:
    """A group that was right says nothing of the calls that were none of it then."""
    own = own_events(passing.trace)
    wrappers = calls_of(passing.trace, "logged.<locals>.wrapper")
    inlined = calls_of(passing.trace, "steps")
    call = data.draw(st.sampled_from([each.id for each in (*wrappers, *inlined)]))
    bug = call, data.draw(st.sampled_from(own[call]))
    session = Session(problem_of(passing.tree, passing.trace)).shaped(("forward", "balance"))
    shapes = st.sampled_from([("forward", "balance"), ("balance",), ("loops", "forward"), ()])
    for _ in range(data.draw(st.integers(1, 6))):
        session = _some_answers_about(passing, session, bug, data.draw(st.integers(0, 3)))
        match data.draw(st.sampled_from(["shape", "inline", "plain"])):
            case "shape":
                session = session.shaped(data.draw(shapes))
            case "inline":
                session = session.wished(Wished(Wish.INLINE, None, inlined[0].function))
            case _:
                session = session.wished(Wished(Wish.PLAIN))
    ended = answered(passing, session, bug)
    assert isinstance(ended.pending, Diagnosis)
    assert owners(passing.trace, tree_in(ended))[bug[1]] == [ended.pending.node]


def _some_answers_about(
    found: Opened, session: Session, bug: tuple[int, int], most: int
) -> Session:
    for _ in range(most):
        pending = session.pending
        if isinstance(pending, Question):
            is_wrong = holds(found, tree_in(session), pending.node, bug)
            verdict = Verdict.WRONG if is_wrong else Verdict.RIGHT
            session = session.given(Answer(pending.about, verdict))
    return session


def session_after(
    found: Opened, session: Session, bug: tuple[int, int], said: dict[Key, tuple[int, bool]]
) -> Session:
    """Answer a question: not about a part of what was right, nor beside what was wrong."""
    pending, tree = session.pending, tree_in(session)
    if not isinstance(pending, Question):
        return session
    asked, kind = pending.about, int(tree.kind[pending.node])
    in_call, made = asked.call, found.tree.find(asked)
    if made is not None:
        in_call = int(found.tree.call[found.tree.parent[made]])
    for known, (was, was_wrong) in said.items():
        if known.call not in (asked.call, in_call):
            continue
        is_part = known.first <= asked.first <= asked.last <= known.last
        if was_wrong:
            assert is_part or (asked.first <= known.last and known.first <= asked.last)
        elif was not in SYNTHETIC or kind not in (NodeKind.LOOP, NodeKind.TURN):
            # (Calls that were right together say nothing of the lines between them.)
            assert not is_part, (asked, known)
    is_wrong = holds(found, tree, pending.node, bug)
    said[asked] = kind, is_wrong
    return session.given(Answer(asked, Verdict.WRONG if is_wrong else Verdict.RIGHT))


def any_event(found: Opened, data: st.DataObject) -> tuple[int, int]:
    own = own_events(found.trace)
    call = data.draw(st.sampled_from(sorted(own)))
    return call, data.draw(st.sampled_from(own[call]))


def begun(found: Opened, data: st.DataObject) -> Session:
    strategy = data.draw(st.sampled_from(sorted(STRATEGIES)))
    shape = data.draw(st.sampled_from(SHAPES))
    return Session(problem_of(found.tree, found.trace)).using(strategy).shaped(shape)


def search_for_any(found: Opened, data: st.DataObject) -> None:
    """Plant a bug anywhere, search for it in any shape, and undo all answers."""
    call, moment = any_event(found, data)
    start = begun(found, data)
    routines = st.sampled_from(sorted(set(found.tree.routine[1:].tolist())))
    wishes = st.sampled_from([Wish.FOLD, Wish.ONLY, Wish.INLINE])
    for wished in data.draw(st.lists(st.builds(Wished, wishes, st.none(), routines), max_size=2)):
        start = start.wished(wished)
    check(found, tree_in(start))
    ended = answered(found, start, (call, moment))
    pending, tree = ended.pending, tree_in(ended)
    check(found, tree)
    assert isinstance(pending, Diagnosis), pending
    assert pending.is_only_one
    assert tree.kind[pending.node] not in SYNTHETIC
    assert tree.mass[pending.node] > 0
    assert not tree.is_merged(pending.node)
    assert owners(found.trace, tree)[moment] == [pending.node]
    back = ended
    while back.answers:
        back = back.undone()
    assert shown(tree_in(back)) == shown(tree_in(start))
    while back.entries:
        back = back.undone()
    assert back.shaped(()).problem.tree is found.tree


def shown(tree: FlatTree) -> list[tuple[int, int, int, int]]:
    columns = (tree.call, tree.first, tree.last, tree.parent)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def check(found: Opened, tree: FlatTree) -> None:
    """Check what holds for any shape."""
    size = len(tree)
    assert (tree.parent[1:] < np.arange(1, size)).all()
    assert (tree.end[tree.parent[1:]] >= tree.end[1:]).all()
    assert (tree.depth[1:] == tree.depth[tree.parent[1:]] + 1).all()
    assert len({tree.key(node) for node in range(size)}) == size
    assert abs(tree.mass.sum() - found.tree.mass.sum()) < 1e-6
    assert not tree.mass[np.isin(tree.kind, (NodeKind.RUN, NodeKind.GROUP))].any()
    for group in np.flatnonzero(tree.kind == NodeKind.GROUP).tolist():
        check_members(tree, group)
    calls = tree.call[tree.kind == NodeKind.CALL].tolist()
    merged = tree.merged_calls()[0].tolist()
    assert sorted(calls + merged) == list(range(found.trace.call_count))
    owned = owners(found.trace, tree)
    assert all(len(nodes) == 1 for nodes in owned.values()), "no moment is lost or owned twice"
    assert all(tree.mass[nodes[0]] > 0 for nodes in owned.values())


def check_members(tree: FlatTree, group: int) -> None:
    """Check that a group holds all that was called meanwhile, unless that never stands alone."""
    key, recorded_tree = tree.key(group), tree.as_recorded
    made = recorded_tree.children(recorded_tree.find_call(key.call) or 0)
    begun = recorded_tree.first[made]
    calls = recorded_tree.call[made[(begun >= key.first) & (begun <= key.last)]]
    can_open = tree.merged.call[tree.merged.opens & (tree.merged.kind == NodeKind.CALL)]
    for call in np.intersect1d(calls, can_open).tolist():
        assert contains(tree, group, call), f"call {call} is between the members of a group"


@settings(max_examples=examples(30))
@given(data=st.data())
def test_a_wrong_root_always_yields_something(found: Opened, data: st.DataObject) -> None:
    """Whatever is answered, it ends: with a node that has code, or with a contradiction."""
    shape = data.draw(st.sampled_from(subsets(tuple(TRANSFORMATIONS))))
    strategy = data.draw(st.sampled_from(sorted(STRATEGIES)))
    session = Session(problem_of(found.tree, found.trace)).using(strategy).shaped(shape)
    verdicts = st.sampled_from([Verdict.RIGHT, Verdict.WRONG, Verdict.UNKNOWN])
    for _ in range(900):
        pending = session.pending
        if not isinstance(pending, Question):
            break
        session = session.given(Answer(pending.about, data.draw(verdicts)))
    assert isinstance(session.pending, Diagnosis | Contradiction | NoBug)
    if isinstance(session.pending, Diagnosis):
        for node in session.pending.candidates:
            assert tree_in(session).kind[node] not in SYNTHETIC
            assert tree_in(session).mass[node] > 0
