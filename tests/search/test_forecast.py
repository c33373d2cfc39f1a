"""The forecast is near what really happens."""

import sys
from pathlib import Path

from hypothesis import given, settings

from sleuth.search.case import Case
from sleuth.search.session import Session

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests import trees


def session_on(parents: list[int]) -> Session:
    return Session(Case(trees.tree_of(parents)))


def test_calls_side_by_side_are_asked_one_by_one() -> None:
    for width in (1, 4, 12, 300):
        forecast = session_on([-1, *[0] * width]).expected_questions
        assert 0.4 * width <= forecast <= width


def test_a_chain_is_halved() -> None:
    assert 5 <= session_on([*range(-1, 63)]).expected_questions <= 7


def test_where_there_are_very_many_only_halving_is_assumed() -> None:
    assert session_on([-1, *[0] * 8191]).expected_questions == 13


@settings(max_examples=40, deadline=None)
@given(trees.parents())
def test_it_is_near_the_mean_over_all_bugs(parents: list[int]) -> None:
    session = session_on(parents)
    counts = [len(trees.searched(session, bug)[0]) for bug in range(len(session.case.tree))]
    assert abs(session.expected_questions - sum(counts) / len(counts)) <= 1 + max(counts) / 2
