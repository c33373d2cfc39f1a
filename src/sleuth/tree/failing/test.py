"""Why a test failed: its call, the check that did not hold, and whose result that was about."""

from dataclasses import dataclass
from pathlib import PurePath

from sleuth.trace.events import Call, CallId, Check, Moment, Outcome, Span
from sleuth.trace.reader import Trace
from sleuth.trace.values import Constant, Ref, Value
from sleuth.tree.failing.operand_calls import is_of_tests, is_within
from sleuth.tree.failing.operands import Checking, Side, told_apart
from sleuth.tree.failing.subtests import failed_subtests
from sleuth.tree.failing.uncaught import path_from
from sleuth.tree.flat import FlatTree
from sleuth.tree.observe import behaviour as words
from sleuth.tree.observe.calls import outcome_of

_COMPARED = ("==", "is")
"""Relations that say what a value should be."""
_WANTED = {"true": "True", "false": "False", "none": "None"}
_BROKEN = ("AssertionError", "failureException")
"""Exceptions by which a check says that it does not hold."""
_PASSED_OVER = ("Skipped", "SkipTest", "XFailed")
"""Exceptions that end a test which did not fail."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A test, or what was to prepare it, that an exception ended; or a subtest of it."""

    call: CallId
    """What the exception ended: the test, a fixture, the body of a module of tests."""
    error: words.Outcome
    left: tuple[CallId, ...]
    """The calls that the exception left, the outermost first; that of the test always."""
    place: Span | None
    check_call: CallId
    """The call of test code in which it happened."""
    check: Check | None
    """None: no check of a test says so."""
    actual: Side | None
    expected: Side | None
    wanted: str
    """What the result should have been, where its text says it."""
    asked_first: tuple[CallId, ...]
    """Calls by which the checked value came about."""


@dataclass(frozen=True, slots=True)
class _Broken:
    """Where a test came to its end, or one of its subtests."""

    test: Call
    error: words.Outcome
    path: list[Call]
    at: Moment
    place: Span | None
    """In the test."""


def has_tests(trace: Trace) -> bool:
    """Tell whether tests were run."""
    return any(module.is_test for module in trace.modules())


def failure_of(trace: Trace, tree: FlatTree) -> Failure | None:
    """Return why the test failed that was recorded: of several the first."""
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


def _explained(
    checking: Checking, broken: _Broken, place: Span | None, check: Check | None
) -> Failure:
    sides = [checking.side(each) for each in check.operands] if check else []
    actual, expected = told_apart(sides)
    relation = check.relation if check else ""
    wanted = _WANTED.get(relation, "")
    if wanted in ("True", "False") and not _is_truth(actual):
        wanted = ""  # anything that counts as true or false would do
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
    )


# --- The test ------------------------------------------------------------------------------------


def _ended(trace: Trace, tree: FlatTree) -> _Broken | None:
    """Return how a test ended by an exception: nobody who is recorded called it."""
    found = _the_test(trace, _ended_calls(trace, Outcome.RAISED))
    if found is None:
        return None
    last = found.last or found.first
    path = _left_from(trace, tree, found)
    return _Broken(found, outcome_of(trace, found), path, last, trace.place_of(trace.event(last)))


def _ended_in_part(trace: Trace, tree: FlatTree) -> _Broken | None:
    """Return how a test went on after a subtest of it had failed."""
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
        return _Broken(test, error, [test, *below], caught.at, place)
    return None


def has_failed(trace: Trace) -> bool:
    """Tell whether what was recorded ended badly: the one test, or the run of some."""
    about = trace.meta.get("test")
    outcome = about.get("outcome") if isinstance(about, dict) else None
    return outcome == "failed" if outcome else (trace.ending or {}).get("status") != 0


def tested_call(trace: Trace) -> Call | None:
    """Return the call of the test that was recorded; None: it is not known which."""
    return _the_test(trace, _ended_calls(trace, Outcome.RETURNED), is_needed=False)


def _ended_calls(trace: Trace, outcome: Outcome) -> list[Call]:
    found = [call for call in trace.children(None) if call.outcome is outcome]
    return [call for call in found if is_of_tests(trace, call) and not _is_passed_over(trace, call)]


def _the_test(trace: Trace, calls: list[Call], *, is_needed: bool = True) -> Call | None:
    """Return that of the calls which is the test itself; else, if one is needed, the first."""
    about = trace.meta.get("test")
    name = about.get("id") if isinstance(about, dict) else None
    if isinstance(name, str):
        for is_it in (_is_exactly, _has_name):
            named = [call for call in calls if is_it(trace, call, name)]
            if named:
                return named[-1]  # it may be run again and again until it fails
    return calls[0] if calls and is_needed else None


def _left_from(trace: Trace, tree: FlatTree, call: Call) -> list[Call]:
    """Return a call that an exception left, and those below that it left before."""
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
    """The same where the function stands elsewhere, as that of a base class."""
    function = trace.function(call.function)
    return function is not None and function.name == test.partition("[")[0].split("::")[-1]


# --- The check -----------------------------------------------------------------------------------


def _check_at(trace: Trace, call: Call, place: Span | None) -> Check | None:
    """Return the check at a place: of several, one in the other, the innermost."""
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
