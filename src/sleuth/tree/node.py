"""The words of the execution tree: Node, its Key, and what a tree must offer.

A node is an interval of moments in a call, with a kind.  It owns the moments of its interval that
no child of it owns.  Its key says what it is about and holds in any tree over the same trace; its
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
"""Stands for a call in the key of the run as a whole, and for its routine and module."""

OUTCOMES = (
    Outcome.UNFINISHED,
    Outcome.RETURNED,
    Outcome.RAISED,
    Outcome.SUSPENDED,
    Outcome.LOST,
)
"""By the number that stands for them in a tree."""


class NodeKind(IntEnum):
    """What a node is an execution of."""

    RUN = 0
    """The whole run: the calls that nobody made, of all threads."""
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
    """What a node, and an answer, is about: an interval of moments in a call."""

    call: int
    first: int
    last: int
    """-1: it was still running."""


class Passed(NamedTuple):
    """What was no member of a group when somebody spoke about it: its code was its caller's."""

    forwarding: bool = False
    """Whether that holds for calls that only forward."""
    routines: frozenset[int] = frozenset()
    """The functions that were inlined."""


@dataclass(frozen=True, slots=True)
class Node:
    """One node, made when somebody looks at it."""

    number: int
    key: Key
    kind: NodeKind
    routine: int
    """The function; equal numbers are the same code."""
    module: int
    outcome: Outcome
    parent: int | None
    size: int
    """How many nodes there are in its subtree, itself included."""
    is_done: bool
    """Whether it can be judged: a call that may still go on can't."""
    is_trusted: bool
    """Whether its code is trusted until somebody doubts it."""

    @property
    def call(self) -> int:
        """The call it belongs to."""
        return self.key.call


class ExecutionTree(Protocol):
    """Arrays over all nodes, in preorder; number 0 is the root.

    A transformation makes another tree with the same keys where a node is about the same.
    """

    @property
    def parent(self) -> Small:
        """-1 for the root."""

    @property
    def end(self) -> Small:
        """The subtree of n is n up to below this."""

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
        """How much code of its own a node stands for: 0 for a group, the sum for merged calls."""

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
        """Return what a node is about."""

    def find(self, key: Key) -> int | None:
        """Return the node that is about this; None: this tree has none."""

    def find_call(self, call: int) -> int | None:
        """Return the node of a call; None: there is none, or it was merged into another."""

    def holder(self, call: int) -> int | None:
        """Return the node that a call's code belongs to: its own, or the one it was merged into."""

    def merged_calls(self) -> tuple[Numbers, Small]:
        """Return the calls that were merged into others, and their routines."""

    def calls_in(self, number: int) -> Numbers:
        """Return the calls that were merged into a node."""

    def is_merged(self, number: int) -> bool:
        """Tell whether a node stands for several that can be taken apart."""

    def inside(self, key: Key, passed: Passed | None = None) -> Numbers:
        """Return the nodes of the calls that a call made in an interval, and of its turns.

        `passed`: the interval is that of a group, and these were none of it.
        """

    def around(self, key: Key) -> tuple[int, Numbers] | None:
        """Return the smallest node with an interval in it, and what it has outside of that.

        None: the tree has nothing of its call.
        """

    def children(self, number: int) -> Numbers:
        """Return the children in order."""
