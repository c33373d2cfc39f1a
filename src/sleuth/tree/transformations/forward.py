"""Forwarding: calls that only pass on what they were given are part of their callers.

Decorators' wrappers, methods that call another one with the same arguments, getters.  Their code
stays suspect, as their caller's.
"""

import numpy as np

from sleuth.trace.reader import Trace
from sleuth.tree.flat import FlatTree
from sleuth.tree.forwarding import Forwarders
from sleuth.tree.node import Flags, NodeKind, Numbers
from sleuth.tree.transformations.absorption import absorbed, passable
from sleuth.tree.transformations.outline import Outline

_MOST = 50_000
"""So many calls are looked at; in a longer run the rest stays as it is."""


class Forwarding:
    """Finds the calls of one trace that only forward."""

    def __init__(self, trace: Trace) -> None:
        self._forwarders = Forwarders(trace)
        self._known: dict[int, bool] = {}
        """Call -> whether it only forwards."""

    def __call__(self, tree: FlatTree, outline: Outline) -> FlatTree:
        """Return a tree without calls that only forward."""
        gone = np.zeros(len(tree), bool)
        found: list[int] = tree.found.get("forwarding", lambda: self._forwarding(tree))
        gone[found] = True
        is_gone = passable(tree, gone, outline, outline.groups_with(forwarding=True))
        made = absorbed(tree, is_gone, opens=False)
        tree.as_recorded.forwarders.update(made.merged_calls()[0].tolist())
        return made

    def _forwarding(self, tree: FlatTree) -> list[int]:
        found: list[int] = []
        outer, inner = _candidates(tree)
        rows = zip(outer.tolist(), tree.call[outer].tolist(), inner.tolist(), strict=True)
        for node, call, made in rows:
            if call not in self._known:
                if len(self._known) >= _MOST:
                    continue
                is_getter = made < 0
                self._known[call] = (
                    self._forwarders.is_getter(int(tree.routine[node]))
                    if is_getter
                    else self._forwarders.only_forwards(call, made)
                )
            if self._known[call]:
                found.append(node)
        return found


def _candidates(tree: FlatTree) -> tuple[Numbers, Numbers]:
    """Return calls in which nothing happened but one call, and that one; -1: not even that."""
    numbers = np.arange(len(tree))
    is_call: Flags = (tree.kind == NodeKind.CALL) & tree.is_done & (tree.last >= 0)
    is_leaf = tree.end == numbers + 1
    is_bare = is_call & is_leaf & (tree.last == tree.first + 1)
    child = np.minimum(numbers + 1, len(tree) - 1)
    around = tree.last - tree.last[child]
    has_one = ~is_leaf & (tree.end[child] == tree.end) & is_call & is_call[child]
    has_one &= (tree.first[child] == tree.first + 1) & ((around == 1) | (around == 2))
    found = np.flatnonzero(is_bare | has_one)
    return found, np.where(is_bare[found], -1, tree.call[child[found]])
