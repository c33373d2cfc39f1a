"""The segments of the event stream and their indexes, fetched when needed."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from sqlite3 import Connection
from typing import Any, NamedTuple

from sleuth import _core
from sleuth.trace.events import CallId
from sleuth.trace.numbers import CALL_SIZE
from sleuth.trace.store import chunks, database, documents
from sleuth.trace.store.schema import SCHEMA_VERSION, checksum, has_column, small_columns
from sleuth.trace.store.sums import Sums, unpacked
from sleuth.trace.store.tables import SegmentRow
from sleuth.trace.store.writer import end_range, notes_json

_STATES_AT_ONCE, _SEGMENTS_AT_ONCE = 512, 16
_INDEX = ("block", "ends", "objects", "bound", "notes", "parts", "sums")


class Segment(NamedTuple):
    """Events of one segment, ready for decoding."""

    row: SegmentRow
    state: bytes
    data: bytes


class Segments:
    """All segments, with a bounded cache of those fetched last."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._segments: chunks.Memory[Segment] = chunks.Memory(32 << 20)
        self._blocks: chunks.Memory[bytes] = chunks.Memory(96 << 20)
        self._ends: chunks.Memory[bytes] = chunks.Memory(32 << 20)
        self._states: dict[int, frozenset[int] | None] = {}
        self._threads: dict[int, frozenset[int] | None] = {}
        self._fitting: set[tuple[int, int]] = set()
        """Segments whose index was checked, each with its checksum."""
        self.take([], SCHEMA_VERSION)

    def take(self, rows: list[SegmentRow], version: int) -> None:
        """Take over these rows of a file, which has this version."""
        self.rows = rows
        self.version = version
        index = [name for name in _INDEX if has_column(version, "segments", name)]
        self._whole = ("state", "data", *index)
        self._first_calls = [row.first_call for row in rows]
        self._first_moments = [row.first_moment for row in rows]
        # A later segment may contain the end of a call of an earlier one.
        self._blocks.clear()
        self._states.clear()
        self._threads.clear()
        self._notes: list[list[Any]] | None = None
        self._started: dict[int, list[CallId]] | None = None

    @property
    def calls(self) -> int:
        """How many calls there are."""
        return self.rows[-1].first_call + self.rows[-1].calls if self.rows else 0

    @property
    def moments(self) -> int:
        """How many events there are."""
        return self.rows[-1].first_moment + self.rows[-1].moments if self.rows else 0

    def with_call(self, call: int) -> SegmentRow:
        """Return the segment in which a call began; IndexError: there is no such call."""
        if not 0 <= call < self.calls:
            raise IndexError(f"there is no call {call}")
        return self.rows[bisect_right(self._first_calls, call) - 1]

    def started_by(self, call: int) -> Sequence[CallId]:
        """Return the calls that this one started in other threads, or submitted to a pool."""
        return self._all_started().get(call, ())

    @property
    def has_started(self) -> bool:
        """Whether any call was started in another thread or submitted to a pool."""
        return bool(self._all_started())

    def _all_started(self) -> dict[int, list[CallId]]:
        if self._started is None:
            self._started = {}
            for row in self.rows:
                self._note_started(row, self._started)
        return self._started

    def _note_started(self, row: SegmentRow, started: dict[int, list[CallId]]) -> None:
        if not row.roots:
            return
        with database.refusing_nonsense(self.path, "the calls"):
            pairs = _core.elsewhere(self.block(row), row.first_call)
        # The segment may have grown since its row was read.
        for starter, call in pairs:
            if call < row.first_call + row.calls:
                started.setdefault(starter, []).append(CallId(call))

    def at_moment(self, moment: int) -> SegmentRow:
        """Return the segment of a moment, which must exist."""
        return self.rows[bisect_right(self._first_moments, moment) - 1]

    def block(self, row: SegmentRow) -> bytes:
        """Return the packed calls of a segment, with their ends from later segments."""
        return self._blocks.get(row.number, partial(self._merged, row))

    def segment(self, row: SegmentRow) -> Segment:
        """Return the events of a segment."""
        return self._segments.get((row.number, row.data_crc), partial(self._events, row))

    def may_tell_of(self, row: SegmentRow, call: int) -> bool:
        """Whether a call that is never resumed may have events of its own in a segment."""
        if call >= row.first_call:
            return call < row.first_call + row.calls
        if row.number not in self._states:
            self._read_states(row.number)
        state = self._states.get(row.number)
        return state is None or call in state

    def may_have_thread(self, row: SegmentRow, thread: int) -> bool:
        """Whether a thread may have events in a segment."""
        if row.number not in self._threads:
            self._read_states(row.number)
        threads = self._threads.get(row.number)
        return threads is None or thread in threads

    def sums(self, row: SegmentRow) -> Sums | None:
        """Return the sums of a segment; None: its version has none."""
        if row.sums_crc is None:
            return None
        now, (plain,) = self.fetch(row.number, "sums")
        with database.refusing_nonsense(self.path, "the sums of calls"):
            return unpacked(plain, now.first_call)

    def _read_states(self, first: int) -> None:
        """Read the initial states of the next segments, in one query."""
        sql = "SELECT number, state FROM segments WHERE number BETWEEN ? AND ? ORDER BY number"
        rows = self.rows[first : first + _STATES_AT_ONCE]
        with database.reading(self.path) as connection:
            fetched = dict(connection.execute(sql, (first, rows[-1].number)).fetchall())
        for row in rows:
            try:
                state = chunks.unpack(fetched.get(row.number), row.state_crc)
            except chunks.BadChunk:  # damaged, or it has grown since: checked when it is read
                self._states[row.number] = self._threads[row.number] = None
            else:
                words = memoryview(state[: len(state) // 4 * 4]).cast("I")
                self._threads[row.number], self._states[row.number] = _told(words)

    def notes(self) -> list[list[Any]]:
        """Return [moment, kind, number, flags, text] of names, child processes and stops."""
        if self._notes is None:
            notes: list[list[Any]] = []
            for row in self.rows:
                if row.noted:
                    _, (text,) = self.fetch(row.number, "notes")
                    with database.refusing_nonsense(self.path, "the notes"):
                        told = documents.read(text, packed=len(text) // chunks.RATIO)
                        notes.extend(documents.checked(told, documents.NOTES))
            self._notes = notes
        return self._notes

    def several(self, rows: Sequence[SegmentRow]) -> Iterator[Segment]:
        """Yield the events of some segments, fetched many at a time."""
        for start in range(0, len(rows), _SEGMENTS_AT_ONCE):
            some = rows[start : start + _SEGMENTS_AT_ONCE]
            missing = [row for row in some if (row.number, row.data_crc) not in self._segments]
            fetched: dict[int, tuple[SegmentRow, list[bytes]]] = {}
            if len(missing) > 1:
                with database.reading(self.path) as connection:
                    for row in missing:
                        fetched[row.number] = self._fetched(connection, row.number, self._whole)
            for row in some:
                found = fetched.get(row.number)
                make = partial(self._events, row, found)
                yield self._segments.get((row.number, row.data_crc), make)

    def fetch(self, number: int, *blobs: str) -> tuple[SegmentRow, list[bytes]]:
        """Return the current blobs of a segment, which may have grown since the last look."""
        with database.reading(self.path) as connection:
            return self._fetched(connection, number, blobs)

    def _fetched(
        self, connection: Connection, number: int, blobs: Sequence[str]
    ) -> tuple[SegmentRow, list[bytes]]:
        # Names from the schema, none from the file.
        names, columns = small_columns(self.version), ", ".join(blobs)
        sql = f"SELECT {names}, crc, {columns} FROM segments WHERE number = ?"  # noqa: S608 - names of the schema only
        found = connection.execute(sql, (number,)).fetchone()
        small = names.count(",") + 1
        if found is None or checksum(*found[:small]) != found[small]:
            raise database.damaged(self.path, f"segment {number} of the events can't be read")
        row = SegmentRow(*found[:small])
        try:
            contents = [
                chunks.unpack(content, getattr(row, f"{name}_crc"))
                for name, content in zip(blobs, found[small + 1 :], strict=True)
            ]
        except chunks.BadChunk as error:
            what = f"{error} in segment {number} of the events ({', '.join(blobs)})"
            raise database.damaged(self.path, what) from None
        return row, contents

    def _merged(self, row: SegmentRow) -> tuple[bytes, int]:
        now, (block,) = self.fetch(row.number, "block")
        if len(block) != now.calls * CALL_SIZE:
            raise database.damaged(self.path, f"segment {row.number} has not the calls it says")
        last = row.first_call + row.calls - 1
        for later in self.rows[row.number + 1 :]:
            if later.low_end <= last and later.high_end >= row.first_call:
                ends = self._ends.get((later.number, later.ends_crc), partial(self._late, later))
                with database.refusing_nonsense(self.path, "the calls"):
                    block = _core.merge(block, row.first_call, row.first_moment, ends)
        moments = max(self.moments, now.first_moment + now.moments) - row.first_moment
        calls = max(self.calls, now.first_call + now.calls)
        with database.refusing_nonsense(self.path, "the calls"):
            _core.check_calls(block, row.first_call, moments, calls)
        return block, len(block)

    def _late(self, row: SegmentRow) -> tuple[bytes, int]:
        _, (ends,) = self.fetch(row.number, "ends")
        return ends, len(ends)

    def _events(
        self, row: SegmentRow, fetched: tuple[SegmentRow, list[bytes]] | None = None
    ) -> tuple[Segment, int]:
        now, (state, data, *index) = fetched or self.fetch(row.number, *self._whole)
        if (row.number, now.data_crc) not in self._fitting:
            with database.refusing_nonsense(self.path, "the events"):
                _check_fits(now, state, data, index)
            self._fitting.add((row.number, now.data_crc))
        return Segment(now, state, data), len(data) + len(state)


def _told(words: memoryview) -> tuple[frozenset[int], frozenset[int]]:
    """Return the threads of a state, and the calls of their stacks."""
    threads: set[int] = set()
    calls: set[int] = set()
    at = 2
    while at + 2 < len(words):
        behind = at + 3 + words[at + 2]
        threads.add(words[at])
        calls.update(words[at + 3 : behind])
        at = behind
    return frozenset(threads), frozenset(calls)


def _check_fits(row: SegmentRow, state: bytes, data: bytes, index: list[bytes]) -> None:
    """Refuse events that disagree with their index: readers rely on both."""
    scanner = _core.Scanner()
    scanner.start(state, row.first_call, row.first_moment)
    *counts, block, ends, _, objects, bound, parts, sums, notes = scanner.scan(data, True)
    counts += [len(notes), *end_range(ends)]
    said = [row.moments, row.calls, row.roots, row.cut, row.unmatched, row.noted]
    found = [block, ends, objects, bound, notes_json(notes), parts, sums][: len(index)]
    if counts != [*said, row.low_end, row.high_end] or found != index:
        raise ValueError("their index says something else")
