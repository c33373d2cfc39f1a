"""An execution tree as flat arrays in preorder: no object per node, no recursion.

Sums over a subtree are differences of prefix sums, being an ancestor is a comparison of numbers.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from sleuth.tree.merged import NOTHING, Merged
from sleuth.tree.node import OUTCOMES, Flags, Key, Masses, Node, NodeKind, Numbers, Small
from sleuth.tree.recent import Recent

_FOUND = 1_024
_SHAPES, _SHAPES_OF_LARGE, _LARGE = 4, 2, 200_000


@dataclass(frozen=True, eq=False)
class FlatTree:
    """The arrays; see ExecutionTree for what they mean."""

    parent: Small
    end: Small
    depth: Small
    kind: npt.NDArray[np.uint8]
    call: Numbers
    first: Numbers
    last: Numbers
    routine: Small
    module: Small
    outcome: npt.NDArray[np.uint8]
    thread: Small
    mass: Masses
    is_done: Flags
    is_trusted: Flags
    is_growing: bool = field(default=False)
    merged: Merged = field(default=NOTHING)
    """What is no node of its own here, but part of another."""
    plain: "FlatTree | None" = field(default=None)
    """The tree as it was recorded, of which this one is another shape."""

    def __len__(self) -> int:
        return len(self.parent)

    @cached_property
    def shapes(self) -> "Recent[FlatTree]":
        """The trees that were made of it last: most answers change little."""
        return Recent(_SHAPES if len(self) <= _LARGE else _SHAPES_OF_LARGE)

    @cached_property
    def found(self) -> Recent[Any]:
        """What was found out about it last: it goes with the tree."""
        return Recent(_FOUND)

    def key(self, number: int) -> Key:
        """Return what a node is about."""
        return Key(int(self.call[number]), int(self.first[number]), int(self.last[number]))

    def node(self, number: int) -> Node:
        """Return one node; IndexError: there is none."""
        if not 0 <= number < len(self):
            raise IndexError(f"there is no node {number}")
        above = int(self.parent[number])
        return Node(
            number,
            self.key(number),
            NodeKind(int(self.kind[number])),
            int(self.routine[number]),
            int(self.module[number]),
            OUTCOMES[int(self.outcome[number])],
            None if above < 0 else above,
            int(self.end[number]) - number,
            bool(self.is_done[number]),
            bool(self.is_trusted[number]),
        )

    def find(self, key: Key) -> int | None:
        """Return the node that is about this; None: this tree has none."""
        number = self.find_call(key.call)
        if number is not None and self.key(number) == key:
            return number
        found: int | None = self.found.get(("part", key), lambda: self._find_part(key))
        return found

    def _find_part(self, key: Key) -> int | None:
        parts = self._parts
        is_it = (self.call[parts] == key.call) & (self.first[parts] == key.first)
        found = parts[is_it & (self.last[parts] == key.last)]
        return int(found[0]) if len(found) else None

    @cached_property
    def _parts(self) -> Numbers:
        """The nodes that are no calls."""
        return np.flatnonzero(self.kind != NodeKind.CALL)

    def find_call(self, call: int) -> int | None:
        """Return the node of a call; None: there is none, or it was merged into another."""
        number = int(self._of_call[call]) if 0 <= call < len(self._of_call) else -1
        return None if number < 0 else number

    def holder(self, call: int) -> int | None:
        """Return the node that a call's code belongs to: its own, or the one it was merged into."""
        number = self.find_call(call)
        if number is not None or not len(self.merged):
            return number
        rows = np.flatnonzero((self.merged.call == call) & (self.merged.kind == NodeKind.CALL))
        return int(self.merged.owner[rows[0]]) if len(rows) else None

    def merged_calls(self) -> tuple[Numbers, Small]:
        """Return the calls that were merged into others, and their routines."""
        is_call = self.merged.kind == NodeKind.CALL
        return self.merged.call[is_call], self.merged.routine[is_call]

    def calls_in(self, number: int) -> Numbers:
        """Return the calls that were merged into a node."""
        found = self.merged.of(number)
        calls: Numbers = found.call[found.kind == NodeKind.CALL]
        return calls

    def is_merged(self, number: int) -> bool:
        """Tell whether a node stands for several that can be taken apart."""
        return len(self.merged) > 0 and bool(self.merged.of(number).opens.any())

    @property
    def as_recorded(self) -> "FlatTree":
        """The tree before any transformation: who made which call."""
        return self if self.plain is None else self.plain

    def inside(self, key: Key) -> Numbers:
        """Return the nodes of the calls that a call made in an interval of moments.

        Not of all that ran then: a generator made before goes on in each turn of a loop.
        """
        found: Numbers = self.found.get(("inside", key), lambda: self._inside(key))
        return found

    def _inside(self, key: Key) -> Numbers:
        recorded = self.as_recorded
        made = recorded.children(recorded.find_call(key.call) or 0)
        is_here = recorded.first[made] >= key.first
        if key.last >= 0:
            is_here &= (recorded.last[made] >= 0) & (recorded.last[made] <= key.last)
        made = np.concatenate((made[is_here], self._lifted(key)))
        own = self._of_call[recorded.call[made]]
        found: Numbers = own[own >= 0]
        lost = made[own < 0]
        return np.concatenate((found, *self._within(lost, made))) if len(lost) else found

    def _lifted(self, key: Key) -> Numbers:
        """Return what begins or ends an interval and was made by calls that only forward.

        Such an interval begins, or ends, in the middle of a call that its call made.
        """
        recorded = self.as_recorded
        maker = recorded.find_call(key.call)
        if maker is None:
            return np.zeros(0, np.int64)
        here = slice(maker + 1, int(recorded.end[maker]))
        first, last = recorded.first[here], recorded.last[here]
        is_deeper = (recorded.parent[here] != maker) & (last >= 0)
        begins = is_deeper & (first == key.first) & (last <= key.last)
        ends = np.flatnonzero(is_deeper & (last == key.last) & (first > key.first))
        # A generator that was made before and goes on here forwards nothing.
        made = np.flatnonzero(recorded.parent[here] == maker)
        above = made[np.searchsorted(made, ends, "right") - 1]
        ends = ends[first[above] >= key.first]
        found: Numbers = np.union1d(np.flatnonzero(begins), ends).astype(np.int64) + maker + 1
        return found

    def _within(self, lost: Numbers, made: Numbers) -> tuple[Numbers, Numbers]:
        """Return what calls made that are part of other nodes, and nodes merged of some calls."""
        recorded = self.as_recorded
        change = np.zeros(len(recorded) + 1, np.int64)
        change[lost] = 1
        change -= np.bincount(recorded.end[lost], minlength=len(change))
        below = self._of_call[recorded.call[np.cumsum(change[:-1]) > 0]]
        rows = self.merged.kind == NodeKind.CALL
        owner = self.merged.owner[rows]
        is_other = ~np.isin(self.merged.call[rows], recorded.call[made])
        merged = np.flatnonzero(self.kind == NodeKind.MERGED)
        merged = merged[np.isin(merged, owner) & ~np.isin(merged, owner[is_other])]
        return below[below >= 0], merged

    @cached_property
    def _of_call(self) -> Numbers:
        """The node of each call; -1: it has none of its own."""
        nodes = np.flatnonzero(self.kind == NodeKind.CALL)
        found = np.full(int(self.as_recorded.call.max()) + 1, -1, np.int64)
        found[self.call[nodes]] = nodes
        return found

    def children(self, number: int) -> Numbers:
        """Return the children in order."""
        below = self.parent[number + 1 : self.end[number]] == number
        return np.flatnonzero(below).astype(np.int64) + number + 1

    def path(self, number: int) -> list[int]:
        """Return the nodes from the root to this one, both included."""
        found = []
        while number >= 0:
            found.append(number)
            number = int(self.parent[number])
        return found[::-1]
