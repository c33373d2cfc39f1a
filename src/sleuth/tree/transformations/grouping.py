"""Groups of sibling calls, several levels deep: shared by the ways to balance a tree.

A group has no code and so no mass; if it is right, its members are.  A group that was not opened
holds its members directly.
"""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from sleuth.tree.flat import FlatTree
from sleuth.tree.node import Flags, Key, Masses, NodeKind, Numbers, Passed
from sleuth.tree.transformations.insertion import Addition
from sleuth.tree.transformations.outline import Outline
from sleuth.tree.transformations.projection import Part
from sleuth.tree.transformations.remaining import remaining

Split: TypeAlias = Callable[[int, int], Sequence[Part]]
"""Returns the smaller groups for the children start <= index < stop."""
_LEVELS = 6
"""Levels of groups that are made at once."""
_MANY = 4_096
"""The groups of more children are not cached."""
_DIGITS = 9
"""Digits to which weights are compared, as sums are not exact."""
MEMBERS = (NodeKind.CALL, NodeKind.GROUP, NodeKind.MERGED)
_HOLDERS = (NodeKind.CALL, NodeKind.TURN, NodeKind.LOOP)
"""Kinds of nodes with calls below them; a loop has some if its turns are no nodes."""
_IS_HOLDER, _IS_MEMBER = (np.isin(np.arange(len(NodeKind)), each) for each in (_HOLDERS, MEMBERS))


@dataclass(frozen=True, slots=True)
class Sizes:
    """The sizes of groups that the user wants."""

    fewest: int
    """Fewer siblings are left as they are."""
    most: int = 0
    """The most members of a group; 0: any number."""
    levels: int = 0
    """The most levels of nested groups; 0: any number."""


