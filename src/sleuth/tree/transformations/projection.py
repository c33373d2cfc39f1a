"""Projection: chooses the parts of chains to group, so that weight is divided well.

This is Algorithm 4 of the paper on balancing, for one node, with these repairs: the rest of a chain
that was cut is a chain if it has two members (G1); a part is projected only if that is
strictly better than the heaviest child (G2); of several equally good parts the one that begins and
ends with turns of a loop, then the first, then the shortest (G8).  It is meant to be applied again
inside of each part (G3), where the node's own weight is zero.
"""

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np

from sleuth.tree.node import Flags, Masses

Part: TypeAlias = tuple[int, int]
"""Start and stop of a range of members."""
_ALMOST = 1e-9


def projected(
    weights: Masses, chains: Sequence[Part], own: float, is_aligned: Flags | None = None
) -> list[Part]:
    """Return the parts to project, in order.

    `own`: the weight of the node's own code; `is_aligned`: for each gap between children, from
    before the first to after the last, whether a turn of a loop begins there.
    """
    sums = np.concatenate(([0.0], np.cumsum(weights)))
    aligned = np.zeros(len(sums), bool) if is_aligned is None else is_aligned
    waiting = [chain for chain in chains if chain[1] - chain[0] > 1]
    left = weights.astype(float).copy()
    total = own + float(sums[-1])
    found: list[Part] = []
    while waiting:
        heaviest = int(np.argmax(left))
        distance = abs(total / 2 - left[heaviest])
        part = _closest(sums, waiting, total / 2, aligned)
        is_better = abs(total / 2 - _weight(sums, part)) < distance - _ALMOST
        if left[heaviest] >= total / 2 or not is_better:
            part = heaviest, heaviest + 1
        else:
            found.append(part)
        total -= _weight(sums, part)
        left[part[0] : part[1]] = -1.0
        waiting = [rest for chain in waiting for rest in _cut(chain, part)]
    return sorted(found)


def _weight(sums: Masses, part: Part) -> float:
    return float(sums[part[1]] - sums[part[0]])


def _cut(chain: Part, part: Part) -> list[Part]:
    """Return the rests of a chain without a part, if they have two members or more."""
    start, stop = chain
    if part[1] <= start or part[0] >= stop:
        return [chain]
    return [rest for rest in ((start, part[0]), (part[1], stop)) if rest[1] - rest[0] > 1]


def _closest(sums: Masses, chains: Sequence[Part], weight: float, aligned: Flags) -> Part:
    """Return the part of two members or more whose weight is closest to the wanted one."""
    found: list[tuple[float, int, int, int]] = []
    for first, last in chains:
        starts = np.arange(first, last - 1)
        after = np.searchsorted(sums[: last + 1], sums[starts] + weight)
        for shift in (-1, 0):
            stops = np.clip(after + shift, starts + 2, last)
            away = np.round(np.abs(sums[stops] - sums[starts] - weight) / _ALMOST) * _ALMOST
            best = np.flatnonzero(away == away.min())
            ends = np.column_stack((starts[best], stops[best]))
            for start, stop in ends.tolist():
                turns = int(aligned[start]) + int(aligned[stop])
                found.append((float(away.min()), -turns, start, stop))
    _, _, start, stop = min(found)
    return start, stop
