"""FlatTree: an execution tree as flat arrays in preorder, without an object per node.

A sum over a subtree is a difference of prefix sums; ancestors are found by comparing numbers.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from sleuth.tree.lru import Recent
from sleuth.tree.merged import NOTHING, Merged
from sleuth.tree.node import OUTCOMES, Flags, Key, Masses, Node, NodeKind, Numbers, Passed, Small
from sleuth.tree.owners import owners
from sleuth.tree.threads import Elsewhere

_FOUND = 1_024
_SHAPES, _SHAPES_OF_LARGE, _LARGE = 4, 2, 200_000

_TURNS = (NodeKind.LOOP, NodeKind.TURN)


@dataclass(frozen=True, eq=False)
class FlatTree:
    """The arrays of a tree; see ExecutionTree for their meaning."""

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
    """The nodes that were merged into others."""
    plain: "FlatTree | None" = field(default=None)
    """The tree as recorded, of which this is another shape."""
    elsewhere: Elsewhere | None = field(default=None)
    """Calls that ran in other threads or tasks than their parents; None: there are none."""

    def __len__(self) -> int:
        return len(self.parent)

    @cached_property
    def shapes(self) -> "Recent[FlatTree]":
        """A cache of trees made from this one: most answers change little."""
        return Recent(_SHAPES if len(self) <= _LARGE else _SHAPES_OF_LARGE)

    @cached_property
    def found(self) -> Recent[Any]:
        """A cache of facts about this tree."""
        return Recent(_FOUND)

    def key(self, number: int) -> Key:
        """Return the key of a node."""
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
        """Return the node with a key; None: this tree has none."""
        number = self.find_call(key.call)
        if number is not None and self.key(number) == key:
            return number
        return self._part_at.get(key)

    @cached_property
    def _part_at(self) -> dict[Key, int]:
        """The nodes that are no calls, by key; of equal keys the first."""
        parts = self._parts[::-1]
        columns = (column[parts].tolist() for column in (self.call, self.first, self.last))
        return dict(zip(map(Key, *columns), parts.tolist(), strict=True))

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

    def owners(self, call: Numbers, moment: Numbers) -> Numbers:
        """Return the node that owns each moment of a call, sorted by call and moment; -1: none."""
        return owners(self, call, moment)

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
        """Tell whether a node consists of merged nodes that can be taken apart."""
        return len(self.merged) > 0 and bool(self.merged.of(number).opens.any())

    @property
    def as_recorded(self) -> "FlatTree":
        """The tree before any transformation."""
        return self if self.plain is None else self.plain

    def inside(self, key: Key, passed: Passed | None = None) -> Numbers:
        """Return the nodes of the calls that a call made in an interval of moments, and its turns.

        A generator made before the interval is left out, even if it runs in it; one made in the
        interval belongs to it with all that it does later, as in trees that have such a node.
        `passed`: the interval is that of a group, and these calls were not members of it, but their
        callees were.
        """
        what = "inside", key, passed
        found: Numbers = self.found.get(what, lambda: self._inside(key, passed))
        return found

    def _inside(self, key: Key, passed: Passed | None) -> Numbers:
        recorded = self.as_recorded
        if passed is None:
            made = recorded.children(recorded.find_call(key.call) or 0)
            made = made[_begins(recorded.since(made), key) & ~recorded.outlasts(made, key.last)]
            parts = self._turns_in(key)
        else:
            made, parts = self._members(key, passed), np.empty(0, np.int64)
        own = self._of_call[recorded.call[made]]
        found: Numbers = np.concatenate((own[own >= 0], parts))
        lost = made[own < 0]
        return np.concatenate((found, *self._within(lost, made))) if len(lost) else found

    def _turns_in(self, key: Key) -> Numbers:
        """Return the loops and turns of a call in an interval; for a group there are none."""
        parts = self._parts
        is_it = (self.call[parts] == key.call) & np.isin(self.kind[parts], _TURNS)
        is_it &= (self.first[parts] >= key.first) & (self.last[parts] <= key.last)
        found: Numbers = parts[is_it]
        return found if len(found) and not self._begins_with_call(key) else found[:0]

    def _begins_with_call(self, key: Key) -> bool:
        """Whether an interval is that of a group, which begins with a call, unlike a turn."""
        recorded = self.as_recorded
        maker = recorded.find_call(key.call) or 0
        return bool((recorded.first[maker + 1 : recorded.end[maker]] == key.first).any())

    def _members(self, key: Key, passed: Passed) -> Numbers:
        """Return the recorded members of a group; some are callees of calls passed over."""
        recorded = self.as_recorded
        near = recorded.children(recorded.find_call(key.call) or 0)
        found = [near[:0]]
        while len(near):
            near = near[_overlaps(recorded.first[near], recorded.last[near], key)]
            is_passed = recorded.is_passed(near, passed)
            own = near[~is_passed]
            found.append(own[_begins(recorded.first[own], key)])
            near = np.flatnonzero(np.isin(recorded.parent, near[is_passed])).astype(np.int64)
        return np.concatenate(found)

    def ran_elsewhere(self, nodes: Numbers) -> Flags:
        """Tell which nodes are calls that ran in another thread or task than their parents."""
        return self._are(nodes, None if self.elsewhere is None else self.elsewhere.is_it)

    def are_apart(self, nodes: Numbers) -> Flags:
        """Tell which nodes are calls that can't be in a group with their siblings."""
        return self._are(nodes, None if self.elsewhere is None else self.elsewhere.is_apart)

    def _are(self, nodes: Numbers, which: Flags | None) -> Flags:
        """Tell which nodes are calls with a flag set."""
        found: Flags = self.kind[nodes] == NodeKind.CALL
        if which is None:
            return np.zeros(len(nodes), bool)
        found[found] = which[self.call[nodes[found]]]
        return found

    def since(self, nodes: Numbers) -> Numbers:
        """Return when nodes began; for calls in other threads, when they were started."""
        since, is_it = self.first[nodes], self.ran_elsewhere(nodes)
        if self.elsewhere is not None:
            since[is_it] = self.elsewhere.since[self.call[nodes[is_it]]]
        return since

    def outlasts(self, nodes: Numbers, moment: int) -> Flags:
        """Tell which nodes ran in other threads and outlasted a moment; -1: none can."""
        if self.elsewhere is None or moment < 0:
            return np.zeros(len(nodes), bool)
        last = self.last[nodes]
        found: Flags = self.ran_elsewhere(nodes) & ((last < 0) | (last > moment))
        return found

    def is_passed(self, nodes: Numbers, passed: Passed) -> Flags:
        """Tell which of some nodes are calls that were passed over."""
        is_passed: Flags = np.isin(self.routine[nodes], list(passed.routines))
        if passed.forwarding:
            is_passed |= self.as_recorded.is_forwarding[self.call[nodes]]
        is_passed &= self.kind[nodes] == NodeKind.CALL
        return is_passed

    @cached_property
    def is_forwarding(self) -> Flags:
        """For each call of the recorded tree whether it is known to only forward."""
        return np.zeros(int(self.call.max()) + 2, bool)

    def _within(self, lost: Numbers, made: Numbers) -> tuple[Numbers, Numbers]:
        """Return the nodes below `lost`, and the merged nodes made of calls of `made` only."""
        recorded = self.as_recorded
        below = self._of_call[recorded.call[recorded.is_within(lost)]]
        rows = self.merged.kind == NodeKind.CALL
        owner = self.merged.owner[rows]
        is_other = ~np.isin(self.merged.call[rows], recorded.call[made])
        merged = np.flatnonzero(self.kind == NodeKind.MERGED)
        merged = merged[np.isin(merged, owner) & ~np.isin(merged, owner[is_other])]
        return below[below >= 0], merged

    def around(self, key: Key) -> tuple[int, Numbers] | None:
        """Return the smallest node that contains an interval, and its parts outside of it.

        The parts are the outermost nodes in which nothing of the interval ran.  Groups are passed
        over, as the code between their calls does not belong to them.
        """
        found: tuple[int, Numbers] | None = self.found.get(
            ("around", key), lambda: self._around(key)
        )
        return found

    def _around(self, key: Key) -> tuple[int, Numbers] | None:
        of_call = np.flatnonzero(
            (self.call == key.call) & np.isin(self.kind, (NodeKind.CALL, *_TURNS))
        )
        is_whole = self.kind[of_call] == NodeKind.CALL
        is_around = (self.first[of_call] <= key.first) & (self.last[of_call] >= key.last)
        wide = of_call[is_whole | (is_around & (key.last >= 0))]
        node = int(wide[np.argmax(self.depth[wide])]) if len(wide) else self.holder(key.call)
        if node is None:
            return None
        below = slice(node + 1, int(self.end[node]))
        touched = np.flatnonzero(self._is_touched(key, below))
        # Nodes that contain a part of the interval lead to it.
        count = np.concatenate(([0], np.cumsum(np.isin(np.arange(below.stop - node - 1), touched))))
        held = count[self.end[below] - node - 1] - count[:-1]
        is_way = np.concatenate(([True], held > 0))
        is_outside = ~is_way[1:] & is_way[self.parent[below] - node]
        return node, np.flatnonzero(is_outside).astype(np.int64) + node + 1

    def _is_touched(self, key: Key, among: slice) -> Flags:
        """Tell which of some nodes ran code in an interval of a call."""
        recorded = self.as_recorded
        maker = recorded.find_call(key.call) or 0
        made = slice(maker + 1, int(recorded.end[maker]))
        ran = np.flatnonzero(_overlaps(recorded.first[made], recorded.last[made], key)) + made.start
        calls = recorded.call[recorded.is_within(ran)]
        is_part = (self.call[among] == key.call) & (self.kind[among] != NodeKind.GROUP)
        is_part &= _overlaps(self.first[among], self.last[among], key)
        owners = self.merged.owner[np.isin(self.merged.call, calls)]
        is_owner = np.isin(np.arange(among.start, among.stop), owners)
        touched: Flags = is_part | np.isin(self.call[among], calls) | is_owner
        return touched

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

    def is_within(self, numbers: Numbers) -> Flags:
        """Tell for each node whether it is one of some nodes or below one of them."""
        change = np.bincount(numbers, minlength=len(self) + 1)
        change -= np.bincount(self.end[numbers], minlength=len(self) + 1)
        found: Flags = np.cumsum(change[:-1]) > 0
        return found

    def path(self, number: int) -> list[int]:
        """Return the nodes from the root to this one, both included."""
        found = []
        while number >= 0:
            found.append(number)
            number = int(self.parent[number])
        return found[::-1]


def _begins(first: Numbers, key: Key) -> Flags:
    """Tell which moments are in an interval."""
    found: Flags = (first >= key.first) & ((first <= key.last) | (key.last < 0))
    return found


def _overlaps(first: Numbers, last: Numbers, key: Key) -> Flags:
    """Tell which intervals have moments in common with another one."""
    found: Flags = ((first <= key.last) | (key.last < 0)) & ((last >= key.first) | (last < 0))
    return found
