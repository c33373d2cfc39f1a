"""Loop expansion: adds nodes for executions of loops, intervals of turns, and turns.

Only opened nodes are expanded.  In an opened call or turn each loop gets a node.  Below a loop of a
few turns are its turns; those of a longer one, or one that was judged without naming a turn, form a
balanced hierarchy of intervals, some levels deep: an interval that is not opened further represents
all its turns.  A loop on one line has no
turns unless they are wanted, and a loop of one turn is the same as its turn.  Calls made in a turn
are children of that turn.  The mass of a call is divided among its parts by their events, so
that the sum stays the same.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from sleuth.trace.reader import Trace
from sleuth.tree.flat import FlatTree
from sleuth.tree.loops.made import made_in
from sleuth.tree.loops.parts import part_of
from sleuth.tree.loops.runs import LoopRun, loops_of
from sleuth.tree.loops.shape import COMPREHENSION, shape_of
from sleuth.tree.lru import Recent
from sleuth.tree.node import Key, Masses, NodeKind, Numbers
from sleuth.tree.observe.generator_steps import steps_of
from sleuth.tree.observe.group import calls_in
from sleuth.tree.transformations.insertion import Addition, inserted, uncut
from sleuth.tree.transformations.outline import Outline
from sleuth.tree.transformations.projection import Part

LOOPS, STREAMS = "loops", "streams"
"""The transformations that add turns to calls, and steps to generators."""
_LEVELS = 6
"""Levels of intervals that are opened at once: up to 64 smaller intervals."""
_FEW = 12
"""A loop of up to so many turns is judged at a glance, so it has no intervals of turns."""
_VERY_FEW = 4
"""The same once it was judged as a whole, and no turn of it was named as the wrong one."""
_ADDITIONS = 256
"""Expanded calls that are cached."""
_LONGEST = 50_000_000
"""Longer calls, in moments, are not expanded."""


@dataclass(slots=True)
class Parts:
    """New nodes of one call, parents first: see Addition."""

    first: list[int] = field(default_factory=list)
    last: list[int] = field(default_factory=list)
    kind: list[int] = field(default_factory=list)
    above: list[int] = field(default_factory=list)
    """-1: the call."""
    is_group: list[bool] = field(default_factory=list)

    def add(self, kind: NodeKind, first: int, last: int, above: int, *, is_group: bool) -> int:
        """Add one; return its number."""
        self.first.append(first)
        self.last.append(last)
        self.kind.append(kind)
        self.above.append(above)
        self.is_group.append(is_group)
        return len(self.first) - 1


class LoopExpansion:
    """Expands loops in trees over one trace, with a cache."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._runs: dict[Key, list[LoopRun]] = {}
        self._one_line: dict[int, bool] = {}
        """Site of a loop -> whether it is on one line."""
        self._additions: Recent[Addition | None] = Recent(_ADDITIONS)

    def __call__(self, tree: FlatTree, outline: Outline) -> FlatTree:
        """Return a tree in which opened nodes have their loops as children."""
        key = type(self), outline.opened, outline.apart, STREAMS in outline.names
        return tree.shapes.get(key, lambda: self._expanded(tree, outline))

    def _expanded(self, tree: FlatTree, outline: Outline) -> FlatTree:
        by_call: dict[int, list[Key]] = defaultdict(list)
        for key in outline.opened:
            if key.call >= 0:
                by_call[key.call].append(key)
        made = (
            self._added(tree, node, by_call[call], outline.apart)
            for call in sorted(by_call)
            if self._is_mine(call, outline.names)
            and (node := self._expandable(tree, call)) is not None
        )
        return inserted(tree, [each for each in made if each is not None])

    def _added(
        self, tree: FlatTree, node: int, opened: list[Key], apart: frozenset[Key]
    ) -> Addition | None:
        """Return the addition below a node, cached while the same parts of its call are opened."""
        key = tree.key(node), float(tree.mass[node]), frozenset(opened), apart

        def made() -> Addition | None:
            parts = self._parts(tree, node, opened, apart)
            return self._addition(tree, node, parts) if parts.first else None

        found = self._additions.get(key, made)
        return None if found is None else replace(found, node=node)

    def _is_mine(self, call: int, names: tuple[str, ...]) -> bool:
        """Whether a call is expanded here; generators may be expanded into steps instead."""
        return STREAMS not in names or steps_of(self._trace, call) is None

    def _expandable(self, tree: FlatTree, call: int) -> int | None:
        node = tree.find_call(call)
        if node is None or not tree.is_done[node] or tree.last[node] < 0:
            return None
        return node if tree.last[node] - tree.first[node] < _LONGEST else None

    # --- The parts of one call -------------------------------------------------------------------

    def _parts(self, tree: FlatTree, node: int, opened: list[Key], apart: frozenset[Key]) -> Parts:
        parts = Parts()
        waiting: list[tuple[int, Key, int | None]] = [(-1, tree.key(node), None)]
        while waiting:
            above, key, around = waiting.pop()
            for run in self._runs_in(key, around):
                top = above
                if run.has_start:
                    top = parts.add(NodeKind.LOOP, run.first, run.last, above, is_group=False)
                whole = Key(key.call, run.first, run.last)
                wanted = apart | {each for each in opened if each != whole}
                if run.has_start and self._is_one(whole, run.site, wanted):
                    continue
                few = _VERY_FEW if whole in opened else _FEW
                turns = intervals(parts, run, top, opened, few=few)
                waiting += [(turn, self._key(parts, node, tree, turn), run.site) for turn in turns]
        return parts

    def _is_one(self, key: Key, site: int, wanted: frozenset[Key]) -> bool:
        """Whether a loop stays one node: it is on one line, and nobody wants to see its turns.

        The calls that its turns made are nodes of their own, so turns would tell little more.
        """
        is_wanted = any(key.first <= each.first and 0 <= each.last <= key.last for each in wanted)
        return not is_wanted and self._is_on_one_line(site)

    def _is_on_one_line(self, number: int) -> bool:
        """Whether a loop is a comprehension, or its head and its body are on one line."""
        if number not in self._one_line:
            site = self._trace.site(number)
            shape = None if site is None else shape_of(self._trace, site)
            self._one_line[number] = (
                site is not None
                and shape is not None
                and (shape.statement < 0 or shape.body.end_line == site.span.line)
            )
        return self._one_line[number]

    def _key(self, parts: Parts, node: int, tree: FlatTree, part: int) -> Key:
        return Key(int(tree.call[node]), parts.first[part], parts.last[part])

    def _runs_in(self, key: Key, around: int | None) -> list[LoopRun]:
        if key not in self._runs:
            loops = loops_of(self._trace, key.call)
            found = loops.runs(key.first, key.last, around)
            self._runs[key] = [run for run in found if self._can_be_judged(key.call, run)]
        return self._runs[key]

    def _can_be_judged(self, call: int, run: LoopRun) -> bool:
        """Whether the effect of a loop is known; that of some comprehensions is not."""
        site = self._trace.site(run.site)
        is_expression = site is not None and site.kind.endswith(COMPREHENSION)
        if not is_expression or self._trace.call(call).is_resumable:
            return True
        key = Key(call, run.first, run.last)
        part = part_of(self._trace, key)
        if part is None:
            return False
        return made_in(self._trace, key, part) is not None or calls_in(self._trace, key).count > 0

    # --- The masses of the parts -----------------------------------------------------------------

    def _addition(self, tree: FlatTree, node: int, parts: Parts) -> Addition:
        masses, left = self._masses(tree, node, parts)
        return Addition(
            node=node,
            first=np.array(parts.first, np.int64),
            last=np.array(parts.last, np.int64),
            kind=np.array(parts.kind, np.int64),
            above=np.array(parts.above, np.int64),
            mass=masses,
            left=left,
        )

    def _masses(self, tree: FlatTree, node: int, parts: Parts) -> tuple[Masses, float]:
        """Return the share of the call's mass for each part, and the rest for the call."""
        call = int(tree.call[node])
        bounds = np.array([parts.first, np.add(parts.last, 1)])
        low, high = self._counted(call, bounds.ravel()).reshape(bounds.shape)
        own = (high - low).astype(float)
        total = left = float(self._count(call))
        held = own.copy()
        for part, above in enumerate(parts.above):
            if above < 0:
                left -= held[part]
            else:
                own[above] -= held[part]
        own[np.array(parts.is_group)] = 0.0
        share = float(tree.mass[node]) / total
        return own * share, left * share

    def _counted(self, call: int, moments: Numbers) -> Numbers:
        """Return how many events of its own a call had before some moments."""
        return loops_of(self._trace, call).counted(moments)

    def _count(self, call: int) -> int:
        return loops_of(self._trace, call).count


