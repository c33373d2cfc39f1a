"""What decides the shape of a tree: the transformations, and which nodes must be seen, and how."""

from dataclasses import dataclass
from enum import Enum

from sleuth.tree.node import Key


class Asking(Enum):
    """How the strategy in use goes through a tree: what a shape costs depends on it."""

    DIVIDING = "dividing"
    """Any node can be next."""
    TOP_DOWN = "top-down"
    """After a wrong node its children, one by one."""


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
    asking: Asking = Asking.DIVIDING
