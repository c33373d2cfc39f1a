"""Footprints: the locations that calls touch, as far as known, for many calls at once.

A location is an object, a global variable, or a stream.  A call, together with its callees, writes
to the objects that it stores into or that unrecorded code changes for it, the globals that it sets,
and the streams that it prints to.  Reads are not recorded: it counts as reading its arguments and
those of its callees, the variables shared with enclosing functions, and the globals named in the
code.
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

_MOST_STREAMS = 16
"""Streams with higher numbers count as one."""
_WRITES = (Touch.WRITTEN, Touch.BOUND, Touch.PRINTED)


class Global(NamedTuple):
    """A global variable."""

    module: int
    name: str


@dataclass(frozen=True, eq=False)
class Footprints:
    """The touches of some calls, and the writes between them; a row for each."""

    count: int
    """The number of calls."""
    call: Numbers
    """Index of each row's call; for a write between two calls, of the earlier one (or -1)."""
    location: Numbers
    is_inside: Flags
    """Whether the call or one of its callees did it."""
    is_write: Flags
    changes: Flags
    """For each call whether it wrote to a location that existed before it."""
    numbering: "Numbering"

    def of(self, call: int) -> tuple[set[object], set[object]]:
        """Return the locations that a call was given or uses, and those that it wrote to.

        Objects are numbers, global variables are named, streams are negative.
        """
        mine = self.is_inside & (self.call == call)
        read, written = (
            {self.numbering.name(each) for each in self.location[mine & which].tolist()}
            for which in (~self.is_write, self.is_write)
        )
        return read, written

    @cached_property
    def _numbered(self) -> tuple[int, Numbers]:
        """The number of locations, and for each row the index of its location."""
        known, which = np.unique(self.location, return_inverse=True)
        return max(len(known), 1), which.astype(np.int64)

    @cached_property
    def is_undisturbed(self) -> Flags:
        """For each call and the next: whether nothing that either touches was written between."""
        undisturbed = np.ones(max(self.count - 1, 0), bool)
        between = ~self.is_inside & self.is_write & (self.call >= 0) & (self.call < self.count - 1)
        places = np.flatnonzero(between)
        if len(places):
            count, location = self._numbered
            touched = self.call[self.is_inside] * count + location[self.is_inside]
            before = self.call[places] * count + location[places]
            is_in_one = np.isin(before, touched) | np.isin(before + count, touched)
            undisturbed[self.call[places[is_in_one]]] = False
        return undisturbed

    @cached_property
    def is_shared(self) -> Flags:
        """For each call and the next: whether both wrote to the same location."""
        shared = np.zeros(max(self.count - 1, 0), bool)
        count, location = self._numbered
        mine = self.is_inside & self.is_write
        # (The rows are almost sorted, so this is quick.)
        written = np.sort(self.call[mine] * count + location[mine], kind="stable")
        places = np.minimum(np.searchsorted(written, written + count), len(written) - 1)
        shared[written[written[places] == written + count] // count] = True
        return shared


@dataclass(frozen=True, slots=True)
class Numbering:
    """Numbers for locations: objects keep theirs, global variables and streams follow."""

    objects: int
    globals: Sequence[Global]

    def of_global(self, number: int) -> int:
        """Return the number of a global variable."""
        return self.objects + number

    def of_stream(self, streams: Numbers) -> Numbers:
        """Return the numbers of streams."""
        return self.objects + len(self.globals) + np.minimum(streams, _MOST_STREAMS - 1)

    def name(self, location: int) -> object:
        """Return the number of an object, the name of a variable, or minus the stream."""
        if location < self.objects:
            return location
        place = location - self.objects
        streams = len(self.globals)
        return self.globals[place] if place < streams else streams - place


def footprints(trace: Trace, tree: FlatTree, nodes: Numbers) -> Footprints:
    """Return the footprints of finished calls that ran one after the other."""
    firsts, lasts = tree.first[nodes], tree.last[nodes]
    start, stop = trace.begins_segment(int(firsts[0])), int(lasts.max())
    names = _Globals(trace, int(firsts[0]), stop)
    rows = columns.touches(trace, start, stop, frozenset(names.of_site))
    is_object = rows.what <= Touch.SEEN
    numbering = Numbering(int(rows.number[is_object].max(initial=-1)) + 1, names.names)
    location = _locations(rows, names, numbering)
    call = np.searchsorted(firsts, rows.moment, "right") - 1
    is_inside = (call >= 0) & (rows.moment <= lasts[np.maximum(call, 0)])
    is_write = np.isin(rows.what, _WRITES)
    changes = np.zeros(len(nodes), bool)
    changed = np.flatnonzero(is_inside & is_write)
    known = int(trace.latest_object(int(firsts[0])))
    began = firsts[np.maximum(call, 0)]
    was_there = ~is_object | (rows.number <= known)
    was_there |= _first_seen(location, rows.moment) < began
    changes[call[changed[was_there[changed]]]] = True
    is_kept = is_write | (rows.what == Touch.GIVEN)
    used = names.used(tree, nodes, numbering)
    return Footprints(
        count=len(nodes),
        call=np.concatenate((call[is_kept], used[0])),
        location=np.concatenate((location[is_kept], used[1])),
        is_inside=np.concatenate((is_inside[is_kept], np.ones(len(used[0]), bool))),
        is_write=np.concatenate((is_write[is_kept], np.zeros(len(used[0]), bool))),
        changes=changes,
        numbering=numbering,
    )


def _locations(rows: Touches, names: "_Globals", numbering: Numbering) -> Numbers:
    found = rows.number.copy()
    bound = np.flatnonzero(rows.what == Touch.BOUND)
    if len(bound):
        table = np.zeros(max(names.of_site) + 1, np.int64)
        table[list(names.of_site)] = [*map(numbering.of_global, names.of_site.values())]
        found[bound] = table[rows.number[bound]]
    printed = rows.what == Touch.PRINTED
    found[printed] = numbering.of_stream(rows.number[printed])
    return found


def _first_seen(location: Numbers, moment: Numbers) -> Numbers:
    """Return for each row when its location was first touched or recorded."""
    # (No array indexed by location: an object may have any number.)
    _, first, which = np.unique(location, return_index=True, return_inverse=True)
    seen: Numbers = moment[first][which]
    return seen


class _Globals:
    """Global variables that are set while some calls run."""

    def __init__(self, trace: Trace, first: int, last: int) -> None:
        self._trace = trace
        self.names: list[Global] = []
        self.of_site: dict[int, int] = {}
        """Site -> index of the variable that is set there."""
        self._numbers: dict[Global, int] = {}
        for number in sorted(trace.bound_sites(first, last)):
            site = trace.site(number)
            if site is not None and site.kind == "global" and site.name:
                name = Global(site.module.id, site.name)
                if name not in self._numbers:
                    self._numbers[name] = len(self.names)
                    self.names.append(name)
                self.of_site[number] = self._numbers[name]

    def used(self, tree: FlatTree, nodes: Numbers, numbering: Numbering) -> tuple[Numbers, Numbers]:
        """Return pairs of calls and variables named in the code of the call or its callees."""
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
                    found.append(np.full(len(calls[-1]), numbering.of_global(number)))
        return np.concatenate(calls), np.concatenate(found)
