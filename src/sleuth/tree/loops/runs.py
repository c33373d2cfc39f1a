"""The executions of loops in a call: their beginnings, turns and ends.

A trace has the beginnings of loops and turns, but not the end of the last turn.  The last turn ends
before the first event that is outside of the loop, or whose place is not known.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from sleuth.trace import columns
from sleuth.trace.events import Call, EventKind, Function, Site, Span
from sleuth.trace.kept import kept
from sleuth.trace.reader import Trace
from sleuth.tree.loops.shape import CONDITIONAL, condition_of, extent_of
from sleuth.tree.node import Flags, Numbers, Small

_NONE = -1
_ENDS = (EventKind.RETURN, EventKind.UNWIND, EventKind.LOST)
_PLACED = (
    EventKind.RAISE,
    EventKind.CHANGED,
    EventKind.SPLICED,
    EventKind.PUT,
    EventKind.OUTPUT,
    EventKind.SUSPEND,
)
_BEGINNINGS = (EventKind.LOOP, EventKind.TURN)
_STRETCH = 256
"""Events that are searched at first, then more."""
_FAR = 1_000
"""Events of the call for which a turn is followed beyond its last known event."""


@dataclass(frozen=True, slots=True, eq=False)
class LoopRun:
    """One execution of a loop."""

    site: int
    first: int
    """The moment at which it began."""
    last: int
    """The last moment of its last turn."""
    turns: Numbers
    """The moments at which its turns began."""
    has_start: bool
    """Whether its beginning is an event of the call; a generator expression begins outside."""

    def turn_end(self, turn: int) -> int:
        """Return the last moment of a turn."""
        return int(self.turns[turn + 1]) - 1 if turn + 1 < len(self.turns) else self.last


@kept(most=8)
def loops_of(trace: Trace, call: int) -> "Loops":
    """Return the loops of a finished call, with a cache."""
    return Loops(trace, trace.call(call))


class Loops:
    """Finds the executions of loops in one call."""

    def __init__(self, trace: Trace, call: Call) -> None:
        self.trace = trace
        self._call = call
        self._function = trace.function(call.function)
        last = trace.event_count - 1 if call.last is None else call.last
        self.own = columns.own(trace, call.id, call.first, last, is_sparse=True)
        """The events that mark beginnings and ends of loops and turns."""
        self._sites: dict[int, Site | None] = {}
        self._begun: dict[int, tuple[Numbers, Numbers]] = {}
        self._loops = [site for site, at in self._seen.items() if self.own.kind[at] in _BEGINNINGS]

    def counted(self, moments: Numbers) -> Numbers:
        """Return how many events of its own the call had before some moments."""
        at = np.searchsorted(self.own.moment, moments)
        found = self.own.ordinal[np.minimum(at, len(self.own) - 1)].astype(np.int64)
        found[at == len(self.own)] += 1
        return found

    @property
    def count(self) -> int:
        """How many events of its own the call has."""
        return int(self.own.ordinal[-1]) + 1

    @property
    def all_turns(self) -> Numbers:
        """The moments at which turns of any loop begin."""
        found: Numbers = self.own.moment[self.own.kind == EventKind.TURN]
        return found

    def turns_at(self, moment: int) -> tuple[int, Numbers] | None:
        """Return the loop that has a beginning or a turn at a moment, and all its turns."""
        at = int(np.searchsorted(self.own.moment, moment))
        if at == len(self.own) or self.own.moment[at] != moment:
            return None
        if self.own.kind[at] not in (EventKind.LOOP, EventKind.TURN):
            return None
        site = int(self.own.site[at])
        starts, turns = self._beginnings(site)
        place = int(np.searchsorted(starts, moment, "right"))
        low = np.searchsorted(turns, starts[place - 1]) if place else 0
        high = np.searchsorted(turns, starts[place]) if place < len(starts) else len(turns)
        return site, turns[low:high]

    def _beginnings(self, site: int) -> tuple[Numbers, Numbers]:
        """Return the beginnings of all executions of a loop, and of all its turns."""
        if site not in self._begun:
            is_own = self.own.site == site
            is_turn = self.own.kind == EventKind.TURN
            self._begun[site] = self._when(is_own & ~is_turn), self._when(is_own & is_turn)
        return self._begun[site]

    @property
    def set_at(self) -> list[int]:
        """The sites at which variables were set."""
        kinds = self.own.kind
        return [site for site, at in self._seen.items() if kinds[at] not in _BEGINNINGS]

    def span(self, site: int) -> Span | None:
        """Return the span of a site."""
        found = self._site(site)
        return None if found is None else found.span

    def _when(self, is_it: Flags) -> Numbers:
        """Return the moments of some events; for consecutive events without a copy."""
        first, count = int(np.argmax(is_it)), int(np.count_nonzero(is_it))
        if np.count_nonzero(is_it[first : first + count]) == count:
            return self.own.moment[first : first + count]
        return self.own.moment[is_it]

    def runs(self, first: int, last: int, around: int | None) -> list[LoopRun]:
        """Return the outermost executions from first to last, in order.

        `around`: the loop of which that is a turn; None: it is the whole call.
        """
        function = self._function
        low, high = np.searchsorted(self.own.moment, [first, last + 1]).tolist()
        outer = set() if around is None else {around, *self._chain(around)}
        tops = self._tops(outer)
        found = [
            run
            for site in self._loops
            if tops[site] == site and high > low
            for run in self._runs_of(site, tops == site, (low, high))
        ]
        if function is None or not found:
            return []
        found.sort(key=lambda run: run.first)
        kept: list[LoopRun] = []
        for run in found:
            # A condition, which is computed before each turn, belongs to the turns.
            if not kept or run.first > kept[-1].last:
                kept.append(run)
        starts = [run.first for run in kept[1:]]
        return [
            self._ended(function, run, min(last, until - 1))
            for run, until in zip(kept, [*starts, last + 1], strict=True)
        ]

    # --- Inside ----------------------------------------------------------------------------------

    def _tops(self, outer: set[int]) -> Small:
        """Return for each site the outermost loop around it that is inside the outer ones.

        The last item is for events without a site.
        """
        tops = np.full(int(self.own.site.max(initial=-1)) + 2, _NONE, np.int32)
        for site in self._seen:
            tops[site] = self._top(site, outer)
        return tops

    @cached_property
    def _seen(self) -> dict[int, int]:
        """Site with an event -> one event there."""
        sites = self.own.site
        # Most of a million consecutive turns have the same site as the one before.
        changes = np.flatnonzero(sites[1:] != sites[:-1]) + 1
        at = np.concatenate((np.zeros(min(len(sites), 1), np.int64), changes))
        some = sites[at]
        found = np.full(int(some.max(initial=-1)) + 2, -1, np.int64)
        found[some] = at
        return {site: int(found[site]) for site in np.flatnonzero(found[:-1] >= 0).tolist()}

    def _top(self, site: int, outer: set[int]) -> int:
        for loop in (*self._chain(site), site):
            if loop not in outer:
                return loop if loop != site or site in self._loops else _NONE
        return _NONE

    def _chain(self, site: int) -> tuple[int, ...]:
        """Return the loops around a site, the outermost first."""
        found: list[int] = []
        known = self._site(site)
        while known is not None and known.loop is not None and known.loop not in found:
            found.append(known.loop)
            known = self._site(known.loop)
        return tuple(reversed(found))

    def _site(self, site: int) -> Site | None:
        if site not in self._sites:
            self._sites[site] = self.trace.site(site)
        return self._sites[site]

    def _runs_of(self, site: int, is_inside: Flags, here: tuple[int, int]) -> list[LoopRun]:
        """Return the executions of one loop among some events of the call.

        Each ends with the last event known to be in it; `is_inside` tells which sites are.
        """
        low, high = here
        first, last = int(self.own.moment[low]), int(self.own.moment[high - 1])
        starts, turns = (_between(each, first, last) for each in self._beginnings(site))
        bounds = [*starts.tolist(), last + 1]
        found = []
        early = turns[: np.searchsorted(turns, bounds[0])]
        if len(early):
            end = self._last_inside(is_inside, low, bounds[0])
            found.append(LoopRun(site, int(early[0]), end, early, has_start=False))
        for start, stop in pairwise(bounds):
            some = turns[np.searchsorted(turns, start) : np.searchsorted(turns, stop)]
            end = self._last_inside(is_inside, low, stop)
            found.append(LoopRun(site, start, end, some, has_start=True))
        return found

    def _last_inside(self, is_inside: Flags, low: int, before: int) -> int:
        """Return the last moment before another one with an event at such a site."""
        stop, size = int(np.searchsorted(self.own.moment, before)), _STRETCH
        while stop > low:
            start = max(stop - size, low)
            found = np.flatnonzero(is_inside[self.own.site[start:stop]])
            if len(found):
                return int(self.own.moment[start + found[-1]])
            stop, size = start, size * 8
        raise ValueError("nothing happened in the loop")

    def _ended(self, function: Function, run: LoopRun, until: int) -> LoopRun:
        """Follow the last turn to its end, at most to a moment."""
        site = self._site(run.site)
        if site is None or not (len(run.turns) or site.kind == CONDITIONAL):
            return run
        last = self._tail(_Inside(self, function, site), run, until)
        return LoopRun(run.site, run.first, last, run.turns, run.has_start)

    def _tail(self, inside: "_Inside", run: LoopRun, until: int) -> int:
        """Return the last moment of the last turn."""
        at = int(np.searchsorted(self.own.moment, run.last))
        bound = self._next_foreign(at, until, inside.sites)
        last = run.last
        for _, end, is_inside in sorted(self._behind(inside, at, bound)):
            if not is_inside:
                break
            last = max(last, end)
        return min(last, bound)

    def _behind(self, inside: "_Inside", at: int, bound: int) -> Iterator[tuple[int, int, bool]]:
        """Yield what follows an event: beginning, end, and whether it is in the loop."""
        last = int(self.own.moment[at])
        for start, end, span in self._calls_behind(last, bound):
            yield start, end, inside.contains(span)
        for index in range(at + 1, min(at + 1 + _FAR, len(self.own))):
            moment = int(self.own.moment[index])
            if moment > bound:
                break
            # A resumed call goes on where it waited.
            is_inside = self.own.site[index] >= 0 or self.own.kind[index] == EventKind.RESUME
            if self.own.kind[index] in _PLACED:
                place = self.trace.event(moment).place
                is_inside = inside.contains(inside.function.span_at(place))
            yield moment, moment, bool(is_inside)

    def _next_foreign(self, at: int, until: int, sites: list[int]) -> int:
        """Return the last moment before the next event that has another site, or ends the call."""
        start, size = at + 1, _STRETCH
        while start < len(self.own):
            here = slice(start, start + size)
            is_foreign = self.own.site[here] >= 0
            if sites:
                is_foreign &= ~np.isin(self.own.site[here], sites)
            found = np.flatnonzero(is_foreign | np.isin(self.own.kind[here], _ENDS))
            if len(found):
                return min(until, int(self.own.moment[start + found[0]]) - 1)
            start, size = start + size, size * 8
        return until

    def _calls_behind(self, last: int, bound: int) -> list[tuple[int, int, Span | None]]:
        """Return beginning, end and place of the calls made behind a moment."""
        found: list[tuple[int, int, Span | None]] = []
        moment = last + 1
        for _ in range(_FAR):
            if moment > bound:
                break
            event = self.trace.event(moment)
            moment += 1
            if event.kind is not EventKind.ENTER or event.call is None:
                continue
            made = self.trace.call(event.call)
            if made.parent == self._call.id:
                is_open = made.is_resumable or made.last is None
                end = made.first if is_open or made.last is None else made.last
                place = self._function.span_at(made.place) if self._function else None
                found.append((int(made.first), min(int(end), bound), place))
                moment = int(end) + 1
        return found


class _Inside:
    """The spans of a loop: its body, and its condition, which runs once more than the body."""

    def __init__(self, loops: Loops, function: Function, site: Site) -> None:
        self.function = function
        self._places = [extent_of(loops.trace, site)]
        self.sites: list[int] = []
        """The sites at which its condition sets variables."""
        if site.kind == CONDITIONAL:
            self._places.append(condition_of(site))
            self.sites = [
                each for each in loops.set_at if self._places[1].contains(loops.span(each))
            ]

    def contains(self, span: Span | None) -> bool:
        """Whether a span lies inside."""
        return any(place.contains(span) for place in self._places)


def _between(moments: Numbers, first: int, last: int) -> Numbers:
    low, high = np.searchsorted(moments, [first, last + 1])
    return moments[low:high]
