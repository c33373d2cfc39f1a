"""Outline: what determines the shape of a tree, from transformations to the user's wishes."""

from dataclasses import dataclass
from enum import Enum

from sleuth.tree.node import Key, Passed

FORWARD = "forward"
"""The transformation that passes over calls that only forward."""


class Asking(Enum):
    """How a strategy goes through a tree; the cost of a shape depends on it."""

    DIVIDING = "dividing"
    """Any node can be asked about next."""
    TOP_DOWN = "top-down"
    """After a wrong node its children are asked about, one by one."""


class Wish(Enum):
    """What the user wants done with a part of the tree."""

    FOLD = "fold"
    """Make it one node with its subtree, and ask about it last."""
    UNFOLD = "unfold"
    """Undo folding and merging: show the nodes in it separately."""
    ONLY = "only"
    """Search it first, and fold everything else."""
    INLINE = "inline"
    """Make its code part of its caller's."""
    SHOW = "show"
    """Make it a node of its own."""
    PLAIN = "plain"
    """Drop all wishes about it."""


@dataclass(frozen=True, slots=True)
class Wished:
    """One wish, about a node or all calls of a function; with neither, about the whole tree."""

    wish: Wish
    about: Key | None = None
    routine: int | None = None


@dataclass(frozen=True, slots=True)
class Outline:
    """The wanted shape of a tree; equal outlines give equal trees."""

    names: tuple[str, ...] = ()
    """The transformations."""
    opened: frozenset[Key] = frozenset()
    """Nodes below which loops and groups are made."""
    kept: frozenset[Key] = frozenset()
    """Pinned nodes: they have answers, so they are never merged."""
    apart: frozenset[Key] = frozenset()
    """Merged nodes that were taken apart: their parts are single nodes."""
    settled: frozenset[Key] = frozenset()
    """Nodes judged right or inadmissible: their subtrees have no weight any more."""
    wishes: tuple[Wished, ...] = ()
    """In the order they were made: a later one overrides an earlier one."""
    groups: tuple[tuple[Key, Passed], ...] = ()
    """The groups that were judged, and the calls excluded from them then."""
    asking: Asking = Asking.DIVIDING

    def groups_with(
        self, *, forwarding: bool = False, routine: int | None = None
    ) -> frozenset[Key]:
        """Return the groups with members that are passed over now."""
        return frozenset(
            key
            for key, passed in self.groups
            if (forwarding and not passed.forwarding)
            or (routine is not None and routine not in passed.routines)
        )
