"""CallReader: looks up calls, and their callees, in the segments of a trace."""

from collections.abc import Iterator, Sequence
from heapq import merge
from pathlib import Path

from sleuth import _core
from sleuth.trace.events import Call, CallId, Outcome
from sleuth.trace.store import database
from sleuth.trace.store.segments import Segments
from sleuth.trace.store.tables import SegmentRow

_OUTCOMES = (
    Outcome.UNFINISHED,
    Outcome.RETURNED,
    Outcome.RAISED,
    Outcome.SUSPENDED,
    Outcome.LOST,
)
_NO_CALL = -1
_ROWS_AT_ONCE = 4096


class CallReader:
    """The calls of one trace."""

    def __init__(self, path: Path, segments: Segments) -> None:
        self._path = path
        self._segments = segments

    def all(self) -> Iterator[Call]:
        """Yield all calls in the order they began."""
        for row in self._segments.rows:
            block = self._segments.block(row)
            stop = row.first_call + row.calls
            for low in range(row.first_call, stop, _ROWS_AT_ONCE):
                yield from self._unpacked(row, block, low, min(low + _ROWS_AT_ONCE, stop))

    def blocks(self) -> Iterator[tuple[SegmentRow, bytes]]:
        """Yield all calls in packed form for `columns`, with the row of their segment."""
        for row in self._segments.rows:
            yield row, self._segments.block(row)

    def one(self, call: CallId | int) -> Call:
        """Return one call; IndexError: there is no such call."""
        row = self._segments.with_call(call)
        return self._unpacked(row, self._segments.block(row), call, call + 1)[0]

    def child_ids(self, call: CallId | int | None) -> Iterator[CallId]:
        """Yield the ids of a call's callees, in order; None: of the calls without a caller."""
        own = (child for _, found in self._child_groups(call) for child in found)
        return merge(own, self._started_by(call))

    def children(self, call: CallId | int | None) -> Iterator[Call]:
        """Yield a call's callees, in order; None: the calls without a caller."""
        started = map(self.one, self._started_by(call))
        return merge(self._own_children(call), started, key=lambda child: child.id)

    def _started_by(self, call: CallId | int | None) -> Sequence[CallId]:
        """Return the calls that a call started in other threads; they may begin after it ended."""
        return () if call is None else self._segments.started_by(call)

    def _own_children(self, call: CallId | int | None) -> Iterator[Call]:
        for row, found in self._child_groups(call):
            block = self._segments.block(row)
            for start in range(0, len(found), _ROWS_AT_ONCE):
                some = found[start : start + _ROWS_AT_ONCE]
                low, high = some[0], some[-1] + 1
                if high - low > 8 * len(some):
                    yield from map(self.one, some)
                else:
                    calls = self._unpacked(row, block, low, high)
                    yield from (calls[child - low] for child in some)

    def _child_groups(self, call: CallId | int | None) -> Iterator[tuple[SegmentRow, list[CallId]]]:
        if call is None:
            for row in self._segments.rows:
                if row.roots:
                    yield row, self._found(row, _NO_CALL, row.first_call)[0]
            return
        until = self.one(call).until
        stop = self._segments.calls if until is None else min(until, self._segments.calls)
        at = call + 1
        while at < stop:
            row = self._segments.with_call(at)
            found, at = self._found(row, call, at)
            yield row, found

    def _found(self, row: SegmentRow, parent: int, start: int) -> tuple[list[CallId], int]:
        """Return the children in one segment, and the id to search from in the next."""
        with database.refusing_nonsense(self._path, "the calls"):
            found, at = _core.children(self._segments.block(row), row.first_call, parent, start)
        # The segment may hold more calls than it did when the trace was opened.
        known = row.first_call + row.calls
        return [CallId(child) for child in found if child < known], at

    def _unpacked(self, row: SegmentRow, block: bytes, low: int, high: int) -> list[Call]:
        with database.refusing_nonsense(self._path, "the calls"):
            found = _core.unpack(block, row.first_call, row.first_moment, low, high, _OUTCOMES)
        return list(map(Call._make, found))
