"""The statements and lines that each call ran itself, found by following its route.

It is separate from the reader because it needs numpy, which the recorder does without.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sleuth.trace.events import Call, EventKind, FunctionId, Outcome
from sleuth.trace.flow.route import AT_PLACE, Label, Routes, StepRoutes, Ways
from sleuth.trace.flow.table import DOES_NOTHING, NONE, Flow
from sleuth.trace.reader import Trace

ROW = np.dtype(
    [("moment", "<i8"), ("call", "<u4"), ("number", "<i4"), ("place", "<i4"), ("kind", "<u4")]
)
_MOST_WAITING = 1 << 18
"""Labels of an unfinished call that are collected before they are followed."""
_KEPT_BACK = 64
"""Labels held back then, as the meaning of a label can depend on those after it."""

Labels = npt.NDArray[np.int32]
"""Site, place and kind of each label."""


class Ran(NamedTuple):
    """What a call ran itself."""

    statements: int
    """The statements of the flow that certainly ran, as bits."""
    lines: tuple[int, ...]
    """The first lines of these statements, sorted."""
    touched: tuple[int, ...]
    """All lines on which something ran, sorted."""
    at: tuple[int, ...] = ()
    """The statement of its last event; several if that is not certain."""


class Behind(NamedTuple):
    """The next event on a call's route."""

    moment: int
    kind: int
    place: int
    """-1: not known."""


class _Following:
    """Follows the routes of calls."""

    def __init__(self, trace: Trace, make: type[Routes]) -> None:
        self._trace = trace
        self._make = make
        self._routes: dict[FunctionId, Routes | None] = {}

    def _followed(self, call: Call) -> "_Follower | None":
        """Follow a call to its end; None: its route is not known."""
        last = self._trace.event_count - 1 if call.last is None else call.last
        follower = self._follower(call)
        if follower is not None:
            for _, packed in self._trace.trails(call.first, last, call.id):
                follower.take(_labels(np.frombuffer(packed, ROW)))
        return follower

    def _followed_between(
        self, call: Call, first: int, last: int, *, is_closed: bool
    ) -> "_Follower | None":
        if first <= call.first:
            follower = self._follower(call)
        else:
            routes = self._routes_of(call)
            follower = None if routes is None else _Follower(routes, None)
        if follower is None:
            return None
        stop = self._trace.event_count - 1 if call.last is None else call.last
        for _, packed in self._trace.trails(first, stop, call.id):
            rows = np.frombuffer(packed, ROW)
            behind = int(np.searchsorted(rows["moment"], last, "right"))
            follower.take(_labels(rows[: behind + (not is_closed)]))
            if behind < len(rows):
                break
        return follower

    def _routes_of(self, call: Call) -> Routes | None:
        if call.function not in self._routes:
            flow = self._trace.flow(call.function)
            self._routes[call.function] = None if flow is None else self._make(flow)
        return self._routes[call.function]

    def _follower(self, call: Call) -> "_Follower | None":
        routes = self._routes_of(call)
        start = None if routes is None else routes.start(is_resumed=call.parent_is_resumer)
        return None if routes is None or start is None else _Follower(routes, start)


class Steps(_Following):
    """Finds the steps of its function that a call ran."""

    def __init__(self, trace: Trace) -> None:
        super().__init__(trace, StepRoutes)

    def of(self, call: Call) -> int | None:
        """Return the steps that a call certainly began, as bits; None: not known."""
        follower = self._followed(call)
        return None if follower is None else follower.end()

    def between(self, call: Call, first: int, last: int) -> int | None:
        """Return the steps between two moments, up to the call's next event after them."""
        follower = self._followed_between(call, first, last, is_closed=False)
        return None if follower is None else follower.end()


