"""Merged: the nodes that were merged into others, kept so that their code stays known."""

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace

import numpy as np
import numpy.typing as npt

from sleuth.tree.node import Flags, Key, Numbers, Small


@dataclass(frozen=True, slots=True, eq=False)
class Merged:
    """Columns of the merged nodes, sorted by the nodes that own them, then by when they began."""

    owner: Numbers
    """The number of the node that each was merged into."""
    kind: npt.NDArray[np.uint8]
    call: Numbers
    routine: Small
    first: Numbers
    last: Numbers
    opens: Flags
    """Whether its owner, if found guilty, is taken apart to find the guilty one."""

    def __len__(self) -> int:
        return len(self.owner)

    def of(self, owner: int) -> "Merged":
        """Return what was merged into one node."""
        first, stop = np.searchsorted(self.owner, (owner, owner + 1))
        return self.taken(np.arange(first, stop))

    def taken(self, places: Numbers) -> "Merged":
        """Return the rows at some indices, in this order."""
        return Merged(*(getattr(self, each.name)[places] for each in fields(self)))

    def keys(self) -> Iterator[Key]:
        """Yield the keys of the merged nodes."""
        for row in zip(self.call.tolist(), self.first.tolist(), self.last.tolist(), strict=True):
            yield Key(*row)

    def moved(self, numbers: Numbers) -> "Merged":
        """Return the same rows after the nodes were renumbered."""
        if not len(self):
            return self
        moved = replace(self, owner=numbers[self.owner])
        return moved.taken(np.lexsort((moved.first, moved.owner)))

    def and_also(self, other: "Merged") -> "Merged":
        """Return the rows of both, which must use the same numbering of nodes."""
        pairs = ((getattr(self, each.name), getattr(other, each.name)) for each in fields(self))
        both = Merged(*map(np.concatenate, pairs))
        return both.taken(np.lexsort((both.first, both.owner)))


NOTHING = Merged(
    np.empty(0, np.int64),
    np.empty(0, np.uint8),
    np.empty(0, np.int64),
    np.empty(0, np.int32),
    np.empty(0, np.int64),
    np.empty(0, np.int64),
    np.empty(0, bool),
)
