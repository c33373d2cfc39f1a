"""Ease: of the questions that are nearly as good as the best, the one that is answered fastest."""

from math import log2
from typing import NamedTuple

import numpy as np

from sleuth.search.question import Ease
from sleuth.search.space import SearchSpace
from sleuth.tree.node import Masses, NodeKind, Numbers

_NEARLY = 0.95
"""The part of the best question's worth that counts as nearly as good."""
_MUCH = 2 / 3
"""The part of its information at which a whole call is asked about before some calls in it."""
_MOST = 12
"""Questions whose cost is computed."""
_FAR = 8


class Compared(NamedTuple):
    """The easiest question, and how it compares."""

    node: int
    ease: Ease


def easiest(space: SearchSpace, best: int, nodes: Numbers, worth: Masses) -> Compared:
    """Return the fastest of the questions worth nearly as much as the best one.

    `worth` is the strategy's own measure of each node: more is better.  With equal work, the one
    that is worth more is taken, then the earlier one.
    """
    good = np.flatnonzero(worth >= _NEARLY * worth.max())
    good = good[np.argsort(-worth[good], kind="stable")][:_MOST]
    near = list(dict.fromkeys([best, *nodes[good].tolist()]))
    costs = [work(space, node) for node in near]
    fastest = int(np.argmin(costs))
    found = Compared(near[fastest], Ease(costs[fastest], len(near)))
    call = _call_of_group(space, found.node)
    if call is None or information(space, call) < _MUCH * information(space, best):
        return found
    return Compared(call, Ease(work(space, call), len(near)))


def information(space: SearchSpace, node: int) -> float:
    """Return the information of an answer about a node, in bits."""
    return float(bits(space.weight[[node]] / space.total)[0]) if space.total else 0.0


def bits(share: Masses) -> Masses:
    """Return the information of an answer in bits, if it is "wrong" with that probability."""
    share = np.clip(share, 1e-12, 1 - 1e-12)
    found: Masses = -(share * np.log2(share) + (1 - share) * np.log2(1 - share))
    return found


def work(space: SearchSpace, node: int) -> float:
    """Return how long it takes to answer a question, at least 1.

    That is 1, and log2(1 + what there is to read), and 0.1 for each step in the tree from the node
    that was judged last, and 0.5 if no call of this function was judged before, and 1 for calls
    whose caller was not judged yet.
    """
    number = node + space.focus
    read = space.problem.cost(number) if space.problem.cost else 0.0
    routine = space.tree.routine
    is_new = all(routine[number] != routine[each] for each in space.judged.verdicts)
    is_early = _call_of_group(space, node) is not None
    found = 1.0 + log2(1.0 + max(read, 0.0)) + 0.1 * _distance(space, number)
    return found + 0.5 * is_new + 1.0 * is_early


def _call_of_group(space: SearchSpace, node: int) -> int | None:
    """Return the call that made a group of calls, if it can be asked about.

    A user who does not know yet whether a call is right prefers that question to one about a part.
    """
    number = node + space.focus
    if space.tree.kind[number] == NodeKind.CALL:
        return None
    call = space.tree.find_call(int(space.tree.call[number]))
    if call is None or call <= space.focus or call - space.focus not in space.candidates:
        return None
    return call - space.focus


def _distance(space: SearchSpace, number: int) -> int:
    """Return the distance in the tree between a node and the last judged one, up to a limit."""
    parent, other = space.tree.parent, space.judged.last
    if other is None:
        return 0
    for steps in range(_FAR):
        if number == other:
            return steps
        number, other = (
            (int(parent[number]), other) if number > other else (number, int(parent[other]))
        )
    return _FAR
