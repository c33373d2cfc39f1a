"""Side effects on objects not reachable from the arguments, such as globals.

They don't show in the arguments and the result: a comparison of these alone would take a call that
stores wrong data for a right one.
"""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from sleuth.trace import columns, conventions
from sleuth.trace.columns import Touch, Touches
from sleuth.trace.events import Call, Event, EventKind, Module, Moment
from sleuth.trace.reader import Trace
from sleuth.trace.values import ABSENT, Ref, Value
from sleuth.tree.names.code_names import named_code
from sleuth.tree.node import Flags, Numbers
from sleuth.tree.observe.attribution import Doers

_MOST_WRITES = 2_000
OBJECT = "object"
"""The name of a place that has none."""
_NOT_KNOWN = ""
"""The type of an object if only its number is known."""


@dataclass(frozen=True, slots=True)
class Written:
    """The places that a call wrote to, with their values before and after."""

    before: Mapping[str, Value] = field(default_factory=dict)
    after: Mapping[str, Value] = field(default_factory=dict)
    writes: tuple[tuple[str, Event], ...] = ()
    """The writes in order, each with its place."""
    is_whole: bool = True
    """False: there were too many to examine."""


class _Write(NamedTuple):
    moment: Moment
    place: int
    """The number of an object; for a global, -1 minus the site that sets it."""


class Elsewhere:
    """Finds the side effects of the calls of one run."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._code = conventions.of(trace.meta.get("language")).code

    def written(self, call: Call, end: Moment, reached: Callable[[], set[int]]) -> Written:
        """Return the writes of a call to existing objects that are not in `reached`."""
        writes = self._writes(call, end)
        if not writes:
            return Written()
        if len(writes) > _MOST_WRITES:
            return Written(is_whole=False)
        known = reached()
        doers = Doers(self._trace, call, self._trace.function(call.function))
        own = [each for each in writes if each.place not in known and doers.is_own(each.moment)]
        before: dict[str, Value] = {}
        after: dict[str, Value] = {}
        names: dict[Hashable, str] = {}
        done: list[tuple[str, Event]] = []
        for write in own:
            event = self._trace.event(write.moment)
            key, what = self._place(write, event)
            name = names.setdefault(key, f"{len(names)} {what}")
            old, new = self._values(write, event, call.first, end)
            before.setdefault(name, old)
            after[name] = new
            done.append((name, event))
        return Written(before, after, tuple(done))

    # --- Which writes ----------------------------------------------------------------------------

    @cached_property
    def _globals(self) -> Mapping[int, tuple[Module, str]]:
        """Site -> the global that is set there."""
        found = {}
        for number in self._trace.bound_sites(0, self._trace.event_count):
            site = self._trace.site(number)
            if site is not None and site.kind == "global" and site.name:
                found[number] = site.module, site.name
        return found

    @cached_property
    def _touches(self) -> Touches:
        return columns.touches(self._trace, 0, self._trace.event_count, frozenset(self._globals))

    @cached_property
    def _stores(self) -> tuple[Numbers, Numbers]:
        """The moments of writes, and the places written to."""
        rows = self._touches
        is_bound = rows.what == Touch.BOUND
        is_store = is_bound | (rows.what == Touch.WRITTEN)
        return rows.moment[is_store], np.where(is_bound, -1 - rows.number, rows.number)[is_store]

    @cached_property
    def _first_seen(self) -> tuple[Numbers, Numbers]:
        """Objects, and when each was first recorded or passed; code never is."""
        rows = self._touches
        is_told = (rows.what == Touch.GIVEN) | (rows.what == Touch.SEEN)
        objects, first = np.unique(rows.number[is_told], return_index=True)
        return objects, rows.moment[is_told][first]

    def _was_seen(self, objects: Numbers, moment: int) -> Flags:
        """Tell which objects existed before a moment; code always did."""
        known, first = self._first_seen
        at = np.minimum(np.searchsorted(known, objects), max(len(known) - 1, 0))
        if not len(known):
            return np.ones(len(objects), bool)
        was_seen: Flags = (known[at] != objects) | (first[at] < moment)
        return was_seen

    def _writes(self, call: Call, end: Moment) -> list[_Write]:
        """Return the writes during a call to places that existed before it."""
        moments, places = self._stores
        low, high = np.searchsorted(moments, (call.first, end + 1)).tolist()
        moments, places = moments[low:high], places[low:high]
        was_there = (places < 0) | self._was_seen(places, call.first)
        pairs = zip(moments[was_there].tolist(), places[was_there].tolist(), strict=True)
        return [_Write(*pair) for pair in dict.fromkeys(pairs)]

    # --- Places and their values -----------------------------------------------------------------

    def _place(self, write: _Write, event: Event) -> tuple[Hashable, str]:
        """Return a key of a place in this run, and its name in any run."""
        if write.place < 0:
            module, name = self._globals[-1 - write.place]
            return (module.id, name), f"{module.name}.{name}"
        code = self._code_in(event)
        if code is None:
            return write.place, OBJECT
        # Code is identified by name; its attributes count separately.
        site = self._trace.site(event.site) if event.site else None
        attribute = site.name if site else "?"
        _, name = named_code(self._trace).get(code.id, (None, code.type_name))
        return (code.id, attribute), f"{name}.{attribute}"

    def _values(
        self, write: _Write, event: Event, first: Moment, end: Moment
    ) -> tuple[Value, Value]:
        """Return the values of a place before and after a call."""
        if write.place < 0:
            module, name = self._globals[-1 - write.place]
            old, new = (self._trace.globals(module, at).get(name, ABSENT) for at in (first, end))
            return old, new
        if self._code_in(event) is not None:
            return ABSENT, event.values[-1]
        ref = _holder(event) or Ref(_NOT_KNOWN, write.place)
        return ref, ref

    def _code_in(self, event: Event) -> Ref | None:
        """Return the function, class or module whose attribute was set."""
        holder = _holder(event)
        is_code = holder is not None and holder.type_name in self._code
        return holder if is_code and event.kind is EventKind.SET_ATTRIBUTE else None


def _holder(event: Event) -> Ref | None:
    """Return the object that was written to, if the event names it."""
    is_store = EventKind.SET_ATTRIBUTE <= event.kind <= EventKind.DELETE_SLICE
    first = event.values[0] if is_store and event.values else None
    return first if isinstance(first, Ref) else None
