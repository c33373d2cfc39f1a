"""Who changed something while a call ran: the call with its callees, or others meanwhile.

What other threads and tasks did is never its own.  But of those that it started itself, and that
had ended when it did, all is told: an answer about it is about them, too.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sleuth.trace.events import Call, Event, EventKind, Function, Moment
from sleuth.trace.heap.difference import Change
from sleuth.trace.heap.roots import end_of
from sleuth.trace.reader import Trace
from sleuth.tree.node import Key
from sleuth.tree.threads import holder_of, is_part

_NEARBY = 256
_MOST_LOOKED = 20
"""Of so many of its changes it is looked who had changed the same before."""
_PAUSES = (EventKind.SUSPEND, EventKind.RETURN, EventKind.UNWIND, EventKind.LOST)
"""After these it does not run."""


class Doers:
    """Tells for one call who was running when."""

    def __init__(
        self, trace: Trace, call: Call, function: Function | None, part: Key | None = None
    ) -> None:
        self._trace = trace
        self._call = call
        self._function = function
        self._first = call.first if part is None else Moment(part.first)
        self._end = end_of(trace, call) if part is None else Moment(part.last)
        self._part = part
        self._is_own: dict[int, bool] = {}
        self._is_below: dict[int, bool] = {}

    def is_other(self, change: Change, *, until: Moment | None = None) -> bool:
        """Whether somebody else made a change; it is the last one up to a moment."""
        since = change.cause.since if change.cause else None
        if since is not None and self._first <= since and self.is_own(since):
            return False  # it was found later; nobody knows when it was made
        moment = self._moment(change, self._end if until is None else until)
        return moment is not None and not self.is_own(moment)

    def overwritten(self, own: Sequence[Change]) -> Iterator[Change]:
        """Yield what others had changed while it ran, before it changed the same itself."""
        for change in own[:_MOST_LOOKED]:
            moment = self._moment(change, self._end)
            if moment is not None and self._is_disturbed(moment):
                before = self._before(change, moment)
                if before is not None and self.is_other(before, until=moment):
                    yield before

    def lost(self, others: Sequence[Change]) -> Iterator[Change]:
        """Yield what it had changed itself, before others changed the same."""
        for change in others[:_MOST_LOOKED]:
            moment = self._moment(change, self._end)
            before = None if moment is None else self._before(change, moment)
            if before is not None and not self.is_other(before, until=moment):
                yield before

    def _before(self, change: Change, moment: Moment) -> Change | None:
        """Return how the same had been changed up to a moment, if it had."""
        if change.holder is not None:
            return self._trace.changed_before(change, self._first, moment)
        if self._function is None or self._moment(change, moment) is None:
            return None
        name = change.path.rpartition(".")[2]
        value = self._trace.globals(self._function.module, moment).get(name, change.old)
        return None if value == change.old else replace(change, kind="set", new=value)

    def _is_disturbed(self, moment: Moment) -> bool:
        """Whether others ran a little before a moment, and after the call began."""
        events = self._trace.events(max(moment - _NEARBY, self._first), moment)
        if not self._call.is_resumable:
            return any(event.thread != self._call.thread for event in events)
        return any(
            event.kind is EventKind.SUSPEND and event.call == self._call.id for event in events
        )

    def is_own(self, moment: Moment | int) -> bool:
        """Whether the call or one that it made was running at a moment."""
        if moment not in self._is_own:
            self._is_own[moment] = self._look(moment)
        return self._is_own[moment]

    def has_started(self, change: Change) -> bool:
        """Whether a change was made elsewhere, by something that the call started."""
        moment = self._moment(change, self._end)
        return moment is not None and self.is_started(moment)

    def is_started(self, moment: Moment | int) -> bool:
        """Whether a call that runs at a moment is below this one in the tree, or in its part."""
        if not self._trace.has_elsewhere:
            return False
        call: int | None = self._trace.event(moment).call
        way: list[int] = []
        while call is not None and call > self._call.id and call not in self._is_below:
            way.append(call)
            call = self._above(self._trace.call(call))
        is_it = call == self._call.id
        found = is_it if call is None else self._is_below.get(call, is_it)
        self._is_below |= dict.fromkeys(way, found)
        return found

    def _above(self, call: Call) -> int | None:
        """Return under which call one hangs; None: not under this one, or not in the part of it."""
        above = holder_of(self._trace, call)
        if above is None:
            return None
        if self._part is not None and above.id == self._call.id:
            return above.id if is_part(self._trace, call, self._part) else None
        return above.id

    def _look(self, moment: Moment | int) -> bool:
        if not self._call.is_resumable:
            return self._trace.event(moment).thread == self._call.thread
        own = self._own_before(moment)
        if own is None or own.kind in _PAUSES or (own.kind is EventKind.ENTER and own.flags & 1):
            return False
        return self._trace.event(moment).thread == own.thread

    def _own_before(self, moment: Moment | int) -> Event | None:
        """Return the last event of the call itself up to a moment: it is seldom far away."""
        size, low = _NEARBY, int(moment) + 1
        while low > self._call.first:
            low, high = max(int(moment) - size, self._call.first), low - 1
            events = list(self._trace.events(low, high, call=self._call.id))
            if events:
                return events[-1]
            size *= 8
        return None

    def _moment(self, change: Change, end: Moment) -> Moment | None:
        if change.holder is not None:
            return change.cause.moment if change.cause else None
        name = change.path.rpartition(".")[2]
        if self._function is None or name in self._function.free:
            return None
        return self._trace.global_set(self._function.module, name, self._first, end)
