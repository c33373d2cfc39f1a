"""The forecast is near what really happens."""

import sys
from pathlib import Path

import pytest
from hypothesis import given, settings

from sleuth.search.problem import Problem
from sleuth.search.session import Session

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests import trees
from tests.effort import examples

pytestmark = pytest.mark.any_version


def preorder(parents: list[int]) -> list[int]:
    """Bring a tree, given level by level, into preorder."""
    children: dict[int, list[int]] = {}
    for number, parent in enumerate(parents):
        children.setdefault(parent, []).append(number)
    found: list[int] = []
    stack = [(0, -1)]
    while stack:
        number, above = stack.pop()
        stack += [(child, len(found)) for child in reversed(children.get(number, []))]
        found.append(above)
    return found


def session_on(parents: list[int]) -> Session:
    return Session(Problem(trees.tree_of(parents)))


def test_calls_side_by_side_are_asked_one_by_one() -> None:
    for width in (1, 4, 12, 300):
        forecast = session_on([-1, *[0] * width]).expected_questions
        assert 0.4 * width <= forecast <= width


def test_a_chain_is_halved() -> None:
    assert 5 <= session_on([*range(-1, 63)]).expected_questions <= 7


def test_very_many_are_forecast_too() -> None:
    assert 3000 <= session_on([-1, *[0] * 8191]).expected_questions <= 5000
    binary = [-1, *((number - 1) // 2 for number in range(1, 1 << 14))]
    assert 10 <= session_on(preorder(binary)).expected_questions <= 22


def test_the_way_of_a_symptom_is_halved() -> None:
    wide = [-1, *range(31), *[5] * 400]
    tree = trees.tree_of(preorder(wide))
    on_path = Session(Problem(tree, path=tuple(range(31))))
    assert 6 <= on_path.expected_questions <= 9
    assert Session(Problem(tree)).expected_questions > 50


@settings(max_examples=examples(40))
@given(trees.parents())
def test_it_is_near_the_mean_over_all_bugs(parents: list[int]) -> None:
    session = session_on(parents)
    counts = [len(trees.searched(session, bug)[0]) for bug in range(len(session.problem.tree))]
    assert abs(session.expected_questions - sum(counts) / len(counts)) <= 1 + max(counts) / 2
