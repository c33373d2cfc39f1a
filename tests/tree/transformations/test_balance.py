"""Balancing: no node is lost, groups are never guilty, and a wide tree takes few questions."""

import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parents[3]))
from sleuth.search.problem import Problem
from sleuth.search.question import Answer, Diagnosis, Question, Verdict
from sleuth.search.session import Session
from sleuth.search.shapes import Shapes
from sleuth.search.strategies import STRATEGIES
from sleuth.trace.reader import Trace
from sleuth.tree.build import tree_of as built
from sleuth.tree.flat import FlatTree
from sleuth.tree.node import Key, NodeKind
from sleuth.tree.observe.group import members_in
from sleuth.tree.observe.nodes import behaviour_for
from sleuth.tree.transformations import Shaper
from sleuth.tree.transformations.balance import Balancing
from sleuth.tree.transformations.outline import Outline
from sleuth.views.drawing.styled import plain
from sleuth.views.words.question import asked, question_lines
from tests import shapes
from tests.effort import examples
from tests.recorded import call_of, recorded
from tests.trees import tree_of

pytestmark = pytest.mark.any_version


def balanced(tree: FlatTree, outline: Outline) -> FlatTree:
    return Balancing()(tree, outline)


def problem_of(tree: FlatTree) -> Problem:
    return Shapes(lambda outline: balanced(tree, outline) if outline.names else tree).problem()


def contains(tree: FlatTree, node: int, call: int) -> bool:
    found = tree.find_call(call)
    assert found is not None
    return bool(node <= found < tree.end[node])


def searched(session: Session, call: int) -> Session:
    for _ in range(500):
        pending = session.pending
        if not isinstance(pending, Question):
            return session
        tree = session.problem.tree
        assert isinstance(tree, FlatTree)
        is_wrong = contains(tree, pending.node, call)
        answer = Answer(pending.about, Verdict.WRONG if is_wrong else Verdict.RIGHT)
        session = session.given(answer)
    raise AssertionError("it asks for ever")


@st.composite
def trees(draw: st.DrawFn) -> FlatTree:
    """Draw wide trees in preorder."""
    parents = [-1]
    while len(parents) < draw(st.integers(2, 60)):
        above = len(parents) - 1
        for _ in range(draw(st.integers(0, 3))):
            above = parents[above] if parents[above] >= 0 else above
        parents.append(above)
    return tree_of(parents)


@settings(max_examples=examples(60))
@given(data=st.data(), tree=trees())
def test_no_node_is_lost_and_groups_have_no_mass(data: st.DataObject, tree: FlatTree) -> None:
    made, keys = tree, set[Key]()
    for _ in range(3):
        nodes = data.draw(st.lists(st.integers(0, len(made) - 1), min_size=1, max_size=5))
        keys |= {made.key(node) for node in nodes}
        made = balanced(tree, Outline(opened=frozenset(keys)))
        assert all(made.find(key) is not None for key in keys)
    is_group = made.kind == NodeKind.GROUP
    assert made.call[~is_group].tolist() == tree.call.tolist()
    assert not made.mass[is_group].any()
    assert made.mass.sum() == tree.mass.sum()
    for node in np.flatnonzero(is_group).tolist():
        assert len(made.children(node)) >= 2
    for call in range(len(tree)):
        found = made.find_call(call)
        assert found is not None
        above = [int(made.call[n]) for n in made.path(found) if made.kind[n] != NodeKind.GROUP]
        assert above == [int(tree.call[n]) for n in tree.path(call)]


@settings(max_examples=examples(60))
@given(data=st.data(), tree=trees())
def test_the_planted_bug_is_found_by_every_strategy(data: st.DataObject, tree: FlatTree) -> None:
    bug = data.draw(st.integers(0, len(tree) - 1))
    strategy = data.draw(st.sampled_from(sorted(STRATEGIES)))
    session = Session(problem_of(tree)).using(strategy).shaped(("balance",))
    ended = searched(session, bug)
    assert isinstance(ended.pending, Diagnosis)
    assert ended.pending.is_only_one
    assert ended.pending.about == tree.key(bug)


