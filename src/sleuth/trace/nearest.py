"""Nearest: the next event of a thread, a call or a site, found without decoding those between."""

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from sleuth import _core
from sleuth.trace.call_reader import CallReader
from sleuth.trace.events import CallId, Moment
from sleuth.trace.store import database
from sleuth.trace.store.segments import Segments
from sleuth.trace.store.tables import SegmentRow

ANY = -1
_MOST_KNOWN = 1 << 16


class Wanted(NamedTuple):
    """What an event must be like; -1: it does not matter."""

    thread: int = ANY
    task: int = ANY
    call: int = ANY
    kind: int = ANY
    number: int = ANY
    """The number of the event: for most kinds its site."""


class Nearest:
    """Finds events by what they are like."""

    def __init__(self, path: Path, segments: Segments, calls: CallReader) -> None:
        self._path = path
        self._segments = segments
        self._calls = calls
        self._empty: set[tuple[int, int, Wanted]] = set()
        """Segments without such an event, each with its checksum."""

    def after(self, moment: int, wanted: Wanted, last: int | None = None) -> Moment | None:
        """Return the first such event after a moment; None: there is none up to `last`."""
        end = self._segments.moments - 1 if last is None else min(last, self._segments.moments - 1)
        return self._first(self._rows(moment + 1, end), moment + 1, end, wanted, is_last=False)

    def before(self, moment: int, wanted: Wanted, first: int = 0) -> Moment | None:
        """Return the last such event before a moment; None: there is none from `first` on."""
        rows = reversed(self._rows(first, moment - 1))
        return self._first(rows, first, moment - 1, wanted, is_last=True)

    def beneath(self, moment: int) -> CallId | None:
        """Return the call that ran in the thread of an event before it; None: none did."""
        row, state, data = self._segments.segment(self._segments.at_moment(moment))
        with database.refusing_nonsense(self._path, "the events"):
            found = _core.beneath(data, state, row.first_call, row.first_moment, moment)
        return None if found < 0 else CallId(found)

    def segment_end(self, moment: int) -> Moment:
        """Return the last moment of the segment that contains a moment."""
        row = self._segments.at_moment(moment)
        return Moment(row.first_moment + row.moments - 1)

    def _rows(self, first: int, last: int) -> list[SegmentRow]:
        if first > last:
            return []
        start, stop = (self._segments.at_moment(each).number for each in (first, last))
        return self._segments.rows[start : stop + 1]

    def _first(
        self, rows: Iterable[SegmentRow], first: int, last: int, wanted: Wanted, *, is_last: bool
    ) -> Moment | None:
        is_resumable = wanted.call >= 0 and self._calls.one(wanted.call).is_resumable
        for row in rows:
            if not self._may_have(row, wanted, is_resumable=is_resumable):
                continue
            low, high = max(first, row.first_moment), min(last + 1, row.first_moment + row.moments)
            now, state, data = self._segments.segment(row)
            begin = now.first_call, now.first_moment
            with database.refusing_nonsense(self._path, "the events"):
                found = _core.near(data, state, *begin, low, high, wanted, is_last)
            if found >= 0:
                return Moment(found)
            if high - low == row.moments:
                self._remember((row.number, row.data_crc, wanted))
        return None

    def _may_have(self, row: SegmentRow, wanted: Wanted, *, is_resumable: bool) -> bool:
        if (row.number, row.data_crc, wanted) in self._empty:
            return False
        if wanted.thread >= 0 and not self._segments.may_have_thread(row, wanted.thread):
            return False
        is_told = wanted.call >= 0 and not is_resumable
        return not is_told or self._segments.may_tell_of(row, wanted.call)

    def _remember(self, known: tuple[int, int, Wanted]) -> None:
        if len(self._empty) >= _MOST_KNOWN:
            self._empty.clear()
        self._empty.add(known)