@dataclass(frozen=True, eq=False)
class Holder:
    """A node whose children are to be grouped."""

    tree: FlatTree
    node: int
    children: Numbers
    weights: Masses
    left: Masses
    """The weights of the children after the answers."""
    asked: frozenset[Key]
    """The keys in it, of its call, that were opened or judged."""
    apart: frozenset[Key] = frozenset()
    """Groups that were taken apart, so that their members are single nodes."""
    passed: Mapping[Key, Passed] = field(default_factory=dict)
    """Group -> the calls excluded from it when it was judged."""

    @cached_property
    def stretch(self) -> Numbers:
        """For each child the number of its stretch of groupable siblings; -1: it is in none.

        A group consists of all calls that its call made itself in an interval: it contains no
        callees of calls that were merged into its call, and no such call is between its members.
        Calls that only forward or are inlined are an exception, as they are never taken apart.
        """
        merged = self.tree.merged.of(self.node)
        merged = merged.taken(np.flatnonzero(merged.opens))
        order = np.argsort(merged.first)
        stretch = np.searchsorted(merged.first[order], self.firsts)
        ends = np.concatenate(([-1], np.maximum.accumulate(merged.last[order])))
        is_member = _IS_MEMBER[self.tree.kind[self.children]]
        is_member &= ~self.tree.are_apart(self.children)
        return np.where(is_member & (self.firsts > ends[stretch]), stretch, -1)

    @property
    def is_together(self) -> Flags:
        """For each child but the first whether it can be in a group with the one before."""
        after: Numbers = self.stretch[1:]
        found: Flags = (after == self.stretch[:-1]) & (after >= 0)
        return found

    @cached_property
    def firsts(self) -> Numbers:
        """When the children begin."""
        return self.tree.first[self.children]

    @cached_property
    def ends(self) -> Numbers:
        """When the children end, at the latest before the next one begins.

        The later work of a generator is not counted.
        """
        last = self.tree.last[self.children]
        until = np.append(self.firsts[1:] - 1, self.tree.last[self.node])
        return np.where((last >= 0) & (last <= until), last, until)

    @cached_property
    def sums(self) -> Masses:
        """Prefix sums of the children's weights."""
        return np.concatenate(([0.0], np.cumsum(self.weights)))

    @cached_property
    def wanted(self) -> dict[Part, list[Key]]:
        """The groups that must exist, the largest first, with their keys."""
        found: dict[Part, list[Key]] = defaultdict(list)
        for key in self.asked:
            start = int(np.searchsorted(self.firsts, key.first))
            stop = int(np.searchsorted(self.firsts, key.last, "right"))
            if start >= stop or self.firsts[start] != key.first or self.stretch[start] < 0:
                continue
            is_one = (self.stretch[start:stop] == self.stretch[start]).all()
            if is_one and self.tree.find(key) is None and self._is_same(start, stop, key):
                found[start, stop].append(key)
        for keys in found.values():
            keys.sort(key=lambda key: (key.first, -key.last))
        return {part: found[part] for part in sorted(found, key=_largest_first)}

    @cached_property
    def wanted_in_order(self) -> list[Part]:
        """The groups that must exist, in the order of their first members."""
        return sorted(self.wanted)

    def _is_same(self, start: int, stop: int, key: Key) -> bool:
        """Whether a group has the same members as when it was judged."""
        passed, tree = self.passed.get(key), self.tree
        if passed is None:
            return True
        here = np.arange(self.children[start], tree.end[self.children[stop - 1]])
        made = here[tree.call[tree.parent[here]] == tree.call[self.node]]  # includes smaller groups
        return not tree.is_passed(made, passed).any()

    def cut(self, part: Part) -> list[Part]:
        """Return a part, split at the ends of the largest group in it that must exist.

        An answer about that group is about exactly its members.  A part that must exist itself
        stays whole.
        """
        for wanted in self.wanted:
            if wanted == part:
                break
            inside = [place for place in wanted if part[0] < place < part[1]]
            if inside:
                return list(pairwise([part[0], *inside, part[1]]))
        return []

    def keys(self, part: Part) -> list[Key]:
        """Return the keys of a group: one, unless its members have changed since it was judged."""
        start, stop = part
        call = int(self.tree.call[self.node])
        own = Key(call, int(self.firsts[start]), int(self.ends[stop - 1]))
        return self.wanted.get(part, [own])

    def is_another(self, part: Part, key: Key) -> bool:
        """Whether a group with the same key but other members was judged."""
        return key in self.passed and not self._is_same(*part, key)

    @cached_property
    def _doubted(self) -> Numbers:
        """Prefix counts of the children that are not trusted."""
        return np.concatenate(([0], np.cumsum(~self.tree.is_trusted[self.children])))

    def is_trusted(self, part: Part) -> bool:
        """Whether all members of a group are trusted, whoever called them."""
        return bool(self._doubted[part[0]] == self._doubted[part[1]])

    def half_of_what_is_left(self, start: int, stop: int) -> int:
        """Return the best place to halve the weight that is left after the answers.

        Settled members at the beginning or the end are split off first, so that they don't show up
        in a question again.
        """
        left = np.flatnonzero(self.left[start:stop] > 0)
        if not len(left):
            return (start + stop) // 2
        if left[0] > 0:
            return start + int(left[0])
        if left[-1] < stop - start - 1:
            return start + int(left[-1]) + 1
        return self._half(self._sums_left, start, stop)

    @cached_property
    def _sums_left(self) -> Masses:
        return np.concatenate(([0.0], np.cumsum(self.left)))

    def half(self, start: int, stop: int, is_aligned: Flags | None = None) -> int:
        """Return the best place to halve the weight; of equal places one where a turn begins."""
        return self._half(self.sums, start, stop, is_aligned)

    def _half(self, sums: Masses, start: int, stop: int, is_aligned: Flags | None = None) -> int:
        middle = (sums[start] + sums[stop]) / 2
        after = start + 1 + int(np.searchsorted(sums[start + 1 : stop], middle))
        near = [place for place in (after - 1, after) if start < place < stop]
        return min(
            near,
            key=lambda place: (
                round(abs(float(sums[place] - middle)), _DIGITS),
                is_aligned is None or not is_aligned[place],
                place,
            ),
        )

    def runs(self) -> list[Part]:
        """Return the stretches of siblings that can be in a group together."""
        edges = np.flatnonzero(np.diff(np.concatenate(([-2], self.stretch, [-2])))).tolist()
        return [part for part in pairwise(edges) if self.stretch[part[0]] >= 0]


Make: TypeAlias = Callable[[Holder], Addition | None]
"""Returns the groups to put below a node."""


def holders(tree: FlatTree, outline: Outline) -> Iterator[Holder]:
    """Yield the nodes that were opened, or that contain an opened part of their call."""
    # A group belongs to the call of its members' parent, which is opened with it.
    left, groups = remaining(tree, outline), dict(outline.groups)
    opened = [key for key in outline.opened if key.call >= 0]
    spoken: dict[int, list[Key]] = defaultdict(list)
    for each in {*opened, *outline.kept}:
        spoken[each.call].append(each)
    for node in _holding(tree, opened).tolist():
        children, weights = tree.found.get((holders, node), partial(_below, tree, node))
        if len(children) > 1:
            key = tree.key(node)
            asked = frozenset(each for each in spoken[key.call] if _is_in(each, key))
            now = _summed(left, tree, node, children)
            mine = {each: groups[each] for each in asked if each in groups}
            yield Holder(tree, node, children, weights, now, asked, outline.apart, mine)


def _holding(tree: FlatTree, opened: Sequence[Key]) -> Numbers:
    """Return the nodes with children of which a part was opened."""
    if not opened:
        return np.empty(0, np.int64)
    call, first, last = np.array(opened, np.int64).T
    known = call[call <= int(tree.call.max())]  # (answers can be about calls not in the tree)
    is_meant = np.zeros(int(tree.call.max()) + 2, bool)
    is_meant[known] = True
    # (The last item is the whole run, whose number is -1.)
    is_holder = _IS_HOLDER[tree.kind] & is_meant[tree.call] & (tree.last >= 0)
    nodes = np.flatnonzero(is_holder & (tree.end > np.arange(2, len(tree) + 2)))
    is_opened = np.zeros(len(nodes), bool)
    for number in np.unique(tree.call[nodes]).tolist():
        mine, keys = np.flatnonzero(tree.call[nodes] == number), np.flatnonzero(call == number)
        is_inside = tree.first[nodes[mine], None] <= first[keys]
        is_inside &= last[keys] <= tree.last[nodes[mine], None]
        is_opened[mine] = is_inside.any(axis=1)
    return nodes[is_opened]


