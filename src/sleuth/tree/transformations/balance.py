"""Balancing: the children of a node become groups, halved by weight again and again.

This is the projection of the paper on balancing in its unrestricted form: it groups any neighbours,
not just chains.
"""

from sleuth.trace.reader import Trace
from sleuth.tree.flat import FlatTree
from sleuth.tree.transformations.grouping import Holder, Sizes, additions, grouped
from sleuth.tree.transformations.insertion import Addition, inserted
from sleuth.tree.transformations.outline import Outline
from sleuth.tree.transformations.projection import Part

_FEWEST = 4
"""Fewer siblings are not worth a group."""


class Balancing:
    """Groups the children of opened nodes."""

    def __init__(
        self, _trace: Trace | None = None, *, fewest: int = _FEWEST, most: int = 0, levels: int = 0
    ) -> None:
        """The trace is not needed: the tree is enough."""
        self._sizes = Sizes(fewest, most, levels)

    def __call__(self, tree: FlatTree, outline: Outline) -> FlatTree:
        """Return a tree in which opened nodes have few children."""
        kind = type(self), self._sizes
        return inserted(tree, additions(tree, outline, kind, self._addition))

    def _addition(self, holder: Holder) -> Addition | None:
        def halves(start: int, stop: int) -> tuple[Part, Part]:
            middle = holder.half_of_what_is_left(start, stop)
            return (start, middle), (middle, stop)

        top: list[Part] = []
        for start, stop in holder.runs():
            if stop - start >= self._sizes.fewest:
                # A group of all children would be the same as their parent.
                is_all = stop - start == len(holder.children)
                top += halves(start, stop) if is_all else [(start, stop)]
        return grouped(holder, top, halves, self._sizes)
