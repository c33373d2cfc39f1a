"""Trace: looks up calls, events, functions, sites and sources, even during the run.

The file is open only while something is fetched from it, so that a reader never blocks the writer.
"""

import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from hashlib import sha256
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from sleuth.trace.call_reader import CallReader
from sleuth.trace.code import Code, SourceTexts
from sleuth.trace.event_reader import EventReader
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
from sleuth.trace.history.locations import Location, Pointed, pointed, program_call
from sleuth.trace.history.writes import Write, Writes
from sleuth.trace.labels import Label
from sleuth.trace.nearest import Nearest
from sleuth.trace.numbers import Definition, Named
from sleuth.trace.store import database
from sleuth.trace.store.index import Index
from sleuth.trace.store.segments import Segments
from sleuth.trace.store.tables import SegmentRow, TableReader
from sleuth.trace.values import ABSENT, Ref, Shape, Value

if TYPE_CHECKING:
    from sleuth.trace.origin.origin import Origin
    from sleuth.trace.origin.why_not import NotWritten
    from sleuth.trace.query.hits import Found
    from sleuth.trace.slices.slice import Slice

_PATIENCE = 5.0
"""Seconds that the collector may take to finish a trace after the program ended."""


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

    So results about a trace can be cached in it.
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
        self._code = Code(self.path, self._tables)
        self._index.take()
        self._calls = CallReader(self.path, self._segments)
        self._events = EventReader(self.path, self._segments, self._calls, self._tables.constants)
        self.nearest = Nearest(self.path, self._segments, self._calls)
        """Finds the next event of a thread, a call or a site."""
        self._site_names: dict[int, str | None] = {}
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
        self._writes = Writes(
            self,
            self._code,
            self._index,
            self._heap,
            self._tables.constants,
            self._variables.holder,
        )
        self._sources = SourceTexts(self.path, self._tables)
        self.kept: dict[object, Callable[..., Any]] = {}
        """Cached results about this trace: see `kept`."""
        self.labels: tuple[Label, ...] = ()
        """The labels of classes with which it is looked at."""

    # --- The run as a whole ----------------------------------------------------------------------

    def labelled(self, labels: Sequence[Label]) -> "Trace":
        """Return the same trace, to be looked at with other labels; this one stays as it is."""
        other = copy(self)
        other.labels = tuple(labels)
        return other

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

    @property
    def task_begins(self) -> Mapping[int, Moment]:
        """When tasks were first seen, by number."""
        begins: dict[int, Moment] = {}
        for moment, kind, number, what, _ in self._segments.notes():
            if (kind, what) == (Definition.NAME, Named.TASK):
                begins.setdefault(number, Moment(moment))
        return begins

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
        return self._calls.all()

    def call_blocks(self) -> Iterator[tuple[SegmentRow, bytes]]:
        """Yield all calls in packed form for `columns`, with the row of their segment."""
        return self._calls.blocks()

    def call(self, call: CallId | int) -> Call:
        """Return one call; IndexError: there is no such call."""
        return self._calls.one(call)

    def child_ids(self, call: CallId | int | None) -> Iterator[CallId]:
        """Yield the ids of a call's callees, in order; None: of the calls without a caller."""
        return self._calls.child_ids(call)

    def children(self, call: CallId | int | None) -> Iterator[Call]:
        """Yield a call's callees, in order; None: the calls without a caller."""
        return self._calls.children(call)

    @property
    def has_elsewhere(self) -> bool:
        """Whether calls may have run in other threads or tasks than their parents."""
        return self._segments.has_started or bool(self.tasks)

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
        return self._events.between(first, last, call=call, kind=kind)

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
        return self._events.fill_own(int(call), first, last, columns, is_sparse=is_sparse)

    def trails(
        self, first: Moment | int, last: Moment | int, call: CallId | int | None = None
    ) -> Iterator[tuple[SegmentRow, bytes]]:
        """Yield the steps that calls reached, packed, by segment: see `lines`."""
        return self._events.trails(first, last, call)

    def streams(self, last: Moment | int) -> Iterator[bytes]:
        """Yield the stream of events up to the segment of a moment, by segment."""
        return self._events.streams(last)

    def touched_blocks(
        self, first: Moment | int, last: Moment | int, sites: bytes
    ) -> Iterator[tuple[bytes, bytes]]:
        """Yield what the events from first to last touch, packed: see `columns.touches`."""
        return self._events.touched_blocks(first, last, sites)

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
        return self._events.one(moment)

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

    def compared(self, before: Roots, after: Roots) -> Difference:
        """Return the changes of some values between two moments."""
        return roots.compared(self, self._heap, None, (before, after))

    def changed_before(
        self, change: Change, first: Moment | int, last: Moment | int
    ) -> Change | None:
        """Return an earlier change of the same part between two moments; None: there is none."""
        return changed_before(self._heap, change, int(first), int(last))

    def written(self, ref: Ref, first: Moment | int, last: Moment | int) -> Iterator[Moment]:
        """Yield the moments from first to before last at which an object was written."""
        for row in self._heap.rows(ref.id, int(first), int(last)):
            told = self._heap.told_in(row, ref.id, int(first), int(last))
            yield from sorted({write.moment for write in told if first <= write.moment < last})

    # --- Locations -------------------------------------------------------------------------------

    def pointed(
        self, path: str, *, call: Call | None = None, at: Moment | int | None = None
    ) -> Pointed:
        """Return the location and value of a path, by default in the program at its end.

        PathError says what there is where the path leads to nothing.
        """
        return pointed(self, path, program_call(self) if call is None else call, at)

    def history(
        self, path: str, *, call: Call | None = None, at: Moment | int | None = None
    ) -> Iterator[Write]:
        """Yield every write of the run to the location of a path, found as needed, in order."""
        return self.writes(self.pointed(path, call=call, at=at).location)

    def writes(
        self,
        location: Location,
        first: Moment | int = 0,
        last: Moment | int | None = None,
        *,
        back: bool = False,
    ) -> Iterator[Write]:
        """Yield the writes to a location from first to last; back: the last one first."""
        return self._writes.of(
            location, first, self.event_count - 1 if last is None else last, back=back
        )

    def touched(self, ref: Ref, first: Moment | int, last: Moment | int) -> Iterator[Moment]:
        """Yield the moments at which something was recorded about an object, in order."""
        return self._writes.about(ref, int(first), int(last))

    def find(self, query: str, *, call: Call | None = None) -> "Found":
        """Return what a query finds, as an iterable of hits: see docs/reference/queries.md.

        call: where the path behind `writes to` is looked up.  QueryError says what is wrong with
        the query, and in which column.
        """
        from sleuth.trace.query.find import found  # noqa: PLC0415 - it needs this module

        return found(self, query, call)

    def why(
        self, path: str, *, call: Call | None = None, at: Moment | int | None = None
    ) -> "Origin":
        """Return the operation that made the value of a path, with the copies on the way.

        PathError says what there is where the path leads to nothing.
        """
        from sleuth.trace.origin.origins import Origins  # noqa: PLC0415 - it needs this module

        return Origins(self).of(self.pointed(path, call=call, at=at))

    def why_not(
        self, path: str, *, call: Call | None = None, at: Moment | int | None = None
    ) -> "NotWritten":
        """Return the decisions whose other way would have written the location of a path."""
        from sleuth.trace.origin.why_not import why_not  # noqa: PLC0415 - it needs this module

        return why_not(self, path, program_call(self) if call is None else call, at)

    def slice(
        self,
        path: str,
        *,
        call: Call | None = None,
        at: Moment | int | None = None,
        is_relevant: bool = False,
        start: str | None = None,
    ) -> "Slice":
        """Return the statements and calls that a path depends on: see `slices.slice.sliced`."""
        from sleuth.trace.slices.slice import sliced  # noqa: PLC0415 - it needs this module

        about = program_call(self) if call is None else call
        return sliced(self, path, about, at=at, is_relevant=is_relevant, start=start)

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
        if site not in self._site_names:
            known = self.site(site)
            self._site_names[site] = known.name if known else None
        return self._site_names[site]
