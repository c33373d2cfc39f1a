"""Threads and tasks in which a recorded call is going on at a moment, and what each is doing."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from sleuth.trace.columns import Columns, own
from sleuth.trace.events import Call, EventKind, Moment
from sleuth.trace.history.writes import line_of
from sleuth.trace.query.calls import ongoing
from sleuth.trace.query.hits import FoundThread

if TYPE_CHECKING:
    from sleuth.trace.reader import Trace

_GENERATOR = "generator"
_MOST_EVENTS = 200
"""Events of a call that are looked at to find its line."""


def threads_at(trace: "Trace", columns: Columns, at: int) -> Iterator[FoundThread]:
    """Yield the threads and tasks after the event at a moment, by their numbers."""
    numbers = np.flatnonzero(ongoing(columns, at))
    strands: dict[tuple[int, int], list[Call]] = {}
    for number in numbers.tolist():
        call = trace.call(number)
        strands.setdefault((call.thread, call.task), []).append(call)
    for (thread, task), calls in sorted(strands.items()):
        running = [each for each in calls if not _is_asleep(trace, each, at)]
        waiting = [each for each in calls if _kind(trace, each) != _GENERATOR]
        inner = (running or waiting or calls)[-1]
        yield FoundThread(
            moment=Moment(at),
            thread=thread,
            task=task,
            call=inner,
            line=_line(trace, inner, at),
            is_waiting=not running,
            depth=len(running or waiting or calls),
        )


def _kind(trace: "Trace", call: Call) -> str:
    function = trace.function(call.function)
    return function.kind if function else ""


def _is_asleep(trace: "Trace", call: Call, at: int) -> bool:
    """Whether a generator or coroutine is suspended, or has not begun, at a moment."""
    if not call.is_resumable:
        return False
    events = own(trace, call.id, call.first, at)
    last = events.kind[-1] if len(events) else EventKind.SUSPEND
    is_new = len(events) == 1  # made, and not resumed yet
    return last == EventKind.SUSPEND or (is_new and last == EventKind.ENTER)


def _line(trace: "Trace", call: Call, at: int) -> int | None:
    events = own(trace, call.id, call.first, at)
    for moment in reversed(events.moment[-_MOST_EVENTS:].tolist()):
        line = line_of(trace, trace.event(moment))
        if line is not None:
            return line
    return None
