"""Trace: looks up calls, events, functions, sites and sources, even during the run.

The file is open only while something is fetched from it, so that a reader never blocks the writer.
"""

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from heapq import merge
from pathlib import Path
from types import MappingProxyType
from typing import Any

from sleuth import _core
from sleuth.trace.code import Code, SourceTexts
from sleuth.trace.events import (
    Call,
    CallId,
    Event,
    EventKind,
    Function,
    FunctionId,
    Module,
    Moment,
    Outcome,
    Process,
    Site,
    SiteId,
    Span,
    Stop,
)
from sleuth.trace.flow.names import Said
from sleuth.trace.flow.table import Flow
from sleuth.trace.flow.wording import Wording
from sleuth.trace.heap import roots
from sleuth.trace.heap.difference import Change, Difference, changed_before
from sleuth.trace.heap.objects import Heap
from sleuth.trace.heap.roots import Roots
from sleuth.trace.heap.variables import Variables
from sleuth.trace.numbers import Definition, Named
from sleuth.trace.store import database
from sleuth.trace.store.index import Index
from sleuth.trace.store.segments import Segment, Segments
from sleuth.trace.store.tables import SegmentRow, TableReader
from sleuth.trace.values import ABSENT, Ref, Shape, Value, from_wire

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
_ANY_KIND = -1
_EVERY_CALL = -1
_NO_CALL = -1
_ROWS_AT_ONCE = 4096
_SELDOM_AT_ONCE = 1 << 20
"""Moments that are searched at once for a rare kind of event."""
_PATIENCE = 5.0
"""Seconds that the collector may take to finish a trace after the program ended."""
_NEAR, _MOST_NEAR = 256, 64
"""Moments in a stretch, and stretches that are kept decoded."""


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        pass
    return True