def intervals(
    parts: Parts, run: LoopRun, top: int, opened: Iterable[Key], *, few: int = 1
) -> list[int]:
    """Add the turns of a loop; return the turns that were opened, wholly or in part.

    `few`: with up to so many turns, only those intervals are added that were opened.
    """
    found: list[int] = []
    opened = list(opened)
    if run.has_start and len(run.turns) == 1 <= few and not _is_turn_apart(run, opened):
        is_opened = any(run.first <= key.first and 0 <= key.last <= run.last for key in opened)
        return [top] if is_opened else []
    waiting = [(0, len(run.turns), top, _LEVELS, _wanted(run, opened))]
    while waiting:
        start, stop, above, levels, wanted = waiting.pop()
        inside = [(i, j) for i, j in wanted if start <= i and j <= stop]
        is_whole = (start, stop) == (0, len(run.turns)) and run.has_start
        if start >= stop:
            continue
        if not is_whole:
            kind = NodeKind.TURN if stop - start == 1 else NodeKind.LOOP
            first, last = int(run.turns[start]), run.turn_end(stop - 1)
            levels = _LEVELS if (start, stop) in inside else levels
            is_closed = stop - start > 1 and not levels and not inside
            is_group = stop - start > 1 and not is_closed
            above = parts.add(kind, first, last, above, is_group=is_group)
            if is_closed:
                continue
        if stop - start == 1:
            if is_whole:
                above = parts.add(NodeKind.TURN, int(run.turns[0]), run.last, above, is_group=False)
            if inside:
                found.append(above)
            continue
        split = _singled if len(run.turns) <= few else _halves
        smaller = split(start, stop, inside)
        waiting += [(i, j, above, max(levels - 1, 0), inside) for i, j in reversed(smaller)]
    return found


