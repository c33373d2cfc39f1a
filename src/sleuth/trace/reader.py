"""Trace: look up calls, events, functions, sites and sources; works while the run goes on.

Blind to who asks.  The file is open only while something is fetched from it, so that a reader
never stands in the writer's way; what was fetched last is kept, up to a number of bytes.
"""

import json
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from sleuth import _core
from sleuth.trace import chunks, database
from sleuth.trace.events import (
    Call,
    CallId,
    Event,
    EventKind,
    Function,
    FunctionId,
    Module,
    ModuleId,
    Moment,
    Outcome,
    Process,
    Site,
    SiteId,
    Span,
    Stop,
)
from sleuth.trace.schema import SMALL_COLUMNS, checksum
from sleuth.trace.source import SourceTexts
from sleuth.trace.tables import Batch, SegmentRow, TableReader
from sleuth.trace.values import ABSENT, Value, escaped, from_wire

_OUTCOMES = (
    Outcome.UNFINISHED,
    Outcome.RETURNED,
    Outcome.RAISED,
    Outcome.SUSPENDED,
    Outcome.LOST,
)
_NAMED = {kind.value: kind for kind in EventKind}
_KINDS = tuple(_NAMED.get(number) for number in range(256))
_ANY_CALL = -2
_NO_CALL = -1
_ROWS_AT_ONCE = 4096


class _Segment(NamedTuple):
    """Events of one segment, ready for decoding."""

    row: SegmentRow
    state: bytes
    data: bytes