@pytest.mark.slow
@pytest.mark.parametrize("size", [5, 63, 1000])
def test_a_star_takes_the_logarithm_of_its_leaves(size: int) -> None:
    """Alg. 4 as it is printed needs 33 questions for 63 leaves; applied again inside, 7."""
    tree = tree_of([-1] + [0] * size)
    start = Session(problem_of(tree)).using("bisection").shaped(("balance",))
    bugs = range(0, size + 1, max(size // 40, 1))
    counts = [searched(start, bug).answer_count for bug in bugs]
    assert max(counts) <= np.ceil(np.log2(size)) + 2
    assert np.mean(counts) <= 1.15 * np.log2(size + 1) + 0.5


def test_calls_that_are_right_and_wrong_together_convict_the_call_that_made_them() -> None:
    tree = tree_of([-1] + [0] * 8)
    session = Session(problem_of(tree)).using("top-down").shaped(("balance",))
    while isinstance(pending := session.pending, Question):
        kind = session.problem.tree.node(pending.node).kind
        verdict = Verdict.WRONG if kind is NodeKind.GROUP else Verdict.RIGHT
        session = session.given(Answer(pending.about, verdict))
    assert isinstance(pending, Diagnosis)
    assert pending.about == tree.key(0)


@pytest.mark.parametrize("strategy", sorted(STRATEGIES))
def test_a_group_that_must_be_wrong_is_not_asked_about(strategy: str) -> None:
    """Half of a wrong group is right: the other half has no code, so its calls are next."""
    star = tree_of([-1, *[0] * 24])
    session = Session(shapes.problem_of(star)).using(strategy).shaped(("balance",))
    for bug in (1, 24):
        at, wrong = session, star.key(0)
        while isinstance(pending := at.pending, Question):
            tree = at.problem.tree
            assert isinstance(tree, FlatTree)
            if tree.kind[pending.node] == NodeKind.GROUP and wrong != star.key(0):
                left = at.space.remaining
                assert left[pending.node - at.space.focus] < left[0]
            is_wrong = shapes.contains(tree, pending.node, bug)
            wrong = pending.about if is_wrong else wrong
            at = at.given(Answer(pending.about, Verdict.WRONG if is_wrong else Verdict.RIGHT))
        assert isinstance(at.pending, Diagnosis)


def test_a_group_that_nobody_knows_is_asked_about_call_by_call() -> None:
    tree = tree_of([-1] + [0] * 8)
    session = Session(problem_of(tree)).using("top-down").shaped(("balance",))
    asked_about = set()
    while isinstance(pending := session.pending, Question):
        node = session.problem.tree.node(pending.node)
        asked_about.add(node.call if node.kind is NodeKind.CALL else None)
        verdict = Verdict.UNKNOWN if node.kind is NodeKind.GROUP else Verdict.RIGHT
        session = session.given(Answer(pending.about, verdict))
    assert asked_about == {None, *range(1, 9)}
    assert isinstance(pending, Diagnosis)
    assert pending.about == tree.key(0)


def test_calls_made_by_trusted_code_are_asked_about_in_groups() -> None:
    tree = tree_of([-1, 0] + [1] * 64, trusted=[1])
    start = Session(shapes.problem_of(tree)).using("bisection").shaped(("balance",))
    ended = searched(start, 40)
    assert isinstance(ended.pending, Diagnosis)
    assert ended.pending.about == tree.key(40)
    assert ended.answer_count <= 8
    outline = Outline(("balance",), opened=frozenset({tree.key(1)}))
    assert not balanced(tree, outline).is_trusted[2:].any()
    all_trusted = tree_of([-1, 0, *[1] * 64], trusted=range(1, 66))
    assert balanced(all_trusted, outline).is_trusted[2:].all()


PROGRAM = """
def put(where, n):
    where.append(n)
    return n * 2


def main():
    where = []
    a = put(where, 1)
    b = put(where, 2)
    c = put(where, 3)
    d = put(where, 4)
    return where, a, b, c, d


main()
"""


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    return recorded(tmp_path_factory.mktemp("balance"), PROGRAM)


def test_a_group_lists_its_calls_and_what_they_changed(trace: Trace) -> None:
    tree = built(trace)
    call = call_of(trace, "main")
    made = Shaper(trace, tree).tree(
        Outline(("balance",), opened=frozenset({tree.key(call.id + 1)}))
    )
    groups = np.flatnonzero(made.kind == NodeKind.GROUP).tolist()
    assert len(groups) == 2
    behaviour = behaviour_for(trace, made.key(groups[0]))
    assert asked(behaviour) == "Are all of these right?"
    shown = [each.rstrip() for each in plain(question_lines(trace, behaviour, width=80))]
    assert shown[0].startswith("group of 2 calls of put made by main ")
    assert shown[1].split()[0] == "calls"
    assert "put(where=" in shown[1]
    assert shown[1].endswith("-> 2")
    assert any("where" in each and "added 1" in each for each in shown[3:])
    assert not any(each.split()[:1] == ["a"] for each in shown)


def test_what_is_left_after_an_answer_is_halved_again() -> None:
    tree = tree_of([-1] + [0] * 16)
    session = Session(problem_of(tree)).using("bisection").shaped(("balance",))
    for call in range(1, 13):  # somebody knows the first twelve to be right
        session = session.extended((Answer(tree.key(call), Verdict.RIGHT),))
    pending = session.pending
    assert isinstance(pending, Question)
    made = session.problem.tree
    sizes = [len(members_in(made, node) or ()) for node in made.children(0).tolist()]
    assert sizes[-1] == 4, "of the last four there is a group"
    ended = searched(session, 16)
    assert ended.answer_count - 12 <= 3
    while ended.entries:
        ended = ended.undone()
    start = Session(problem_of(tree)).using("bisection").shaped(("balance",))
    assert ended.problem.tree.first.tolist() == start.problem.tree.first.tolist()


def test_trusting_who_made_the_calls_leaves_their_groups_to_be_asked_about() -> None:
    tree = tree_of([-1, *[0] * 16])
    session = Session(problem_of(tree)).using("top-down").shaped(("balance",))
    session = session.given(Answer(tree.key(0), Verdict.TRUST_FUNCTION))
    asked = session.pending
    assert isinstance(asked, Question)
    assert session.problem.tree.kind[asked.node] == NodeKind.GROUP
    session = session.given(Answer(asked.about, Verdict.WRONG))
    assert isinstance(session.pending, Question), "its holder is still trusted"
    assert isinstance(searched(session, 4).pending, Diagnosis)


def test_a_group_of_nothing_but_trusted_calls_is_not_asked_about() -> None:
    """Each of the calls made another one, which is all that is left to ask about."""
    shape = [-1, *(each for at in range(8) for each in (0, 1 + 2 * at))]
    tree = tree_of(shape, routines=[0, *[1, 2] * 8])
    session = Session(problem_of(tree)).shaped(("balance",))
    session = session.given(Answer(tree.key(1), Verdict.TRUST_FUNCTION))
    space, kind = session.space, session.problem.tree.kind
    assert (kind == NodeKind.GROUP).any()
    assert set(kind[space.candidates + space.focus].tolist()) == {int(NodeKind.CALL)}
    doubted = session.given(Answer(tree.key(1), Verdict.DOUBT_FUNCTION))
    space, kind = doubted.space, doubted.problem.tree.kind
    assert NodeKind.GROUP in kind[space.candidates + space.focus]
