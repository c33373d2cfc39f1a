"""The history of a location: every write to it, in order, found through the index of the trace.

The making of a container is the first write of its parts.  A write of an equal value counts.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from heapq import merge
from itertools import chain
from typing import TYPE_CHECKING

from sleuth.trace.code import Code
from sleuth.trace.events import Call, CallId, Event, EventKind, Module, Moment, Site
from sleuth.trace.heap.causes import Causes, Part
from sleuth.trace.heap.objects import Heap
from sleuth.trace.heap.parts import Sequenced, index_of
from sleuth.trace.heap.replay import Write as Record
from sleuth.trace.history.locations import Ending, Global, Inside, Location, Variable
from sleuth.trace.history.output import Printed
from sleuth.trace.numbers import Definition
from sleuth.trace.store.index import Index
from sleuth.trace.store.tables import SegmentRow
from sleuth.trace.values import ABSENT, Absent, Atom, Ref, Value, from_wire

if TYPE_CHECKING:
    from sleuth.trace.reader import Trace

ARGUMENT, SET, DELETED, MADE, OTHERS, RESULT = (
    "argument",
    "set",
    "deleted",
    "made",
    "unrecorded code",
    "result",
)
"""How a location was written."""
_ANY_CALL = -2
_NEAR = 512
"""Moments that are searched at once, at first."""
_AT_SITES = range(EventKind.SET_ATTRIBUTE, EventKind.DELETE_SLICE + 1)
"""Kinds of records that name the site of a store."""
_NO_OWN = ("comprehension", "global")


@dataclass(frozen=True, slots=True)
class Write:
    """One write to a location."""

    value: Value
    """Absent: it was deleted."""
    moment: Moment
    """Its contents are those before the event after this one."""
    call: CallId | None
    """The call that wrote it; None: not known."""
    line: int | None
    """The line in the source of that call's function; None: not known."""
    how: str
    """argument, set, deleted, made, unrecorded code, result"""