def _below(tree: FlatTree, node: int) -> tuple[Numbers, Masses]:
    """Return the children of a node, and their weights."""
    children = tree.children(node)
    return children, _summed(tree.mass, tree, node, children)


def _summed(own: Masses, tree: FlatTree, node: int, children: Numbers) -> Masses:
    """Return sums over the subtrees of a node's children."""
    sums = np.concatenate(([0.0], np.cumsum(own[node : tree.end[node]])))
    weights: Masses = sums[tree.end[children] - node] - sums[children - node]
    return weights


def additions(tree: FlatTree, outline: Outline, kind: Hashable, make: Make) -> list[Addition]:
    """Return the additions below opened nodes, cached where no answer changed them.

    `kind`: what else they depend on.
    """
    found = []
    for holder in holders(tree, outline):
        if len(holder.children) > _MANY:
            made = make(holder)
        else:
            then = frozenset(holder.passed.items())
            key = kind, holder.node, holder.left.tobytes(), holder.asked, holder.apart, then
            made = tree.found.get(key, partial(make, holder))
        if made is not None:
            found.append(made)
    return found


def _largest_first(part: Part) -> tuple[int, Part]:
    return part[0] - part[1], part


def _is_in(key: Key, around: Key) -> bool:
    is_same = key.call == around.call
    return is_same and around.first <= key.first and key.last <= around.last


def grouped(holder: Holder, top: Iterable[Part], split: Split, sizes: Sizes) -> Addition | None:
    """Return groups to put below a node: the given ones, and some levels of smaller ones."""
    rows: list[tuple[int, int, int, bool]] = []
    parts = _with_wanted(list(top), _inside(holder, (0, len(holder.children)), is_top=True))
    waiting = [(part, -1, 0, _LEVELS - 1) for part in reversed(parts)]
    while waiting:
        part, above, depth, levels = waiting.pop()
        is_wanted = part in holder.wanted
        inside, keys = _inside(holder, part), holder.keys(part)
        if not holder.apart.isdisjoint(keys):
            continue
        is_small = not sizes.most or part[1] - part[0] <= sizes.most
        if is_wanted or (is_small and not holder.is_another(part, keys[0])):
            for key in keys:
                rows.append((key.first, key.last, above, holder.is_trusted(part)))
                above = len(rows) - 1
            depth += 1
            levels = _LEVELS if is_wanted else levels
            if depth == sizes.levels or (not levels and not inside):
                continue
        smaller = _with_wanted(split(*part) if part[1] - part[0] > 1 else (), inside)
        waiting += [(each, above, depth, max(levels - 1, 0)) for each in reversed(smaller)]
    if not rows:
        return None
    first, last, over, trusted = (np.array(each, np.int64) for each in zip(*rows, strict=True))
    return Addition(
        holder.node,
        first,
        last,
        kind=np.full(len(rows), NodeKind.GROUP, np.int64),
        above=over,
        mass=np.zeros(len(rows)),
        left=float(holder.tree.mass[holder.node]),
        is_trusted=trusted.astype(bool),
    )


def _inside(holder: Holder, part: Part, *, is_top: bool = False) -> list[Part]:
    """Return the largest wanted groups in a part; they don't overlap."""
    found: list[Part] = []
    in_order: list[Part] = []
    known = holder.wanted_in_order
    near = known[bisect_left(known, (part[0], 0)) : bisect_left(known, (part[1], 0))]
    for start, stop in sorted(near, key=_largest_first):
        if stop > part[1] or (not is_top and (start, stop) == part):
            continue
        at = bisect_left(in_order, (start, stop))
        is_after = at == 0 or in_order[at - 1][1] <= start
        if is_after and (at == len(in_order) or in_order[at][0] >= stop):
            in_order.insert(at, (start, stop))
            found.append((start, stop))
    return found


def _with_wanted(parts: Sequence[Part], wanted: Sequence[Part]) -> list[Part]:
    """Return parts that cut no wanted part: each wanted part is one of them or inside one."""
    found = [part for part in parts if part[1] - part[0] > 1]
    for start, stop in wanted:
        if any(low <= start and stop <= high for low, high in found):
            continue
        apart: list[Part] = [(start, stop)]
        for low, high in found:
            if high <= start or low >= stop:
                apart.append((low, high))
            else:
                apart += [(low, start), (stop, high)]
        found = [part for part in apart if part[1] - part[0] > 1 or part == (start, stop)]
    return sorted(found)
