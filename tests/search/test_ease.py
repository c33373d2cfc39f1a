"""The ease of questions: a call is asked about before its turns and groups, if that is enough."""

import pytest

from sleuth.search.problem import Problem
from sleuth.search.question import Question
from sleuth.search.session import Session
from sleuth.tree.node import NodeKind
from tests.trees import tree_of

pytestmark = pytest.mark.any_version
RUN, CALL, LOOP, FIRST, SECOND, OTHER = range(6)


def first_question(inside: float, outside: float, **given: object) -> int:
    """Return what is asked first about a call with a loop, of two halves, and another call."""
    masses = [1.0, 1.0, 0.0, inside, inside, outside]
    tree = tree_of([-1, 0, 1, 2, 2, 0], masses=masses)
    tree.kind[[LOOP, FIRST, SECOND]] = NodeKind.LOOP
    tree.call[[LOOP, FIRST, SECOND]] = CALL
    pending = Session(Problem(tree, cost=lambda _node: 0.0, **given)).pending  # type: ignore[arg-type]
    assert isinstance(pending, Question)
    return pending.node


@pytest.mark.parametrize("outside", [7.0, 3.0])
def test_a_call_is_asked_about_before_its_turns(outside: float) -> None:
    # Half of its turns are nearer to half of all that is suspected than the call is.
    assert first_question(9.0, outside) == CALL


def test_a_call_that_is_almost_certainly_wrong_is_not_asked_about_first() -> None:
    assert first_question(30.0, 0.1) in (FIRST, SECOND)


@pytest.mark.parametrize("inside", [12.0, 30.0])
def test_turns_of_the_call_that_is_wrong_are_asked_about_at_once(inside: float) -> None:
    assert first_question(inside, 7.0, root=CALL) in (FIRST, SECOND)
