"""Absorption: merges nodes into the nearest node above them that stays."""

from collections.abc import Set as AbstractSet
from dataclasses import replace

import numpy as np

from sleuth.tree.build import preordered
from sleuth.tree.flat import FlatTree
from sleuth.tree.merged import Merged
from sleuth.tree.node import Flags, Key, Masses, NodeKind, Numbers
from sleuth.tree.transformations.outline import Outline

_COLUMNS = (
    "kind",
    "call",
    "first",
    "last",
    "routine",
    "module",
    "outcome",
    "thread",
    "mass",
    "is_done",
    "is_trusted",
)


def absorbed(tree: FlatTree, is_gone: Flags, *, opens: bool = True) -> FlatTree:
    """Return a tree in which the marked nodes are merged into the nearest node above that stays.

    That node gets their masses and their children, and the tree remembers the merged nodes.  A node
    stays if the node above can't hold its code: the run, a group, or trusted code of another
    function.  With `opens` a guilty owner is taken apart to find the guilty one.
    """
    is_gone = is_gone & (tree.parent >= 0)
    if not is_gone.any():
        return tree
    key = absorbed, opens, is_gone.tobytes()
    return tree.shapes.get(key, lambda: _without(tree, is_gone, opens=opens))


def _without(tree: FlatTree, is_gone: Flags, *, opens: bool) -> FlatTree:
    owner = owners(tree, is_gone)
    is_gone = is_gone & _can_hold(tree, owner)
    owner = owners(tree, is_gone)
    is_left = ~is_gone
    numbers = np.cumsum(is_left) - 1
    before = np.concatenate(([0], np.cumsum(is_left)))
    left, gone = np.flatnonzero(is_left), np.flatnonzero(is_gone)
    parent = tree.parent[left].astype(np.int64)
    parent[1:] = numbers[owner[parent[1:]]]
    # Trusted code is no suspect, whatever node it belongs to.
    own = np.where(is_gone & tree.is_trusted & ~tree.is_trusted[owner], 0.0, tree.mass)
    mass: Masses = np.bincount(numbers[owner], weights=own, minlength=len(left)).astype(float)
    row = Merged(
        numbers[owner[gone]],
        tree.kind[gone],
        tree.call[gone],
        tree.routine[gone],
        tree.first[gone],
        tree.last[gone],
        np.full(len(gone), opens),
    )
    made = replace(
        tree,
        parent=parent.astype(np.int32),
        end=before[tree.end[left]].astype(np.int32),
        depth=(tree.depth[left] - _gone_above(tree, gone)[left]).astype(np.int32),
        kind=tree.kind[left],
        call=tree.call[left],
        first=tree.first[left],
        last=tree.last[left],
        routine=tree.routine[left],
        module=tree.module[left],
        outcome=tree.outcome[left],
        thread=tree.thread[left],
        mass=mass,
        is_done=tree.is_done[left],
        is_trusted=tree.is_trusted[left],
        merged=tree.merged.moved(numbers[owner]).and_also(row),
        plain=tree.as_recorded,
    )
    return ordered(made) if _is_overtaken(tree, gone) else made


def _is_overtaken(tree: FlatTree, gone: Numbers) -> bool:
    """Whether a sibling begins before one of some nodes ends: then children are not in order."""
    inner = gone[tree.end[gone] < len(tree)]
    is_behind = tree.last[inner] >= tree.first[tree.end[inner]]
    return bool((is_behind | (tree.last[inner] < 0)).any())


def ordered(tree: FlatTree) -> FlatTree:
    """Return a tree with the children of each node in the order in which they began."""
    by_time = np.argsort(tree.first, kind="stable")
    place = np.empty(len(tree), np.int64)
    place[by_time] = np.arange(len(tree))
    above = tree.parent[by_time].astype(np.int64)
    above[1:] = place[above[1:]]
    numbers, end, depth = preordered(above.astype(np.int32))
    placed = np.argsort(numbers, kind="stable")
    order = by_time[placed]
    new = np.empty(len(tree), np.int64)
    new[order] = np.arange(len(tree))
    parent = tree.parent[order].astype(np.int64)
    parent[1:] = new[parent[1:]]
    columns = {name: getattr(tree, name)[order] for name in _COLUMNS}
    return replace(
        tree,
        parent=parent.astype(np.int32),
        end=end[placed],
        depth=depth[placed],
        merged=tree.merged.moved(new),
        **columns,
    )


def owners(tree: FlatTree, is_gone: Flags) -> Numbers:
    """Return for each node the nearest one, itself or above it, that stays."""
    found = np.where(is_gone, tree.parent, np.arange(len(tree))).astype(np.int64)
    while is_gone[found].any():
        found = found[found]
    return found


def allowed(tree: FlatTree, is_gone: Flags, outline: Outline) -> Flags:
    """Return the mask of nodes to merge without pinned nodes and nodes that were taken apart."""
    is_gone = is_gone.copy()
    is_gone[_found(tree, outline.kept, outline.kept)] = False
    if outline.apart and is_gone.any():
        is_apart = np.zeros(len(tree), bool)
        is_apart[_found(tree, outline.apart, outline.apart)] = True
        is_gone &= ~is_apart & ~is_apart[owners(tree, is_gone)]
    return is_gone


def passable(tree: FlatTree, is_gone: Flags, outline: Outline, groups: AbstractSet[Key]) -> Flags:
    """Return which of some nodes can be merged for good, so that groups don't contain them.

    Nodes with an answer stay, and so do the members of these groups.
    """
    is_gone = is_gone.copy()
    is_gone[_found(tree, outline.kept, groups)] = False
    return is_gone


def _found(tree: FlatTree, keys: AbstractSet[Key], groups: AbstractSet[Key]) -> Numbers:
    """Return the nodes with these keys, and the members of groups, which are made later."""
    nodes = [
        each
        for key, node in ((key, tree.find(key)) for key in keys)
        for each in ([node] if node is not None else _members(tree, key) if key in groups else ())
    ]
    return np.array(nodes, np.int64)


def _members(tree: FlatTree, key: Key) -> list[int]:
    """Return the calls of a group and their callers; empty: it is no group."""
    found: list[int] = tree.found.get(("members", key), lambda: _held(tree, key))
    return found


def _held(tree: FlatTree, key: Key) -> list[int]:
    holder = tree.find_call(key.call)
    if holder is None or tree.first[holder] == key.first:
        return []
    children = tree.children(holder)
    low, high = np.searchsorted(tree.first[children], [key.first, key.last + 1])
    is_group = low < high and tree.first[children[low]] == key.first
    if not is_group:
        return []
    return [holder, *children[low:high].tolist()]


def _can_hold(tree: FlatTree, owner: Numbers) -> Flags:
    kind = tree.kind[owner]
    can: Flags = (kind != NodeKind.RUN) & (kind != NodeKind.GROUP)
    # An opened interval of turns has no code of its own either.
    can &= (kind != NodeKind.LOOP) | (tree.mass[owner] > 0)
    return can & (tree.is_trusted | ~tree.is_trusted[owner])


def _gone_above(tree: FlatTree, gone: Numbers) -> Numbers:
    """Return for each node how many of its ancestors are merged away."""
    change = np.zeros(len(tree) + 1, np.int64)
    change[gone] = 1
    change -= np.bincount(tree.end[gone], minlength=len(change))
    return np.cumsum(change[:-1])
