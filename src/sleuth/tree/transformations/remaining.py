"""Masses after the answers, with the cleared nodes set to zero, for transformations."""

import numpy as np

from sleuth.tree.flat import FlatTree
from sleuth.tree.node import Masses
from sleuth.tree.transformations.outline import Outline


def remaining(tree: FlatTree, outline: Outline) -> Masses:
    """Return the mass of each node after the answers: 0 if it is trusted or settled."""
    own = np.where(tree.is_trusted, 0.0, tree.mass)
    passed = dict(outline.groups)
    for key in outline.settled:
        node = tree.find(key)
        # Groups are made later, so their members are settled instead.
        inside = tree.inside(key, passed.get(key)) if node is None else np.array([node])
        for each in inside.tolist():
            own[each : tree.end[each]] = 0.0
    return own
