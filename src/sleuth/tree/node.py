"""The types of the execution tree: Node, Key, and the protocol of a tree.

A node is an interval of moments in a call, with a kind.  It owns the moments of its interval that
no child of it owns.  Its key identifies it in any tree over the same trace; its
number is its place in one tree, in preorder, so that a subtree is a range of numbers.
"""

from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from sleuth.trace.events import Outcome

Numbers: TypeAlias = npt.NDArray[np.int64]
Small: TypeAlias = npt.NDArray[np.int32]
Masses: TypeAlias = npt.NDArray[np.float64]
Flags: TypeAlias = npt.NDArray[np.bool_]

WHOLE_RUN = -1
"""In place of a call, routine or module: the whole run."""

OUTCOMES = (
    Outcome.UNFINISHED,
    Outcome.RETURNED,
    Outcome.RAISED,
    Outcome.SUSPENDED,
    Outcome.LOST,
)
"""The outcomes by their numbers in a tree."""


class NodeKind(IntEnum):
    """What a node is an execution of."""

    RUN = 0
    """The whole run: the calls of all threads that have no caller."""
    CALL = 1
    LOOP = 2
    """One execution of a loop, or several turns of it."""
    TURN = 3
    STATEMENT = 4
    GROUP = 5
    """Neighbours taken together; it has no code of its own."""
    MERGED = 6
    """Neighbours merged into one node, which has the code of all."""


class Key(NamedTuple):
    """The subject of a node or an answer: an interval of moments in a call."""

    call: int
    first: int
    last: int
    """-1: it was still running."""


class Passed(NamedTuple):
    """Calls excluded from a group when it was judged: their code counted as their callers'."""

    forwarding: bool = False
    """Whether calls that only forward were excluded."""
    routines: frozenset[int] = frozenset()
    """The functions that were inlined, so that their calls were excluded."""


@dataclass(frozen=True, slots=True)
class Node:
    """One node, made on demand."""

    number: int
    key: Key
    kind: NodeKind
    routine: int
    """The function; equal numbers are the same code."""
    module: int
    outcome: Outcome
    parent: int | None
    size: int
    """The number of nodes in its subtree, itself included."""
    is_done: bool
    """Whether it can be judged; a call that may still go on can't."""
    is_trusted: bool
    """Whether its code is trusted until an answer doubts it."""

    @property
    def call(self) -> int:
        """The call it belongs to."""
        return self.key.call


class ExecutionTree(Protocol):
    """Arrays over all nodes, in preorder; number 0 is the root.

    A transformation makes another tree; nodes with the same subject keep their keys.
    """

    @property
    def parent(self) -> Small:
        """-1 for the root."""

    @property
    def end(self) -> Small:
        """The end of each subtree: the nodes below n are n + 1 to end - 1."""

    @property
    def kind(self) -> npt.NDArray[np.uint8]:
        """The NodeKind of each."""

    @property
    def call(self) -> Numbers:
        """The call that each belongs to."""

    @property
    def first(self) -> Numbers:
        """When each began."""

    @property
    def depth(self) -> Small:
        """0 for the root."""

    @property
    def routine(self) -> Small:
        """Equal numbers: the same code."""

    @property
    def module(self) -> Small:
        """Equal numbers: code of the same module."""

    @property
    def mass(self) -> Masses:
        """The amount of a node's own code: 0 for a group, the sum for merged calls."""

    @property
    def is_done(self) -> Flags:
        """Whether it can be judged."""

    @property
    def is_trusted(self) -> Flags:
        """Whether its code is trusted until doubted."""

    @property
    def is_growing(self) -> bool:
        """Whether more may be recorded."""

    def __len__(self) -> int: ...

    def node(self, number: int) -> Node:
        """Return one node."""

    def key(self, number: int) -> Key:
        """Return the key of a node."""

    def find(self, key: Key) -> int | None:
        """Return the node with a key; None: this tree has none."""

    def find_call(self, call: int) -> int | None:
        """Return the node of a call; None: there is none, or it was merged into another."""

    def holder(self, call: int) -> int | None:
        """Return the node that a call's code belongs to: its own, or the one it was merged into."""

    def merged_calls(self) -> tuple[Numbers, Small]:
        """Return the calls that were merged into others, and their routines."""

    def calls_in(self, number: int) -> Numbers:
        """Return the calls that were merged into a node."""

    def is_merged(self, number: int) -> bool:
        """Tell whether a node consists of merged nodes that can be taken apart."""

    def inside(self, key: Key, passed: Passed | None = None) -> Numbers:
        """Return the nodes of the calls that a call made in an interval, and of its turns.

        `passed`: the interval is that of a group, and these calls were not members of it.
        """

    def around(self, key: Key) -> tuple[int, Numbers] | None:
        """Return the smallest node that contains an interval, and its parts outside of it.

        None: the tree has nothing of its call.
        """

    def owners(self, call: Numbers, moment: Numbers) -> Numbers:
        """Return the node that owns each moment of a call, sorted by call and moment; -1: none."""

    def children(self, number: int) -> Numbers:
        """Return the children in order."""
