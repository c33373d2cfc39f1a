"""New nodes between a node and its children: what transformations have in common."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sleuth.tree.build import preordered
from sleuth.tree.flat import FlatTree
from sleuth.tree.node import Masses, Numbers


@dataclass(frozen=True, slots=True, eq=False)
class Addition:
    """Nodes to be put below a node, parents first; its children go to the innermost of them."""

    node: int
    first: Numbers
    last: Numbers
    kind: Numbers
    above: Numbers
    """Which of them is above each; -1: the node."""
    mass: Masses
    left: float
    """The mass that the node keeps."""
    like: Numbers | None = None
    """The nodes whose function they are executions of; None: the node itself."""


def inserted(tree: FlatTree, additions: Sequence[Addition]) -> FlatTree:
    """Return a tree with more nodes; they belong to the call of the node that they are put in."""
    if not additions:
        return tree
    size = len(tree)
    parent, mass, start = tree.parent.astype(np.int64), tree.mass.copy(), size
    parents, origins, likes = [parent], [np.arange(size)], [np.arange(size)]
    for each in additions:
        parents.append(np.where(each.above < 0, each.node, each.above + start))
        origins.append(np.full(len(each.first), each.node))
        likes.append(origins[-1] if each.like is None else each.like)
        mass[each.node] = each.left
        children = tree.children(each.node)
        place = _innermost(each, tree.first[children])
        parent[children] = np.where(place < 0, each.node, place + start)
        start += len(each.first)
    first = np.concatenate([tree.first, *(each.first for each in additions)])
    last = np.concatenate([tree.last, *(each.last for each in additions)])
    kind = np.concatenate([tree.kind, *(each.kind for each in additions)])
    masses = np.concatenate([mass, *(each.mass for each in additions)])
    origin = np.concatenate(origins), np.concatenate(likes)
    return _ordered(tree, np.concatenate(parents), origin, (first, last, kind, masses))


def _ordered(
    tree: FlatTree,
    parent: Numbers,
    origin: tuple[Numbers, Numbers],
    own: tuple[Numbers, Numbers, Numbers, Masses],
) -> FlatTree:
    """Number all nodes anew: siblings by when they began.

    `origin`: the nodes whose call they belong to, and those whose function.
    """
    first, last, kind, mass = own
    # A group begins with its first member: the new nodes, parents first, go before.
    rank = np.where(np.arange(len(first)) < len(tree), len(first), np.arange(len(first)))
    order = np.concatenate(([0], np.lexsort((rank[1:], first[1:])) + 1))
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    above = parent[order]
    above = np.where(above < 0, -1, place[above])
    numbers, end, depth = preordered(above.astype(np.int32))
    by_number = np.argsort(numbers)
    order = order[by_number]
    base, like = origin[0][order], origin[1][order]
    moved = np.empty_like(order)
    moved[order] = np.arange(len(order))
    return replace(
        tree,
        merged=tree.merged.moved(moved),
        parent=np.where(above < 0, -1, numbers[above])[by_number].astype(np.int32),
        end=end[by_number],
        depth=depth[by_number],
        kind=kind[order].astype(np.uint8),
        call=tree.call[base],
        first=first[order],
        last=last[order],
        routine=tree.routine[like],
        module=tree.module[like],
        outcome=tree.outcome[like],
        thread=tree.thread[like],
        mass=mass[order],
        is_done=tree.is_done[like],
        is_trusted=tree.is_trusted[like],
    )


def _innermost(added: Addition, moments: Numbers) -> Numbers:
    """Return for each moment the innermost new node that it is in; -1: none."""
    found = np.full(len(moments), -1, np.int64)
    # Parents come first, so that the innermost is written last; moments are sorted.
    low = np.searchsorted(moments, added.first)
    high = np.searchsorted(moments, added.last + 1)
    for part in np.flatnonzero(high > low).tolist():
        found[low[part] : high[part]] = part
    return found


def uncut(middle: int, start: int, stop: int, wanted: Sequence[tuple[int, int]]) -> int:
    """Return where to part an interval, near a place, so that no wanted one is cut."""
    for first, last in wanted:
        if first < middle < last and (first, last) != (start, stop):
            return first if first > start else last
    return middle
