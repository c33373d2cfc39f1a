"""The result of a comprehension, and the items that some of its turns made.

A trace has the items that a comprehension iterates over and the store of its result, but not each
item that it makes.  The items of a list are in order, so that counting finds the items of a turn.
If the counts don't agree, nothing is reported.
"""

from functools import cached_property

import numpy as np

from sleuth.trace import columns
from sleuth.trace.columns import Own
from sleuth.trace.events import Call, EventKind, Function, Moment, Site, Span
from sleuth.trace.flow.operations import Operation
from sleuth.trace.kept import kept
from sleuth.trace.reader import Trace
from sleuth.trace.values import Ref, Value
from sleuth.tree.loops.shape import COMPREHENSION, extent_of, place_of
from sleuth.tree.node import Key, Numbers
from sleuth.tree.observe.behaviour import LoopPart, Made, Seen

MOST_MADE = 1_000
_MOST_EVENTS = 4_000_000
_TAKES = {EventKind.BIND: "store", EventKind.RETURN: "return"}
"""Event -> the kind of operation that it belongs to."""
_LIST = "list"


@kept(most=4)
def own_events(trace: Trace, call: int) -> Own:
    """Return all events of a call; for a very long call only the first."""
    of = trace.call(call)
    last = trace.event_count - 1 if of.last is None else of.last
    return columns.own(trace, call, of.first, last if of.events <= _MOST_EVENTS else of.first)


def made_in(trace: Trace, key: Key, part: LoopPart) -> Made | None:
    """Return what some turns of a comprehension made; None: not known."""
    call = trace.call(key.call)
    function = trace.function(call.function)
    if function is None or not part.site.kind.endswith(COMPREHENSION):
        return None
    if part.site.function != function.id:
        return None  # the site belongs to another function
    run = _Run(trace, call, function, part.site, key.first)
    result = run.result()
    if result is None:
        return None
    value, at = result
    if part.is_loop and part.site.id == run.outermost.id:
        return Made(whole=Seen("made", value, at))
    return _items(trace, run, key, value, at)


def _items(trace: Trace, run: "_Run", key: Key, value: Value, at: Moment) -> Made | None:
    shape = trace.shape(value, at) if run.is_list and isinstance(value, Ref) else None
    items = shape.part("sequence") if shape is not None else None
    if items is None or len(run.makes) != items.full_length:
        return None
    low, high = np.searchsorted(run.makes, [key.first, key.last + 1]).tolist()
    if min(high, low + MOST_MADE) > len(items.items):
        return None
    shown = items.items[low : min(high, low + MOST_MADE)]
    return Made(tuple(Seen(f"made[{n}]", each, at) for n, each in enumerate(shown)), high - low)


class _Run:
    """One evaluation of a comprehension, with all its loops."""

    def __init__(
        self, trace: Trace, call: Call, function: Function, site: Site, moment: int
    ) -> None:
        self._trace = trace
        self._extent = extent_of(trace, site)
        self._flow = trace.flow(function.id)
        inside = [each for each in trace.sites_of(function) if self._extent.contains(each.span)]
        self._own = own_events(trace, call.id)
        loops = [
            each
            for each in inside
            if each.kind == site.kind and extent_of(trace, each) == self._extent
        ] or [site]
        self.outermost = min(loops, key=_start)
        self._innermost = max(loops, key=_start)
        self._inside = np.array([each.id for each in inside], np.int64)
        first = _start(self.outermost)
        self._kept = [each for each in inside if each.kind == "if" and _start(each) < first]
        self._start, self._stop = self._bounds(moment)

    @property
    def is_list(self) -> bool:
        """Whether its items are in the order in which they were made."""
        return self._maker is not None and self._maker.name == _LIST

    @cached_property
    def _maker(self) -> Operation | None:
        """The operation that makes the result; None: not recorded."""
        for each in self._flow.operations if self._flow else ():
            if each.kind == "make" and each.span and place_of(each.span) == self._extent:
                return each
        return None

    @property
    def makes(self) -> Numbers:
        """The moments at which items are made."""
        own, here = self._own, slice(self._start, self._stop)
        if self._kept:
            # An item that is made only under a condition has an arm of its own.
            site = min(self._kept, key=lambda each: (_start(each), _backwards(each)))
            is_one = (own.site[here] == site.id) & (own.kind[here] == EventKind.ARM)
        else:
            is_one = own.site[here] == self._innermost.id
            is_one &= own.kind[here] == EventKind.TURN
        found: Numbers = own.moment[here][is_one]
        return found

    def result(self) -> tuple[Value, Moment] | None:
        """Return the result, if it was stored or returned unchanged."""
        if self._stop >= len(self._own):
            return None
        event = self._trace.event(int(self._own.moment[self._stop]))
        site = self._trace.site(event.site) if event.site else None
        is_known = event.kind in _TAKES and self._is_taken(
            _TAKES[event.kind], None if site is None else site.span
        )
        return (event.values[0], Moment(event.moment + 1)) if is_known else None

    def _is_taken(self, kind: str, span: Span | None) -> bool:
        """Whether a store or return takes exactly the result."""
        flow, maker = self._flow, self._maker
        return any(
            each.kind == kind and (span is None or each.span == span) and takes == [maker]
            for each in (flow.operations if flow and maker else ())
            for takes in [flow.makers(each, "value") if flow else []]
        )

    def _bounds(self, moment: int) -> tuple[int, int]:
        """Return the indices where its events begin and end."""
        own = self._own
        has_site = (own.kind >= EventKind.CATCH) & (own.kind <= EventKind.DELETE_SLICE)
        is_inside = has_site & np.isin(own.site, self._inside)
        is_start = (own.site == self.outermost.id) & (own.kind == EventKind.LOOP)
        at = int(np.searchsorted(own.moment, moment, "right"))
        # The beginning of an asynchronous one has no event: it follows the last event outside.
        outside = np.flatnonzero(has_site[:at] & ~is_inside[:at]) + 1
        starts = np.concatenate(([0], outside, np.flatnonzero(is_start[:at])))
        is_end = (has_site & ~is_inside) | (own.kind == EventKind.RETURN)
        ends = np.flatnonzero(is_end[at:])
        return int(starts.max()), at + int(ends[0]) if len(ends) else len(own)


def _start(site: Site) -> tuple[int, int]:
    return site.span.line, site.span.column


def _backwards(site: Site) -> tuple[int, int]:
    return -site.span.end_line, -site.span.end_column
