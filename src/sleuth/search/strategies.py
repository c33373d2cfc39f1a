"""Choose the next node to ask about.

A strategy looks at a search space and names one of its candidates, counted from the focus.  It
keeps no state and asks nobody.  All have one rule for ties: the best score, then the fewest
remaining suspects in the subtree, then the earliest.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from sleuth.search.space import SearchSpace
from sleuth.tree.node import Masses, Numbers

Strategy: TypeAlias = Callable[[SearchSpace], int]

_NOISE = 1e-9
"""Scores that differ by less, as a part of the total, are equal: sums are not exact."""


def _best(space: SearchSpace, among: Numbers, score: Masses) -> int:
    """Return the node with the least score; ties by the rule."""
    limit = score.min() + _NOISE * max(space.total, 1.0)
    tied = among[score <= limit]
    return int(tied[np.argmin(space.remaining[tied])])


def _frontier(space: SearchSpace) -> Numbers:
    """Return the candidates that have no candidate above them."""
    nodes = space.candidates
    opened = np.zeros(len(space.ends) + 1, np.int64)
    opened[nodes] = 1
    opened -= np.bincount(space.ends[nodes], minlength=len(opened))
    is_outermost = np.cumsum(opened)[nodes] == 1
    return np.compress(is_outermost, nodes)


def top_down(space: SearchSpace) -> int:
    """Ask the children of the focus in the order they were called."""
    return int(_frontier(space)[0])


def bisection(space: SearchSpace) -> int:
    """Ask where half of the suspicion lies."""
    nodes = space.candidates
    return _best(space, nodes, np.abs(2 * space.weight[nodes] - space.total))


class Described(NamedTuple):
    """A strategy and when to use it."""

    choose: Strategy
    when: str


DEFAULT = "bisection"

STRATEGIES: dict[str, Described] = {
    "bisection": Described(
        bisection, "The default: halves the suspicion, and prefers what is easy to answer."
    ),
    "top-down": Described(
        top_down, "Follows the program from the outside in: each question continues the last one."
    ),
}
