"""The value that shows the symptom: the operand of a failed check, or the exception."""

from sleuth.errors import NothingKnown
from sleuth.trace.events import Outcome
from sleuth.trace.heap.contrast import contrast
from sleuth.trace.heap.nested import Nested, nested
from sleuth.trace.history.locations import Pointed, pointed
from sleuth.trace.path import RAISED, RETURN, PathError
from sleuth.trace.reader import Trace
from sleuth.tree.build import tree_of
from sleuth.tree.failing.operands import Side
from sleuth.tree.failing.test import Failure, failure_of, has_tests
from sleuth.tree.failing.uncaught import symptom_path


def symptom_value(trace: Trace, expected: Nested | None = None) -> Pointed | None:
    """Return the value that shows the symptom; None: the run does not tell.

    expected: what a failed check expects, if it is written there as a literal.
    """
    failure = failure_of(trace, tree_of(trace)) if has_tests(trace) else None
    try:
        return (failure and _operand(trace, failure, expected)) or symptom_exception(trace)
    except NothingKnown:
        return None


def symptom_exception(trace: Trace) -> Pointed | None:
    """Return the exception that is the symptom; None: none is, so it is what was printed.

    NothingKnown: a test failed, or the run did, and no exception shows how.
    """
    tree = tree_of(trace)
    if not has_tests(trace):
        left = tree.call[symptom_path(trace, tree)].tolist()
    else:
        failure = failure_of(trace, tree)
        left = [] if failure is None else [*failure.left]
        if not left:
            raise NothingKnown("It is not known how the test failed.")
    for number in left:
        call = trace.call(number)
        if call.outcome is Outcome.RAISED:
            return pointed(trace, RAISED, call)
    if left or (trace.ending or {}).get("status") != 0:
        raise NothingKnown("No exception shows how the run failed.")
    return None


def _operand(trace: Trace, failure: Failure, expected: Nested | None) -> Pointed | None:
    """Return the first part of a failed check's operand that is not as expected."""
    actual = failure.actual
    if actual is None:
        return None
    if expected is None and failure.expected is not None and failure.expected.value is not None:
        expected = nested(trace.shape, failure.expected.value, failure.expected.at)
    first = _first_difference(trace, actual, expected)
    for part in dict.fromkeys((first, "")):
        try:
            if actual.call is not None:
                return pointed(trace, f"{RETURN}{part}", trace.call(actual.call))
            return pointed(trace, f"{actual.text}{part}", trace.call(failure.check_call), actual.at)
        except PathError:
            continue
    return None


def _first_difference(trace: Trace, actual: Side, expected: Nested | None) -> str:
    """Return the path from the operand to where it first differs; empty: it is not known."""
    if expected is None or actual.value is None:
        return ""
    found = contrast(nested(trace.shape, actual.value, actual.at), expected).differing
    return found[0].path if found and found[0].one is not None else ""
