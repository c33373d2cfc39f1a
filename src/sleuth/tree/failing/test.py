"""Failure: the call of a failed test, the check that failed, and the calls it is about."""

from dataclasses import dataclass
from pathlib import PurePath

from sleuth.trace.events import Call, CallId, Check, Moment, Outcome, Span
from sleuth.trace.reader import Trace
from sleuth.trace.values import Constant, Ref, Value
from sleuth.tree.failing.asserted import Asserted
from sleuth.tree.failing.operand_calls import is_of_tests, is_within
from sleuth.tree.failing.operands import Checking, Side, is_told_apart, told_apart
from sleuth.tree.failing.subtests import failed_subtests
from sleuth.tree.failing.uncaught import path_from
from sleuth.tree.flat import FlatTree
from sleuth.tree.observe import behaviour as words
from sleuth.tree.observe.calls import outcome_of

_COMPARED = ("==", "is")
"""Relations that state the expected value."""
_PAIR = 2
_WANTED = {"true": "True", "false": "False", "none": "None"}
_BROKEN = ("AssertionError", "failureException")
"""Exceptions that a failed check raises."""
_PASSED_OVER = ("Skipped", "SkipTest", "XFailed")
"""Exceptions that end a test without a failure."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A test, subtest or fixture that ended with an exception."""

    call: CallId
    """The call that the exception ended: a test, a fixture, the body of a module of tests."""
    error: words.Outcome
    left: tuple[CallId, ...]
    """The calls that the exception left, outermost first; always includes the test."""
    place: Span | None
    check_call: CallId
    """The call of test code with the failed check."""
    check: Check | None
    """None: it was no check that failed."""
    actual: Side | None
    expected: Side | None
    wanted: str
    """The expected result, if it is a literal."""
    asked_first: tuple[CallId, ...]
    """The calls that made the checked value."""
    compared: tuple[Side, Side] | None = None
    """The operands of a comparison that does not tell which of them is the expected one."""
    subtest: tuple[tuple[str, Value], ...] = ()
    """The variables that the failed subtest is named by."""
    subtest_at: int = 0


@dataclass(frozen=True, slots=True)
class _Broken:
    """The place where a test or a subtest ended."""

    test: Call
    error: words.Outcome
    path: list[Call]
    at: Moment
    place: Span | None
    """Its span in the test."""
    subtest: tuple[tuple[str, Value], ...] = ()


def has_tests(trace: Trace) -> bool:
    """Tell whether tests were recorded."""
    return any(module.is_test for module in trace.modules())


def failure_of(trace: Trace, tree: FlatTree) -> Failure | None:
    """Return why the recorded test failed; of several tests the first."""
    if not has_tests(trace):
        return None
    broken = _ended(trace, tree) or _ended_in_part(trace, tree)
    if broken is None:
        return None
    within = [call for call in broken.path if is_of_tests(trace, call)][-1]
    is_inside = within.id != broken.test.id
    place = trace.place_of(trace.event(within.last or 0)) if is_inside else broken.place
    check = None
    if within.id == broken.path[-1].id and _kind(broken.error.value) in _BROKEN:
        check = _check_at(trace, within, place)
    at = (within.last or within.first) if is_inside else broken.at
    return _explained(Checking(trace, within, at), broken, place, check)


def failure_by(trace: Trace, path: list[Call], failed: Asserted, check: Check) -> Failure:
    """Return why a run failed that an assert ended; path: the calls that the exception left."""
    broken = _Broken(path[0], outcome_of(trace, path[0]), path, failed.at, check.span)
    return _explained(Checking(trace, failed.call, failed.at), broken, check.span, check)


def _explained(
    checking: Checking, broken: _Broken, place: Span | None, check: Check | None
) -> Failure:
    sides = [checking.side(each) for each in check.operands] if check else []
    actual, expected = told_apart(sides)
    relation = check.relation if check else ""
    compared = None
    if relation in _COMPARED and check is not None and check.is_call and len(sides) == _PAIR:
        # The methods of unittest have no order.
        compared = None if is_told_apart(sides) else (sides[0], sides[1])
    if compared is not None:
        actual = expected = None
    wanted = _WANTED.get(relation, "")
    if wanted in ("True", "False") and not _is_truth(actual):
        wanted = ""  # any true or any false value would do
    if relation in _COMPARED and expected is not None and expected.is_literal:
        wanted = expected.text
    first = checking.made_for(check) if check else ()
    if actual is not None and actual.call is not None:
        first = (actual.call,)
    return Failure(
        call=broken.test.id,
        error=broken.error,
        left=tuple(each.id for each in broken.path),
        place=place,
        check_call=checking.call.id,
        check=check,
        actual=actual,
        expected=expected if relation in _COMPARED else None,
        wanted=wanted,
        asked_first=first,
        compared=compared,
        subtest=broken.subtest,
        subtest_at=broken.at,
    )


