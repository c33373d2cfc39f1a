"""The choice of the next question: what a person would want to be asked, within what is near."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sleuth.search.problem import Late, Problem
from sleuth.search.question import Answer, Diagnosis, Question, Verdict
from sleuth.search.session import Session
from sleuth.search.strategies import STRATEGIES
from sleuth.tree.flat import FlatTree
from sleuth.tree.node import ExecutionTree, Flags, NodeKind
from tests.effort import examples
from tests.trees import judged, parents, tree_of

pytestmark = pytest.mark.any_version
POLITE = [name for name, each in STRATEGIES.items() if not each.is_exact]


def late_ones(nodes: set[int]) -> Late:
    def is_late(tree: ExecutionTree) -> Flags:
        found: Flags = np.isin(np.arange(len(tree)), list(nodes))
        return found

    return is_late


def problem(tree: FlatTree, silent: set[int], late: set[int]) -> Problem:
    return Problem(tree, cost=lambda _: 1.0, is_silent=silent.__contains__, is_late=late_ones(late))


def asked(session: Session) -> int:
    pending = session.pending
    assert isinstance(pending, Question)
    return pending.node


@settings(max_examples=examples(60))
@given(above=parents(most=16), data=st.data(), strategy=st.sampled_from(list(STRATEGIES)))
def test_each_bug_is_found_whatever_is_silent_or_late(
    above: list[int], data: st.DataObject, strategy: str
) -> None:
    nodes = st.sets(st.integers(0, len(above) - 1))
    tree = tree_of(above)
    session = Session(problem(tree, data.draw(nodes), data.draw(nodes)), strategy=strategy)
    bug = data.draw(st.integers(0, len(above) - 1))
    while isinstance(session.pending, Question):
        session = session.given(judged(tree, bug, session.pending.node))
    assert isinstance(session.pending, Diagnosis)
    assert session.pending.candidates == (bug,)


@settings(max_examples=examples(60))
@given(above=parents(most=16), data=st.data(), strategy=st.sampled_from(POLITE))
def test_what_shows_nothing_is_not_asked_while_another_candidate_is_left(
    above: list[int], data: st.DataObject, strategy: str
) -> None:
    silent = data.draw(st.sets(st.integers(0, len(above) - 1)))
    tree = tree_of(above)
    session = Session(problem(tree, silent, set()), strategy=strategy)
    bug = data.draw(st.integers(0, len(above) - 1))
    while isinstance(session.pending, Question):
        node, space = session.pending.node, session.space
        able = {int(each) + space.focus for each in np.flatnonzero(space.is_askable)}
        assert node not in silent or able <= silent
        session = session.given(judged(tree, bug, node))


@pytest.mark.parametrize("strategy", POLITE)
def test_late_code_is_asked_about_last(strategy: str) -> None:
    session = Session(problem(tree_of([-1, 0, 0, 0]), set(), {1, 2}), strategy=strategy)
    assert asked(session) == 3
    session = session.given(Answer(session.problem.tree.key(3), Verdict.RIGHT))
    assert asked(session) in (1, 2)


def test_the_strategy_that_promises_a_number_keeps_its_order() -> None:
    tree = tree_of([-1, 0, 1, 2, 3])
    plain = Session(Problem(tree), strategy="worst-case")
    polite = Session(problem(tree, {1, 2, 3}, {1, 2}), strategy="worst-case")
    assert asked(polite) == asked(plain)
    assert polite.most_questions == plain.most_questions == 3


def test_undo_brings_back_the_same_question() -> None:
    session = Session(problem(tree_of([-1, 0, 0, 2, 2, 0]), {2}, {1}))
    first = session.pending
    assert isinstance(first, Question)
    after = session.given(Answer(first.about, Verdict.RIGHT))
    assert after.undone().pending == first


def loop_tree(inside: float, outside: float) -> FlatTree:
    """A call (1) with a loop (2) of two turns (3, 4), and another call (5)."""
    tree = tree_of([-1, 0, 1, 2, 2, 0], masses=[1.0, 1.0, 0.5, inside, inside, outside])
    tree.kind[[2, 3, 4]] = NodeKind.LOOP, NodeKind.TURN, NodeKind.TURN
    tree.call[[2, 3, 4]] = 1
    return tree


@pytest.mark.parametrize("strategy", POLITE)
def test_a_call_comes_before_its_loop_and_a_loop_before_its_turns(strategy: str) -> None:
    tree = loop_tree(4.0, 7.0)
    session = Session(problem(tree, set(), {5}), strategy=strategy)
    assert asked(session) == 1
    session = session.given(Answer(tree.key(1), Verdict.WRONG))
    # Most of what is left is in the loop, so that it is as good as known to be wrong.
    assert asked(session) in (2, 3, 4)


def test_the_reason_tells_that_it_comes_before_its_parts() -> None:
    pending = Session(problem(loop_tree(9.0, 7.0), set(), set())).pending
    assert isinstance(pending, Question)
    assert pending.node == 1
    assert pending.reason.is_before_parts or pending.reason.ease is not None


def test_the_reason_tells_how_easy_it_is() -> None:
    tree = tree_of([-1, 0, 0, 0, 0])
    hard = {1: 50.0, 2: 9.0, 3: 0.0, 4: 9.0}
    pending = Session(Problem(tree, cost=hard.__getitem__)).pending
    assert isinstance(pending, Question)
    assert pending.node == 3
    assert pending.reason.ease is not None
    assert pending.reason.ease.among == 4
    assert pending.reason.ease.work == pytest.approx(1.5)


@pytest.mark.parametrize("strategy", ["hirunkitti", "optimal", "heaviest-first", "shapiro"])
def test_a_measure_takes_the_easiest_of_those_within_five_percent(strategy: str) -> None:
    masses = [0.1, 10.0, 9.6, 9.0]
    tree = tree_of([-1, 0, 0, 0], masses=masses)
    cost = {1: 9.0, 2: 3.0, 3: 0.0}
    assert asked(Session(Problem(tree), strategy=strategy)) == 1
    assert asked(Session(Problem(tree, cost=cost.__getitem__), strategy=strategy)) == 2


def test_hat_delta_does_not_begin_with_leaves() -> None:
    tree = tree_of([-1, 0, 0, 2, 2, 2])
    for name in STRATEGIES:
        if name.startswith("hat-delta"):
            assert asked(Session(Problem(tree), strategy=name)) == 2


def test_the_forecast_knows_the_strategy() -> None:
    chain = Session(Problem(tree_of([*range(-1, 31)])))
    assert chain.expected_questions <= 6
    assert chain.using("top-down").expected_questions >= 12


def test_other_calls_of_the_code_of_a_confirmed_bug_are_the_same_bug() -> None:
    # Two callers (1, 3) of one function (2, 4), and another call (5).
    tree = tree_of([-1, 0, 1, 0, 3, 0], routines=[0, 1, 2, 3, 2, 5])
    session = Session(Problem(tree))
    for node in (1, 2):
        session = session.given(Answer(tree.key(node), Verdict.WRONG))
    assert isinstance(session.pending, Diagnosis)
    session = session.confirmed()
    # Call 3 contains the same bug: only call 5 is left.
    assert asked(session) == 5


def test_a_call_that_was_right_in_spite_of_the_bug_does_not_excuse_its_caller() -> None:
    tree = tree_of([-1, 0, 1, 0, 3, 0], routines=[0, 1, 2, 3, 2, 5])
    session = Session(Problem(tree)).given(Answer(tree.key(4), Verdict.RIGHT))
    for node in (1, 2):
        session = session.given(Answer(tree.key(node), Verdict.WRONG))
    session = session.confirmed()
    left = session.space.candidates + session.space.focus
    assert {3, 5} <= set(left.tolist())
