"""All transformations, alone and together: nothing is lost, and what is wrong is found."""

import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parents[3]))
from sleuth.opening import Opened
from sleuth.search.question import Answer, Contradiction, Diagnosis, NoBug, Question, Verdict
from sleuth.search.session import Session
from sleuth.search.strategies import STRATEGIES
from sleuth.tree.flat import FlatTree
from sleuth.tree.node import NodeKind
from sleuth.tree.transformations import TRANSFORMATIONS
from sleuth.tree.transformations.outline import Wish, Wished
from tests.recorded import recorded
from tests.shapes import case_of, contains, searched
from tests.tree.looping import PROGRAM, own_events, owner_is, owners
from tests.trees import parents, tree_of

BY_TREE_ALONE = ("compress", "compress-all", "balance")
"""Those that need no trace."""
SYNTHETIC = (NodeKind.RUN, NodeKind.GROUP, NodeKind.MERGED)


def subsets(names: tuple[str, ...]) -> list[tuple[str, ...]]:
    return [some for count in range(len(names) + 1) for some in combinations(names, count)]


@settings(max_examples=80, deadline=None)
@given(data=st.data(), shape=parents(most=40))
def test_on_any_tree_the_wrong_call_is_found(data: st.DataObject, shape: list[int]) -> None:
    routines = data.draw(st.lists(st.integers(0, 2), min_size=len(shape), max_size=len(shape)))
    tree = tree_of(shape, routines=routines)
    bug = data.draw(st.integers(0, len(tree) - 1))
    strategy = data.draw(st.sampled_from(sorted(STRATEGIES)))
    session = Session(case_of(tree)).using(strategy)
    session = session.shaped(data.draw(st.sampled_from(subsets(BY_TREE_ALONE))))
    # In the middle of a session the shape may change: answers hold in any.
    for _ in range(data.draw(st.integers(0, 2))):
        session = _some_answers(session, bug, data.draw(st.integers(0, 3)))
        session = session.shaped(data.draw(st.sampled_from(subsets(BY_TREE_ALONE))))
    ended = searched(session, bug)
    assert isinstance(ended.pending, Diagnosis)
    assert ended.pending.candidates == (ended.case.find(tree.key(bug)),)
    assert ended.shaped(()).case.tree is tree
    assert isinstance(ended.shaped(()).pending, Diagnosis | Question)


def _some_answers(session: Session, bug: int, most: int) -> Session:
    for _ in range(most):
        pending, tree = session.pending, session.case.tree
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


def tree_in(session: Session) -> FlatTree:
    assert isinstance(session.case.tree, FlatTree)
    return session.case.tree


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_in_a_recorded_run_the_wrong_event_is_found(found: Opened, data: st.DataObject) -> None:
    own = own_events(found.trace)
    call = data.draw(st.sampled_from(sorted(own)))
    moment = data.draw(st.sampled_from(own[call]))
    strategy = data.draw(st.sampled_from(sorted(STRATEGIES)))
    shape = data.draw(st.sampled_from(subsets(tuple(TRANSFORMATIONS))))
    start = Session(case_of(found.tree, found.trace)).using(strategy).shaped(shape)
    routines = st.sampled_from(sorted(set(found.tree.routine[1:].tolist())))
    wishes = st.sampled_from([Wish.FOLD, Wish.ONLY, Wish.INLINE])
    for wished in data.draw(st.lists(st.builds(Wished, wishes, st.none(), routines), max_size=2)):
        start = start.wished(wished)
    check(found, tree_in(start))
    ended = answered(found, start, (call, moment))
    pending, tree = ended.pending, tree_in(ended)
    check(found, tree)
    assert isinstance(pending, Diagnosis), pending
    assert pending.is_certain
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
    assert back.shaped(()).case.tree is found.tree


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
    calls = tree.call[tree.kind == NodeKind.CALL].tolist()
    merged = tree.merged_calls()[0].tolist()
    assert sorted(calls + merged) == list(range(found.trace.call_count))
    owned = owners(found.trace, tree)
    assert all(len(nodes) == 1 for nodes in owned.values()), "no moment is lost or owned twice"
    assert all(tree.mass[nodes[0]] > 0 for nodes in owned.values())


@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_a_wrong_root_always_yields_something(found: Opened, data: st.DataObject) -> None:
    """Whatever is answered, it ends: with a node that has code, or with a contradiction."""
    shape = data.draw(st.sampled_from(subsets(tuple(TRANSFORMATIONS))))
    strategy = data.draw(st.sampled_from(sorted(STRATEGIES)))
    session = Session(case_of(found.tree, found.trace)).using(strategy).shaped(shape)
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
