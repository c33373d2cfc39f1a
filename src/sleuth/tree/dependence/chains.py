"""Chains: sibling calls, each of which continues with the state that the previous one left.

Two neighbours are linked if both change existing state, and nothing that either of them touches was
written between them.  So chains are sequences of neighbours that never overlap.
"""

from dataclasses import dataclass

import numpy as np

from sleuth.trace.reader import Trace
from sleuth.tree.dependence.footprints import footprints
from sleuth.tree.flat import FlatTree
from sleuth.tree.loops.runs import loops_of
from sleuth.tree.node import Flags, NodeKind, Numbers

_LONGEST = 20_000_000
"""Longer calls, in moments, are not examined."""
_MOST_KEPT = 64
_IN_STRETCHES = frozenset({"generator", "generator expression", "coroutine", "async generator"})
"""Kinds of functions whose calls may go on after the next call begins."""


@dataclass(frozen=True, slots=True, eq=False)
class Links:
    """The links between the children of a node, one for each pair of neighbours."""

    is_linked: Flags
    is_shared: Flags
    """Whether both wrote to the same location."""
    is_aligned: Flags
    """Whether a turn of a loop begins between them."""


def stretches(is_linked: Flags) -> list[tuple[int, int]]:
    """Return the ranges (start, stop) of items that are linked to one another."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], is_linked, [False]))))
    return list(zip(edges[::2].tolist(), (edges[1::2] + 1).tolist(), strict=True))


class Chains:
    """Finds the chains among the calls of one trace, with a cache."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._kept: dict[tuple[object, ...], Links] = {}
        self._in_stretches: dict[int, bool] = {}

    def of(self, tree: FlatTree, node: int, children: Numbers) -> Links:
        """Return how the children of a node are linked."""
        what = (column[children].tobytes() for column in (tree.kind, tree.call, tree.first))
        key = tree.key(node), *what
        if key not in self._kept:
            if len(self._kept) >= _MOST_KEPT:
                del self._kept[next(iter(self._kept))]
            self._kept[key] = self._links(tree, node, children)
        return self._kept[key]

    def _links(self, tree: FlatTree, node: int, children: Numbers) -> Links:
        is_linked = np.zeros(max(len(children) - 1, 0), bool)
        is_shared = np.zeros_like(is_linked)
        key = tree.key(node)
        if key.call < 0 or key.last < 0 or key.last - key.first > _LONGEST:
            return Links(is_linked, is_shared, np.zeros_like(is_linked))
        can = self._can_link(tree, children) & ~tree.are_apart(children)
        first, last, thread = tree.first[children], tree.last[children], tree.thread[children]
        follows = can[1:] & can[:-1] & (first[1:] > last[:-1]) & (thread[1:] == thread[:-1])
        recorded = tree.as_recorded
        for start, stop in stretches(follows):
            # Use the tree in its present shape: calls merged into others count as their code.
            calls = map(recorded.find_call, tree.call[children[start:stop]].tolist())
            found = footprints(self._trace, recorded, np.array([*calls], np.int64))
            here = slice(start, stop - 1)
            is_linked[here] = found.is_undisturbed & found.changes[1:] & found.changes[:-1]
            is_shared[here] = is_linked[here] & found.is_shared
        return Links(is_linked, is_shared, self._aligned(key.call, first, last, is_linked))

    def _can_link(self, tree: FlatTree, children: Numbers) -> Flags:
        can: Flags = (tree.kind[children] == NodeKind.CALL) & tree.is_done[children]
        can &= tree.last[children] >= 0
        for routine in np.unique(tree.routine[children]).tolist():
            if self._is_in_stretches(routine):
                can &= tree.routine[children] != routine
        return can

    def _is_in_stretches(self, routine: int) -> bool:
        if routine not in self._in_stretches:
            function = self._trace.function(routine)
            self._in_stretches[routine] = function is None or function.kind in _IN_STRETCHES
        return self._in_stretches[routine]

    def _aligned(self, call: int, first: Numbers, last: Numbers, is_linked: Flags) -> Flags:
        if not is_linked.any():
            return is_linked
        turns = loops_of(self._trace, call).all_turns
        between: Flags = np.searchsorted(turns, first[1:]) > np.searchsorted(turns, last[:-1])
        return between
