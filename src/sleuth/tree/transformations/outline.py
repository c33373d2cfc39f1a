"""What decides the shape of a tree: the transformations, and which nodes must be seen, and how."""

from dataclasses import dataclass
from enum import Enum

from sleuth.tree.node import Key, Passed

FORWARD = "forward"
"""The transformation by which calls that only forward are passed over."""


class Asking(Enum):
    """How the strategy in use goes through a tree: what a shape costs depends on it."""

    DIVIDING = "dividing"
    """Any node can be next."""
    TOP_DOWN = "top-down"
    """After a wrong node its children, one by one."""


class Wish(Enum):
    """What the user wants to be done with a part of the tree."""

    FOLD = "fold"
    """It is one node with all below it, and asked about last."""
    UNFOLD = "unfold"
    """It is no longer, and what was merged into it stands alone."""
    ONLY = "only"
    """It is searched before all else, which is folded."""
    INLINE = "inline"
    """Its code is part of its caller's."""
    SHOW = "show"
    """It is a node of its own."""
    PLAIN = "plain"
    """None of this holds any more."""


@dataclass(frozen=True, slots=True)
class Wished:
    """One wish, about a node or about all calls of a function; neither: about all."""

    wish: Wish
    about: Key | None = None
    routine: int | None = None


@dataclass(frozen=True, slots=True)
class Outline:
    """What a tree is to be like; equal outlines give equal trees."""

    names: tuple[str, ...] = ()
    """The transformations."""
    opened: frozenset[Key] = frozenset()
    """Looked into: below them loops and groups are made."""
    kept: frozenset[Key] = frozenset()
    """Nodes of their own in any case: somebody spoke about them."""
    apart: frozenset[Key] = frozenset()
    """Merged nodes that are taken apart: what was merged into them stands alone."""
    settled: frozenset[Key] = frozenset()
    """Judged right or inadmissible: what is in them weighs nothing any more."""
    wishes: tuple[Wished, ...] = ()
    """In the order they came up: a later one goes before an earlier one."""
    groups: tuple[tuple[Key, Passed], ...] = ()
    """The groups that somebody spoke about, and what was none of them then."""
    asking: Asking = Asking.DIVIDING

    def groups_with(
        self, *, forwarding: bool = False, routine: int | None = None
    ) -> frozenset[Key]:
        """Return the groups of which calls were members that are passed over now."""
        return frozenset(
            key
            for key, passed in self.groups
            if (forwarding and not passed.forwarding)
            or (routine is not None and routine not in passed.routines)
        )
