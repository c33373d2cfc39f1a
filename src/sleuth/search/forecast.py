"""About how many more questions there will be: the mean over searches for a few suspects.

Halving alone says too little: of many calls side by side each has to be asked about.
"""

from math import log2

import numpy as np

from sleuth.search.space import SearchSpace
from sleuth.tree.node import Flags, Masses, Numbers

_MOST = 5_000
"""With more suspects only halving is assumed: it is early, and the forecast must be quick."""
_PLAYED = 40
"""So many questions are played; of what is left then half is asked one by one."""
_SAMPLES = (0.1, 0.3, 0.5, 0.7, 0.9)


def expected_questions(space: SearchSpace) -> int:
    """Return about how many questions there will be, the present one included."""
    suspects = np.flatnonzero(space.own > 0)
    if len(suspects) < 2 or len(space.own) > _MOST:
        return round(log2(max(len(suspects), 1)))
    guilty = [int(suspects[int(part * len(suspects))]) for part in _SAMPLES]
    counts = [_played(space.own, space.ends, space.is_askable, each) for each in guilty]
    return max(round(sum(counts) / len(counts)), 1)


def _played(own: Masses, ends: Numbers, is_askable: Flags, guilty: int) -> float:
    """Return how many questions it takes to find one suspect."""
    own = own.copy()
    for count in range(_PLAYED):
        sums = np.concatenate(([0.0], np.cumsum(own)))
        weight = sums[ends] - sums[:-1]
        able = np.flatnonzero(is_askable & (weight > 0))
        if not len(able):
            return count
        asked = int(able[np.argmin(np.abs(2 * weight[able] - weight[0]))])
        inside = slice(asked, int(ends[asked]))
        if asked <= guilty < ends[asked]:
            kept = own[inside].copy()
            own[:] = 0
            own[inside] = kept
            is_askable = is_askable.copy()
            is_askable[: asked + 1] = False
        else:
            own[inside] = 0
    return _PLAYED + np.count_nonzero(own) / 2
