"""The variables of a call or a module at a moment."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Protocol

from sleuth.trace.code import Code
from sleuth.trace.events import Call, Event, EventKind, Function, Module, Moment, Site
from sleuth.trace.heap import namespaces
from sleuth.trace.heap.objects import Heap
from sleuth.trace.store.index import Index
from sleuth.trace.store.tables import SegmentRow
from sleuth.trace.values import ABSENT, Absent, Ref, Value, from_wire

_ANY_CALL = -2
_NOT_OWN = ("comprehension", "global")
"""Kinds of sites that set no variable of the call itself."""
_MODULE_BODY = "module body"


class Calls(Protocol):
    """The part of a trace that is needed here."""

    def call(self, call: int) -> Call:
        """Return one call."""

    def cells(self, call: Call) -> Mapping[str, Value]:
        """Return the cells of the variables shared with closures."""

    def event(self, moment: int) -> Event:
        """Return the event at a moment."""

    def function(self, function: int) -> Function | None:
        """Return a function."""


class Variables:
    """Finds the last time each variable was set."""

    def __init__(  # noqa: PLR0913 - what it looks things up in
        self,
        calls: Calls,
        code: Code,
        index: Index,
        heap: Heap,
        constants: tuple[str, ...],
        *,
        holders: Callable[[], Mapping[str, int]],
    ) -> None:
        self._calls = calls
        self._code = code
        self._index = index
        self._heap = heap
        self._holders: dict[int, Ref | None] = {}
        self._constants = constants
        self._named_holders = holders

    def of_call(self, call: Call, at: int) -> Mapping[str, Value]:
        """Return the variables of a call before the event at a moment."""
        function = self._calls.function(call.function)
        if function is None:
            return {}
        if function.kind == _MODULE_BODY:
            return self.of_module(function.module, at)
        found: dict[str, Value] = {}
        if at > call.first:
            given = self._calls.event(call.first).values
            given = given[: len(given) - len(function.cells)]
            found.update(zip(function.parameters, given, strict=False))
        own = [
            site
            for site in self._code.sites_of(function)
            if site.name and site.kind not in _NOT_OWN
        ]
        span = call.first, at
        last = self._last(own, call.id, *span)
        if not function.cells:
            for site, moment, value in self._from_inside(function, call, *span):
                if site.name not in last or last[site.name][0] < moment:
                    last[site.name] = moment, value
        found.update({name: value for name, (_, value) in sorted(last.items(), key=_when)})
        if at > call.first:
            found.update(dict.fromkeys(function.cells, ABSENT))
            found.update(self.of_cells(call, at, function.cells))
        return {name: value for name, value in found.items() if not isinstance(value, Absent)}

    def of_cells(self, call: Call, at: int, names: Iterable[str]) -> Mapping[str, Value]:
        """Return variables shared with closures, before the event at a moment."""
        cells = self._calls.cells(call)
        held = {name: self._held(cells[name], at) for name in names if name in cells}
        return {name: value for name, value in held.items() if not isinstance(value, Absent)}

    def _held(self, cell: Value, at: int) -> Value:
        """Return the value in a cell; a secret is not recorded, so a placeholder stands for it."""
        if not isinstance(cell, Ref):
            return cell
        shape = self._heap.shape(cell, at)
        part = shape.part("cell") if shape else None
        return part.items[0] if part and part.items else ABSENT

    def of_module(self, module: Module, at: int) -> Mapping[str, Value]:
        """Return the known globals of a module before the event at a moment."""
        pairs = sorted(self._told(module, at).items(), key=_when)
        return {name: value for name, (_, value) in pairs if not isinstance(value, Absent)}

    def since(self, module: Module, name: str, at: int) -> tuple[Moment, Value] | None:
        """Return when a global was last set before a moment, by any code, and its value."""
        found = self._told(module, at).get(name)
        return None if found is None else (Moment(found[0]), found[1])

    def _told(self, module: Module, at: int) -> dict[str, tuple[int, Value]]:
        sites = [
            site for site in self._code.sites_in(module) if site.kind == "global" and site.name
        ]
        holder = self.holder(module)
        last, since = namespaces.told(self._heap, holder, at) if holder else ({}, -1)
        for name, (moment, value) in self._last(sites, _ANY_CALL, 0, at).items():
            if moment > last.get(name, (since, ABSENT))[0]:
                last[name] = moment, value
        return last

    def holder(self, module: Module) -> Ref | None:
        """Return the object that holds a module's variables, which its body names.

        If the body ran before the trace began, a record of its own names the object.
        """
        if module.id not in self._holders:
            for site in self._code.sites_in(module):
                if site.kind != "global" or not site.name:
                    continue
                function = self._calls.function(site.function)
                rows = self._index.binding(site.id)
                if rows and function and function.kind == _MODULE_BODY and function.cells:
                    row = rows[0]
                    end = row.first_moment + row.moments
                    found = self._index.records(row).last(site.id, _ANY_CALL, 0, end)
                    body = self._calls.call(found[2]) if found and found[2] is not None else None
                    holder = self._calls.cells(body).get("") if body else ABSENT
                    self._holders[module.id] = holder if isinstance(holder, Ref) else None
                    break
        if module.id not in self._holders:
            number = self._named_holders().get(module.name)
            self._holders[module.id] = None if number is None else Ref("dict", number)
        return self._holders[module.id]

    def when_set(self, module: Module, name: str, low: int, high: int) -> Moment | None:
        """Return when a global was last set or deleted in the moments low <= moment < high."""
        sites = [
            site
            for site in self._code.sites_in(module)
            if site.kind == "global" and site.name == name
        ]
        found = self._last(sites, _ANY_CALL, low, high).get(name)
        return None if found is None else Moment(found[0])

    def _last(
        self, sites: Iterable[Site], call: int, low: int, high: int
    ) -> dict[str, tuple[int, Value]]:
        """Return for each name when it was last set, in low <= moment < high, and its value."""
        places: dict[int, tuple[SegmentRow, list[Site]]] = {}
        for site in sites:
            for row in self._index.binding(site.id):
                if row.first_moment < high and row.first_moment + row.moments > low:
                    places.setdefault(row.number, (row, []))[1].append(site)
        last: dict[str, tuple[int, Value]] = {}
        for number in sorted(places, reverse=True):
            row, here = places[number]
            found: dict[str, tuple[int, Value]] = {}
            for site in here:
                if site.name in last:
                    continue
                bound = self._bound(row, site, call, low, high)
                if bound and (site.name not in found or found[site.name][0] < bound[0]):
                    found[site.name] = bound
            last.update(found)
        return last

    def _bound(
        self, row: SegmentRow, site: Site, call: int, low: int, high: int
    ) -> tuple[int, Value] | None:
        found = self._index.records(row).last(site.id, call, low, high)
        if found is None:
            return None
        is_set = found[1] != EventKind.UNBIND
        return found[0], from_wire(found[-1][0], self._constants) if is_set else ABSENT

    def _from_inside(
        self, function: Function, call: Call, low: int, high: int
    ) -> Iterator[tuple[Site, int, Value]]:
        """Yield what nested functions last stored in variables of this function."""
        for site in self._code.nonlocals_of(function):
            until = high
            for row in reversed(self._index.binding(site.id)):
                if row.first_moment >= until or row.first_moment + row.moments <= low:
                    continue
                while found := self._index.records(row).last(site.id, _ANY_CALL, low, until):
                    until = found[0]
                    if found[2] is not None and self._is_inside(found[2], call):
                        is_set = found[1] != EventKind.UNBIND
                        value = from_wire(found[-1][0], self._constants) if is_set else ABSENT
                        yield site, until, value
                        until = low
                        break

    def _is_inside(self, inner: int, call: Call) -> bool:
        """Whether the nearest call of the same function above an inner call is this one."""
        at: int | None = inner
        while at is not None and at >= call.id:
            around = self._calls.call(at)
            if around.function == call.function:
                return around.id == call.id
            at = around.parent
        return False


def _when(item: tuple[str, tuple[int, Value]]) -> int:
    return item[1][0]
