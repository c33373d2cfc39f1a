"""Strands: the threads and tasks that are going on at a moment, and what each is in."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sleuth.trace import columns
from sleuth.trace.events import CallId, Event, EventKind, Moment
from sleuth.trace.history.stack import caller_of
from sleuth.trace.kept import kept
from sleuth.trace.nearest import ANY, Wanted
from sleuth.trace.numbers import EnterFlag
from sleuth.trace.reader import Trace

_ENDS = (EventKind.RETURN, EventKind.UNWIND, EventKind.LOST)
_STOPS = (*_ENDS, EventKind.SUSPEND)
_MOST_LOOKED_AT = 200


@dataclass(frozen=True, slots=True)
class Strand:
    """A thread, or a task, with its newest event at a moment."""

    number: int
    """Its number in the list, from 1: the same at every moment."""
    thread: int
    task: int
    """0: no task."""
    name: str
    at: Moment
    """Its newest event."""
    call: CallId | None
    """The call that it is in; None: code that is not recorded."""
    is_over: bool
    """Whether its outermost recorded call has ended."""


@dataclass(frozen=True, slots=True)
class Strands:
    """The threads and tasks at a moment."""

    going_on: tuple[Strand, ...]
    ended: int
    not_begun: int
    not_looked_at: int


class _Known(NamedTuple):
    """A thread or a task of a run."""

    thread: int
    """-1: that of a task."""
    task: int
    begins: int
    """The first moment at which it can have an event."""


@kept(most=1)
def _known(trace: Trace) -> list[_Known]:
    """Return the threads, then the tasks, in the order in which they began."""
    calls = columns.calls(trace)
    threads, firsts = np.unique(calls.thread, return_index=True)
    tasks, begins = np.unique(calls.task, return_index=True)
    found = [
        _Known(thread, 0, int(calls.first[at]))
        for thread, at in zip(threads.tolist(), firsts.tolist(), strict=True)
    ]
    told = {
        task: int(calls.first[at])
        for task, at in zip(tasks.tolist(), begins.tolist(), strict=True)
        if task
    }
    for task, moment in trace.task_begins.items():
        told[task] = min(moment, told.get(task, moment))
    work = [_Known(ANY, task, moment) for task, moment in told.items()]
    return sorted(found, key=lambda each: each.begins) + sorted(work, key=lambda each: each.begins)


def strands_at(trace: Trace, moment: int, most: int) -> Strands:
    """Return the threads and tasks that are going on at a moment, at most so many."""
    known = _known(trace)
    begun = [(number, each) for number, each in enumerate(known, 1) if each.begins <= moment]
    found: list[Strand] = []
    ended = looked_at = 0
    for number, each in begun[:_MOST_LOOKED_AT]:
        if len(found) == most:
            break
        looked_at += 1
        strand = _strand(trace, number, each, moment)
        if strand is None or strand.is_over:
            ended += strand is not None
        else:
            found.append(strand)
    return Strands(tuple(found), ended, len(known) - len(begun), len(begun) - looked_at)


def strand_of(trace: Trace, number: int, moment: int) -> Strand | None:
    """Return a thread or task by its number, at its newest event, or else at its first one.

    None: there is no such number.
    """
    known = _known(trace)
    if not 1 <= number <= len(known):
        return None
    each = known[number - 1]
    found = _strand(trace, number, each, moment)
    if found is None:
        first = trace.nearest.after(moment, Wanted(each.thread, each.task))
        found = None if first is None else _strand(trace, number, each, first)
    return found


def _strand(trace: Trace, number: int, each: _Known, moment: int) -> Strand | None:
    at = trace.nearest.before(moment + 1, Wanted(each.thread, each.task), each.begins)
    if at is None:
        return None
    event = trace.event(at)
    name = trace.tasks.get(each.task) if each.task else trace.threads.get(each.thread)
    call, is_over = _running(trace, event)
    return Strand(number, event.thread, each.task, name or "", at, call, is_over)


def _running(trace: Trace, event: Event) -> tuple[CallId | None, bool]:
    """Return the call that runs after an event, and whether the outermost one has ended."""
    if event.call is None:
        return None, False
    is_made = event.kind is EventKind.ENTER and bool(event.flags & EnterFlag.DEFERRED)
    if not is_made and event.kind not in _STOPS:
        return event.call, False
    caller = caller_of(trace, trace.call(event.call), event.moment)
    if caller is not None:
        return caller.call.id, False
    return (event.call, False) if event.kind is EventKind.SUSPEND else (None, not is_made)
