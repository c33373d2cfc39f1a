"""Forecast of the number of questions: the mean over simulated searches for a few suspects.

A logarithm would be too low, as many siblings may have to be asked about one by one.
"""

from dataclasses import dataclass
from math import log, log2

import numpy as np

from sleuth.search.space import SearchSpace
from sleuth.tree.node import Flags, Masses, Numbers

_MOST = 5_000
"""With more suspects fewer searches are simulated, as the forecast must be quick."""


@dataclass(frozen=True, slots=True)
class _Effort:
    """How much is simulated."""

    samples: tuple[float, ...]
    """The suspects to search for, as positions from 0 to 1 in their order."""
    questions: int


_BESIDE = 3
"""Questions expected about calls beside the end of the symptom's path."""
_FULL = _Effort((0.1, 0.3, 0.5, 0.7, 0.9), 40)
_QUICK = _Effort((0.5,), 4)


def expected_questions(space: SearchSpace) -> int:
    """Return the expected number of questions, the pending one included."""
    suspects = np.flatnonzero(space.own > 0)
    if len(suspects) < 2:
        return 0
    effort = _FULL if len(space.own) <= _MOST else _QUICK
    guilty = [int(suspects[int(part * len(suspects))]) for part in effort.samples]
    counts = [_searched(space, each, effort.questions) for each in guilty]
    expected = max(round(sum(counts) / len(counts)), 1)
    if not space.is_on_path:
        return expected
    # The symptom's path is halved; there are few calls beside its end.
    return min(expected, round(log2(len(space.candidates) + 1)) + _BESIDE)


def _searched(space: SearchSpace, guilty: int, most: int) -> float:
    """Return the expected number of questions to find one suspect."""
    own, is_askable = space.own.copy(), space.is_askable
    before = int(np.count_nonzero(own))
    for count in range(most):
        asked = _halving(own, space.ends, is_askable)
        if asked is None:
            return count
        inside = slice(asked, int(space.ends[asked]))
        if inside.start <= guilty < inside.stop:
            kept = own[inside].copy()
            own[:] = 0
            own[inside] = kept
            is_askable = is_askable.copy()
            is_askable[: asked + 1] = False
        else:
            own[inside] = 0
    return most + _rest(before, int(np.count_nonzero(own)), most)


def _halving(own: Masses, ends: Numbers, is_askable: Flags) -> int | None:
    sums = np.concatenate(([0.0], np.cumsum(own)))
    weight = sums[ends] - sums[:-1]
    able = np.flatnonzero(is_askable & (weight > 0))
    return int(able[np.argmin(np.abs(2 * weight[able] - weight[0]))]) if len(able) else None


def _rest(before: int, after: int, played: int) -> float:
    """Extrapolate a simulation: by the share excluded per question, or by a constant number."""
    share = (after / before) ** (1 / played)
    if share < 0.75:
        return log(max(after, 1)) / -log(share)
    return after / (max(before - after, 1) / played) / 2
