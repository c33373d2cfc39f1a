"""Why a test failed: its call, the check that did not hold, and whose result that was about."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import PurePath

from sleuth.trace.events import Call, CallId, Check, EventKind, Moment, Operand, Outcome, Span
from sleuth.trace.reader import Trace
from sleuth.trace.values import Constant, Ref, Value
from sleuth.tree.flat import FlatTree
from sleuth.tree.symptom import path_from

_COMPARED = ("==", "is")
"""Relations that say what a value should be."""
_WANTED = {"true": "True", "false": "False", "none": "None"}
_BROKEN = ("AssertionError", "failureException")
"""Exceptions by which a check says that it does not hold."""
_PASSED_OVER = ("Skipped", "SkipTest", "XFailed")
"""Exceptions that end a test which did not fail."""
_EXPECTED = re.compile(r"(self\.)?_*(expect|exp\b|want|correct|desired|reference)", re.IGNORECASE)
"""How what is expected is called, where it is no literal."""
_NEAR = 20_000
"""Moments before a check in which it is looked for where a variable was set."""


@dataclass(frozen=True, slots=True)
class Side:
    """One operand of a check that did not hold."""

    text: str
    value: Value | None
    """None: it is not known."""
    at: Moment
    is_literal: bool
    call: CallId | None
    """The call whose result it is; None: it is no result, or of a test's own function."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A test, or what was to prepare it, that an exception ended."""

    call: CallId
    """What the exception ended: the test, a fixture, the body of a module of tests."""
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


def has_tests(trace: Trace) -> bool:
    """Tell whether tests were run."""
    return any(module.is_test for module in trace.modules())


def failure_of(trace: Trace, tree: FlatTree) -> Failure | None:
    """Return why the test failed that was recorded: of several the first."""
    found = _failed_call(trace) if has_tests(trace) else None
    node = None if found is None else tree.find_call(found.id)
    if found is None or node is None:
        return None
    path = [trace.call(int(each)) for each in tree.call[path_from(trace, tree, node)].tolist()]
    within = [call for call in path if _is_test(trace, call)][-1]
    place = trace.place_of(trace.event(within.last or 0))
    check = None
    if within is path[-1] and _kind(trace, within) in _BROKEN:
        check = _check_at(trace, within, place)
    return _explained(trace, found, within, place, check)


def _explained(
    trace: Trace, test: Call, within: Call, place: Span | None, check: Check | None
) -> Failure:
    sides = [_side(trace, within, each) for each in check.operands] if check else []
    actual, expected = _told_apart(sides)
    relation = check.relation if check else ""
    wanted = _WANTED.get(relation, "")
    if wanted in ("True", "False") and not _is_truth(actual):
        wanted = ""  # anything that counts as true or false would do
    if relation in _COMPARED and expected is not None and expected.is_literal:
        wanted = expected.text
    first = _made_for(trace, within, check) if check else ()
    if actual is not None and actual.call is not None:
        first = (actual.call,)
    return Failure(
        test.id,
        place,
        within.id,
        check,
        actual,
        expected if relation in _COMPARED else None,
        wanted,
        first,
    )


# --- The test ------------------------------------------------------------------------------------


def _failed_call(trace: Trace) -> Call | None:
    """Return the call that the failure ended: nobody who is recorded called it."""
    raised = [call for call in trace.children(None) if call.outcome is Outcome.RAISED]
    failed = [call for call in raised if _is_test(trace, call) and not _is_passed_over(trace, call)]
    about = trace.meta.get("test")
    name = about.get("id") if isinstance(about, dict) else None
    if isinstance(name, str):
        for is_it in (_is_exactly, _has_name):
            named = [call for call in failed if is_it(trace, call, name)]
            if named:
                return named[-1]  # it may be run again and again until it fails
    return failed[0] if failed else None


def _is_test(trace: Trace, call: Call) -> bool:
    module = trace.module_of(call.function)
    return module is not None and module.is_test


def _is_tested(trace: Trace, call: Call) -> bool:
    """Tell whether a call is of what is tested: where only tests were recorded, all is."""
    recorded = (module for module in trace.modules() if module.is_recorded)
    return not _is_test(trace, call) or all(
        module.is_test or module.is_foreign for module in recorded
    )


def _kind(trace: Trace, call: Call) -> str:
    """Return the type of the exception that left a call, without its module."""
    value = trace.result(call)
    return value.type_name.rpartition(".")[2] if isinstance(value, Ref) else ""


