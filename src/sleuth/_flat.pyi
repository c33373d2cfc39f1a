"""Types of the C extension that walks over trees in flat arrays."""

from typing import Any

def preorder(parents: Any, numbers: Any, ends: Any, depths: Any, /) -> None:
    """Number the nodes of a tree in preorder, siblings in their given order: buffers of int32."""

def hang(parents: Any, ends: Any, is_elsewhere: Any, above: Any, /) -> None:
    """Write under whom each node hangs: the nearest one above that lasted, if it ran elsewhere."""

def ranking(ends: Any, labels: Any, /) -> int:
    """Label the edges of a tree so that the fewest questions find any node; return how many."""

def compress(parents: Any, can: Any, own: Any, is_dividing: bool, gone: Any, /) -> None:
    """Find out which nodes are worth being merged into their parents, by the cost of questions."""
