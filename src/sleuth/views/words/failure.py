"""The failure of a test in words: the check, the actual value, the expected one."""

from collections.abc import Iterator
from dataclasses import replace

from sleuth.trace.events import Check, Outcome
from sleuth.trace.reader import Trace
from sleuth.trace.values import escaped
from sleuth.tree.failing.interrupted import is_interruption
from sleuth.tree.failing.operands import Side
from sleuth.tree.failing.test import Failure
from sleuth.tree.node_kinds import text_at
from sleuth.tree.observe.nodes import behaviour_at
from sleuth.views.drawing.picture import Pictures
from sleuth.views.drawing.places import where
from sleuth.views.drawing.rows import Drawing
from sleuth.views.drawing.styled import fitted, windows
from sleuth.views.drawing.styled import width as columns
from sleuth.views.words.expected import shown_expectation
from sleuth.views.words.outcome import error_text

_EXPECTED = "  expected "
_WIDEST_NAME = 24
"""Columns of a variable that a subtest is named by."""
STARTING = "starting with the calls that the exception passed through."
INNERMOST = "starting with the innermost call that was running."


def failure_lines(trace: Trace, failure: Failure, width: int) -> Iterator[str]:
    """Yield sentences about what a test found wrong."""
    function = trace.function(trace.call(failure.check_call).function)
    line = failure.place.line if failure.place else None
    place = where(trace, function, line)
    if is_interruption(trace, failure.error.value):
        yield f"The test was interrupted while it ran, at {place}; {INNERMOST}"
        return
    test = _test(trace, failure)
    if failure.check is None:
        ended = replace(behaviour_at(trace, failure.call), outcome=failure.error)
        error = error_text(Drawing(trace, ended, width=width))
        yield f"{test} failed at {place} with {error}; {STARTING}"
        return
    yield f"{test} failed at {place}: {_written(trace, failure, failure.check)}"
    yield from compared_lines(trace, failure, width)


def compared_lines(trace: Trace, failure: Failure, width: int) -> Iterator[str]:
    """Yield what a failed check compared."""
    if failure.compared is not None:
        yield from _without_order(trace, failure.compared, width)
    else:
        yield from _compared(trace, failure, width)


def _written(trace: Trace, failure: Failure, check: Check) -> str:
    """Return a check as it is written; of several lines the first."""
    module = trace.module_of(trace.call(failure.check_call).function)
    text = "" if module is None else text_at(trace.source(module), check.span)
    is_long = len(text.splitlines()) > 1
    return escaped(first_line(text)) if is_long else checked(failure)


def first_line(text: str) -> str:
    """Return the first line of a piece of source, and that there is more."""
    lines = text.splitlines() or [""]
    return f"{lines[0].rstrip()} ..." if len(lines) > 1 else lines[0]


def _test(trace: Trace, failure: Failure) -> str:
    """Return which test failed, unless the recording is of one test only; and which subtest."""
    function = trace.function(trace.call(failure.call).function)
    is_one = function is None or isinstance(trace.meta.get("test"), dict)
    name = "The test" if is_one or function is None else escaped(function.qualified_name)
    pictures = Pictures(trace)
    held = [
        f"{escaped(variable)}={pictures.short(value, failure.subtest_at, _WIDEST_NAME)}"
        for variable, value in failure.subtest
    ]
    return f"{name}, subtest ({', '.join(held)})," if held else name


def _without_order(trace: Trace, sides: tuple[Side, Side], width: int) -> Iterator[str]:
    """Yield both operands of a comparison that does not tell which one is expected."""
    pictures = Pictures(trace)
    starts = [f"  {fitted(escaped(side.text), width // 2)} was " for side in sides]
    rooms = (width - columns(starts[0]), width - columns(starts[1]))
    known = [side.value for side in sides if side.value is not None]
    if len(known) < len(sides):
        for start, side, room in zip(starts, sides, rooms, strict=True):
            if side.value is not None:
                yield start + pictures.deep(side.value, side.at, room)
        return
    whole = [pictures.whole(value, sides[0].at) for value in known]
    texts = [
        pictures.deep(value, sides[0].at, room) for value, room in zip(known, rooms, strict=True)
    ]
    shown = tuple(texts) if texts == whole else windows(whole[0], whole[1], rooms)
    yield from (start + text for start, text in zip(starts, shown, strict=True))


def _compared(trace: Trace, failure: Failure, width: int) -> Iterator[str]:
    """Yield the actual and the expected value: long ones around their first difference."""
    expected, actual = shown_expectation(trace, failure), failure.actual
    if actual is None or actual.is_literal or actual.value is None:
        if expected and not failure.wanted:  # a literal is in the text of the check
            yield fitted(_EXPECTED + expected, width)
        return
    start = f"  {fitted(escaped(_operand(trace, failure, actual)), width // 2)} was "
    rooms = (width - columns(start), width - len(_EXPECTED))
    pictures = Pictures(trace)
    was, wanted = pictures.deep(actual.value, actual.at, rooms[0]), fitted(expected, rooms[1])
    whole = pictures.whole(actual.value, actual.at)
    if expected and (was != whole or wanted != expected):
        was, wanted = windows(whole, expected, rooms)
    yield start + was
    if expected:
        yield _EXPECTED + wanted


def _operand(trace: Trace, failure: Failure, side: Side) -> str:
    """Return the text of an operand; of several lines the first."""
    module = trace.module_of(trace.call(failure.check_call).function)
    for operand in failure.check.operands if failure.check and module else ():
        if operand.text == side.text and operand.span.line < operand.span.end_line and module:
            return first_line(text_at(trace.source(module), operand.span))
    return side.text


def why_suspected(trace: Trace, failure: Failure | None, call: int) -> str:
    """Say why the search begins with a call: an exception left it, or a test is about it."""
    if failure is not None and call in failure.asked_first and call not in failure.left:
        return "the value that the test checks came from it"
    if trace.call(call).outcome is Outcome.RAISED:
        return "the uncaught exception left it"
    return "it is the test that failed"


def checked(failure: Failure) -> str:
    """Return the source of the check that did not hold."""
    text = escaped(failure.check.text) if failure.check else ""
    is_call = failure.check is not None and failure.check.is_call
    return text if is_call else f"assert {text}"
