"""The next time that a line runs, or the time before: in one call, or in any call of a file.

A line that has no event of its own is found, too: the route of a call says which lines it ran.
The result is the last event before the line runs.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from pathlib import PurePath

import numpy as np

from sleuth.errors import UsageError
from sleuth.trace import columns
from sleuth.trace.columns import Columns
from sleuth.trace.events import Call, CallId, Function, Moment
from sleuth.trace.flow.segments import Stretch, stretches
from sleuth.trace.kept import kept
from sleuth.trace.reader import Trace

_WINDOW, _WIDER = 64, 16
_MOST_CALLS = 5_000
"""Calls that are searched at once."""


class NoMove(UsageError):
    """There is nothing in that direction."""


Found = tuple[CallId, Moment]


def next_line(trace: Trace, call: Call, moment: int, line: int, file: str) -> Found:
    """Return the next time after a moment that a line begins to run; NoMove: there is none."""
    if not file:
        _check_line(trace, [_function(trace, call)], line)
        for found in _forward(trace, call, moment, line):
            return call.id, found
        raise NoMove(f"Line {line} {_not_later(trace, call, moment, line)} in this call.")
    best: tuple[Moment, CallId] | None = None
    for each in _calls_after(trace, _functions(trace, file, line), moment):
        if best is not None and each.first > best[0]:
            break
        for found in _forward(trace, each, moment, line):
            best = min(best or (found, each.id), (found, each.id))
            break
    if best is None:
        raise NoMove(f"{file}:{line} {_not_later(trace, call, moment, line)}.")
    return best[1], best[0]


def previous_line(trace: Trace, call: Call, moment: int, line: int, file: str) -> Found:
    """Return the last time before a moment that a line began to run; NoMove: there is none."""
    if not file:
        _check_line(trace, [_function(trace, call)], line)
        for found in _backward(trace, call, moment, line):
            return call.id, found
        raise NoMove(f"Line {line} does not run before this moment in this call.")
    best: tuple[Moment, CallId] | None = None
    for each in _calls_before(trace, _functions(trace, file, line), moment):
        if best is not None and each.last is not None and each.last < best[0]:
            continue
        for found in _backward(trace, each, moment, line):
            best = max(best or (found, each.id), (found, each.id))
            break
    if best is None:
        raise NoMove(f"{file}:{line} does not run before this moment.")
    return best[1], best[0]


def _not_later(trace: Trace, call: Call, moment: int, line: int) -> str:
    """Say that a line does not run after a moment, or only right after it."""
    if next(_forward(trace, call, moment - 1, line), None) == moment:
        return "runs right after this moment, and not later"
    return "does not run after this moment"


# --- In one call ---------------------------------------------------------------------------------


def _forward(trace: Trace, call: Call, moment: int, line: int) -> Iterator[Moment]:
    """Yield when a line begins to run after a moment."""
    end = trace.event_count - 1 if call.last is None else call.last
    size, first, carried = _WINDOW, max(call.first, moment - _WINDOW), 0
    while first <= end:
        found = _ran(trace, call, first, min(first + size, end))
        begun = list(_begins(trace, call, found, line, carried))
        yield from (each for each, _ in begun if each is not None and each > moment)
        carried = begun[-1][1] if begun else carried
        first = max(first + size, found[-1].moment if found else 0) + 1
        size *= _WIDER


def _backward(trace: Trace, call: Call, moment: int, line: int) -> Iterator[Moment]:
    """Yield when a line began to run before a moment, the newest first."""
    end = moment if call.last is None else min(moment, call.last)
    size = _WINDOW
    while end >= call.first:
        first = max(end - size, call.first)
        found = _ran(trace, call, first, end)
        begun = [began for began, _ in _begins(trace, call, found, line, 0) if began is not None]
        # What ran before the first event of the window is not known: the next window tells.
        edge = found[0].moment if found and first > call.first else -1
        yield from (each for each in reversed(begun) if edge < each < moment)
        end = first - 1 if edge < 0 else min(edge, end - 1)
        size *= _WIDER


def _ran(trace: Trace, call: Call, first: int, last: int) -> Sequence[Stretch]:
    found = stretches(trace, call, first, last)
    if found is None:
        raise NoMove("The trace does not tell which lines this call ran.")
    return [each for each in found if each.moment <= last]


def _begins(
    trace: Trace, call: Call, found: Sequence[Stretch], line: int, carried: int
) -> Iterator[tuple[Moment | None, int]]:
    """Yield for each stretch when the line begins in it, and the line at its end."""
    flow = trace.flow(call.function)
    for stretch in found:
        began = None
        for step in stretch.ran.steps:
            here = flow.steps[step].line if flow else 0
            if here and here != carried:
                began = Moment(stretch.moment) if here == line else began
                carried = here
        yield began, carried


# --- In any call ---------------------------------------------------------------------------------


@kept(most=1)
def _all_calls(trace: Trace) -> Columns:
    return columns.calls(trace)


def _calls_after(trace: Trace, functions: Sequence[Function], moment: int) -> Iterator[Call]:
    """Yield the calls of functions that are going on at a moment or begin after it, in order."""
    calls = _all_calls(trace)
    is_wanted = np.isin(calls.function, [each.id for each in functions])
    is_wanted &= (calls.last < 0) | (calls.last > moment)
    yield from _some(trace, np.flatnonzero(is_wanted).tolist())


def _calls_before(trace: Trace, functions: Sequence[Function], moment: int) -> Iterator[Call]:
    """Yield the calls of functions that began before a moment, the newest first."""
    calls = _all_calls(trace)
    is_wanted = np.isin(calls.function, [each.id for each in functions]) & (calls.first < moment)
    yield from _some(trace, np.flatnonzero(is_wanted).tolist()[::-1])


def _some(trace: Trace, numbers: Sequence[int]) -> Iterator[Call]:
    for number in numbers[:_MOST_CALLS]:
        yield trace.call(number)
    if len(numbers) > _MOST_CALLS:
        at = trace.call(numbers[_MOST_CALLS]).first
        raise NoMove(
            f"The line does not run in the nearest {_MOST_CALLS:,} calls of its function. "
            f"To search on: at {at}, then the same again."
        )


# --- What is meant -------------------------------------------------------------------------------


def _function(trace: Trace, call: Call) -> Function | None:
    return trace.function(call.function)


def _functions(trace: Trace, file: str, line: int) -> list[Function]:
    """Return the functions that have code on a line of a file."""
    named = PurePath(file).parts
    modules = {
        module.id: module
        for module in trace.modules()
        if module.is_recorded and PurePath(module.path).parts[-len(named) :] == named
    }
    if not modules:
        known = sorted({PurePath(each.path).name for each in trace.modules() if each.is_recorded})
        raise UsageError(
            f"No recorded file is named {file}. There is {', '.join(known[:6])}."
            if known
            else f"No recorded file is named {file}."
        )
    inside = [each for each in trace.functions() if each.module.id in modules]
    return _check_line(trace, inside, line)


def _check_line(trace: Trace, functions: Sequence[Function | None], line: int) -> list[Function]:
    """Return the functions that have code on a line; UsageError names the nearest line."""
    lines: set[int] = set()
    found: list[Function] = []
    for function in functions:
        flow = trace.flow(function.id) if function else None
        if function is None or flow is None:
            continue
        here = {step.line for step in flow.steps if step.line}
        lines |= here
        if line in here:
            found.append(function)
    if found:
        return found
    if not lines:
        raise UsageError("The trace does not tell which lines have code here.")
    order = sorted(lines)
    at = bisect_left(order, line)
    near = min(order[max(at - 1, 0) : at + 1], key=lambda each: abs(each - line))
    if len(functions) > 1:
        raise UsageError(f"There is no code on line {line} of this file; the nearest is {near}.")
    raise UsageError(
        f"There is no code on line {line} of this function; the nearest is line {near}. "
        f"A line of another function: FILE:{line}"
    )