def _is_turn_apart(run: LoopRun, opened: Iterable[Key]) -> bool:
    """Tell whether the only turn of a loop needs a node: it was judged apart from the loop."""
    return any((key.first, key.last) == (int(run.turns[0]), run.last) for key in opened)


def _halves(start: int, stop: int, wanted: Sequence[Part]) -> list[Part]:
    middle = uncut((start + stop) // 2, start, stop, wanted)
    return [(start, middle), (middle, stop)]


def _singled(start: int, stop: int, wanted: Sequence[Part]) -> list[Part]:
    """Return the single turns of an interval, but the largest wanted intervals as one."""
    found: list[Part] = []
    at = start
    while at < stop:
        ends = [j for i, j in wanted if i == at and (i, j) != (start, stop)]
        end = max(ends, default=at + 1)
        found.append((at, end))
        at = end
    return found


def _wanted(run: LoopRun, opened: Iterable[Key]) -> list[tuple[int, int]]:
    """Return the intervals of turns that must have a node, the largest first."""
    bounds = np.array([key[1:] for key in opened], np.int64).reshape(-1, 2)
    is_here = (run.first <= bounds[:, 0]) & (bounds[:, 1] >= 0) & (bounds[:, 1] <= run.last)
    places = np.searchsorted(run.turns, bounds[is_here], "right")
    found = {(start - 1, stop) for start, stop in places.tolist() if start > 0}
    return sorted(found, key=lambda each: (each[0] - each[1], each[0]))
