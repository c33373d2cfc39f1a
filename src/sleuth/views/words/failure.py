"""Why a test failed, in words: what was checked, what it was, what was expected."""

from collections.abc import Iterator
from dataclasses import replace

from sleuth.trace import conventions
from sleuth.trace.reader import Trace
from sleuth.trace.values import Ref, escaped
from sleuth.tree.failing.operands import Side
from sleuth.tree.failing.test import Failure
from sleuth.tree.observe.nodes import behaviour_at
from sleuth.views.drawing.picture import Pictures
from sleuth.views.drawing.rows import Drawing, deepest
from sleuth.views.drawing.styled import WIDTH, fitted, wrapped
from sleuth.views.drawing.text import where
from sleuth.views.words.outcome import error_text

_PLAIN = {"list", "tuple", "dict", "set", "frozenset"}
"""Types whose picture shows the whole value."""
_LONGEST = 400
STARTING = "starting with the calls that the exception passed through."


def failure_lines(trace: Trace, failure: Failure) -> Iterator[str]:
    """Say what a test found wrong."""
    function = trace.function(trace.call(failure.check_call).function)
    line = failure.place.line if failure.place else None
    place = where(trace, function, line)
    if failure.check is None:
        ended = replace(behaviour_at(trace, failure.call), outcome=failure.error)
        error = error_text(Drawing(trace, ended, width=WIDTH))
        yield from wrapped(f"The test failed at {place} with {error}; {STARTING}", WIDTH)
        return
    yield from wrapped(f"The test failed at {place}: {checked(failure)}", WIDTH)
    if (actual := failure.actual) is not None and not actual.is_literal and actual.value:
        text = fitted(escaped(actual.text), WIDTH // 2)
        width = WIDTH - len(text) - 7
        yield f"  {text} was {deepest(Pictures(trace), actual.value, actual.at, width)}"
    if expected := expectation(trace, failure):
        yield fitted(f"  expected {expected}", WIDTH)


def checked(failure: Failure) -> str:
    """Return the source of the check that did not hold."""
    text = escaped(failure.check.text) if failure.check else ""
    is_call = failure.check is not None and "assert" in failure.check.text.partition("(")[0]
    return text if is_call else f"assert {text}"


def expectation(trace: Trace, failure: Failure) -> str:
    """Return what the checked value should have been; empty: the check does not say."""
    if failure.wanted:
        return escaped(failure.wanted)
    if failure.expected is None:
        return ""
    return drawn(trace, failure.expected, _LONGEST)


def drawn(trace: Trace, side: Side, width: int) -> str:
    """Return an operand's value, or its text where a picture would say less."""
    value = side.value
    notations = conventions.of(trace.meta.get("language")).notations
    is_told = not isinstance(value, Ref) or value.type_name in {*_PLAIN, *notations}
    if value is None or (not is_told and side.call is None):
        return escaped(side.text)
    return deepest(Pictures(trace), value, side.at, width)
