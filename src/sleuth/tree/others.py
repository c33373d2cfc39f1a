"""Who changed something while a call ran: the call with its callees, or others meanwhile."""

from bisect import bisect_right

from sleuth.trace.difference import Change
from sleuth.trace.events import Call, EventKind, Function, Moment
from sleuth.trace.reader import Trace
from sleuth.trace.roots import end_of

_MOST_STRETCHES = 100_000


class Doers:
    """Tells for one call who was running when."""

    def __init__(self, trace: Trace, call: Call) -> None:
        self._trace = trace
        self._call = call
        self._is_own: dict[int, bool] = {}
        self._starts: list[int] = []
        self._ends: list[int] = []
        if call.is_resumable:
            self._find_stretches()

    def is_other(self, change: Change, function: Function | None) -> bool:
        """Whether somebody else made a change."""
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
        at = bisect_right(self._starts, moment) - 1
        if at < 0 or moment > self._ends[at]:
            return False
        started = self._trace.event(self._starts[at]).thread
        return self._trace.event(moment).thread == started

    def _moment(self, change: Change, function: Function | None) -> Moment | None:
        if change.holder is not None:
            return change.cause.moment if change.cause else None
        if function is None:
            return None
        name = change.path.rpartition(".")[2]
        end = end_of(self._trace, self._call)
        return self._trace.global_set(function.module, name, self._call.first, end)

    def _find_stretches(self) -> None:
        call, last = self._call, end_of(self._trace, self._call)
        for event in self._trace.events(call.first, last, call=call.id):
            if event.kind is EventKind.RESUME or (
                event.kind is EventKind.ENTER and not event.flags & 1
            ):
                self._starts.append(event.moment)
                self._ends.append(int(last))
            elif event.kind is EventKind.SUSPEND and self._ends:
                self._ends[-1] = event.moment
            if len(self._starts) >= _MOST_STRETCHES:
                break
