"""Footprints: which locations calls touch, as far as a trace knows, for many calls at once.

A location is an object, a global variable, or a stream.  Written is what a call, or one that it
made, stored into, what code that is not recorded changed for it, the globals that it set, what it
printed to.  Reads are not recorded: what counts as read are the objects that the call, and those
that it made, were given, the variables that they share with functions around them, and the
globals that occur in their code.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from sleuth.trace import columns
from sleuth.trace.columns import Touch, Touches
from sleuth.trace.reader import Trace
from sleuth.tree.flat import FlatTree
from sleuth.tree.node import Flags, Numbers

_KINDS = 4
_OBJECT, _GLOBAL, _STREAM = range(3)
_WRITES = (Touch.WRITTEN, Touch.BOUND, Touch.PRINTED)


class Global(NamedTuple):
    """A global variable."""

    module: int
    name: str


@dataclass(frozen=True, eq=False)
class Footprints:
    """What some calls touched, and what was written between them; a row for each touch."""

    count: int
    """How many calls."""
    call: Numbers
    """Of a row: which of them; of what lies between two the one before, -1 before the first."""
    location: Numbers
    is_inside: Flags
    """Whether the call itself did it, or one that it made."""
    is_write: Flags
    changes: Flags
    """Of a call: whether it wrote to what was there before: it changes state."""
    globals: Sequence[Global]

    def of(self, call: int) -> tuple[set[object], set[object]]:
        """Return the locations that a call was given or uses, and those that it wrote to.

        Objects are numbers, global variables are named, streams are negative.
        """
        mine = self.is_inside & (self.call == call)
        read, written = (
            {self._location(each) for each in self.location[mine & which].tolist()}
            for which in (~self.is_write, self.is_write)
        )
        return read, written

    def _location(self, number: int) -> object:
        number, kind = divmod(number, _KINDS)
        return self.globals[number] if kind == _GLOBAL else -number if kind == _STREAM else number

    @cached_property
    def _dense(self) -> tuple[Numbers, int]:
        """The locations numbered from 0, and how many there are."""
        locations, numbers = np.unique(self.location, return_inverse=True)
        return numbers, len(locations)

    @cached_property
    def is_undisturbed(self) -> Flags:
        """Of a call and the next: whether nothing was written between that one of them touches."""
        undisturbed = np.ones(max(self.count - 1, 0), bool)
        between = ~self.is_inside & self.is_write & (self.call >= 0) & (self.call < self.count - 1)
        places = np.flatnonzero(between)
        if len(places):
            numbers, count = self._dense
            touched = self.call[self.is_inside] * count + numbers[self.is_inside]
            before = self.call[places] * count + numbers[places]
            is_in_one = np.isin(before, touched) | np.isin(before + count, touched)
            undisturbed[self.call[places[is_in_one]]] = False
        return undisturbed

    @cached_property
    def is_shared(self) -> Flags:
        """Of a call and the next: whether both wrote to the same."""
        shared = np.zeros(max(self.count - 1, 0), bool)
        numbers, count = self._dense
        mine = self.is_inside & self.is_write
        written = np.unique(self.call[mine] * count + numbers[mine])
        again = written[np.isin(written + count, written)]
        if len(again):
            shared[again // count] = True
        return shared


def footprints(trace: Trace, tree: FlatTree, nodes: Numbers) -> Footprints:
    """Return the footprints of calls that ran one after the other, and ended."""
    firsts, lasts = tree.first[nodes], tree.last[nodes]
    start, stop = trace.begins_segment(int(firsts[0])), int(lasts.max())
    names = _Globals(trace, int(firsts[0]), stop)
    rows = columns.touches(trace, start, stop, frozenset(names.of_site))
    location = _locations(rows, names)
    call = np.searchsorted(firsts, rows.moment, "right") - 1
    is_inside = (call >= 0) & (rows.moment <= lasts[np.maximum(call, 0)])
    is_write = np.isin(rows.what, _WRITES)
    changes = np.zeros(len(nodes), bool)
    changed = np.flatnonzero(is_inside & is_write)
    known = int(trace.latest_object(int(firsts[0])))
    began = firsts[np.maximum(call, 0)]
    changes[call[changed[_was_there(location, rows.moment, began, known)[changed]]]] = True
    is_kept = is_write | (rows.what == Touch.GIVEN)
    used = names.used(tree, nodes)
    return Footprints(
        count=len(nodes),
        call=np.concatenate((call[is_kept], used[0])),
        location=np.concatenate((location[is_kept], used[1])),
        is_inside=np.concatenate((is_inside[is_kept], np.ones(len(used[0]), bool))),
        is_write=np.concatenate((is_write[is_kept], np.zeros(len(used[0]), bool))),
        changes=changes,
        globals=names.names,
    )


def _locations(rows: Touches, names: "_Globals") -> Numbers:
    found = rows.number * _KINDS + _OBJECT
    bound = np.flatnonzero(rows.what == Touch.BOUND)
    if len(bound):
        table = np.zeros(max(names.of_site) + 1, np.int64)
        table[list(names.of_site)] = list(names.of_site.values())
        found[bound] = table[rows.number[bound]] * _KINDS + _GLOBAL
    printed = rows.what == Touch.PRINTED
    found[printed] = rows.number[printed] * _KINDS + _STREAM
    return found


def _was_there(location: Numbers, moment: Numbers, began: Numbers, known: int) -> Flags:
    """Return of each row whether its location was there before the call began.

    Objects are numbered as they are first seen: those up to the known one were seen before all of
    this.
    """
    _, at, numbers = np.unique(location, return_index=True, return_inverse=True)
    is_seen: Flags = moment[at][numbers] < began
    is_object = location % _KINDS == _OBJECT
    was_there: Flags = is_seen | ~is_object | (location // _KINDS <= known)
    return was_there


class _Globals:
    """Global variables that are set while some calls run."""

    def __init__(self, trace: Trace, first: int, last: int) -> None:
        self._trace = trace
        self.names: list[Global] = []
        self.of_site: dict[int, int] = {}
        """Site -> which of the variables is set there."""
        self._numbers: dict[Global, int] = {}
        for number in sorted(trace.bound_sites(first, last)):
            site = trace.site(number)
            if site is not None and site.kind == "global" and site.name:
                name = Global(site.module.id, site.name)
                if name not in self._numbers:
                    self._numbers[name] = len(self.names)
                    self.names.append(name)
                self.of_site[number] = self._numbers[name]

    def used(self, tree: FlatTree, nodes: Numbers) -> tuple[Numbers, Numbers]:
        """Return which calls use which of them, in their code or that of calls that they made."""
        low, high = int(nodes[0]), int(tree.end[nodes[-1]])
        routines = tree.routine[low:high]
        calls: list[Numbers] = [np.empty(0, np.int64)]
        found: list[Numbers] = [np.empty(0, np.int64)]
        for routine in np.unique(routines).tolist() if self.names else ():
            function = self._trace.function(routine)
            for name in {name for name, _ in function.uses} if function else ():
                number = self._numbers.get(Global(function.module.id, name)) if function else None
                if number is not None:
                    users = np.flatnonzero(routines == routine) + low
                    calls.append(np.unique(np.searchsorted(nodes, users, "right") - 1))
                    found.append(np.full(len(calls[-1]), number * _KINDS + _GLOBAL))
        return np.concatenate(calls), np.concatenate(found)
