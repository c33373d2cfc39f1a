"""Types of the C extension that walks over trees in flat arrays."""

from typing import Any

def preorder(parents: Any, numbers: Any, ends: Any, depths: Any, /) -> None:
    """Number the nodes of a tree in preorder, siblings in their given order: buffers of int32."""

def hang(parents: Any, ends: Any, is_elsewhere: Any, above: Any, /) -> None:
    """Write the parent of each node; of one that ran elsewhere, the nearest above that lasted."""

def ranking(ends: Any, labels: Any, /) -> int:
    """Label the edges of a tree so that few questions find any node; return how many at worst."""

def compress(parents: Any, can: Any, own: Any, is_dividing: bool, gone: Any, /) -> None:
    """Find the nodes that are worth being merged into their parents, by the cost of questions."""
