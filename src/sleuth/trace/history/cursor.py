"""Cursor: the selected event of a run, and the moves from it; steps stay in their thread."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sleuth.errors import UsageError
from sleuth.trace.events import Call, CallId, Event, EventKind, Moment
from sleuth.trace.history.locations import pointed
from sleuth.trace.history.writes import Write

if TYPE_CHECKING:
    from sleuth.trace.reader import Trace

_ENDS = (EventKind.RETURN, EventKind.UNWIND, EventKind.LOST)


class NoMove(UsageError):
    """There is nothing in that direction."""


@dataclass(frozen=True, slots=True)
class Cursor:
    """The selection: a call and a moment of the run.  The event at the moment has just happened."""

    trace: "Trace"
    call: CallId
    to: Moment

    # --- Steps -----------------------------------------------------------------------------------

    def into(self) -> "Cursor":
        """Go to the next event of the thread or task, in whatever call."""
        return self._at(self._near(self.to, 1))

    def back_into(self) -> "Cursor":
        """Go to the event before in the thread or task, in whatever call."""
        return self._at(self._near(self.to, -1))

    def over(self) -> "Cursor":
        """Go to the next event of the call; from its end to the next one of its caller."""
        event = self._event
        if event.kind in _ENDS and event.call == self.call:
            return self.out()
        return self._at(self._own(self._call, self.to, 1))

    def back_over(self) -> "Cursor":
        """Go to the event of the call before; from its beginning to the one of its caller."""
        if self.to <= self._call.first:
            return self.back_out()
        return self._at(self._own(self._call, self.to, -1))

    def out(self) -> "Cursor":
        """Go to the next event of the caller after the end of the call."""
        call = self._call
        caller = self._caller("ends")
        if call.last is None:
            raise NoMove(f"Call {call.id} never ended.")
        return self._at(self._own(caller, max(call.last, self.to), 1))

    def back_out(self) -> "Cursor":
        """Go to the last event of the caller before the call began."""
        caller = self._caller("begins")
        return self._at(self._own(caller, self._call.first, -1))

    # --- Jumps -----------------------------------------------------------------------------------

    def at(self, moment: int) -> "Cursor":
        """Go to a moment, and to the call that it belongs to."""
        last = self.trace.event_count - 1
        if not 0 <= moment <= last:
            raise UsageError(f"There is no moment {moment}: they go from 0 to {last:,}.")
        return self._at(self.trace.event(moment))

    def start(self) -> "Cursor":
        """Go to the beginning of the call."""
        return replace(self, to=self._call.first)

    def end(self) -> "Cursor":
        """Go to the end of the call, or of the run if it never ended."""
        last = self._call.last
        return self.at(self.trace.event_count - 1) if last is None else replace(self, to=last)

    def written(self, path: str, *, back: bool) -> tuple["Cursor", Write]:
        """Go to the write to a path before this moment, or after it."""
        found = pointed(self.trace, path, self._call, self.seen)
        first, last = (0, self.to - 1) if back else (self.to + 1, self.trace.event_count - 1)
        write = next(self.trace.writes(found.location, first, last, back=back), None)
        if write is None:
            raise NoMove(
                f"{found.path} is not written {'before' if back else 'after'} this moment."
            )
        return self.at(write.moment), write

    def up(self) -> "Cursor":
        """Select the caller, at the same moment."""
        return replace(self, call=self._caller("is called").id)

    def down(self) -> "Cursor":
        """Select the call below, towards the one that runs, at the same moment."""
        inner = None
        for call in self.stack():
            if call.id == self.call:
                break
            inner = call
        if inner is None:
            raise NoMove("This is the call that runs at this moment.")
        return replace(self, call=inner.id)

    def stack(self) -> Iterator[Call]:
        """Yield the calls that are going on in the thread, the innermost first."""
        number = self._event.call
        while number is not None:
            call = self.trace.call(number)
            yield call
            number = None if call.ran_elsewhere else call.parent

    # --- Inside ----------------------------------------------------------------------------------

    @property
    def seen(self) -> Moment:
        """The moment whose state is shown: the event has happened."""
        return Moment(min(self.to + 1, self.trace.event_count))

    @property
    def _call(self) -> Call:
        return self.trace.call(self.call)

    @property
    def _event(self) -> Event:
        return self.trace.event(self.to)

    def _at(self, event: Event) -> "Cursor":
        call = self.call if event.call is None else event.call
        return replace(self, call=call, to=event.moment)

    def _caller(self, what: str) -> Call:
        call = self._call
        if call.parent is None or call.ran_elsewhere:
            raise NoMove(f"Call {call.id} {what} here without a recorded caller in its thread.")
        return self.trace.call(call.parent)

    def _near(self, moment: int, step: int) -> Event:
        """Return the next event of the thread and task in a direction."""
        here = self._event
        moment += step
        while 0 <= moment < self.trace.event_count:
            event = self.trace.event(moment)
            if (event.thread, event.task) == (here.thread, here.task):
                return event
            moment += step
        raise NoMove(f"This is the {'last' if step > 0 else 'first'} event of its thread.")

    def _own(self, call: Call, moment: int, step: int) -> Event:
        """Return the next event of a call itself in a direction; what it called is left out."""
        event = self._near(moment, step)
        while event.call != call.id:
            other = None if event.call is None else self.trace.call(event.call)
            moment = event.moment
            if other is not None and other.id > call.id and not other.is_resumable:
                far = other.last if step > 0 else other.first
                moment = moment if far is None else far
            event = self._near(moment, step)
        return event
