"""Compression: recursive calls are merged, always or where that saves questions."""

import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parents[3]))
from sleuth.search.question import Answer, Diagnosis, Question, Verdict
from sleuth.search.session import Session
from sleuth.search.strategies import STRATEGIES
from sleuth.tree.flat import FlatTree
from sleuth.tree.transformations.absorption import absorbed
from sleuth.tree.transformations.compress import Compression, FullCompression, recursive
from sleuth.tree.transformations.outline import Asking, Outline
from tests.effort import examples
from tests.shapes import problem_of, searched
from tests.trees import Shape, parents, parents_of, questions, tree_of

pytestmark = pytest.mark.any_version
LEAF: Shape = ()
TWICE = parents_of(((LEAF,) * 3, (LEAF,) * 3))
"""TV6: r(r(3 leaves), r(3 leaves))."""


def compressed(tree: FlatTree, asking: Asking = Asking.DIVIDING) -> FlatTree:
    return Compression(None)(tree, Outline(asking=asking))  # type: ignore[arg-type]


def fully(tree: FlatTree) -> FlatTree:
    return FullCompression(None)(tree, Outline())  # type: ignore[arg-type]


def without(tree: FlatTree, *calls: int) -> FlatTree:
    return absorbed(tree, np.isin(tree.call, calls))


def total(tree: FlatTree, strategy: str) -> float:
    """Return the questions for all that the calls ran: merged ones weigh as much as before."""
    return float(tree.mass @ np.array(questions(tree, strategy)))


def test_the_tiny_trees_of_the_paper() -> None:
    tree = tree_of(TWICE, routines=[0, 0, 2, 3, 4, 0, 6, 7, 8])
    shapes = (tree, without(tree, 1), fully(tree))
    assert [len(each) for each in shapes] == [9, 8, 7]

    def sums(strategy: str, *, is_assumed: bool) -> list[int]:
        return [sum(questions(each, strategy, is_assumed=is_assumed)) for each in shapes]

    assert sums("hirunkitti", is_assumed=False) == [33, 27, 28]
    assert sums("hirunkitti", is_assumed=True) == [32, 26, 27]
    assert sums("heaviest-first", is_assumed=True) == [32, 26, 27]
    assert sums("heaviest-first", is_assumed=False) == [41, 34, 34]
    for asking in Asking:
        assert len(compressed(tree, asking)) == 8, "one of two is best, over all nine calls"


def test_bare_recursion_becomes_one_node() -> None:
    tree = tree_of([-1, 0, 1, 2, 3], routines=[9, 1, 1, 1, 1])
    for made in (fully(tree), compressed(tree), compressed(tree, Asking.TOP_DOWN)):
        assert made.call.tolist() == [0, 1]
        assert made.mass.tolist() == [1, 4]


def test_a_leaf_beside_a_long_path_is_merged_over_a_fixed_population() -> None:
    """The published formula compares means over populations of different size."""
    tree = tree_of([-1, 0, 1, 2, 3, 4, 0], routines=[0, 1, 2, 3, 4, 5, 0])
    assert total(tree, "heaviest-first") == 23
    made = compressed(tree, Asking.TOP_DOWN)
    assert made.merged.call.tolist() == [6]
    assert total(made, "heaviest-first") == 21


@pytest.mark.parametrize(
    ("calls", "routines", "left"),
    [
        pytest.param([-1, 0, 1, 2, 1, 4], [0, 1, 1, 1, 2, 1], [0, 1, 4, 5], id="through another"),
        pytest.param([-1, 0, 0, 0], [0, 0, 0, 1], [0, 3], id="multiple"),
        pytest.param([-1, 0, 1, 1, 3, 3], [0, 1, 1, 1, 1, 2], [0, 1, 5], id="nested"),
    ],
)
def test_all_recursion_is_merged(calls: list[int], routines: list[int], left: list[int]) -> None:
    assert fully(tree_of(calls, routines=routines)).call.tolist() == left


@settings(max_examples=examples(80))
@given(data=st.data(), shape=parents(most=12))
def test_a_merger_saves_questions_and_no_other_would(data: st.DataObject, shape: list[int]) -> None:
    routines = data.draw(st.lists(st.integers(0, 1), min_size=len(shape), max_size=len(shape)))
    tree = tree_of(shape, routines=routines)
    made = compressed(tree, Asking.TOP_DOWN)
    cost = total(made, "heaviest-first")
    assert cost <= total(tree, "heaviest-first")
    for child in np.flatnonzero(recursive(made)).tolist():
        assert total(absorbed(made, np.arange(len(made)) == child), "heaviest-first") >= cost


@settings(max_examples=examples(80))
@given(data=st.data(), shape=parents(most=20))
def test_dividing_gets_no_dearer(data: st.DataObject, shape: list[int]) -> None:
    routines = data.draw(st.lists(st.integers(0, 1), min_size=len(shape), max_size=len(shape)))
    tree = tree_of(shape, routines=routines)
    assert total(compressed(tree), "hirunkitti") <= total(tree, "hirunkitti") + len(tree) / 4


@settings(max_examples=examples(60))
@given(data=st.data(), shape=parents(most=25))
def test_after_the_diagnosis_the_merged_calls_are_searched(
    data: st.DataObject, shape: list[int]
) -> None:
    routines = data.draw(st.lists(st.integers(0, 1), min_size=len(shape), max_size=len(shape)))
    tree = tree_of(shape, routines=routines)
    bug = data.draw(st.integers(0, len(tree) - 1))
    name = data.draw(st.sampled_from(["compress", "compress-all"]))
    strategy = data.draw(st.sampled_from(sorted(STRATEGIES)))
    start = Session(problem_of(tree)).using(strategy).shaped((name,))
    ended = searched(start, bug)
    assert isinstance(ended.pending, Diagnosis)
    assert ended.pending.candidates == (ended.problem.find(tree.key(bug)),)
    while ended.entries:
        ended = ended.undone()
    assert ended.problem.tree.call.tolist() == start.problem.tree.call.tolist()


def test_the_merged_calls_of_a_chain_are_halved() -> None:
    tree = tree_of([-1, *range(64)], routines=[0] + [1] * 64)
    session = searched(Session(problem_of(tree)).shaped(("compress",)), 40)
    assert session.answer_count <= 8


def test_a_merged_node_that_nobody_knows_is_taken_apart() -> None:
    tree = tree_of([-1, 0, 1, 2, 3, 0], routines=[0, 1, 1, 1, 1, 2])
    session = Session(problem_of(tree)).shaped(("compress-all",))
    assert len(session.problem.tree) == 3
    session = session.given(Answer(tree.key(1), Verdict.UNKNOWN))
    assert len(session.problem.tree) == 6
    assert len(session.undone().problem.tree) == 3


def test_what_somebody_spoke_about_is_a_node_of_its_own() -> None:
    tree = tree_of([-1, 0, 1, 2, 3, 0], routines=[0, 1, 1, 1, 1, 2])
    session = Session(problem_of(tree)).shaped(("compress-all",))
    session = session.given(Answer(tree.key(3), Verdict.RIGHT))
    assert isinstance(session.problem.tree, FlatTree)
    assert session.problem.tree.call.tolist() == [0, 1, 3, 5]
    assert session.problem.tree.mass.tolist() == [1, 2, 2, 1]
    assert isinstance(session.pending, Question)
    assert session.shaped(()).problem.tree is tree
