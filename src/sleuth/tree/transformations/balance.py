"""Balancing: calls that one node made, side by side, become groups: halves by weight, and so on.

This is the projection of the paper on balancing in its unrestricted form: any neighbours, not just
chains.  A group has no code and so no mass; all that it says is that its members are right.  Below
an opened node the halves are made some levels deep; a group that was not opened holds the rest of
its members as they are.
"""

from collections import defaultdict
from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import numpy as np

from sleuth.trace.reader import Trace
from sleuth.tree.flat import FlatTree
from sleuth.tree.node import Key, Masses, NodeKind, Numbers
from sleuth.tree.transformations.insertion import Addition, inserted, uncut
from sleuth.tree.transformations.outline import Outline

_LEVELS = 6
_FEWEST = 4
"""So many calls side by side are worth a group."""
_Row: TypeAlias = tuple[int, int, int]
"""First and last moment of a group, and which one is above it."""
_Weigh: TypeAlias = Callable[[Numbers], Masses]
_HOLDERS = (NodeKind.CALL, NodeKind.TURN)


class Balancing:
    """Makes groups of the calls that opened nodes made."""

    def __init__(self, _trace: Trace) -> None:
        """Nothing of the trace is needed: the tree says it all."""

    def __call__(self, tree: FlatTree, outline: Outline) -> FlatTree:
        """Return a tree in which what was opened has few children."""
        opened = outline.opened
        # A group belongs to the call of its members' parent: who asks for it opens that.
        calls = np.array(sorted({key.call for key in opened if key.call >= 0}), np.int64)
        holders = np.flatnonzero(np.isin(tree.call, calls) & np.isin(tree.kind, _HOLDERS))
        by_call: dict[int, set[Key]] = defaultdict(set)
        for key in opened:
            by_call[key.call].add(key)
        before = np.concatenate(([0.0], np.cumsum(tree.mass)))
        weigh = partial(_weights, tree, before)
        found = (
            _addition(tree, node, by_call[int(tree.call[node])], weigh) for node in holders.tolist()
        )
        return inserted(tree, [each for each in found if each is not None])


def _weights(tree: FlatTree, before: Masses, nodes: Numbers) -> Masses:
    weights: Masses = before[tree.end[nodes]] - before[nodes]
    return weights


def _addition(tree: FlatTree, node: int, opened: set[Key], weigh: _Weigh) -> Addition | None:
    children = tree.children(node)
    key = tree.key(node)
    inside = {each for each in opened if _is_in(each, key)}
    if len(children) < _FEWEST or not inside:
        return None
    rows: list[_Row] = []
    is_call = tree.kind[children] == NodeKind.CALL
    bounds = np.flatnonzero(np.diff(np.concatenate(([False], is_call, [False]))))
    for start, stop in zip(bounds[::2].tolist(), bounds[1::2].tolist(), strict=True):
        until = int(tree.first[children[stop]]) - 1 if stop < len(children) else key.last
        whole = stop - start == len(children)
        if stop - start >= _FEWEST and until >= 0:
            nodes = children[start:stop]
            siblings = _Siblings(tree.first[nodes], until, weigh(nodes), whole=whole)
            _halve(rows, siblings, inside)
    if not rows:
        return None
    first, last, above = (np.array(column, np.int64) for column in zip(*rows, strict=True))
    kinds = np.full(len(rows), NodeKind.GROUP, np.int64)
    return Addition(
        node, first, last, kinds, above, mass=np.zeros(len(rows)), left=float(tree.mass[node])
    )


def _is_in(key: Key, around: Key) -> bool:
    return around.first <= key.first and (around.last < 0 or key.last <= around.last)


class _Siblings:
    """Calls side by side: when each begins and ends, and how heavy they are."""

    def __init__(self, firsts: Numbers, until: int, weights: Masses, *, whole: bool) -> None:
        self.whole = whole
        """Whether there are no other children: then all together are no group."""
        self.firsts = firsts
        # Up to where the next one begins: what a generator does later is its own.
        self.ends = np.append(self.firsts[1:] - 1, until)
        self._sums = np.concatenate(([0.0], np.cumsum(weights)))

    def __len__(self) -> int:
        return len(self.firsts)

    def half(self, start: int, stop: int) -> int:
        """Return where the weight is parted best."""
        sums = self._sums
        half = (sums[start] + sums[stop]) / 2
        return int(np.argmin(np.abs(sums[start + 1 : stop] - half))) + start + 1


def _halve(rows: list[_Row], siblings: _Siblings, opened: set[Key]) -> None:
    """Add the groups of neighbours."""
    wanted = _wanted(siblings.firsts, siblings.ends, opened)
    waiting = [(0, len(siblings), -1, _LEVELS)]
    while waiting:
        start, stop, above, levels = waiting.pop()
        if stop - start < 2:
            continue
        inside = [(i, j) for i, j in wanted if start <= i and j <= stop]
        if not (siblings.whole and stop - start == len(siblings)):
            rows.append((int(siblings.firsts[start]), int(siblings.ends[stop - 1]), above))
            above = len(rows) - 1
            levels = _LEVELS if (start, stop) in inside else levels
            if not levels and not inside:
                continue
        middle = uncut(siblings.half(start, stop), start, stop, inside)
        waiting.append((middle, stop, above, max(levels - 1, 0)))
        waiting.append((start, middle, above, max(levels - 1, 0)))


def _wanted(firsts: Numbers, ends: Numbers, opened: set[Key]) -> list[tuple[int, int]]:
    """Return the groups that must be there, the largest first."""
    found = set()
    for key in opened:
        start = int(np.searchsorted(firsts, key.first))
        stop = int(np.searchsorted(ends, key.last)) + 1
        if stop <= len(ends) and firsts[start] == key.first and ends[stop - 1] == key.last:
            found.add((start, stop))
    return sorted(found, key=lambda each: (each[0] - each[1], each[0]))
