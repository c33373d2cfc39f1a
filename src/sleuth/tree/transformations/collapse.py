"""Collapse: consecutive leaf calls of one function are judged as one node.

They form a chain, so the question is what they did together; if that is wrong, the function is
guilty, whichever call it was.  The node keeps the mass of its members.  Taken apart, it becomes a
group that is halved.

If the bug is in the merged node, collapsing costs one more question; otherwise it saves one for
each member but the first.  So two calls are worth it unless the bug is most likely in them.
"""

from dataclasses import dataclass, replace

import numpy as np

from sleuth.trace.reader import Trace
from sleuth.tree.dependence.chains import Chains, stretches
from sleuth.tree.flat import FlatTree
from sleuth.tree.node import Key, NodeKind, Numbers
from sleuth.tree.transformations.absorption import absorbed, allowed
from sleuth.tree.transformations.grouping import Holder, Sizes, grouped, holders
from sleuth.tree.transformations.insertion import Addition, inserted
from sleuth.tree.transformations.outline import Outline
from sleuth.tree.transformations.projection import Part

_FEWEST = 2
_PAYS = 3
"""This many calls are worth it in any case."""


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """The changes to make below one node."""

    holder: Holder
    whole: list[Part]
    """Parts that become one node each."""
    apart: list[Part]
    """Parts that become groups."""


class Collapsing:
    """Merges the chains of leaves below opened nodes."""

    def __init__(self, trace: Trace, *, fewest: int = _FEWEST, most: int = 0) -> None:
        self._chains = Chains(trace)
        self._fewest = fewest
        self._most = most

    def __call__(self, tree: FlatTree, outline: Outline) -> FlatTree:
        """Return a tree in which such chains are one node each."""
        found = [self._found(holder, outline) for holder in holders(tree, outline)]
        made = inserted(tree, [each for each in map(_merging, found) if each is not None])
        is_gone = made.kind[np.maximum(made.parent, 0)] == NodeKind.MERGED
        made = absorbed(made, allowed(made, is_gone, outline))
        apart = [each for each in found if each.apart]
        return _parted(made, outline, apart) if apart else made

    def _found(self, holder: Holder, outline: Outline) -> _Found:
        found = _Found(holder, [], [])
        waiting = self._parts(holder)[::-1]
        while waiting:
            part = waiting.pop()
            if part[1] - part[0] < self._fewest or not _pays(holder, part):
                continue
            if _key(holder, part) in outline.apart:
                found.apart.append(part)
            elif cut := holder.cut(part):
                waiting += cut[::-1]
            else:
                found.whole.append(part)
        return found

    def _parts(self, holder: Holder) -> list[Part]:
        """Return the chains of leaves."""
        tree, children = holder.tree, holder.children
        is_leaf = tree.end[children] == children + 1
        is_alike = is_leaf[1:] & is_leaf[:-1]
        is_alike &= tree.routine[children[1:]] == tree.routine[children[:-1]]
        if not is_alike.any():
            return []
        links = self._chains.of(tree, holder.node, children)
        return [
            (low, min(low + size, stop))
            for start, stop in stretches(is_alike & links.is_shared & holder.is_together)
            for size in [self._most or stop - start]
            for low in range(start, stop, size)
        ]


def _pays(holder: Holder, part: Part) -> bool:
    start, stop = part
    if start == 0 and stop == len(holder.children):
        return stop > _PAYS
    all_in_all = holder.sums[-1] + holder.tree.mass[holder.node]
    return stop - start >= _PAYS or 2 * (holder.sums[stop] - holder.sums[start]) <= all_in_all


def _key(holder: Holder, part: Part) -> Key:
    call = int(holder.tree.call[holder.node])
    return Key(call, int(holder.firsts[part[0]]), int(holder.ends[part[1] - 1]))


def _merging(found: _Found) -> Addition | None:
    if not found.whole:
        return None
    holder = found.holder
    starts = np.array([start for start, _ in found.whole])
    stops = np.array([stop for _, stop in found.whole])
    return Addition(
        node=holder.node,
        first=holder.firsts[starts],
        last=holder.ends[stops - 1],
        kind=np.full(len(starts), NodeKind.MERGED, np.int64),
        above=np.full(len(starts), -1, np.int64),
        mass=np.zeros(len(starts)),
        left=float(holder.tree.mass[holder.node]),
        like=holder.children[starts],
    )


def _parted(tree: FlatTree, outline: Outline, found: list[_Found]) -> FlatTree:
    """Make groups of the parts that were taken apart."""
    keys = {each.holder.tree.key(each.holder.node): each for each in found}
    additions = []
    for holder in holders(tree, outline):
        mine = keys.get(tree.key(holder.node))
        if mine is not None:
            additions.append(_groups(holder, mine))
    return inserted(tree, [each for each in additions if each is not None])


def _groups(holder: Holder, found: _Found) -> Addition | None:
    """Return the groups of the parts taken apart, with the new indices of the children."""

    def halves(start: int, stop: int) -> tuple[Part, Part]:
        middle = holder.half(start, stop)
        return (start, middle), (middle, stop)

    firsts: Numbers = found.holder.firsts
    top = [
        (int(low), int(low) + stop - start)
        for start, stop in found.apart
        for low in [np.searchsorted(holder.firsts, firsts[start])]
    ]
    # (The merged node is taken apart, but the group stays and can be judged.)
    return grouped(replace(holder, apart=frozenset()), top, halves, Sizes(2))