class Lines(_Following):
    """Finds the lines that a call ran, with a cache, as many calls take the same route."""

    def __init__(self, trace: Trace) -> None:
        super().__init__(trace, Routes)
        self._known: dict[tuple[FunctionId, bool, bytes], Ran | None] = {}

    def of(self, call: Call) -> Ran | None:
        """Return what a call ran; None: not known."""
        follower = self._followed(call)
        return None if follower is None else self._end(follower)

    def between(self, call: Call, first: int, last: int, *, is_closed: bool = False) -> Ran | None:
        """Return what a call ran between two moments, up to its next event after them.

        Statements begun before the first event are left out.  is_closed: stop at the last moment.
        """
        follower = self._followed_between(call, first, last, is_closed=is_closed)
        return None if follower is None else self._end(follower)

    def behind(self, call: Call, moment: int) -> Behind | None:
        """Return the first event on a call's route after a moment; None: there is none."""
        last = self._trace.event_count - 1 if call.last is None else call.last
        for _, packed in self._trace.trails(moment + 1, last, call.id):
            rows = np.frombuffer(packed, ROW)
            rows = rows[rows["kind"] != EventKind.RAISE]
            if len(rows):
                return Behind(int(rows["moment"][0]), int(rows["kind"][0]), int(rows["place"][0]))
        return None

    def all(self) -> Iterator[tuple[Call, Ran | None]]:
        """Yield all calls with what they ran, in the order they began."""
        going: dict[int, _Follower | None] = {}
        done: dict[int, Ran | None] = {}
        trace = self._trace
        for row, packed in trace.trails(0, trace.event_count - 1):
            for call, labels in by_call(np.frombuffer(packed, ROW)):
                if call not in going:
                    about = trace.call(call)
                    if _is_inside(about, row.first_moment, row.first_moment + row.moments):
                        done[call] = self._whole(about, labels)
                        continue
                    going[call] = self._follower(about)
                follower = going[call]
                if follower is not None:
                    follower.take(labels)
        for call, follower in going.items():
            done[call] = None if follower is None else self._end(follower)
        for each in trace.calls():
            yield each, done.get(each.id)

    # --- Inside ----------------------------------------------------------------------------------

    def _whole(self, call: Call, labels: Labels) -> Ran | None:
        key = call.function, call.parent_is_resumer, labels.tobytes()
        if key not in self._known:
            follower = self._follower(call)
            if follower is not None:
                follower.take(labels)
            self._known[key] = None if follower is None else self._end(follower)
        return self._known[key]

    def _end(self, follower: "_Follower") -> Ran | None:
        statements = follower.end()
        if statements is None:
            return None
        return _ran(follower.flow, statements)._replace(at=follower.at)


def _ran(flow: Flow, bits: int) -> Ran:
    count = len(flow.statements)
    first = {
        statement.span.line
        for number, statement in enumerate(flow.statements)
        if bits >> number & 1 and statement.kind not in DOES_NOTHING
    }
    lines = bits >> count
    touched = {line for at, line in enumerate(flow.lines) if lines >> at & 1}
    return Ran(bits & (1 << count) - 1, tuple(sorted(first)), tuple(sorted(first | touched)))


