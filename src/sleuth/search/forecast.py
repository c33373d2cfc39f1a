"""Forecast of the number of questions: the mean over simulated searches for a few suspects.

The searches ask in the order of the strategy in use.  A logarithm would be too low, as many
siblings may have to be asked about one by one.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import log, log2

import numpy as np

from sleuth.search.question import Verdict
from sleuth.search.space import SearchSpace

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


def expected_questions(space: SearchSpace, choose: Callable[[SearchSpace], int]) -> int:
    """Return the expected number of questions of a strategy, the pending one included."""
    suspects = np.flatnonzero(space.own > 0)
    if len(suspects) < 2:
        return 0
    effort = _FULL if len(space.own) <= _MOST else _QUICK
    guilty = [space.focus + int(suspects[int(part * len(suspects))]) for part in effort.samples]
    asked = {each: _searched(space, each, choose, effort.questions) for each in set(guilty)}
    expected = max(round(sum(asked[each] for each in guilty) / len(guilty)), 1)
    if not space.is_on_path:
        return expected
    # The symptom's path is halved; there are few calls beside its end.
    return min(expected, round(log2(len(space.candidates) + 1)) + _BESIDE)


def _searched(
    space: SearchSpace, guilty: int, choose: Callable[[SearchSpace], int], most: int
) -> float:
    """Return the expected number of questions to find one suspect."""
    before = int(np.count_nonzero(space.own))
    for count in range(most):
        if not len(space.candidates):
            return count
        space = _answered(space, choose(space) + space.focus, guilty)
    return most + _rest(before, int(np.count_nonzero(space.own)), most)


def _answered(space: SearchSpace, node: int, guilty: int) -> SearchSpace:
    """Return what is left to search after a node was judged by somebody who knows the bug."""
    judged = space.judged
    if node <= guilty < space.tree.end[node]:
        said = {**judged.verdicts, node: (Verdict.WRONG, 0)}
        judged = replace(judged, verdicts=said, nodes=np.append(judged.nodes, node), last=node)
        return SearchSpace(space.problem, judged, node, is_wrong=True)
    said = {**judged.verdicts, node: (Verdict.RIGHT, 0)}
    judged = replace(
        judged,
        verdicts=said,
        nodes=np.append(judged.nodes, node),
        excluded=np.append(judged.excluded, node),
        last=node,
    )
    return SearchSpace(space.problem, judged, space.focus, is_wrong=space.is_wrong)


def _rest(before: int, after: int, played: int) -> float:
    """Extrapolate a simulation: by the share excluded per question, or by a constant number."""
    share = (after / before) ** (1 / played)
    if share < 0.75:
        return log(max(after, 1)) / -log(share)
    return after / (max(before - after, 1) / played) / 2
