"""About how many more questions there will be: the mean over searches for a few suspects.

Halving alone says too little: of many calls side by side each has to be asked about.
"""

from dataclasses import dataclass
from math import log, log2

import numpy as np

from sleuth.search.space import SearchSpace
from sleuth.tree.node import Flags, Masses, Numbers

_MOST = 5_000
"""With more suspects fewer questions are played: the forecast must be quick."""


@dataclass(frozen=True, slots=True)
class _Effort:
    """How much is played."""

    samples: tuple[float, ...]
    """Whom to search for: where in the row of suspects."""
    questions: int


_BESIDE = 3
"""Questions about what was called near the end of the symptom's way."""
_FULL = _Effort((0.1, 0.3, 0.5, 0.7, 0.9), 40)
_QUICK = _Effort((0.5,), 4)


def expected_questions(space: SearchSpace) -> int:
    """Return about how many questions there will be, the present one included."""
    suspects = np.flatnonzero(space.own > 0)
    if len(suspects) < 2:
        return 0
    effort = _FULL if len(space.own) <= _MOST else _QUICK
    guilty = [int(suspects[int(part * len(suspects))]) for part in effort.samples]
    counts = [_searched(space, each, effort.questions) for each in guilty]
    expected = max(round(sum(counts) / len(counts)), 1)
    if not space.is_on_path:
        return expected
    # The way of the symptom is halved; what is right beside its end is little.
    return min(expected, round(log2(len(space.candidates) + 1)) + _BESIDE)


def _searched(space: SearchSpace, guilty: int, most: int) -> float:
    """Return about how many questions it takes to find one suspect."""
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
    """Go on as it went so far: by a share of what is left, or by a few each time."""
    share = (after / before) ** (1 / played)
    if share < 0.75:
        return log(max(after, 1)) / -log(share)
    return after / (max(before - after, 1) / played) / 2
