"""Transformations: from an execution tree to another one over the same trace.

A transformation is given a tree and which nodes were opened, and returns a tree.  Nodes keep their
keys where they are about the same, so that answers stay valid.  The order in which they are
applied is that of the table, whatever the user types.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple, TypeAlias

from sleuth.errors import UsageError
from sleuth.trace.reader import Trace
from sleuth.tree.flat import FlatTree
from sleuth.tree.node import Key
from sleuth.tree.transformations.loops import LoopExpansion

Transformation: TypeAlias = Callable[[FlatTree, frozenset[Key]], FlatTree]


class Described(NamedTuple):
    """A transformation, and what it does, in a sentence."""

    make: Callable[[Trace], Transformation]
    what: str


TRANSFORMATIONS: Mapping[str, Described] = {
    "loops": Described(
        LoopExpansion,
        "Loops and their turns are asked about, and can be found guilty, apart from their call.",
    ),
}
NO_TRANSFORMATION = "none"
"""What to type for the tree as it was recorded."""

_MOST_KEPT = 8


def named(words: Iterable[str]) -> tuple[str, ...]:
    """Return the transformations that are meant, in the order of the table."""
    wanted = [word for word in words if word != NO_TRANSFORMATION]
    for word in wanted:
        if word not in TRANSFORMATIONS:
            known = ", ".join((*TRANSFORMATIONS, NO_TRANSFORMATION))
            raise UsageError(f"There is no transformation {word!r}. There are: {known}.")
    return tuple(name for name in TRANSFORMATIONS if name in wanted)


class Shaper:
    """Applies transformations to one tree; the last results are kept."""

    def __init__(self, trace: Trace, tree: FlatTree) -> None:
        self._trace = trace
        self._tree = tree
        self._made: dict[str, Transformation] = {}
        self._kept: dict[tuple[tuple[str, ...], frozenset[Key]], FlatTree] = {}

    def tree(self, names: tuple[str, ...], opened: frozenset[Key]) -> FlatTree:
        """Return the tree in the shape that these give it."""
        if (names, opened) in self._kept:
            return self._kept[names, opened]
        tree = self._tree
        for name in names:
            if name not in self._made:
                self._made[name] = TRANSFORMATIONS[name].make(self._trace)
            tree = self._made[name](tree, opened)
        if len(self._kept) >= _MOST_KEPT:
            del self._kept[next(iter(self._kept))]
        self._kept[names, opened] = tree
        return tree
