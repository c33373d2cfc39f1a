"""Cursor: the selection (call, from, to, path) in a run, and the moves from it.

Steps stay in their thread or task.  All views share one selection: it is below them, and immutable.
"""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

from sleuth.errors import UsageError
from sleuth.trace.events import Call, CallId, Event, EventKind, Moment
from sleuth.trace.history.line_runs import NoMove, next_line, previous_line
from sleuth.trace.history.locations import Pointed, pointed
from sleuth.trace.history.stack import (
    COROUTINE,
    caller_of,
    kind_of,
    resumed_at,
    stack,
    suspended_at,
)
from sleuth.trace.history.strands import Strand
from sleuth.trace.history.writes import Write
from sleuth.trace.nearest import Wanted
from sleuth.trace.path import PathError
from sleuth.trace.reader import Trace

_ENDS = (EventKind.RETURN, EventKind.UNWIND, EventKind.LOST)


@dataclass(frozen=True, slots=True)
class Cursor:
    """The selection.  The event at `to` has just happened: values are those after it."""

    trace: Trace
    call: CallId
    to: Moment
    since: Moment | None = None
    """From where changes are shown; None: from the beginning of the call."""
    path: Pointed | None = None
    """The location whose writes are marked; None: none."""

    # --- What is selected ------------------------------------------------------------------------

    @property
    def seen(self) -> Moment:
        """The moment whose state is shown: the event has happened, but the end of a call."""
        if self.to == self._call.last:
            return self.to
        return Moment(min(self.to + 1, self.trace.event_count))

    @property
    def begin(self) -> Moment:
        """From where changes are shown."""
        return self._call.first if self.since is None else self.since

    @property
    def event(self) -> Event:
        """The selected event."""
        return self.trace.event(self.to)

    def choose_call(self, call: CallId) -> "Cursor":
        """Select a call, from its beginning to its end; the path stays."""
        return replace(self, call=call, since=None).end()

    def choose_event(self, moment: int) -> "Cursor":
        """Move "to" to an event of the call, or of one below; call, from and path stay."""
        return replace(self, to=self._inside(moment))

    def choose_from(self, moment: int | None) -> "Cursor":
        """Move "from"; None: back to the beginning of the call."""
        return replace(self, since=None if moment is None else self._inside(moment))

    def choose_path(self, path: str | None) -> "Cursor":
        """Select the location of a path, whose writes are marked; None: none."""
        return replace(self, path=None if path is None else self._pointed(path))

    def _pointed(self, path: str) -> Pointed:
        """Return what a path means now; if it does not exist yet, at the end of the call."""
        try:
            return pointed(self.trace, path, self._call, self.seen)
        except PathError:
            with suppress(PathError):
                return pointed(self.trace, path, self._call)
            raise

    def choose_write(self, write: Write) -> "Cursor":
        """Go to a write: its call, from its beginning to the write."""
        call = self.trace.event(write.moment).call if write.call is None else write.call
        here = self.call if call is None else call
        return replace(self, call=here, to=write.moment, since=None)

    # --- Steps -----------------------------------------------------------------------------------

    def into(self) -> "Cursor":
        """Go to the next event of the thread or task, in whatever call."""
        event = self.event
        found = self.trace.nearest.after(self.to, Wanted(event.thread, event.task))
        return self._to(found, f"This is the last event of its {self._strand}.")

    def back_into(self) -> "Cursor":
        """Go to the event before in the thread or task, in whatever call."""
        event = self.event
        found = self.trace.nearest.before(self.to, Wanted(event.thread, event.task))
        return self._to(found, f"This is the first event of its {self._strand}.")

    def over(self) -> "Cursor":
        """Go to the next event of the call; from its end to the next one of its caller."""
        event = self.event
        if event.kind in _ENDS and event.call == self.call:
            return self.out()
        found = self._own_after(self._call, self.to)
        return self._to(found, self._no_more("after") if found is None else "")

    def back_over(self) -> "Cursor":
        """Go to the event of the call before; from its beginning to the one of its caller."""
        if self.to <= self._call.first:
            return self.back_out()
        found = self._own_before(self._call, self.to)
        return self._to(found, self._no_more("before") if found is None else "")

    def out(self) -> "Cursor":
        """Go to the next event of the caller after the call has handed over to it."""
        call = self._call
        caller = self._caller("ends")
        end = suspended_at(self.trace, call, self.to)
        if end is None:
            raise NoMove(f"Call {call.id} never ended.")
        found = self._own_after(caller, end)
        return self._to(found, f"Nothing more was recorded of the caller, call {caller.id}.")

    def back_out(self) -> "Cursor":
        """Go to the last event of the caller before the call began or was resumed."""
        call = self._call
        caller = self._caller("begins")
        begun = call.first
        if call.is_resumable:
            begun = resumed_at(self.trace, call, self.to) or call.first
        if kind_of(self.trace, call) == COROUTINE:
            wanted = Wanted(call=call.id, kind=EventKind.RESUME)
            begun = self.trace.nearest.after(call.first, wanted, self.to) or call.first
        found = self._own_before(caller, begun)
        return self._to(found, f"Nothing was recorded before of the caller, call {caller.id}.")

    # --- Loops and lines -------------------------------------------------------------------------

    def turn(self, *, back: bool) -> "Cursor":
        """Go to the next turn of the innermost loop around this event, or to the one before."""
        call, loop = self._call, self._loop()
        turn = Wanted(call=call.id, kind=EventKind.TURN, number=loop)
        begin = Wanted(call=call.id, kind=EventKind.LOOP, number=loop)
        nearest = self.trace.nearest
        if back:
            started = nearest.before(self.to + 1, begin, call.first) or call.first
            # The beginning of the turn that goes on is not the turn before.
            now = nearest.before(self.to + 1, turn, started)
            found = None if now is None else nearest.before(now, turn, started)
            return self._to(found, "There is no turn of the loop before this one.")
        found = nearest.after(self.to, turn, call.last)
        if found is not None and nearest.after(self.to, begin, found) is not None:
            found = None
        return self._to(found, "This is the last turn of the loop.")

    def _loop(self) -> int:
        """Return the site of the innermost loop around this event."""
        call, at = self._call, Moment(self.to + 1)
        while True:
            found = self._own_before(call, at)
            event = None if found is None else self.trace.event(found)
            if event is None or event.kind is EventKind.ENTER:
                raise NoMove("No loop goes on here.")
            if event.kind in (EventKind.LOOP, EventKind.TURN):
                return event.number
            site = None if event.site is None else self.trace.site(event.site)
            if site is not None:
                if site.loop is None:
                    raise NoMove("No loop goes on here.")
                return site.loop
            at = event.moment

    def line(self, line: int, file: str = "", *, back: bool) -> "Cursor":
        """Go to the next time that a line of the call runs, or the time before.

        With a file: in any call.  The event is the last one before the line runs.
        """
        find = previous_line if back else next_line
        call, moment = find(self.trace, self._call, self.to, line, file)
        return replace(self, call=call, to=moment, since=None)

    # --- Jumps -----------------------------------------------------------------------------------

    def at(self, moment: int) -> "Cursor":
        """Go to a moment, and to the call that it belongs to."""
        return self._at(self.trace.event(self._inside(moment)))

    def start(self) -> "Cursor":
        """Go to the beginning of the call."""
        return replace(self, to=self._call.first)

    def end(self) -> "Cursor":
        """Go to the end of the call, or of the run if it never ended."""
        last = self._call.last
        if last is None:
            found = self._own_before(self._call, Moment(self.trace.event_count))
            return replace(self, to=self._call.first if found is None else found)
        return replace(self, to=last)

    def written(self, path: str, *, back: bool) -> tuple["Cursor", Write]:
        """Go to the write to a path before this moment, or after it; empty: the selected path."""
        here = self.choose_path(path) if path else self
        if here.path is None:
            raise UsageError("No path is selected; type one, as in: prev total")
        first, last = (0, self.to - 1) if back else (self.to + 1, self.trace.event_count - 1)
        write = next(self.trace.writes(here.path.location, first, last, back=back), None)
        if write is None:
            when = "before" if back else "after"
            raise NoMove(f"{here.path.path} is not written {when} this moment.")
        return here.choose_write(write), write

    def strand(self, strand: Strand) -> "Cursor":
        """Go to the newest event of a thread or task."""
        return self._at(self.trace.event(strand.at))

    # --- The stack -------------------------------------------------------------------------------

    def up(self) -> "Cursor":
        """Select the caller, at the same moment."""
        return replace(self, call=self._caller("is called").id, since=None)

    def down(self) -> "Cursor":
        """Select the call below, towards the one that runs, at the same moment."""
        inner = None
        for call in self.stack():
            if call.id == self.call:
                break
            inner = call
        if inner is None:
            raise NoMove("This is the call that runs at this moment.")
        return replace(self, call=inner.id, since=None)

    def stack(self) -> Iterator[Call]:
        """Yield the calls that are going on in the thread or task, the innermost first."""
        return stack(self.trace, self.event.call, self.to)

    # --- Inside ----------------------------------------------------------------------------------

    @property
    def _call(self) -> Call:
        return self.trace.call(self.call)

    @property
    def _strand(self) -> str:
        return "task" if self.event.task else "thread"

    def _inside(self, moment: int) -> Moment:
        last = self.trace.event_count - 1
        if not 0 <= moment <= last:
            raise UsageError(f"There is no moment {moment}: they go from 0 to {last:,}.")
        return Moment(moment)

    def _at(self, event: Event) -> "Cursor":
        call = self.call if event.call is None else event.call
        since = self.since if call == self.call else None
        return replace(self, call=call, to=event.moment, since=since)

    def _to(self, moment: Moment | None, problem: str) -> "Cursor":
        if moment is None:
            raise NoMove(problem)
        return self._at(self.trace.event(moment))

    def _caller(self, what: str) -> Call:
        found = caller_of(self.trace, self._call, self.to)
        if found is None:
            raise NoMove(
                f"Call {self.call} {what} here without a recorded caller in its {self._strand}."
            )
        return found.call

    def _of(self, call: Call) -> Wanted:
        """Return what an event of a call is like; a generator can go on in another thread."""
        if not call.is_resumable:
            return Wanted(call=call.id)
        event = self.event
        return Wanted(event.thread, event.task, call.id)

    def _own_after(self, call: Call, moment: Moment) -> Moment | None:
        return self.trace.nearest.after(moment, self._of(call), call.last)

    def _own_before(self, call: Call, moment: Moment) -> Moment | None:
        return self.trace.nearest.before(moment, self._of(call), call.first)

    def _no_more(self, when: str) -> str:
        """Say that a call has no event in a direction, and where it goes on, if it does."""
        call = self._call
        wanted = Wanted(call=call.id)
        near = self.trace.nearest
        is_after = when == "after"
        found = near.after(self.to, wanted) if is_after else near.before(self.to, wanted)
        if found is not None:
            other = self.trace.event(found)
            strand = "task" if other.task else "thread"
            goes_on = "goes on" if is_after else "was"
            return f"Call {call.id} {goes_on} in another {strand}: at {found}"
        return f"Nothing was recorded of call {call.id} {when} this moment."
