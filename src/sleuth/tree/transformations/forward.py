"""Forwarding: merges calls that only pass on their arguments into their callers.

These are wrappers of decorators, methods that call another one with the same arguments, and
getters.  Their code stays suspect, as part of the caller.
"""

from collections.abc import Callable

import numpy as np

from sleuth.trace.reader import Trace
from sleuth.tree.dependence.forwarding import Forwarders
from sleuth.tree.flat import FlatTree
from sleuth.tree.node import Flags, NodeKind, Numbers
from sleuth.tree.transformations.absorption import absorbed, passable
from sleuth.tree.transformations.outline import Outline

_MOST = 50_000
"""Calls that are examined; in a longer run the rest stays as it is."""
_LITTLE = 24
"""Events of its own that a forwarding wrapper may have."""
_UNKNOWN, _FORWARDS, _DOES_MORE = range(3)


class Forwarding:
    """Finds the calls of one trace that only forward."""

    def __init__(self, trace: Trace) -> None:
        self._forwarders = Forwarders(trace)
        self._known = np.zeros(0, np.uint8)
        """For each call whether it only forwards, as far as examined."""
        self._looked = 0

    def __call__(self, tree: FlatTree, outline: Outline) -> FlatTree:
        """Return a tree without calls that only forward."""
        gone = np.zeros(len(tree), bool)
        found: Numbers = tree.found.get("forwarding", lambda: self._forwarding(tree))
        gone[found] = True
        is_gone = passable(tree, gone, outline, outline.groups_with(forwarding=True))
        made = absorbed(tree, is_gone, opens=False)
        tree.as_recorded.is_forwarding[made.merged_calls()[0]] = True
        return made

    def _forwarding(self, tree: FlatTree) -> Numbers:
        outer, inner = _candidates(tree)
        is_bare = inner < 0
        bare, around = outer[is_bare], outer[~is_bare]
        routines = np.unique(tree.routine[bare]).tolist()
        getters = [each for each in routines if self._forwarders.is_getter(each)]
        calls = tree.call[around]
        self._look(calls, inner[~is_bare], self._forwarders.only_forwards)
        passing = around[self._known[calls] == _FORWARDS]
        wrapping, wrapped = self._wrapping(tree)
        self._look(tree.call[wrapping], wrapped, self._forwarders.passes_on)
        passing = np.union1d(passing, wrapping[self._known[tree.call[wrapping]] == _FORWARDS])
        return np.concatenate((bare[np.isin(tree.routine[bare], getters)], passing))

    def _wrapping(self, tree: FlatTree) -> tuple[Numbers, Numbers]:
        """Return calls of wrappers with one callee and few other events, and the callees."""
        found, made = _with_one_call(tree)
        routines = np.unique(tree.routine[found]).tolist()
        wrappers = [each for each in routines if self._forwarders.may_wrap(each)]
        is_one = np.isin(tree.routine[found], wrappers)
        return found[is_one], made[is_one]

    def _look(self, calls: Numbers, made: Numbers, is_it: Callable[[int, int], bool]) -> None:
        """Find out which of some calls with one callee only forward."""
        missing = int(calls.max(initial=-1)) + 1 - len(self._known)
        self._known = np.append(self._known, np.zeros(max(missing, 0), np.uint8))
        new = np.flatnonzero(self._known[calls] == _UNKNOWN)[: _MOST - self._looked]
        self._looked += len(new)
        for call, inner in zip(calls[new].tolist(), made[new].tolist(), strict=True):
            self._known[call] = _FORWARDS if is_it(call, inner) else _DOES_MORE


def _with_one_call(tree: FlatTree) -> tuple[Numbers, Numbers]:
    """Return calls with one callee and few other events, and the callees."""
    numbers = np.arange(len(tree))
    is_call: Flags = (tree.kind == NodeKind.CALL) & tree.is_done & (tree.last >= 0)
    child = np.minimum(numbers + 1, len(tree) - 1)
    has_one = (tree.end > numbers + 1) & (tree.end[child] == tree.end) & is_call & is_call[child]
    own = (tree.last - tree.first) - (tree.last[child] - tree.first[child])
    found = np.flatnonzero(has_one & (own <= _LITTLE))
    return found, tree.call[child[found]]


def _candidates(tree: FlatTree) -> tuple[Numbers, Numbers]:
    """Return calls with no events but one call, and their callees; -1: no callee either."""
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
