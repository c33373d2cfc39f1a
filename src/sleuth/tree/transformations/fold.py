"""Folding and inlining: the user's wishes for one node with its subtree, or no node at all."""

from collections.abc import Sequence

import numpy as np

from sleuth.tree.flat import FlatTree
from sleuth.tree.node import ExecutionTree, Flags, Key, NodeKind, Numbers
from sleuth.tree.transformations.absorption import absorbed, allowed, passable
from sleuth.tree.transformations.outline import Outline, Wish, Wished


def folded(tree: FlatTree, outline: Outline) -> FlatTree:
    """Return a tree in which folded subtrees are one node each."""
    is_top = is_folded(tree, outline.wishes)
    return absorbed(tree, allowed(tree, _below(tree, np.flatnonzero(is_top)), outline))


def inlined(tree: FlatTree, outline: Outline) -> FlatTree:
    """Return a tree in which inlined functions are part of their callers."""
    is_gone = np.zeros(len(tree), bool)
    for each in outline.wishes:
        if each.wish is Wish.INLINE and each.routine is not None:
            is_meant = (tree.routine == each.routine) & (tree.kind == NodeKind.CALL)
            groups = outline.groups_with(routine=each.routine)
            is_gone |= passable(tree, is_meant, outline, groups)
    return absorbed(tree, is_gone, opens=False)


def is_folded(tree: ExecutionTree, wishes: Sequence[Wished]) -> Flags:
    """Tell for each node whether the user folded it."""
    found = np.zeros(len(tree), bool)
    for each in wishes:
        match each.wish:
            case Wish.FOLD:
                found[_meant(tree, each)] = True
            case Wish.UNFOLD:
                found[_meant(tree, each)] = False
            case Wish.ONLY:
                region = in_region(tree, (each,))
                if region is not None and region.any():
                    found |= _beside(tree, region)
                    found &= ~region
    return found


def in_region(tree: ExecutionTree, wishes: Sequence[Wished]) -> Flags | None:
    """Tell for each node whether it is in the region to search first; None: there is none."""
    region = None
    for each in wishes:
        if each.wish is Wish.ONLY:
            nodes = _meant(tree, each)
            region = _below(tree, nodes)
            region[nodes] = True
        elif each.wish is Wish.UNFOLD and each.about is None and each.routine is None:
            region = None
    return region


def _beside(tree: ExecutionTree, region: Flags) -> Flags:
    """Return the outermost nodes that are neither in a region nor above it."""
    parent = tree.parent.astype(np.int64)
    before = np.concatenate(([0], np.cumsum(region)))
    on_way = (before[tree.end] > before[:-1]) & ~region
    beside: Flags = ~on_way & ~region
    beside[1:] &= on_way[parent[1:]]
    beside[0] = False
    return beside


def _meant(tree: ExecutionTree, wished: Wished) -> Numbers:
    """Return the nodes that a wish is about."""
    kinds = tree.kind
    if wished.routine is not None:
        return np.flatnonzero((tree.routine == wished.routine) & (kinds == NodeKind.CALL))
    if wished.about is None:
        return np.arange(len(tree))
    node = tree.find(wished.about)
    return _members(tree, wished.about) if node is None else np.array([node], np.int64)


def _members(tree: ExecutionTree, group: Key) -> Numbers:
    """Return the calls of a group, which is made later."""
    above = np.maximum(tree.parent, 0)
    is_member = (tree.kind == NodeKind.CALL) & (tree.call[above] == group.call)
    is_member &= (tree.first >= group.first) & (tree.first <= group.last)
    is_member[0] = False
    return np.flatnonzero(is_member)


def _below(tree: ExecutionTree, nodes: Numbers) -> Flags:
    """Tell for each node whether it is strictly below one of these."""
    change = np.zeros(len(tree) + 1, np.int64)
    np.add.at(change, nodes + 1, 1)
    np.subtract.at(change, tree.end[nodes], 1)
    is_below: Flags = np.cumsum(change[:-1]) > 0
    return is_below
