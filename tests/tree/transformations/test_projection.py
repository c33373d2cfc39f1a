"""Algorithm 4 of the paper on balancing, repaired: its published and its computed figures."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sleuth.tree.transformations.projection import Part, projected
from tests.trees import Shape, parents_of, questions, tree_of

pytestmark = pytest.mark.any_version
LEAF: Shape = ()


def balanced(count: int, own: float, *, is_recursive: bool) -> Shape:
    """Return a node with so many leaves in a chain after the algorithm."""
    children: list[Shape] = []
    at = 0
    for start, stop in projected(np.ones(count), [(0, count)], own):
        inside = (LEAF,) * (stop - start)
        if is_recursive:
            inside = balanced(stop - start, 0.0, is_recursive=True)
        children += [LEAF] * (start - at) + [inside]
        at = stop
    return (*children, *[LEAF] * (count - at))


def asked(shape: Shape, strategy: str) -> list[int]:
    """Return the questions for each bug; projections have no mass and are no positions."""
    above = parents_of(shape)
    groups = set(above[1:]) - {0}
    masses = [float(node not in groups) for node in range(len(above))]
    bugs = [node for node in range(len(above)) if node not in groups]
    return questions(tree_of(above, masses=masses), strategy, bugs=bugs)


@pytest.mark.parametrize("strategy", ["hirunkitti", "bisection", "optimal"])
@pytest.mark.parametrize(
    ("count", "plain", "once", "again"),
    [
        (15, (135, 15), (79, 9), (71, 5)),
        (31, (527, 31), (247, 17), (175, 6)),
        (63, (2079, 63), (839, 33), (415, 7)),
    ],
)
def test_6_3_a_loop_of_leaf_calls(
    strategy: str, count: int, plain: Part, once: Part, again: Part
) -> None:
    """Plain, projected once as it is printed, and again inside of each projection."""
    if strategy == "hirunkitti":
        flat = asked((LEAF,) * count, strategy)
        assert (sum(flat), max(flat)) == plain
        literal = asked(balanced(count, 1.0, is_recursive=False), strategy)
        assert (sum(literal), max(literal)) == once
    found = asked(balanced(count, 1.0, is_recursive=True), strategy)
    assert (sum(found), max(found), len(found)) == (*again, count + 1)
    assert np.mean(found) <= 1.15 * np.log2(count + 1)


def test_of_the_chess_example_only_the_tower_is_projected() -> None:
    """Strictly better, as it is printed: Figure 3 shows both."""
    assert projected(np.ones(5), [(0, 3), (3, 5)], 1.0) == [(0, 3)]
    found = asked(((LEAF,) * 3, LEAF, LEAF), "hirunkitti")
    assert (sum(found), len(found), max(found)) == (17, 6, 4)


def test_a_heavy_child_is_left_alone() -> None:
    assert projected(np.array([1.0, 9.0, 1.0]), [(0, 3)], 1.0) == []
    assert projected(np.array([1.0, 9.0, 1.0, 1.0]), [(0, 4)], 1.0) == [(2, 4)]
    assert projected(np.array([9.0, 1, 1, 1, 1, 1, 1]), [(1, 7)], 1.0) == [(1, 4), (4, 6)]


def test_ties_go_to_turns_then_to_the_first() -> None:
    weights = np.ones(7)
    assert projected(weights, [(0, 7)], 1.0)[0] == (0, 4)
    aligned = np.array([False, True, False, False, False, True, False, False])
    assert (1, 5) in projected(weights, [(0, 7)], 1.0, aligned)


@given(
    weights=st.lists(st.floats(0, 100), min_size=2, max_size=30),
    cuts=st.sets(st.integers(0, 30)),
    own=st.floats(0, 50),
)
def test_parts_lie_in_chains_and_never_overlap(
    weights: list[float], cuts: set[int], own: float
) -> None:
    bounds = sorted({0, len(weights), *(cut for cut in cuts if cut < len(weights))})
    chains = list(pairwise(bounds))
    parts = projected(np.array(weights), chains, own)
    for start, stop in parts:
        assert stop - start > 1
        assert any(low <= start and stop <= high for low, high in chains)
    assert all(before[1] <= after[0] for before, after in pairwise(parts))
    assert (0, len(weights)) not in parts or own > 0