class Trace:
    """One recorded run as it was when it was opened: it never changes, though the file may grow.

    So whatever is found out about a trace can be kept with it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._segments = Segments(path)
        self._index = Index(self._segments)
        with (
            database.reading(self.path) as connection,
            database.refusing_nonsense(self.path, "the tables"),
        ):
            self._tables = TableReader(self.path, connection).read()
        self._segments.take(self._tables.segments, self._tables.version)
        self._near: dict[int, dict[int, Event]] = {}
        self._code = Code(self.path, self._tables)
        self._index.take()
        self._heap = Heap(
            self._index,
            self._tables.constants,
            self._name_of,
            has_contents=self.has_contents,
        )
        self._variables = Variables(
            self,
            self._code,
            self._index,
            self._heap,
            self._tables.constants,
            holders=lambda: {text: number for number, text in self._names(Named.NAMESPACE).items()},
        )
        self._sources = SourceTexts(self.path, self._tables)
        self.kept: dict[object, Callable[..., Any]] = {}
        """What others found out about this trace: see `kept`."""

    # --- The run as a whole ----------------------------------------------------------------------

    def refreshed(self) -> "Trace":
        """Return the trace with what was written since; this one stays as it is."""
        return Trace(self.path)

    @property
    def version(self) -> int:
        """A number that grows with what is known: equal numbers of one run mean an equal trace."""
        return 2 * self.event_count + (not self.is_running)

    @property
    def has_contents(self) -> bool:
        """Whether the recorder wrote down what objects contain."""
        meta = self._tables.meta
        return meta.get("identity") == "numbered" and meta.get("contents") is not False

    @property
    def identity(self) -> str:
        """An identifier of the run, available from its first event on."""
        names = ("language", "argv", "program", "cwd", "started", "pid")
        found = [self._tables.meta.get(name) for name in names]
        test = self._tables.meta.get("test")
        if isinstance(test, dict):
            found.append(test.get("id"))
        told = json.dumps(found)
        return sha256(told.encode()).hexdigest()

    @property
    def meta(self) -> Mapping[str, Any]:
        """Facts about the run: language, argv, cwd, started, ..."""
        return MappingProxyType(
            {key: value for key, value in self._tables.meta.items() if key != "ending"}
        )

    @property
    def ending(self) -> Mapping[str, Any] | None:
        """How the run ended; None: no end was recorded."""
        ending = self._tables.meta.get("ending")
        return ending if isinstance(ending, dict) else None

    @property
    def is_running(self) -> bool:
        """Whether no end was recorded yet."""
        return self.ending is None

    @property
    def is_abandoned(self) -> bool:
        """Whether no end was recorded and none will be: the writer died, or this is a copy."""
        process = self._tables.meta.get("pid")
        if not self.is_running or type(process) is not int or _is_alive(process):
            return False
        files = (self.path, self.path.with_name(self.path.name + "-wal"))
        written = max((file.stat().st_mtime for file in files if file.exists()), default=0.0)
        return time.time() - written > _PATIENCE

    @property
    def call_count(self) -> int:
        """The number of calls; their ids are 0 to this minus 1."""
        return self._segments.calls

    @property
    def event_count(self) -> int:
        """The number of events; their moments are 0 to this minus 1."""
        return self._segments.moments

    @property
    def cut_count(self) -> int:
        """The number of values that were cut or not kept."""
        return sum(row.cut for row in self._segments.rows)

    @property
    def unmatched_count(self) -> int:
        """The number of calls whose end was seen but not their beginning."""
        return sum(row.unmatched for row in self._segments.rows)

    @property
    def threads(self) -> Mapping[int, str]:
        """Names of threads, by number."""
        return self._names(Named.THREAD)

    @property
    def tasks(self) -> Mapping[int, str]:
        """Names of tasks, by number."""
        return self._names(Named.TASK)

    def _names(self, wanted: int) -> dict[int, str]:
        return {
            number: text
            for _, kind, number, what, text in self._segments.notes()
            if (kind, what) == (Definition.NAME, wanted)
        }

    @property
    def processes(self) -> list[Process]:
        """Child processes; their events are not in this trace."""
        seen = [
            Process(number, text, Moment(moment))
            for moment, kind, number, _, text in self._segments.notes()
            if kind == EventKind.CHILD
        ]
        known = {process.pid for process in seen}
        return seen + [
            Process(pid, how, None) for pid, how in self._tables.processes if pid not in known
        ]

    @property
    def stops(self) -> list[Stop]:
        """The moments at which recording stopped before the program did."""
        return [
            Stop(Moment(moment), text)
            for moment, kind, _, _, text in self._segments.notes()
            if kind == EventKind.STOPPED
        ]

    # --- Calls -----------------------------------------------------------------------------------

    def calls(self) -> Iterator[Call]:
        """Yield all calls in the order they began."""
        for row in self._segments.rows:
            block = self._segments.block(row)
            stop = row.first_call + row.calls
            for low in range(row.first_call, stop, _ROWS_AT_ONCE):
                yield from self._unpacked(row, block, low, min(low + _ROWS_AT_ONCE, stop))

    def call_blocks(self) -> Iterator[tuple[SegmentRow, bytes]]:
        """Yield all calls in packed form for `columns`, with the row of their segment."""
        for row in self._segments.rows:
            yield row, self._segments.block(row)

    def call(self, call: CallId | int) -> Call:
        """Return one call; IndexError: there is no such call."""
        row = self._segments.with_call(call)
        return self._unpacked(row, self._segments.block(row), call, call + 1)[0]

    def child_ids(self, call: CallId | int | None) -> Iterator[CallId]:
        """Yield the ids of a call's callees, in order; None: of the calls without a caller."""
        own = (child for _, found in self._child_groups(call) for child in found)
        return merge(own, self._started_by(call))

    def children(self, call: CallId | int | None) -> Iterator[Call]:
        """Yield a call's callees, in order; None: the calls without a caller."""
        started = map(self.call, self._started_by(call))
        return merge(self._own_children(call), started, key=lambda child: child.id)

    @property
    def has_elsewhere(self) -> bool:
        """Whether calls may have run in other threads or tasks than their parents."""
        return self._segments.has_started or bool(self.tasks)

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
                    yield from map(self.call, some)
                else:
                    calls = self._unpacked(row, block, low, high)
                    yield from (calls[child - low] for child in some)

    # --- Events ----------------------------------------------------------------------------------

    def events(
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
        first, last = max(first, 0), min(last, self.event_count - 1)
        while first <= last:
            row = self._segments.at_moment(first)
            segment = self._segments.segment(row)
            stop = row.first_moment + row.moments
            for low in range(first, min(stop, last + 1), rows):
                high = min(low + rows, stop, last + 1)
                yield from self._decoded(segment, low, high, only, kind)
            first = stop

    def fill_own(
        self,
        call: CallId | int,
        first: Moment | int,
        last: Moment | int,
        columns: tuple[Any, Any, Any, Any],
        *,
        is_sparse: bool,
    ) -> int:
        """Write the events of a call from first to last into columns: see `columns.own`.

        Returns their number.
        """
        first, last = max(first, 0), min(last, self.event_count - 1)
        rows = self._rows_of(first, last)
        if not self.call(call).is_resumable:
            rows = [row for row in rows if self._segments.may_tell_of(row, call)]
        found = 0, 0, 0
        for row, state, data in self._segments.several(rows):
            begin = row.first_call, row.first_moment, first, last + 1, call
            with database.refusing_nonsense(self.path, "the events"):
                found = _core.own(data, state, *begin, is_sparse, found, columns)
        return found[0]

    def trails(
        self, first: Moment | int, last: Moment | int, call: CallId | int | None = None
    ) -> Iterator[tuple[SegmentRow, bytes]]:
        """Yield the steps that calls reached, packed, by segment: see `lines`."""
        first, last = max(first, 0), min(last, self.event_count - 1)
        rows = self._rows_of(first, last)
        if call is not None and not self.call(call).is_resumable:
            rows = [row for row in rows if self._segments.may_tell_of(row, call)]
        only = _EVERY_CALL if call is None else int(call)
        for row, state, data in self._segments.several(rows):
            begin = row.first_call, row.first_moment, first, last + 1, only
            with database.refusing_nonsense(self.path, "the events"):
                yield row, _core.trail(data, state, *begin)

    def touched_blocks(
        self, first: Moment | int, last: Moment | int, sites: bytes
    ) -> Iterator[tuple[bytes, bytes]]:
        """Yield what the events from first to last touch, packed: see `columns.touches`."""
        first, last = max(first, 0), min(last, self.event_count - 1)
        for row, _, data in self._segments.several(self._rows_of(first, last)):
            with database.refusing_nonsense(self.path, "the events"):
                yield _core.touches(data, row.first_moment, first, last + 1, sites)

    def _rows_of(self, first: int, last: int) -> list[SegmentRow]:
        if first > last:
            return []
        start, stop = (self._segments.at_moment(moment).number for moment in (first, last))
        return self._segments.rows[start : stop + 1]

    def begins_segment(self, moment: Moment | int) -> Moment:
        """Return the first moment of the segment that contains a moment."""
        return Moment(self._segments.at_moment(int(moment)).first_moment)

    def bound_sites(self, first: Moment | int, last: Moment | int) -> set[int]:
        """Return the sites at which variables were set from first to last, or shortly around."""
        return self._index.bound(int(first), int(last))

    def latest_object(self, moment: Moment | int) -> int:
        """Return the greatest id of an object recorded before the segment of a moment; -1: none."""
        return self._index.latest_object(self.begins_segment(moment))

    def event(self, moment: Moment | int) -> Event:
        """Return the event at a moment; IndexError: there is none."""
        start = moment - moment % _NEAR
        if start not in self._near:
            # A stretch that is looked at twice will be looked at again: decode all of it.
            self._near[start] = {}
            if len(self._near) > _MOST_NEAR:
                del self._near[next(iter(self._near))]
            stretch = self.events(moment, moment)
        elif moment not in self._near[start]:
            stretch = self.events(start, start + _NEAR - 1)
        else:
            return self._near[start][moment]
        self._near[start].update({event.moment: event for event in stretch})
        found = self._near[start].get(Moment(moment))
        if found is None:
            # (A segment has an event for each of its moments: that was checked.)
            raise IndexError(f"there is no moment {moment}")
        return found

    def arguments(self, call: Call) -> tuple[Value, ...]:
        """Return the arguments of a call, in the order of its function's parameters."""
        return self._given(call, len(self._cells_of(call)))[0]

    def cells(self, call: Call) -> Mapping[str, Value]:
        """Return the cells of the variables that a call shares with closures."""
        names = self._cells_of(call)
        return dict(zip(names, self._given(call, len(names))[1], strict=True)) if names else {}

    def _given(self, call: Call, cells: int) -> tuple[tuple[Value, ...], tuple[Value, ...]]:
        """Return the arguments, and the given number of cells after them."""
        values = self.event(call.first).values
        if len(values) < cells:
            what = f"call {call.id} was given less than its function shares with others"
            raise database.damaged(self.path, what)
        return values[: len(values) - cells], values[len(values) - cells :]

    def closure(self, call: Call, at: Moment | int) -> Mapping[str, Value]:
        """Return the variables of enclosing functions, before the event at a moment."""
        function = self.function(call.function)
        return self._variables.of_cells(call, at, function.free) if function else {}

    def result(self, call: Call) -> Value:
        """Return what a call returned, raised or yielded last; ABSENT if it did none of these."""
        if call.last is None or call.last == call.first or call.outcome is Outcome.LOST:
            return ABSENT
        return self.event(call.last).values[0]

    def call_site(self, call: Call) -> Span | None:
        """Return the span of a call in the source of its parent; None: it is not known."""
        if call.parent is None:
            return None
        caller = self.function(self.call(call.parent).function)
        return caller.span_at(call.place) if caller else None

    def place_of(self, event: Event) -> Span | None:
        """Return the span where an exception came from in its call; None: it is not known."""
        function = None if event.call is None else self.function(self.call(event.call).function)
        return function.span_at(event.place) if function else None

    # --- Objects and variables -------------------------------------------------------------------

    def shape(self, ref: Ref, at: Moment | int) -> Shape | None:
        """Return the contents of an object before the event at a moment; None: not known."""
        return self._heap.shape(ref, at)

    def variables(self, call: Call, at: Moment | int) -> Mapping[str, Value]:
        """Return a call's variables before the event at a moment; for a module's body: globals."""
        return self._variables.of_call(call, at)

    def globals(self, module: Module, at: Moment | int) -> Mapping[str, Value]:
        """Return the known globals of a module before the event at a moment."""
        return self._variables.of_module(module, at)

    def global_since(
        self, module: Module, name: str, at: Moment | int
    ) -> tuple[Moment, Value] | None:
        """Return when a global was last set before that event, by any code, and its value."""
        return self._variables.since(module, name, int(at))

    def global_set(
        self, module: Module, name: str, first: Moment | int, last: Moment | int
    ) -> Moment | None:
        """Return when recorded code last set a global, in first <= moment < last."""
        return self._variables.when_set(module, name, first, last)

    def before(self, call: Call) -> Roots:
        """Return the arguments and closure of a call at its beginning, with the moment."""
        return roots.before(self, call)

    def after(self, call: Call) -> Roots:
        """Return the same variables at its end; `shape` shows what became of them."""
        return roots.after(self, call)

    def changed(self, call: Call) -> Difference:
        """Return the changes of a call to its arguments, its closure and its module's globals."""
        return roots.changed_by(self, self._heap, call)

    def changed_between(self, call: Call, first: Moment | int, last: Moment | int) -> Difference:
        """Return the changes of a call's variables and its module's globals between two moments."""
        return roots.changed_meanwhile(self, self._heap, call, Moment(first), Moment(last))

    def changed_before(
        self, change: Change, first: Moment | int, last: Moment | int
    ) -> Change | None:
        """Return an earlier change of the same part between two moments; None: there is none."""
        return changed_before(self._heap, change, int(first), int(last))

    # --- Source ----------------------------------------------------------------------------------

    def modules(self) -> list[Module]:
        """Return all modules, recorded or not."""
        return list(self._tables.modules.values())

    def sources(self) -> Mapping[str, str]:
        """Return path -> source text, each read at first use.

        Several modules can share a path but differ in text: use `source` for those.
        """
        return self._sources

    def source(self, module: Module) -> str:
        """Return the text of a module when it ran; empty if it is not in the trace."""
        return self._sources.of(module.id) or ""

    def raw_source(self, module: Module) -> bytes | None:
        """Return a module's source, byte for byte; None: it is not in the trace."""
        return self._sources.raw(module.id)

    def function(self, function: FunctionId | int) -> Function | None:
        """Return a function; None: nothing is known of it."""
        return self._code.function(function)

    def flow(self, function: FunctionId | int) -> Flow | None:
        """Return the flow of a function; None: the trace does not have it."""
        return self._code.flow(function)

    def wording(self, function: FunctionId | int) -> Wording | None:
        """Return the wording of a function; None: the trace does not have it."""
        return self._code.wording(function)

    def names_said(self, function: FunctionId | int) -> Said | None:
        """Return the names in a function's code; None: the trace does not have them."""
        return self._code.names_said(function)

    def functions(self) -> Iterator[Function]:
        """Yield all functions of recorded modules, called or not."""
        for batch in self._tables.functions:
            for number in range(batch.first, batch.last + 1):
                known = self.function(number)
                if known is not None:
                    yield known

    def sites_of(self, function: Function) -> list[Site]:
        """Return all sites of a function, also those without an event."""
        return self._code.sites_of(function)

    def module_of(self, function: FunctionId | int) -> Module | None:
        """Return a function's module; None: nothing is known of it."""
        return self._code.module_of(function)

    def site(self, site: SiteId | int) -> Site | None:
        """Return a site; None: nothing is known of it."""
        return self._code.site(site)

    # --- Inside ----------------------------------------------------------------------------------

    def _cells_of(self, call: Call) -> tuple[str, ...]:
        function = self.function(call.function)
        return function.cells if function else ()

    def _name_of(self, site: int) -> str | None:
        known = self.site(site)
        return known.name if known else None

    def _child_groups(self, call: CallId | int | None) -> Iterator[tuple[SegmentRow, list[CallId]]]:
        if call is None:
            for row in self._segments.rows:
                if row.roots:
                    yield row, self._found(row, _NO_CALL, row.first_call)[0]
            return
        until = self.call(call).until
        stop = self.call_count if until is None else min(until, self.call_count)
        at = call + 1
        while at < stop:
            row = self._segments.with_call(at)
            found, at = self._found(row, call, at)
            yield row, found

    def _found(self, row: SegmentRow, parent: int, start: int) -> tuple[list[CallId], int]:
        """Return the children in one segment, and the id to search from in the next."""
        with database.refusing_nonsense(self.path, "the calls"):
            found, at = _core.children(self._segments.block(row), row.first_call, parent, start)
        # The segment may hold more calls than it did when the trace was opened.
        known = row.first_call + row.calls
        return [CallId(child) for child in found if child < known], at

    def _unpacked(self, row: SegmentRow, block: bytes, low: int, high: int) -> list[Call]:
        with database.refusing_nonsense(self.path, "the calls"):
            found = _core.unpack(block, row.first_call, row.first_moment, low, high, _OUTCOMES)
        return list(map(Call._make, found))

    def _decoded(
        self, segment: Segment, low: int, high: int, only: int, kind: EventKind | None
    ) -> Iterator[Event]:
        row, state, data = segment
        which = _ANY_KIND if kind is None else int(kind)
        with database.refusing_nonsense(self.path, "the events"):
            found = _core.decode(
                data, state, row.first_call, row.first_moment, low, high, only, _KINDS, which
            )
        constants = self._tables.constants
        for fields in found:
            values = tuple([from_wire(value, constants) for value in fields[8]])
            yield Event._make((*fields[:8], values))