class Writes:
    """Finds the writes to locations."""

    def __init__(  # noqa: PLR0913, PLR0917 - what it looks things up in
        self,
        trace: "Trace",
        code: Code,
        index: Index,
        heap: Heap,
        constants: tuple[str, ...],
        holder: Callable[[Module], Ref | None],
    ) -> None:
        self._trace = trace
        self._code = code
        self._index = index
        self._heap = heap
        self._constants = constants
        self._holder = holder

    def of(
        self, location: Location, first: int, last: int, *, back: bool = False
    ) -> Iterator[Write]:
        """Yield the writes from first to last, both included; back: the last one first."""
        match location:
            case Variable(call, name):
                found = self._variable(self._trace.call(call), name, first, last, back=back)
            case Global(module, name):
                found = self._global(module, name, first, last, back=back)
            case Inside(holder, "cell", Atom(str() as name)):
                found = self._cell(holder, name, first, last, back=back)
            case Inside(holder, kind, key):
                found = self._part(holder, Part(kind, key), first, last, back=back)
            case Ending(number, _):
                ended = self._trace.call(number)
                found = iter(() if ended.last is None else [self._result(ended, ended.last)])
            case Printed(moments=moments):
                wrote = [self._made(self._trace.event(at).values[0], at, SET) for at in moments]
                found = iter(wrote[::-1] if back else wrote)
        return (write for write in found if first <= write.moment <= last)

    def about(self, holder: Ref, first: int, last: int) -> Iterator[Moment]:
        """Yield the moments of all records about an object from first to last, in order."""
        for row in self._index.about(holder.id):
            low, high = max(first, row.first_moment), min(last, row.first_moment + row.moments)
            for start, stop in _stretches(low, high + 1, back=False):
                for record in self._heap.told_in(row, holder.id, start, stop - 1):
                    yield record.moment

    # --- Variables -------------------------------------------------------------------------------

    def _variable(
        self, call: Call, name: str, first: int, last: int, *, back: bool
    ) -> Iterator[Write]:
        function = self._trace.function(call.function)
        if function is None:
            return iter(())
        sites = [
            site
            for site in self._code.sites_of(function)
            if site.name == name and site.kind not in _NO_OWN
        ]
        given = []
        if name in function.parameters:
            values = self._trace.arguments(call)
            number = function.parameters.index(name)
            if number < len(values) and not isinstance(values[number], Absent):
                where = function.first_line
                given = [Write(values[number], call.first, call.id, where, ARGUMENT)]
        end = last if call.last is None else min(last, call.last)
        set_there = self._bound(sites, call.id, max(first, call.first), end, back=back)
        return chain(set_there, given) if back else chain(given, set_there)

    def _global(
        self, module: Module, name: str, first: int, last: int, *, back: bool
    ) -> Iterator[Write]:
        sites = [
            site
            for site in self._code.sites_in(module)
            if site.kind == "global" and site.name == name
        ]
        bound = self._bound(sites, _ANY_CALL, first, last, back=back)
        holder = self._holder(module)
        if holder is None:
            return bound
        part = Part("mapping", Atom(name))
        others = (
            write for write in self._part(holder, part, first, last, back=back) if write.how != MADE
        )
        return merge(bound, others, key=lambda write: write.moment, reverse=back)

    def _cell(self, cell: Ref, name: str, first: int, last: int, *, back: bool) -> Iterator[Write]:
        """Yield the writes to a variable that closures share; its cell tells the value, late."""
        sites = [
            site
            for function in self._trace.functions()
            if name in function.cells
            for site in self._code.sites_of(function)
            if site.name == name and site.kind not in _NO_OWN
        ]

        def bound(low: int, high: int, *, back: bool) -> Iterator[Write]:
            for write in self._bound(sites, _ANY_CALL, low, high, back=back):
                by = None if write.call is None else self._trace.call(write.call)
                if by is not None and self._trace.cells(by).get(name) == cell:
                    yield write

        def is_new(write: Write) -> bool:
            before = next(bound(0, write.moment - 1, back=True), None)
            return before is None or (write.how != MADE and before.value != write.value)

        part = Part("cell", Atom(name))
        told = (write for write in self._part(cell, part, first, last, back=back) if is_new(write))
        return merge(
            bound(first, last, back=back), told, key=lambda write: write.moment, reverse=back
        )

    def _bound(
        self, sites: Iterable[Site], call: int, first: int, last: int, *, back: bool
    ) -> Iterator[Write]:
        """Yield where sites set a variable, by stretches that grow while they are empty."""
        places: dict[int, tuple[SegmentRow, list[Site]]] = {}
        for site in sites:
            for row in self._index.binding(site.id):
                if row.first_moment <= last and row.first_moment + row.moments > first:
                    places.setdefault(row.number, (row, []))[1].append(site)
        for number in sorted(places, reverse=back):
            row, here = places[number]
            low = max(first, row.first_moment)
            high = min(last + 1, row.first_moment + row.moments)
            for start, stop in _stretches(low, high, back=back):
                found = [write for site in here for write in self._in(row, site, call, start, stop)]
                yield from sorted(found, key=lambda write: write.moment, reverse=back)

    def _in(self, row: SegmentRow, site: Site, call: int, low: int, high: int) -> Iterator[Write]:
        while found := self._index.records(row).last(site.id, call, low, high):
            high = found[0]
            is_set = found[1] != EventKind.UNBIND
            value = from_wire(found[-1][0], self._constants) if is_set else ABSENT
            by = None if found[2] is None else CallId(found[2])
            yield Write(value, Moment(high), by, site.span.line, SET if is_set else DELETED)

    # --- Parts of objects ------------------------------------------------------------------------

    def _part(
        self, holder: Ref, part: Part, first: int, last: int, *, back: bool
    ) -> Iterator[Write]:
        sites = self._attribute_sites(part)
        only = frozenset(sites) if part.kind == "attributes" and sites else None
        rows = self._index.writing(holder.id, part.key, sites)
        about = self._index.about(holder.id)
        made = about[0].number if about else -1
        numbers = {row.number for row in rows}
        chosen = [row for row in about if row.number in numbers or row.number == made]
        for row in reversed(chosen) if back else chosen:
            low, high = max(first, row.first_moment), min(last, row.first_moment + row.moments)
            for start, stop in _stretches(low, high + 1, back=back):
                told = list(self._heap.told_in(row, holder.id, start, stop - 1, only))
                for record in reversed(told) if back else told:
                    write = self._told(holder, part, record)
                    if write is not None:
                        yield write

    def _attribute_sites(self, part: Part) -> list[int]:
        if part.kind != "attributes" or not isinstance(part.key, Atom):
            return []
        return [
            site.id
            for function in self._trace.functions()
            for site in self._code.sites_of(function)
            if site.name == part.key.content
        ]

    def _told(self, holder: Ref, part: Part, record: Record) -> Write | None:
        """Return the write of a part that a record tells of; None: it is about other parts."""
        if record.kind == Definition.UNSURE:
            return None
        if record.kind == Definition.CONTENTS:
            return self._first(holder, part, record)
        is_about, value = self._by_name(holder, part, record)
        if is_about is None:
            # It can have moved the item: what counts is whether another one is there.
            before = self._value(holder, part, record.moment)
            value = self._value(holder, part, record.moment + 1)
            is_about = before != value or _covers(record, part)
        if not is_about:
            return None
        how = DELETED if isinstance(value, Absent) else SET if record.is_recorded else OTHERS
        site = self._trace.site(record.number) if record.kind in _AT_SITES else None
        if site is not None and record.call is not None:
            # The record tells all, so the event need not be decoded.
            by = CallId(record.call)
            return Write(value, Moment(record.moment), by, site.span.line, how)
        return self._made(value, record.moment, how, record.call)

    def _by_name(self, holder: Ref, part: Part, record: Record) -> tuple[bool | None, Value]:
        """Return whether a record names a part, and its new value; None: it names none."""
        heap, kind = self._heap, record.kind
        if kind in (EventKind.SET_ATTRIBUTE, EventKind.DELETE_ATTRIBUTE):
            is_it = part.kind == "attributes" and part.key == Atom(
                heap.name_of(record.number) or ""
            )
            return is_it, record.values[1] if kind == EventKind.SET_ATTRIBUTE else ABSENT
        if kind == EventKind.PUT:
            return heap.key_of(record.values[0]) == heap.key_of(part.key), record.values[1]
        if kind in (EventKind.SET_ITEM, EventKind.DELETE_ITEM) and part.kind != "sequence":
            is_it = part.kind == "mapping" and heap.key_of(record.values[1]) == heap.key_of(
                part.key
            )
            return is_it, record.values[2] if kind == EventKind.SET_ITEM else ABSENT
        if kind == EventKind.SET_ITEM:
            return self._position(holder, record) == index_of(part.key), record.values[2]
        return None, ABSENT

    def _first(self, holder: Ref, part: Part, record: Record) -> Write | None:
        """Return the making of a container, or a change that was noticed later."""
        value = self._value(holder, part, record.moment)
        if record.part_kind != part.kind or isinstance(value, Absent):
            return None
        if record.moment == 0 or not self._heap.since_whole(holder.id, 0, record.moment - 1)[1]:
            return self._made(value, record.moment, MADE)
        if self._value(holder, part, record.moment - 1) == value:
            return None
        return self._made(value, record.moment, OTHERS)

    def _position(self, holder: Ref, record: Record) -> int | None:
        index = index_of(record.values[1])
        held = self._heap.state(holder, record.moment).parts.get("sequence")
        if index is None or index >= 0 or not isinstance(held, Sequenced):
            return index
        return index + held.full_length

    def _value(self, holder: Ref, part: Part, at: int) -> Value:
        if part.kind == "cell":
            shape = self._heap.shape(holder, at)
            held = shape.part("cell") if shape else None
            return held.items[0] if held and held.items else ABSENT
        return Causes(self._heap, 0, at).value(holder, part, at)

    # --- Places ----------------------------------------------------------------------------------

    def _result(self, call: Call, last: Moment) -> Write:
        return self._made(self._trace.result(call), last, RESULT, call.id)

    def _made(self, value: Value, moment: int, how: str, call: CallId | None = None) -> Write:
        """Return a write at the place of the event at a moment."""
        moment = min(moment, self._trace.event_count - 1)
        event = self._trace.event(moment)
        by = event.call if call is None else call
        return Write(value, Moment(moment), by, line_of(self._trace, event), how)


def _covers(record: Record, part: Part) -> bool:
    """Whether unrecorded code put an item at this place, though perhaps an equal one."""
    index = index_of(part.key)
    if record.kind != EventKind.SPLICED or part.kind != "sequence" or index is None:
        return False
    return record.number <= index < record.number + len(record.values)


def _stretches(low: int, high: int, *, back: bool) -> Iterator[tuple[int, int]]:
    """Divide moments into stretches that grow."""
    size = _NEAR
    while low < high:
        if back:
            yield max(low, high - size), high
            high -= size
        else:
            yield low, min(low + size, high)
            low += size
        size *= 2


def line_of(trace: "Trace", event: Event) -> int | None:
    """Return the line of an event in the source of its call's function; None: not known."""
    site = None if event.site is None else trace.site(event.site)
    if site is not None:
        return site.span.line
    if event.kind is EventKind.ENTER:
        function = trace.function(event.number)
        return function.first_line if function else None
    span = trace.place_of(event)
    return span.line if span else None
