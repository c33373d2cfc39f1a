"""Who changed something while a call ran: the call with its callees, or others meanwhile."""

from sleuth.trace.difference import Change
from sleuth.trace.events import Call, Event, EventKind, Function, Moment
from sleuth.trace.reader import Trace
from sleuth.trace.roots import end_of

_NEARBY = 256
_PAUSES = (EventKind.SUSPEND, EventKind.RETURN, EventKind.UNWIND, EventKind.LOST)
"""After these it does not run."""


class Doers:
    """Tells for one call who was running when."""

    def __init__(self, trace: Trace, call: Call) -> None:
        self._trace = trace
        self._call = call
        self._is_own: dict[int, bool] = {}

    def is_other(self, change: Change, function: Function | None) -> bool:
        """Whether somebody else made a change."""
        since = change.cause.since if change.cause else None
        if since is not None and self._call.first <= since and self.is_own(since):
            return False  # it was found later; nobody knows when it was made
        moment = self._moment(change, function)
        return moment is not None and not self.is_own(moment)

    def is_own(self, moment: Moment | int) -> bool:
        """Whether the call or one that it made was running at a moment."""
        if moment not in self._is_own:
            self._is_own[moment] = self._look(moment)
        return self._is_own[moment]

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

    def _moment(self, change: Change, function: Function | None) -> Moment | None:
        if change.holder is not None:
            return change.cause.moment if change.cause else None
        name = change.path.rpartition(".")[2]
        if function is None or name in function.free:
            return None
        end = end_of(self._trace, self._call)
        return self._trace.global_set(function.module, name, self._call.first, end)
