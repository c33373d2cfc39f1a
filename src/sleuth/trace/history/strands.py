"""Strands: the threads and tasks that are going on at a moment, and what each is in."""

from dataclasses import dataclass

import numpy as np

from sleuth.trace import columns
from sleuth.trace.events import CallId, Moment
from sleuth.trace.kept import kept
from sleuth.trace.nearest import Wanted
from sleuth.trace.reader import Trace

_FOREVER = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True)
class Strand:
    """A thread, or a task of it, with its newest event at a moment."""

    number: int
    """Its number in the list, from 1: the same at every moment."""
    thread: int
    task: int
    """0: no task."""
    name: str
    at: Moment
    """Its newest event."""
    call: CallId | None
    """The call of that event."""


@dataclass(frozen=True, slots=True)
class Strands:
    """The threads and tasks at a moment."""

    going_on: tuple[Strand, ...]
    count: int
    """How many there are in the whole run."""


@kept(most=1)
def _spans(trace: Trace) -> list[tuple[int, int, int, int]]:
    """Return thread, task, first and last moment of each, in the order in which they began."""
    calls = columns.calls(trace)
    last = np.where(calls.last < 0, _FOREVER, calls.last)
    keys = calls.thread.astype(np.int64) << 32 | calls.task
    names, inverse = np.unique(keys, return_inverse=True)
    begins = np.full(len(names), _FOREVER)
    ends = np.zeros(len(names), np.int64)
    np.minimum.at(begins, inverse, calls.first)
    np.maximum.at(ends, inverse, last)
    found = [
        (int(key) >> 32, int(key) & 0xFFFFFFFF, int(first), int(end))
        for key, first, end in zip(names, begins, ends, strict=True)
    ]
    return sorted(found, key=lambda each: each[2])


def strands_at(trace: Trace, moment: int, most: int) -> Strands:
    """Return the threads and tasks that are going on at a moment, at most so many."""
    spans = _spans(trace)
    found: list[Strand] = []
    for number, (thread, task, first, last) in enumerate(spans, 1):
        if first <= moment <= last and len(found) < most:
            strand = _strand(trace, number, (thread, task), moment)
            if strand is not None:
                found.append(strand)
    return Strands(tuple(found), len(spans))


def strand(trace: Trace, number: int, moment: int) -> Strand | None:
    """Return a thread or task by its number, at its newest event, or else its first one.

    None: there is no such number.
    """
    spans = _spans(trace)
    if not 1 <= number <= len(spans):
        return None
    thread, task, first, _ = spans[number - 1]
    return _strand(trace, number, (thread, task), max(moment, first))


def _strand(trace: Trace, number: int, key: tuple[int, int], moment: int) -> Strand | None:
    thread, task = key
    at = trace.nearest.before(moment + 1, Wanted(thread, task))
    if at is None:
        return None
    name = trace.tasks.get(task) if task else trace.threads.get(thread)
    return Strand(number, thread, task, name or "", at, trace.event(at).call)
