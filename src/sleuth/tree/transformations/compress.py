"""Compression: merges recursive calls into their callers.

Either all of them are merged, as the technique was first published; or those that make the search
cheaper under the strategy in use, decided from the leaves to the root by the cost of questions over
all code that the calls ran.  A merged node that is found guilty is taken apart.
"""

import numpy as np

from sleuth import _flat
from sleuth.trace.reader import Trace
from sleuth.tree.flat import FlatTree
from sleuth.tree.node import Flags, NodeKind
from sleuth.tree.transformations.absorption import absorbed, allowed
from sleuth.tree.transformations.outline import Asking, Outline
from sleuth.tree.transformations.remaining import remaining


class FullCompression:
    """Merges every call into its caller if both have the same function."""

    def __init__(self, _trace: Trace) -> None:
        """The trace is not needed: the tree is enough."""

    def __call__(self, tree: FlatTree, outline: Outline) -> FlatTree:
        """Return a tree without recursion."""
        return absorbed(tree, allowed(tree, recursive(tree), outline))


class Compression:
    """Merges recursive calls where that saves questions."""

    def __init__(self, _trace: Trace) -> None:
        """The trace is not needed: the tree is enough."""

    def __call__(self, tree: FlatTree, outline: Outline) -> FlatTree:
        """Return a tree in which recursive calls are merged where that saves questions."""
        can = recursive(tree)
        if not can.any():
            return tree
        gone = np.zeros(len(tree), np.uint8)
        is_dividing = outline.asking is Asking.DIVIDING
        own = np.ascontiguousarray(remaining(tree, outline))
        parent = np.ascontiguousarray(tree.parent)
        _flat.compress(parent, can.astype(np.uint8), own, is_dividing, gone)
        return absorbed(tree, allowed(tree, gone.astype(bool), outline))


def recursive(tree: FlatTree) -> Flags:
    """Tell for each node whether it is a call made by a call of the same function."""
    above = np.maximum(tree.parent, 0)
    is_call = (tree.kind == NodeKind.CALL) & tree.is_done
    same: Flags = is_call & is_call[above] & (tree.routine == tree.routine[above])
    same[0] = False
    return same
