"""Positions of the bug, and the node of a tree that owns each of them.

A position is a moment of the recorded run at which a call did something itself.  The moments of a
call share the weight 1.  So the total weight is the number of calls in any shape of the tree.
"""

from dataclasses import dataclass

import numpy as np

from sleuth.trace import columns
from sleuth.trace.reader import Trace
from sleuth.tree.build import tree_of
from sleuth.tree.flat import FlatTree
from sleuth.tree.node import Masses, Numbers


@dataclass(frozen=True, eq=False)
class Positions:
    """Places for a bug, by call and moment."""

    call: Numbers
    moment: Numbers
    weight: Masses

    def __len__(self) -> int:
        return len(self.call)

    def taken(self, places: Numbers) -> "Positions":
        """Return some of them, in order."""
        return Positions(self.call[places], self.moment[places], self.weight[places])

    def sampled(self, count: int, seed: int) -> "Positions":
        """Return `count` positions, evenly spread over the weight, with equal parts of it."""
        if len(self) <= count:
            return self
        total = float(self.weight.sum())
        start = np.random.default_rng(seed).random()
        wanted = (np.arange(count) + start) * total / count
        places = np.searchsorted(np.cumsum(self.weight), wanted, "right")
        found = self.taken(np.minimum(places, len(self) - 1))
        return Positions(found.call, found.moment, np.full(count, total / count))

    def owners(self, tree: FlatTree) -> Numbers:
        """Return the node that owns each position; -1: none does."""
        return tree.owners(self.call, self.moment)


def positions_of(trace: Trace) -> Positions:
    """Return all positions of the first call, and of all that it made, directly or not.

    Calls that it did not make, such as finalisers at the very end, can't make it wrong.
    """
    tree = tree_of(trace)
    first = tree.find_call(0) or 0
    calls = np.sort(tree.call[first : tree.end[first]]).tolist()
    found = [_own_moments(trace, number) for number in calls]
    counts = np.array([len(each) for each in found])
    return Positions(
        call=np.repeat(np.array(calls, np.int64), counts),
        moment=np.concatenate(found),
        weight=np.repeat(1 / np.maximum(counts, 1), counts),
    )


def _own_moments(trace: Trace, number: int) -> Numbers:
    call = trace.call(number)
    last = trace.event_count - 1 if call.last is None else call.last
    return columns.own(trace, number, call.first, last).moment
