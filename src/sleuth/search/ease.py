"""Ease: of the questions that are nearly as good as the best, the one that is answered fastest."""

from collections.abc import Iterator
from math import log2
from typing import NamedTuple

import numpy as np

from sleuth.search.question import Ease, Verdict
from sleuth.search.space import SearchSpace
from sleuth.tree.node import Masses, NodeKind, Numbers

_NEARLY = 0.95
"""The part of the best question's worth that counts as nearly as good."""
_MUCH = 2 / 3
"""The part of its information at which a call is asked about before its parts and callees."""
_LEAF = 0.95
"""The part of the suspicion up to which the caller of a call that made no calls comes before it."""
_ALONE = 0.9
"""The part of its information at which a single call is asked about before a group of calls."""
_MOST = 12
"""Questions whose cost is computed."""
_FAR = 8


class Compared(NamedTuple):
    """The easiest question, and how it compares."""

    node: int
    ease: Ease | None
    """None: it was not the fastest, but comes before a part of it, or before its group."""


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
    node = _better_read(space, near[fastest], information(space, best))
    if node != near[fastest]:
        return Compared(node, None)
    return Compared(node, Ease(costs[fastest], len(near)))


def _better_read(space: SearchSpace, node: int, most: float) -> int:
    """Return the caller of a call, or the call that a part belongs to, or one call of a group.

    A person judges these sooner, so that some information may be lost; `most`: what there is.
    """
    tree, number = space.tree, node + space.focus
    above = next(_callers(space, node), None)
    is_leaf = tree.kind[number] == NodeKind.CALL and tree.end[number] == number + 1
    if above is not None and is_leaf and space.weight[above] <= _LEAF * space.total:
        return above
    for above in (_call_of_group(space, node), *_callers(space, node)):
        if above is not None and information(space, above) >= _MUCH * most:
            node = above
    if tree.kind[node + space.focus] != NodeKind.GROUP:
        return node
    calls = space.candidates[tree.kind[space.candidates + space.focus] == NodeKind.CALL]
    if not len(calls):
        return node
    told = bits(space.weight[calls] / space.total)
    return int(calls[np.argmax(told)]) if told.max() >= _ALONE * most else node


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
    that was judged last, and 0.5 if no call of this function was judged before, and 1 if one was
    right, as another one tells little new, and 1 for parts of a call that was not judged yet.
    """
    number = node + space.focus
    read = space.problem.cost(number) if space.problem.cost else 0.0
    said = _said_about(space, number)
    is_early = _call_of_group(space, node) is not None
    found = 1.0 + log2(1.0 + max(read, 0.0)) + 0.1 * _distance(space, number)
    return found + 0.5 * (not said) + 1.0 * (said == {Verdict.RIGHT}) + 1.0 * is_early


def _said_about(space: SearchSpace, number: int) -> set[Verdict]:
    """Return what was said about other calls of a call's function, or other parts of its code."""
    routine, kind = space.tree.routine, space.tree.kind
    is_call = kind[number] == NodeKind.CALL
    return {
        verdict if is_call and kind[each] == NodeKind.CALL else Verdict.UNKNOWN
        for each, (verdict, _) in space.judged.verdicts.items()
        if routine[each] == routine[number]
    }


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


def _callers(space: SearchSpace, node: int) -> Iterator[int]:
    """Yield the next calls of other functions around a node that can be asked about.

    Not the call that is the whole program: a user who saw a symptom knows that it is wrong.  And
    none while the calls that show the symptom are halved.
    """
    tree, number = space.tree, node + space.focus
    late = None if space.problem.is_late is None else space.problem.is_late(tree)
    for _ in range(0 if space.is_on_path else _FAR):
        number = int(tree.parent[number])
        above = int(tree.parent[number])
        if number <= space.focus or above < 0 or tree.kind[above] == NodeKind.RUN:
            return
        is_other = tree.routine[number] != tree.routine[node + space.focus]
        is_inner = late is None or not late[above]
        is_meant = is_other and is_inner and tree.kind[number] == NodeKind.CALL
        if is_meant and number - space.focus in space.candidates:
            yield number - space.focus


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
