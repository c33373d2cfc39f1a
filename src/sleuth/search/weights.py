"""How suspicious a node's own code is: masses that strategies divide by.

Each function returns the masses of the nodes of the focus; only suspects count, so what it says of
others does not matter.
"""

from collections.abc import Iterator

import numpy as np

from sleuth.search.question import Verdict
from sleuth.search.space import SearchSpace
from sleuth.tree.node import Flags, Masses, Numbers

_MORE = 2.0
"""By how much a wrong call makes the others of its function more suspicious; a right one less."""

_FEW_PARTS = 1_000


def routines(space: SearchSpace) -> Numbers:
    """Return the routine of each node, from 0 on."""
    return space.tree.routine[space.focus : space.stop].astype(np.int64) + 1


def told(space: SearchSpace, verdict: Verdict) -> Masses:
    """Return of each routine how many of its calls got a verdict."""
    counts = np.zeros(int(space.tree.routine.max()) + 2)
    np.add.at(counts, np.array(list(_judged(space, verdict)), np.int64), 1.0)
    return counts


def _judged(space: SearchSpace, verdict: Verdict) -> Iterator[int]:
    # What was said of all equal calls at once was said once.
    seen = set()
    for node, (said, number) in space.judged.verdicts.items():
        if said is verdict and number not in seen:
            seen.add(number)
            yield int(space.tree.routine[node]) + 1


def unheard(space: SearchSpace) -> Flags:
    """Tell of each node whether it is a suspect whose routine nothing was said of."""
    if not space.judged.verdicts:
        return space.is_suspect
    heard = told(space, Verdict.RIGHT) + told(space, Verdict.WRONG)
    is_unheard: Flags = heard[routines(space)] == 0
    return is_unheard & space.is_suspect


def distinct(space: SearchSpace, nodes: Numbers) -> Numbers:
    """Return how many routines that nothing was said of are in each of some subtrees, all apart."""
    names, is_unheard = routines(space), unheard(space)
    if len(nodes) > _FEW_PARTS:
        return _distinct_in_many(names, is_unheard, nodes, space.ends[nodes])
    return np.array([
        np.count_nonzero(np.bincount(names[first:stop][is_unheard[first:stop]]))
        for first, stop in zip(nodes, space.ends[nodes], strict=True)
    ])  # fmt: skip


def _distinct_in_many(names: Numbers, is_unheard: Flags, nodes: Numbers, ends: Numbers) -> Numbers:
    is_start = np.zeros(len(names), np.int32)
    is_start[nodes] = 1
    part = np.cumsum(is_start) - 1
    # Between the end of a part and the next one may stand what is in none.
    is_inside = is_unheard & (part >= 0) & (np.arange(len(part)) < ends[part])
    part, names = part[is_inside], names[is_inside]
    if len(names) and names.max() < 1 << 16:
        names = names.astype(np.uint16)  # numpy sorts these in one pass
    order = np.argsort(names, kind="stable")
    names, part = names[order], part[order]
    # Within a routine the parts stand in order: each is counted where it begins.
    is_first = np.ones(len(part), bool)
    is_first[1:] = (names[1:] != names[:-1]) | (part[1:] != part[:-1])
    return np.bincount(part[is_first], minlength=len(nodes))


def one_of_each(space: SearchSpace) -> Masses:
    """Weigh 1 the first suspect of each routine that nothing was said of, all others 0."""
    own = np.zeros(len(space.ends))
    nodes = np.flatnonzero(unheard(space))[::-1]
    first = np.full(int(space.tree.routine.max()) + 2, -1)
    first[routines(space)[nodes]] = nodes  # the last one assigned, the first in order, stays
    own[first[first >= 0]] = 1.0
    return own


def fewer_rights(space: SearchSpace) -> Masses:
    """Weigh a node the less the more calls of its routine were right."""
    share = 1.0 / (1.0 + told(space, Verdict.RIGHT))
    return np.where(space.is_suspect, share[routines(space)], 0.0)


def learned(space: SearchSpace) -> Masses:
    """Weigh by looks (many calls made, recursion), then by what was said of the routine."""
    above = space.tree.parent[space.focus : space.stop].astype(np.int64) - space.focus
    calls = np.bincount(above[1:], minlength=len(above))
    names = routines(space)
    recursive = np.zeros(len(above))
    recursive[1:] = names[1:] == names[above[1:]]
    looks = np.log2(np.arange(int(calls.max()) + 1) + 2)[calls] + recursive
    factor = _MORE ** (told(space, Verdict.WRONG) - told(space, Verdict.RIGHT))
    return np.where(space.is_suspect, looks * factor[names], 0.0)