class Trace:
    """One recorded run, read only."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._segments: chunks.Memory[_Segment] = chunks.Memory(32 << 20)
        self._blocks: chunks.Memory[bytes] = chunks.Memory(96 << 20)
        self._ends: chunks.Memory[bytes] = chunks.Memory(32 << 20)
        self._batches: chunks.Memory[dict[int, list[Any]]] = chunks.Memory(32 << 20)
        self.refresh()

    # --- The run as a whole ----------------------------------------------------------------------

    def refresh(self) -> None:
        """See what was written since."""
        with database.reading(self.path) as connection, self._refusing_nonsense("the tables"):
            self._tables = TableReader(self.path, connection).read()
        self._rows = self._tables.segments
        self._first_calls = [row.first_call for row in self._rows]
        self._first_moments = [row.first_moment for row in self._rows]
        # A later segment may say how a call of an earlier one ended.
        self._blocks.clear()
        self._notes: list[list[Any]] | None = None
        self._sources = SourceTexts(self.path, self._tables)

    @property
    def meta(self) -> Mapping[str, Any]:
        """What the recorder says of the run: language, argv, cwd, started, ..."""
        return MappingProxyType(
            {key: value for key, value in self._tables.meta.items() if key != "ending"}
        )

    @property
    def ending(self) -> Mapping[str, Any] | None:
        """How the run ended; None: it has not, as far as is known."""
        ending = self._tables.meta.get("ending")
        return ending if isinstance(ending, dict) else None

    @property
    def is_running(self) -> bool:
        """Whether no ending was written yet."""
        return self.ending is None

    @property
    def call_count(self) -> int:
        """How many calls there are; their ids are 0 up to this."""
        return self._rows[-1].first_call + self._rows[-1].calls if self._rows else 0

    @property
    def event_count(self) -> int:
        """How many events there are; their moments are 0 up to this."""
        return self._rows[-1].first_moment + self._rows[-1].moments if self._rows else 0

    @property
    def cut_count(self) -> int:
        """How many values were cut or not kept."""
        return sum(row.cut for row in self._rows)

    @property
    def unmatched_count(self) -> int:
        """How many ends of calls were seen whose beginning was not."""
        return sum(row.unmatched for row in self._rows)

    @property
    def threads(self) -> Mapping[int, str]:
        """Names of threads, by number."""
        return {
            number: text for _, kind, number, what, text in self._noted() if (kind, what) == (3, 1)
        }

    @property
    def tasks(self) -> Mapping[int, str]:
        """Names of tasks, by number."""
        return {
            number: text for _, kind, number, what, text in self._noted() if (kind, what) == (3, 2)
        }

    @property
    def processes(self) -> list[Process]:
        """Child processes: what they did is not in this trace."""
        seen = [
            Process(number, text, Moment(moment))
            for moment, kind, number, _, text in self._noted()
            if kind == EventKind.CHILD
        ]
        known = {process.pid for process in seen}
        return seen + [
            Process(pid, how, None) for pid, how in self._tables.processes if pid not in known
        ]

    @property
    def stops(self) -> list[Stop]:
        """Where recording stopped before the program did."""
        return [
            Stop(Moment(moment), text)
            for moment, kind, _, _, text in self._noted()
            if kind == EventKind.STOPPED
        ]

    # --- Calls -----------------------------------------------------------------------------------

    def calls(self) -> Iterator[Call]:
        """Yield all calls in the order they began."""
        for row in self._rows:
            block = self._block(row)
            stop = row.first_call + row.calls
            for low in range(row.first_call, stop, _ROWS_AT_ONCE):
                yield from self._unpacked(row, block, low, min(low + _ROWS_AT_ONCE, stop))

    def call(self, call: CallId | int) -> Call:
        """Return one call; IndexError: there is none with this id."""
        row = self._row_of_call(call)
        return self._unpacked(row, self._block(row), call, call + 1)[0]

    def child_ids(self, call: CallId | int | None) -> Iterator[CallId]:
        """Yield the calls that a call made, in order; None: the calls that nobody made."""
        if call is None:
            for row in self._rows:
                if row.roots:
                    yield from self._found(row, _NO_CALL, row.first_call)[0]
            return
        until = self.call(call).until
        stop = self.call_count if until is None else min(until, self.call_count)
        at = call + 1
        while at < stop:
            found, at = self._found(self._row_of_call(at), call, at)
            yield from found

    def children(self, call: CallId | int | None) -> Iterator[Call]:
        """Yield the same as calls."""
        return map(self.call, self.child_ids(call))

    # --- Events ----------------------------------------------------------------------------------

    def events(
        self, first: Moment | int, last: Moment | int, *, call: CallId | int | None = None
    ) -> Iterator[Event]:
        """Yield the events from first to last, both included; only those of a call, if given."""
        only = _ANY_CALL if call is None else int(call)
        first, last = max(first, 0), min(last, self.event_count - 1)
        while first <= last:
            row = self._rows[bisect_right(self._first_moments, first) - 1]
            segment = self._segment(row)
            stop = row.first_moment + row.moments
            for low in range(first, min(stop, last + 1), _ROWS_AT_ONCE):
                high = min(low + _ROWS_AT_ONCE, stop, last + 1)
                yield from self._decoded(segment, low, high, only)
            first = stop

    def event(self, moment: Moment | int) -> Event:
        """Return the event at a moment; IndexError: there is none."""
        for event in self.events(moment, moment):
            return event
        raise IndexError(f"there is no moment {moment}")

    def arguments(self, call: Call) -> tuple[Value, ...]:
        """Return what the call was given, in the order of its function's parameters."""
        return self.event(call.first).values

    def result(self, call: Call) -> Value:
        """Return what it returned, raised or gave last; absent if it never came to that."""
        if call.last is None or call.last == call.first or call.outcome is Outcome.LOST:
            return ABSENT
        return self.event(call.last).values[0]

    # --- Source ----------------------------------------------------------------------------------

    def modules(self) -> list[Module]:
        """Return all modules, recorded or not."""
        return list(self._tables.modules.values())

    def sources(self) -> Mapping[str, str]:
        """Return path -> source text, each read when it is asked for."""
        return self._sources

    def function(self, function: FunctionId | int) -> Function | None:
        """Return a function; None: nothing is known of it."""
        found = self._announced("functions", self._tables.functions, function)
        if found is None:
            return None
        with self._refusing_nonsense("the functions"):
            module, (_, name, qualified, kind, first, last, identity, parameters, places) = found
            return Function(
                id=FunctionId(function),
                module=module,
                name=name,
                qualified_name=qualified,
                kind=kind,
                first_line=first,
                last_line=last,
                identity=identity,
                parameters=tuple(parameters),
                places={place: Span(*span) for place, *span in places},
            )

    def site(self, site: SiteId | int) -> Site | None:
        """Return a site; None: nothing is known of it."""
        found = self._announced("sites", self._tables.sites, site)
        if found is None:
            return None
        with self._refusing_nonsense("the sites"):
            module, (_, function, kind, name, line, column, end_line, end_column, loop) = found
            return Site(
                id=SiteId(site),
                module=module,
                function=FunctionId(function),
                kind=kind,
                name=name,
                span=Span(line, column, end_line, end_column),
                loop=SiteId(loop) if loop else None,
            )

    # --- Inside ----------------------------------------------------------------------------------

    @contextmanager
    def _refusing_nonsense(self, what: str) -> Iterator[None]:
        """Turn what goes wrong with contents nobody would write into a sentence."""
        try:
            yield
        except (ValueError, TypeError, LookupError, RecursionError) as error:
            why = f"{what} hold what can't be read ({escaped(str(error))})"
            raise database.damaged(self.path, why) from None

    def _row_of_call(self, call: int) -> SegmentRow:
        if not 0 <= call < self.call_count:
            raise IndexError(f"there is no call {call}")
        return self._rows[bisect_right(self._first_calls, call) - 1]

    def _found(self, row: SegmentRow, parent: int, start: int) -> tuple[list[CallId], int]:
        """Return the children in one segment and where to look for more."""
        with self._refusing_nonsense("the calls"):
            found, at = _core.children(self._block(row), row.first_call, parent, start)
        # The segment may hold more calls than it did at the last refresh.
        known = row.first_call + row.calls
        return [CallId(child) for child in found if child < known], at

    def _unpacked(self, row: SegmentRow, block: bytes, low: int, high: int) -> list[Call]:
        with self._refusing_nonsense("the calls"):
            found = _core.unpack(block, row.first_call, row.first_moment, low, high, _OUTCOMES)
        return list(map(Call._make, found))

    def _decoded(self, segment: _Segment, low: int, high: int, only: int) -> Iterator[Event]:
        row, state, data = segment
        with self._refusing_nonsense("the events"):
            found = _core.decode(
                data, state, row.first_call, row.first_moment, low, high, only, _KINDS
            )
        constants = self._tables.constants
        for fields in found:
            values = tuple([from_wire(value, constants) for value in fields[8]])
            yield Event._make((*fields[:8], values))

    def _block(self, row: SegmentRow) -> bytes:
        """Return the packed calls of a segment, with all that later segments say of them."""

        def make() -> tuple[bytes, int]:
            _, (block,) = self._fetch(row.number, "block")
            last = row.first_call + row.calls - 1
            for later in self._rows[row.number + 1 :]:
                if later.low_end <= last and later.high_end >= row.first_call:
                    key = later.number, later.ends_crc
                    ends = self._ends.get(key, partial(self._end, later))
                    with self._refusing_nonsense("the calls"):
                        block = _core.merge(block, row.first_call, row.first_moment, ends)
            return block, len(block)

        return self._blocks.get(row.number, make)

    def _end(self, row: SegmentRow) -> tuple[bytes, int]:
        _, (ends,) = self._fetch(row.number, "ends")
        return ends, len(ends)

    def _segment(self, row: SegmentRow) -> _Segment:
        def make() -> tuple[_Segment, int]:
            now, (state, data) = self._fetch(row.number, "state", "data")
            return _Segment(now, state, data), len(data) + len(state)

        return self._segments.get((row.number, row.data_crc), make)

    def _noted(self) -> list[list[Any]]:
        if self._notes is None:
            notes: list[list[Any]] = []
            for row in self._rows:
                _, (text,) = self._fetch(row.number, "notes")
                with self._refusing_nonsense("the notes"):
                    notes.extend(json.loads(text))
            self._notes = notes
        return self._notes

    def _fetch(self, number: int, *blobs: str) -> tuple[SegmentRow, list[bytes]]:
        """Return blobs of a segment as it is now: it may have grown since the last refresh."""
        # Names from the schema, none from the file.
        columns = ", ".join(blobs)
        sql = f"SELECT {SMALL_COLUMNS}, crc, {columns} FROM segments WHERE number = ?"  # noqa: S608
        with database.reading(self.path) as connection:
            found = connection.execute(sql, (number,)).fetchone()
        small = len(SegmentRow._fields)
        if found is None or checksum(*found[:small]) != found[small]:
            raise database.damaged(self.path, f"segment {number} of the events can't be read")
        row = SegmentRow._make(found[:small])
        try:
            contents = [
                chunks.unpack(content, getattr(row, f"{name}_crc"))
                for name, content in zip(blobs, found[small + 1 :], strict=True)
            ]
        except chunks.BadChunk as error:
            what = f"{error} in segment {number} of the events ({', '.join(blobs)})"
            raise database.damaged(self.path, what) from None
        return row, contents

    def _announced(
        self, table: str, batches: list[Batch], number: int
    ) -> tuple[Module, list[Any]] | None:
        at = bisect_right(batches, number, key=lambda batch: batch.first) - 1
        if at < 0 or number > batches[at].last:
            return None
        batch = batches[at]

        def make() -> tuple[dict[int, list[Any]], int]:
            sql = f"SELECT data FROM {table} WHERE first = ?"  # noqa: S608 - from the schema
            with database.reading(self.path) as connection:
                found = connection.execute(sql, (batch.first,)).fetchone()
            try:
                plain = chunks.unpack(found[0] if found else None, batch.data_crc)
            except chunks.BadChunk as error:
                raise database.damaged(self.path, f"{error} in the table {table}") from None
            with self._refusing_nonsense(f"the table {table}"):
                return {row[0]: row for row in json.loads(plain)}, 8 * len(plain)

        row = self._batches.get((table, batch.first), make).get(number)
        module = self._tables.modules.get(ModuleId(batch.module))
        return None if row is None or module is None else (module, row)
