"""Masses: how suspicious a node's own code is, for strategies that divide.

Each function returns the masses of the nodes of the focus; only those of suspects are used.
"""

from collections.abc import Iterator

import numpy as np

from sleuth.search.question import Verdict
from sleuth.search.space import SearchSpace
from sleuth.tree.node import Flags, Masses, Numbers

_MORE = 2.0
"""Factor by which a wrong call raises, and a right one lowers, its function's suspicion."""

_FEW_PARTS = 1_000


def routines(space: SearchSpace) -> Numbers:
    """Return the routine of each node, numbered from 0."""
    return space.tree.routine[space.focus : space.stop].astype(np.int64) + 1


def told(space: SearchSpace, verdict: Verdict) -> Masses:
    """Return for each routine how many of its calls got a verdict."""
    counts = np.zeros(int(space.tree.routine.max()) + 2)
    np.add.at(counts, np.array(list(_judged(space, verdict)), np.int64), 1.0)
    return counts


def _judged(space: SearchSpace, verdict: Verdict) -> Iterator[int]:
    # An answer for all equal calls counts once.
    seen = set()
    for node, (said, number) in space.judged.verdicts.items():
        if said is verdict and number not in seen:
            seen.add(number)
            yield int(space.tree.routine[node]) + 1


def unheard(space: SearchSpace) -> Flags:
    """Tell for each node whether it is a suspect whose routine has no answer."""
    if not space.judged.verdicts:
        return space.is_suspect
    heard = told(space, Verdict.RIGHT) + told(space, Verdict.WRONG)
    is_unheard: Flags = heard[routines(space)] == 0
    return is_unheard & space.is_suspect


def distinct(space: SearchSpace, nodes: Numbers) -> Numbers:
    """Return the number of routines without an answer in each of some disjoint subtrees."""
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
    # There may be nodes between two parts that are in none.
    is_inside = is_unheard & (part >= 0) & (np.arange(len(part)) < ends[part])
    part, names = part[is_inside], names[is_inside]
    if len(names) and names.max() < 1 << 16:
        names = names.astype(np.uint16)  # numpy sorts these in one pass
    order = np.argsort(names, kind="stable")
    names, part = names[order], part[order]
    # Within a routine the parts are in order: each is counted where it begins.
    is_first = np.ones(len(part), bool)
    is_first[1:] = (names[1:] != names[:-1]) | (part[1:] != part[:-1])
    return np.bincount(part[is_first], minlength=len(nodes))


def one_of_each(space: SearchSpace) -> Masses:
    """Weigh the first suspect of each routine without an answer 1, all others 0."""
    own = np.zeros(len(space.ends))
    nodes = np.flatnonzero(unheard(space))[::-1]
    first = np.full(int(space.tree.routine.max()) + 2, -1)
    first[routines(space)[nodes]] = nodes  # the first in order is assigned last, so it stays
    own[first[first >= 0]] = 1.0
    return own


def fewer_rights(space: SearchSpace) -> Masses:
    """Weigh a node the less the more calls of its routine were right."""
    share = 1.0 / (1.0 + told(space, Verdict.RIGHT))
    return np.where(space.is_suspect, share[routines(space)], 0.0)


def learned(space: SearchSpace) -> Masses:
    """Weigh by the number of callees and recursion, then by the answers about the routine."""
    above = space.tree.parent[space.focus : space.stop].astype(np.int64) - space.focus
    calls = np.bincount(above[1:], minlength=len(above))
    names = routines(space)
    recursive = np.zeros(len(above))
    recursive[1:] = names[1:] == names[above[1:]]
    looks = np.log2(np.arange(int(calls.max()) + 1) + 2)[calls] + recursive
    factor = _MORE ** (told(space, Verdict.WRONG) - told(space, Verdict.RIGHT))
    return np.where(space.is_suspect, looks * factor[names], 0.0)
