"""Generators and coroutines as values: what they have yielded so far.

A trace does not say to which call such an object belongs.  It is the object that the caller's next
event on the same line mentions, after the call was made.  If there is no such event, nothing is
reported.
"""

from dataclasses import dataclass

import numpy as np

from sleuth.trace import columns, conventions
from sleuth.trace.events import Call, Event, EventKind, Function, Outcome, Span
from sleuth.trace.heap.roots import end_of
from sleuth.trace.kept import kept
from sleuth.trace.reader import Trace
from sleuth.trace.values import ABSENT, Ref, Value
from sleuth.tree.observe import behaviour as words
from sleuth.tree.observe.behaviour import Seen
from sleuth.tree.observe.calls import outcome_of
from sleuth.tree.observe.stream import GIVING, stream_in

SO_FAR = "so far"
"""State: it yielded more later."""
NOT_STARTED = "not started"
_RESUMABLE = 0x20
_MOST_LOOKED = 2_000
"""Calls before a moment that are searched."""
_NEAR = 100_000


@dataclass(frozen=True, slots=True)
class Delivered:
    """What a generator or coroutine had yielded by a moment."""

    call: Call
    function: Function
    values: tuple[Seen, ...]
    """The first values, for a generator."""
    count: int
    state: str
    """SO_FAR, NOT_STARTED, or how it ended: one of the endings of a behaviour."""
    result: Value = ABSENT
    """What it returned, if it had ended."""

    @property
    def gives(self) -> bool:
        """Whether it is a generator, which yields values."""
        return self.function.kind in GIVING


def delivered(trace: Trace, value: Value, at: int) -> Delivered | None:
    """Return what an object had yielded before the event at a moment; None: not known."""
    kinds = conventions.of(trace.meta.get("language")).activations
    if not isinstance(value, Ref) or value.type_name not in kinds:
        return None
    call = _activations(trace).call_of(value, at)
    function = trace.function(call.function) if call is not None else None
    if call is None or function is None:
        return None
    return _given(trace, call, function, at)


def _given(trace: Trace, call: Call, function: Function, at: int) -> Delivered:
    last = end_of(trace, call)
    stream = stream_in(trace, call, function, call.first, min(at - 1, last))
    values = stream.given if stream is not None else ()
    count = stream.count if stream is not None else 0
    if at > last:
        ended = outcome_of(trace, call)
        return Delivered(call, function, values, count, ended.how, ended.value)
    is_started = any(
        event.kind is EventKind.RESUME
        for event in trace.events(call.first, min(at - 1, call.first + _NEAR), call=call.id)
    )
    state = SO_FAR if is_started or count else NOT_STARTED
    return Delivered(call, function, values, count, state)


class _Activations:
    """Finds the calls of such objects in one trace."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._kinds = conventions.of(trace.meta.get("language")).activations
        calls = columns.calls(trace)
        self._calls = np.flatnonzero(calls.flags & _RESUMABLE)
        self._firsts = calls.first[self._calls]
        self._mentioned: dict[int, int | None] = {}

    def call_of(self, ref: Ref, at: int) -> Call | None:
        """Return the call of an object at a moment: the last one made with its number.

        The number of a dead object can be reused.  If another object may have got it, the variable
        that the first was stored in must still hold it.
        """
        until = int(np.searchsorted(self._firsts, at))
        is_ambiguous = False
        for index in range(until - 1, max(until - 1 - _MOST_LOOKED, -1), -1):
            number = int(self._calls[index])
            if number not in self._mentioned:
                self._mentioned[number] = self._mentioned_behind(self._trace.call(number))
            if self._mentioned[number] == ref.id:
                call = self._trace.call(number)
                return None if is_ambiguous and not self._is_held(call, ref, at) else call
            if self._mentioned[number] is None:
                is_ambiguous = is_ambiguous or not self._is_over(number, at)
        return None

    def _is_over(self, number: int, at: int) -> bool:
        call = self._trace.call(number)
        is_ended = call.outcome in (Outcome.RETURNED, Outcome.RAISED)
        return is_ended and call.last is not None and call.last < at

    def _is_held(self, made: Call, ref: Ref, at: int) -> bool:
        """Whether the variable that it was stored in has not been set since."""
        event = self._trace.event(made.first + 1)
        site = self._trace.site(event.number) if event.kind is EventKind.BIND else None
        if site is None or made.parent is None:
            return False
        holder = self._trace.call(made.parent)
        is_running = holder.last is None or at <= holder.last
        return is_running and self._trace.variables(holder, at).get(site.name) == ref

    def _mentioned_behind(self, made: Call) -> int | None:
        """Return the one object of such a type that the caller's next event mentions."""
        trace = self._trace
        place = trace.call_site(made)
        if made.first + 1 >= trace.event_count or place is None:
            return None
        event = trace.event(made.first + 1)
        found = {
            value.id
            for value in event.values
            if isinstance(value, Ref) and value.type_name in self._kinds
        }
        if len(found) != 1 or self._who(event) != made.parent:
            return None
        span = self._span(event)
        if event.kind is EventKind.RETURN:
            is_near = self._is_returned(made)
        else:
            is_near = span is not None and span.line <= place.line <= max(span.end_line, span.line)
        return found.pop() if is_near else None

    def _is_returned(self, made: Call) -> bool:
        """Tell whether a call was made by a return statement."""
        maker = self._trace.call(made.parent) if made.parent is not None else made
        flow = self._trace.flow(maker.function)
        steps = [] if flow is None or made.place is None else flow.steps_at(made.place)
        numbers = [flow.steps[step].statement for step in steps] if flow is not None else []
        return any(
            flow is not None and number >= 0 and flow.statements[number].kind == "return"
            for number in numbers
        )

    def _who(self, event: Event) -> int | None:
        if event.kind is EventKind.ENTER and event.call is not None:
            return self._trace.call(event.call).parent
        return event.call

    def _span(self, event: Event) -> Span | None:
        if event.site is not None:
            site = self._trace.site(event.site)
            return site.span if site is not None else None
        if event.kind is EventKind.ENTER and event.call is not None:
            return self._trace.call_site(self._trace.call(event.call))
        return self._trace.place_of(event)


@kept(most=1)
def _activations(trace: Trace) -> _Activations:
    return _Activations(trace)


ENDINGS = {
    SO_FAR: "so far",
    NOT_STARTED: "nothing requested yet",
    words.NOT_REQUESTED: "then not requested",
    words.NEVER_STARTED: "never requested",
    words.STOPPED: "then stopped",
    words.CLOSED: "then closed",
    words.RAISED: "then raised",
    words.UNFINISHED: "still running",
    words.LOST: "its end was not seen",
}
"""State -> words."""
