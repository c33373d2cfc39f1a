"""Absorption: merging nodes loses no code, and merged nodes can be taken apart again."""

import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parents[3]))
from sleuth.tree.flat import FlatTree
from sleuth.tree.node import NodeKind
from sleuth.tree.transformations.absorption import absorbed, allowed
from sleuth.tree.transformations.outline import Outline
from tests.effort import examples
from tests.trees import parents, tree_of

pytestmark = pytest.mark.any_version


def check(tree: FlatTree, made: FlatTree) -> None:
    """Check the laws that hold for any merger."""
    size = len(made)
    assert (made.parent[1:] < np.arange(1, size)).all()
    assert (made.end[made.parent[1:]] >= made.end[1:]).all()
    assert (made.depth[1:] == made.depth[made.parent[1:]] + 1).all()
    held = [int(made.call[node]) for node in range(size)] + made.merged.call.tolist()
    assert sorted(held) == tree.call.tolist()
    assert (np.diff(made.merged.owner) >= 0).all()
    for call in range(len(tree)):
        holder, node = made.holder(call), made.find_call(call)
        assert holder is not None
        assert node is None or node == holder
        kept = [int(tree.call[each]) for each in tree.path(call)]
        above = [each for each in kept if made.find_call(each) is not None]
        assert [int(made.call[each]) for each in made.path(holder)] == above


@settings(max_examples=examples(80))
@given(data=st.data(), shape=parents())
def test_no_node_is_lost_and_all_hang_from_the_nearest_that_stays(
    data: st.DataObject, shape: list[int]
) -> None:
    tree = tree_of(shape)
    made = tree
    for _ in range(2):
        numbers = st.integers(1, max(len(made) - 1, 1))
        gone = np.zeros(len(made), bool)
        gone[[each for each in data.draw(st.lists(numbers)) if each < len(made)]] = True
        made = absorbed(made, gone)
        check(tree, made)
    assert made.mass.sum() == tree.mass.sum()
    for node in range(len(made)):
        assert made.mass[node] == 1 + len(made.merged.of(node))
        assert made.is_merged(node) == (len(made.merged.of(node)) > 0)


def test_trusted_code_holds_no_other_and_is_no_suspect_elsewhere() -> None:
    tree = tree_of([-1, 0, 1, 2], trusted=[1, 3])
    made = absorbed(tree, np.array([False, False, True, True]))
    assert made.call.tolist() == [0, 1, 2]
    assert made.mass.tolist() == [1, 1, 1]
    assert made.holder(3) == 2


def test_a_group_and_the_run_hold_nothing() -> None:
    tree = tree_of([-1, 0, 1, 0])
    tree.kind[0], tree.kind[1] = NodeKind.RUN, NodeKind.GROUP
    made = absorbed(tree, np.array([True, False, True, True]))
    assert made is not tree
    assert len(made) == len(tree)


@settings(max_examples=examples(60))
@given(data=st.data(), shape=parents())
def test_pinned_nodes_stay_and_split_nodes_are_not_merged(
    data: st.DataObject, shape: list[int]
) -> None:
    tree = tree_of(shape)
    numbers = st.lists(st.integers(0, len(tree) - 1), max_size=4)
    kept = data.draw(numbers)
    gone = np.ones(len(tree), bool)
    gone[0] = False
    merged = absorbed(tree, allowed(tree, gone, Outline(kept=frozenset(map(tree.key, kept)))))
    assert set(merged.call.tolist()) == {0, *kept}
    chosen = data.draw(st.sampled_from(sorted({0, *kept})))
    outline = Outline(kept=frozenset(map(tree.key, kept)), apart=frozenset({tree.key(chosen)}))
    apart = absorbed(tree, allowed(tree, gone, outline))
    inside = merged.merged.of(merged.find_call(chosen) or 0).call.tolist()
    assert set(apart.call.tolist()) == {0, *kept, *inside}
