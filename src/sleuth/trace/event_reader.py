"""EventReader: decodes the events of a trace, one by one or packed for whole columns."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sleuth import _core
from sleuth.trace.call_reader import CallReader
from sleuth.trace.events import CallId, Event, EventKind, Moment
from sleuth.trace.store import database
from sleuth.trace.store.segments import Segment, Segments
from sleuth.trace.store.tables import SegmentRow
from sleuth.trace.values import from_wire

_NAMED = {kind.value: kind for kind in EventKind}
_KINDS = tuple(_NAMED.get(number) for number in range(256))
_ANY_CALL = -2
_ANY_KIND = -1
_EVERY_CALL = -1
_ROWS_AT_ONCE = 4096
_SELDOM_AT_ONCE = 1 << 20
"""Moments that are searched at once for a rare kind of event."""
_NEAR, _MOST_NEAR = 256, 64
"""Moments in a stretch, and stretches that are kept decoded."""


class EventReader:
    """The events of one trace, with a cache of those that were looked at one by one."""

    def __init__(
        self, path: Path, segments: Segments, calls: CallReader, constants: tuple[str, ...]
    ) -> None:
        self._path = path
        self._segments = segments
        self._calls = calls
        self._constants = constants
        self._near: dict[int, dict[int, Event]] = {}

    def between(
        self,
        first: Moment | int,
        last: Moment | int,
        *,
        call: CallId | int | None = None,
        kind: EventKind | None = None,
    ) -> Iterator[Event]:
        """Yield the events from first to last, both included; of one call or kind, if given."""
        only = _ANY_CALL if call is None else int(call)
        rows = _ROWS_AT_ONCE if kind is None else _SELDOM_AT_ONCE
        first, last = max(first, 0), min(last, self._segments.moments - 1)
        while first <= last:
            row = self._segments.at_moment(first)
            segment = self._segments.segment(row)
            stop = row.first_moment + row.moments
            for low in range(first, min(stop, last + 1), rows):
                high = min(low + rows, stop, last + 1)
                yield from self._decoded(segment, low, high, only, kind)
            first = stop

    def one(self, moment: Moment | int) -> Event:
        """Return the event at a moment; IndexError: there is none."""
        start = moment - moment % _NEAR
        if start not in self._near:
            # A stretch that is looked at twice will be looked at again: decode all of it.
            self._near[start] = {}
            if len(self._near) > _MOST_NEAR:
                del self._near[next(iter(self._near))]
            stretch = self.between(moment, moment)
        elif moment not in self._near[start]:
            stretch = self.between(start, start + _NEAR - 1)
        else:
            return self._near[start][moment]
        self._near[start].update({event.moment: event for event in stretch})
        found = self._near[start].get(Moment(moment))
        if found is None:
            # (A segment has an event for each of its moments: that was checked.)
            raise IndexError(f"there is no moment {moment}")
        return found

    def fill_own(
        self,
        call: int,
        first: Moment | int,
        last: Moment | int,
        columns: tuple[Any, Any, Any, Any],
        *,
        is_sparse: bool,
    ) -> int:
        """Write the events of a call from first to last into columns; return their number."""
        first, last = max(first, 0), min(last, self._segments.moments - 1)
        rows = self._rows_of(first, last)
        if not self._calls.one(call).is_resumable:
            rows = [row for row in rows if self._segments.may_tell_of(row, call)]
        found = 0, 0, 0
        for row, state, data in self._segments.several(rows):
            begin = row.first_call, row.first_moment, first, last + 1, call
            with database.refusing_nonsense(self._path, "the events"):
                found = _core.own(data, state, *begin, is_sparse, found, columns)
        return found[0]

    def trails(
        self, first: Moment | int, last: Moment | int, call: CallId | int | None
    ) -> Iterator[tuple[SegmentRow, bytes]]:
        """Yield the steps that calls reached, packed, by segment."""
        first, last = max(first, 0), min(last, self._segments.moments - 1)
        rows = self._rows_of(first, last)
        if call is not None and not self._calls.one(call).is_resumable:
            rows = [row for row in rows if self._segments.may_tell_of(row, call)]
        only = _EVERY_CALL if call is None else int(call)
        for row, state, data in self._segments.several(rows):
            begin = row.first_call, row.first_moment, first, last + 1, only
            with database.refusing_nonsense(self._path, "the events"):
                yield row, _core.trail(data, state, *begin)

    def streams(self, last: Moment | int) -> Iterator[bytes]:
        """Yield the segments up to a moment, in order."""
        for _, _, data in self._segments.several(
            self._rows_of(0, min(last, self._segments.moments - 1))
        ):
            yield data

    def touched_blocks(
        self, first: Moment | int, last: Moment | int, sites: bytes
    ) -> Iterator[tuple[bytes, bytes]]:
        """Yield what the events from first to last touch, packed."""
        first, last = max(first, 0), min(last, self._segments.moments - 1)
        for row, _, data in self._segments.several(self._rows_of(first, last)):
            with database.refusing_nonsense(self._path, "the events"):
                yield _core.touches(data, row.first_moment, first, last + 1, sites)

    def _rows_of(self, first: int, last: int) -> list[SegmentRow]:
        if first > last:
            return []
        start, stop = (self._segments.at_moment(moment).number for moment in (first, last))
        return self._segments.rows[start : stop + 1]

    def _decoded(
        self, segment: Segment, low: int, high: int, only: int, kind: EventKind | None
    ) -> Iterator[Event]:
        row, state, data = segment
        which = _ANY_KIND if kind is None else int(kind)
        with database.refusing_nonsense(self._path, "the events"):
            found = _core.decode(
                data, state, row.first_call, row.first_moment, low, high, only, _KINDS, which
            )
        constants = self._constants
        for fields in found:
            values = tuple([from_wire(value, constants) for value in fields[8]])
            yield Event._make((*fields[:8], values))