class _Follower:
    """Follows the route of one call, label by label."""

    def __init__(self, routes: Routes, start: int | None) -> None:
        """Begin in a state; None: in any state that the first label can lead to."""
        self._routes = routes
        self._states: Ways | None = None if start is None else {start: 0}
        self._waiting: list[Labels] = []
        self._count = 0
        self._is_begun = start is None

    @property
    def flow(self) -> Flow:
        return self._routes.flow

    @property
    def at(self) -> tuple[int, ...]:
        steps = self.flow.steps
        found = {steps[state // 2].statement for state in self._states or ()}
        return tuple(sorted(found - {NONE}))

    def take(self, labels: Labels) -> None:
        if not self._is_begun:
            # The first label is the beginning of the call.
            self._is_begun, labels = bool(len(labels)), labels[1:]
        self._waiting.append(labels)
        self._count += len(labels)
        if self._count > _MOST_WAITING:
            self._follow(keep=_KEPT_BACK)

    def end(self) -> int | None:
        self._follow(keep=0)
        return self._routes.certain(self._states or {})

    def _follow(self, *, keep: int) -> None:
        """Follow all collected labels but the last `keep`."""
        labels = np.concatenate([*self._waiting, _NO_LABELS])
        plain = made_plain(labels, len(labels) - keep)
        self._waiting, self._count = [labels[len(labels) - keep :]], keep
        if len(plain):
            distinct, order = np.unique(_packed(plain), return_index=True, return_inverse=True)[1:]
            known = [Label(kind, site, place) for site, place, kind in plain[distinct].tolist()]
            names = order.tolist()
            if self._states is None:
                self._states = self._routes.anywhere(known[names.pop(0)])
            self._states = self._routes.follow(self._states, known, names)


_NO_LABELS: Labels = np.empty((0, 3), np.int32)
_SITE, _PLACE, _KIND = range(3)


def _packed(labels: Labels) -> npt.NDArray[np.int64]:
    """Return a number for each label; equal labels have equal numbers."""
    wide = labels.astype(np.int64)
    return wide[:, _KIND] << 56 ^ wide[:, _SITE] << 28 ^ (wide[:, _PLACE] + 1)


def made_plain(labels: Labels, count: int) -> Labels:
    """Return the first labels, resolved where their meaning depends on later ones."""
    return plain_labels(labels, count)[0]


def plain_labels(labels: Labels, count: int) -> tuple[Labels, npt.NDArray[np.intp]]:
    """Return the first labels, resolved where their meaning depends on later ones, and which.

    An exception counts where it is caught; its beginning matters only if it comes from code that is
    part of the call, such as a comprehension.  A handler that fails first deletes the name of its
    exception.
    """
    kind, place = labels[:, _KIND], labels[:, _PLACE]
    is_kept = np.ones(len(labels), bool)
    changed = labels.copy()
    for at in np.flatnonzero(kind == EventKind.RAISE).tolist():
        is_kept[at] = at + 1 < len(labels) and kind[at + 1] in _CAUGHT and place[at] >= 0
        is_kept[at] &= place[at] != place[min(at + 1, len(labels) - 1)]
        changed[at, _KIND] = AT_PLACE
    for at in np.flatnonzero(kind == EventKind.UNBIND).tolist():
        changed[at, _PLACE] = _caught_behind(kind, place, at)
    which = np.flatnonzero(is_kept[:count])
    chosen: Labels = changed[which]
    return chosen, which


_CAUGHT = (EventKind.CATCH, EventKind.UNWIND)
_ON_THE_WAY = (EventKind.UNBIND, EventKind.RAISE, AT_PLACE)


def _caught_behind(kind: npt.NDArray[np.int32], place: npt.NDArray[np.int32], at: int) -> int:
    """Return the origin of the exception that is caught right after a label; -1: there is none."""
    for behind in range(at + 1, min(at + _KEPT_BACK, len(kind))):
        if kind[behind] in _CAUGHT:
            return int(place[behind])
        if kind[behind] not in _ON_THE_WAY:
            break
    return -1


def _labels(rows: npt.NDArray[np.void]) -> Labels:
    return np.stack([rows["number"], rows["place"], rows["kind"].astype(np.int32)], axis=1)


def by_call(rows: npt.NDArray[np.void]) -> Iterator[tuple[int, Labels]]:
    """Yield the calls in the rows, each with its labels."""
    order = np.argsort(rows["call"], kind="stable")
    calls, labels = rows["call"][order], _labels(rows)[order]
    starts = np.flatnonzero(np.diff(calls, prepend=np.uint32(0xFFFFFFFF)))
    for start, stop in zip(starts.tolist(), [*starts[1:].tolist(), len(calls)], strict=True):
        if stop > start:
            yield int(calls[start]), labels[start:stop]


def _is_inside(call: Call, first: int, stop: int) -> bool:
    """Tell whether all of a call happened between two moments."""
    is_over = call.outcome in (Outcome.RETURNED, Outcome.RAISED)
    return is_over and call.last is not None and first <= call.first and call.last < stop
