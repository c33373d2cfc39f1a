"""Chooses the easiest of the questions that give nearly as much information as the best."""

from math import log2

import numpy as np

from sleuth.search.space import SearchSpace
from sleuth.tree.node import Masses, NodeKind

_NEARLY = 0.9
"""The share of the best question's information that counts as nearly as good."""
_MUCH = 2 / 3
"""The share at which a whole call is asked about before a part of it."""
_MOST = 12
"""Questions whose cost is computed."""
_FAR = 8


def easiest(space: SearchSpace, best: int) -> int:
    """Return the question with the best ratio of information to cost among the nearly best."""
    if space.problem.cost is None or not space.total:
        return best
    share = space.weight[space.candidates] / space.total
    information = _information(share)
    enough = _NEARLY * _told(space, best)
    good = np.flatnonzero(information >= enough)
    good = good[np.argsort(-information[good], kind="stable")][:_MOST]
    nodes: list[int] = list(dict.fromkeys([best, *space.candidates[good].tolist()]))
    worth = dict(zip(space.candidates[good].tolist(), information[good].tolist(), strict=True))
    chosen = max(nodes, key=lambda node: worth.get(node, enough) / _cost(space, node))
    call = _call_of_part(space, chosen)
    if call is None or _told(space, call) < _MUCH * _told(space, best):
        return chosen
    return call


def _told(space: SearchSpace, node: int) -> float:
    return float(_information(space.weight[[node]] / space.total)[0])


def _call_of_part(space: SearchSpace, node: int) -> int | None:
    """Return the call that contains turns or a group, if it can be asked about.

    A user who does not know yet whether a call is right prefers that question to one about a part.
    """
    number = node + space.focus
    if space.tree.kind[number] == NodeKind.CALL:
        return None
    call = space.tree.find_call(int(space.tree.call[number]))
    if call is None or call <= space.focus or not space.is_askable[call - space.focus]:
        return None
    return call - space.focus


def _information(share: Masses) -> Masses:
    """Return the information of an answer in bits, if it is "wrong" with that probability."""
    share = np.clip(share, 1e-12, 1 - 1e-12)
    bits: Masses = -(share * np.log2(share) + (1 - share) * np.log2(1 - share))
    return bits


def _cost(space: SearchSpace, node: int) -> float:
    """Return the effort of a question, at least 1."""
    number = node + space.focus
    asked = space.problem.cost(number) if space.problem.cost else 0.0
    routine = space.tree.routine
    is_new = all(routine[number] != routine[each] for each in space.judged.verdicts)
    is_early = _call_of_part(space, node) is not None
    work = 1.0 + log2(1.0 + max(asked, 0.0)) + 0.1 * _distance(space, number)
    return work + 0.5 * is_new + 1.0 * is_early


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