# --- The test ------------------------------------------------------------------------------------


def _ended(trace: Trace, tree: FlatTree) -> _Broken | None:
    """Return how a test ended by an exception; a test is a call without a recorded caller."""
    found = _the_test(trace, _ended_calls(trace, Outcome.RAISED))
    if found is None:
        return None
    last = found.last or found.first
    path = _left_from(trace, tree, found)
    return _Broken(found, outcome_of(trace, found), path, last, trace.place_of(trace.event(last)))


def _ended_in_part(trace: Trace, tree: FlatTree) -> _Broken | None:
    """Return the first failed subtest of a test that went on."""
    if not has_failed(trace):
        return None
    for test in _ended_calls(trace, Outcome.RETURNED):
        caught = next(failed_subtests(trace, test), None)
        if caught is None:
            continue
        below = [] if caught.left is None else _left_from(trace, tree, trace.call(caught.left))
        place = trace.place_of(caught.event)
        line = place.line if place else None
        error = words.Outcome(words.RAISED, caught.value, caught.arguments, line)
        return _Broken(test, error, [test, *below], caught.at, place, caught.named)
    return None


def has_failed(trace: Trace) -> bool:
    """Tell whether the recorded test, or run of several tests, failed."""
    about = trace.meta.get("test")
    outcome = about.get("outcome") if isinstance(about, dict) else None
    return outcome == "failed" if outcome else (trace.ending or {}).get("status") != 0


def tested_call(trace: Trace) -> Call | None:
    """Return the call of the recorded test; None: it is not known which."""
    return _the_test(trace, _ended_calls(trace, Outcome.RETURNED), is_needed=False)


def _ended_calls(trace: Trace, outcome: Outcome) -> list[Call]:
    found = [call for call in trace.children(None) if call.outcome is outcome]
    return [call for call in found if is_of_tests(trace, call) and not _is_passed_over(trace, call)]


def _the_test(trace: Trace, calls: list[Call], *, is_needed: bool = True) -> Call | None:
    """Return the call of the test among some calls; else, if one is needed, the first."""
    about = trace.meta.get("test")
    name = about.get("id") if isinstance(about, dict) else None
    if isinstance(name, str):
        for is_it in (_is_exactly, _has_name):
            named = [call for call in calls if is_it(trace, call, name)]
            if named:
                return named[-1]  # it may have been repeated until it failed
    return calls[0] if calls and is_needed else None


def _left_from(trace: Trace, tree: FlatTree, call: Call) -> list[Call]:
    """Return a call that an exception left, and the calls below that it left before."""
    node = tree.find_call(call.id)
    if node is None:
        return [call]
    return [trace.call(each) for each in tree.call[path_from(trace, tree, node)].tolist()]


def _kind(value: Value) -> str:
    """Return the type of an exception, without its module."""
    return value.type_name.rpartition(".")[2] if isinstance(value, Ref) else ""


def _is_passed_over(trace: Trace, call: Call) -> bool:
    return call.outcome is Outcome.RAISED and _kind(trace.result(call)) in _PASSED_OVER


def _is_exactly(trace: Trace, call: Call, test: str) -> bool:
    """Tell whether a call is of the function that a test's id names."""
    file, *names = test.partition("[")[0].split("::")
    function = trace.function(call.function)
    if function is None or function.qualified_name != ".".join(names):
        return False
    parts = PurePath(file).parts
    return PurePath(function.module.path).parts[-len(parts) :] == parts


def _has_name(trace: Trace, call: Call, test: str) -> bool:
    """Tell whether a call has the name in a test's id; its function may be of a base class."""
    function = trace.function(call.function)
    return function is not None and function.name == test.partition("[")[0].split("::")[-1]


# --- The check -----------------------------------------------------------------------------------


def _check_at(trace: Trace, call: Call, place: Span | None) -> Check | None:
    """Return the innermost check at a place."""
    module = trace.module_of(call.function)
    if module is None or place is None:
        return None
    around = [check for check in module.checks if is_within(place, check.span)]
    return min(around, key=_size, default=None)


def _size(check: Check) -> tuple[int, int]:
    span = check.span
    return span.end_line - span.line, span.end_column - span.column


def _is_truth(side: Side | None) -> bool:
    value = None if side is None else side.value
    return isinstance(value, Constant) and value.name in ("True", "False")
