"""Insertion of new nodes between a node and its children, used by several transformations."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from sleuth.tree.build import preordered
from sleuth.tree.flat import FlatTree
from sleuth.tree.node import Flags, Masses, Numbers
from sleuth.tree.transformations.absorption import ordered

_Item = TypeVar("_Item", bound=np.generic)


@dataclass(frozen=True, slots=True, eq=False)
class Addition:
    """New nodes below a node, parents first; its children go to the innermost of them."""

    node: int
    first: Numbers
    last: Numbers
    kind: Numbers
    above: Numbers
    """The parent of each, as an index into the new nodes; -1: the node itself."""
    mass: Masses
    left: float
    """The mass that the node keeps."""
    like: Numbers | None = None
    """For each the node whose function it runs; None: the node itself."""
    is_trusted: Flags | None = None
    """Whether each is trusted; None: as in `like`."""


def inserted(tree: FlatTree, additions: Sequence[Addition]) -> FlatTree:
    """Return a tree with the additions; each new node belongs to the call of its parent."""
    if not additions:
        return tree
    size = len(tree)
    parent, mass, start = tree.parent.astype(np.int64), tree.mass.copy(), size
    parents, nodes, likes, trusted, before = [], [], [], [], []
    is_shuffled = False
    for each in additions:
        children = tree.children(each.node)
        moments = tree.first[children]
        place = _innermost(each, moments)
        is_apart = tree.ran_elsewhere(children)
        if is_apart.any():
            apart = children[is_apart]
            place[is_apart] = _holding(each, tree.since(apart), tree.last[apart])
            is_shuffled = True
        parent[children] = np.where(place < 0, each.node, place + start)
        parents.append(np.where(each.above < 0, each.node, each.above + start))
        nodes.append(np.full(len(each.first), each.node))
        likes.append(nodes[-1] if each.like is None else each.like)
        trusted.append(tree.is_trusted[likes[-1]] if each.is_trusted is None else each.is_trusted)
        behind = np.append(children, tree.end[each.node])
        before.append(behind[np.searchsorted(moments, each.first)])
        mass[each.node] = each.left
        start += len(each.first)
    weave = _Weave(tree, np.concatenate(nodes), np.concatenate(before), additions)
    above = weave.numbers[np.concatenate((parent, *parents))]
    above[0] = -1
    _, end, depth = preordered(weave.woven(above[:size], above[size:]).astype(np.int32))
    node, like = np.concatenate(nodes), np.concatenate(likes)
    made = replace(
        tree,
        merged=tree.merged.moved(weave.numbers[:size]),
        plain=tree.as_recorded,
        parent=weave.woven(above[:size], above[size:]).astype(np.int32),
        end=end,
        depth=depth,
        kind=weave.added(tree.kind, "kind"),
        call=weave.woven(tree.call, tree.call[node]),
        first=weave.added(tree.first, "first"),
        last=weave.added(tree.last, "last"),
        routine=weave.woven(tree.routine, tree.routine[like]),
        module=weave.woven(tree.module, tree.module[like]),
        outcome=weave.woven(tree.outcome, tree.outcome[like]),
        thread=weave.woven(tree.thread, tree.thread[like]),
        mass=weave.added(mass, "mass"),
        is_done=weave.woven(tree.is_done, tree.is_done[like]),
        is_trusted=weave.woven(tree.is_trusted, np.concatenate(trusted)),
    )
    return ordered(made) if is_shuffled else made


class _Weave:
    """Merges new nodes into the existing ones, which keep their order.

    A new node comes before the first child that it can hold.  Of several new nodes at one place
    come first those of a node that ends there, then those that begin first, parents first.
    """

    def __init__(
        self, tree: FlatTree, node: Numbers, before: Numbers, additions: Sequence[Addition]
    ) -> None:
        self._additions = additions
        size, count = len(tree), len(before)
        first = np.concatenate([each.first for each in additions])
        self._order = np.lexsort((np.arange(count), first, -tree.depth[node], before))
        places = before[self._order] + np.arange(count)
        self._is_new = np.zeros(size + count, bool)
        self._is_new[places] = True
        self.numbers = np.empty(size + count, np.int64)
        """The new number of each old node, then of each new one."""
        self.numbers[:size] = np.flatnonzero(~self._is_new)
        self.numbers[size + self._order] = places

    def woven(self, old: npt.NDArray[_Item], new: npt.NDArray[_Item]) -> npt.NDArray[_Item]:
        """Return a column of all nodes."""
        column = np.empty(len(self._is_new), old.dtype)
        column[~self._is_new] = old
        column[self._is_new] = new[self._order]
        return column

    def added(self, old: npt.NDArray[_Item], name: str) -> npt.NDArray[_Item]:
        """Return a column with the values of the additions."""
        return self.woven(old, np.concatenate([getattr(each, name) for each in self._additions]))


def _innermost(added: Addition, moments: Numbers) -> Numbers:
    """Return for each moment the innermost new node that it is in; -1: none."""
    found = np.full(len(moments), -1, np.int64)
    # Parents come first, so that the innermost is written last; moments are sorted.
    low = np.searchsorted(moments, added.first)
    high = np.searchsorted(moments, added.last + 1)
    for part in np.flatnonzero(high > low).tolist():
        found[low[part] : high[part]] = part
    return found


def _holding(added: Addition, since: Numbers, last: Numbers) -> Numbers:
    """Return the innermost new node in which each call was started and ended; -1: none."""
    found = np.full(len(since), -1, np.int64)
    for part in range(len(added.first)):
        is_in = (since >= added.first[part]) & (last >= 0) & (last <= added.last[part])
        found[is_in] = part
    return found


def uncut(middle: int, start: int, stop: int, wanted: Sequence[tuple[int, int]]) -> int:
    """Return a place near `middle` to split an interval without cutting a wanted one."""
    for first, last in wanted:
        if first < middle < last and (first, last) != (start, stop):
            return first if first > start else last
    return middle