def _is_passed_over(trace: Trace, call: Call) -> bool:
    return _kind(trace, call) in _PASSED_OVER


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
    around = [check for check in module.checks if _is_within(place, check.span)]
    return min(around, key=_size, default=None)


def _is_within(inner: Span, outer: Span) -> bool:
    first = (outer.line, outer.column) <= (inner.line, inner.column)
    return first and (inner.end_line, inner.end_column) <= (outer.end_line, outer.end_column)


def _size(check: Check) -> tuple[int, int]:
    span = check.span
    return span.end_line - span.line, span.end_column - span.column


# --- Its operands --------------------------------------------------------------------------------


def _side(trace: Trace, call: Call, operand: Operand) -> Side:
    at = call.last or call.first
    source = _result_at(trace, call, operand.span)
    value = trace.variables(call, at).get(operand.variable) if operand.variable else None
    if source is not None:
        value = trace.result(source)
    elif value is not None:
        source = _bound_result(trace, call, operand.variable, value, at)
        source = source or _passed_on(trace, call, operand.variable, value)
    made = source.id if source is not None and _is_tested(trace, source) else None
    return Side(operand.text, value, at, operand.is_literal, made)


def _result_at(trace: Trace, call: Call, span: Span) -> Call | None:
    """Return the call that a stretch of text is, the last time it was made."""
    found = [each for each in trace.children(call.id) if trace.call_site(each) == span]
    done = [each for each in found if each.outcome is Outcome.RETURNED]
    return done[-1] if done else None


def _passed_on(trace: Trace, call: Call, name: str, value: Value) -> Call | None:
    """Return the call whose result a test passed to a function of its own, which checks it."""
    function = trace.function(call.function)
    while function is not None and name in function.parameters and call.parent is not None:
        caller, site = trace.call(call.parent), trace.call_site(call)
        if site is None or not _is_test(trace, caller):
            break
        for child in reversed(list(trace.children(caller.id))):
            where = trace.call_site(child)
            is_given = child.id != call.id and where is not None and _is_within(where, site)
            if is_given and trace.result(child) == value:
                return child
        name = _name_of(trace, caller, value, call.first)
        found = _bound_result(trace, caller, name, value, call.first)
        if found is not None:
            return found
        call, function = caller, trace.function(caller.function)
    return None


def _name_of(trace: Trace, call: Call, value: Value, last: Moment) -> str:
    """Return the variable that has a value before a moment; empty: there is none."""
    held = trace.variables(call, last).items()
    return next((name for name, each in held if each == value), "")


def _bound_result(trace: Trace, call: Call, name: str, value: Value, last: Moment) -> Call | None:
    """Return the call whose result a variable was set to before a moment."""
    bound = None
    for event in trace.events(max(last - _NEAR, call.first), last, call=call.id):
        site = trace.site(event.site) if event.kind is EventKind.BIND and event.site else None
        if site is not None and site.name == name:
            bound = event
            line = site.span.line
    if bound is None:
        return None
    for child in reversed(list(trace.children(call.id))):
        site_of = trace.call_site(child)
        if child.last is not None and child.last < bound.moment and site_of is not None:
            is_there = site_of.line <= line <= site_of.end_line
            return child if is_there and trace.result(child) == value else None
    return None


def _made_for(trace: Trace, call: Call, check: Check) -> tuple[CallId, ...]:
    """Return the calls of tested code that stand in the operands of a check."""
    return tuple(dict.fromkeys(_calls_in(trace, call, check)))


def _calls_in(trace: Trace, call: Call, check: Check) -> Iterator[CallId]:
    for child in trace.children(call.id):
        site = trace.call_site(child)
        if site is None or not _is_tested(trace, child):
            continue
        if any(_is_within(site, operand.span) for operand in check.operands):
            yield child.id


def _told_apart(sides: list[Side]) -> tuple[Side | None, Side | None]:
    """Return what was tested and what it was compared with: a literal is what was expected."""
    if not sides:
        return None, None
    first, second = sides[0], sides[1] if len(sides) > 1 else None
    if second is None or second.is_literal:
        return first, second
    names = [bool(_EXPECTED.match(side.text)) for side in (first, second)]
    is_other = first.is_literal or (first.call is None and second.call is not None)
    if not first.is_literal and names[0] != names[1]:
        is_other = names[0]
    return (second, first) if is_other else (first, second)


def _is_truth(side: Side | None) -> bool:
    value = None if side is None else side.value
    return isinstance(value, Constant) and value.name in ("True", "False")
