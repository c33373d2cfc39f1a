"""Subtests: parts of a test that may fail while the test goes on."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sleuth.trace.events import Call, CallId, Event, EventKind, Moment, Outcome, Site
from sleuth.trace.flow.operations import Operation
from sleuth.trace.reader import Trace
from sleuth.trace.values import Value
from sleuth.tree.failing.operand_calls import is_within

_CALLED = re.compile(r"\w*sub_?tests?", re.IGNORECASE)
"""Names of the functions that begin a subtest."""
_WITH = "with"
_READ = "read"
_NAMES = (_READ, "attribute")
_NEARBY = 200
"""Moments before its arrival in which the beginning of an exception is searched."""


@dataclass(frozen=True, slots=True)
class Caught:
    """An exception that ended a subtest but not the test."""

    at: Moment
    """When it was caught."""
    value: Value
    arguments: tuple[Value, ...]
    left: CallId | None
    """The test's callee that the exception left; None: the test raised it itself."""
    event: Event
    named: tuple[tuple[str, Value], ...] = ()
    """The variables in the statement that begins the subtest, with their values."""


def failed_subtests(trace: Trace, test: Call) -> Iterator[Caught]:
    """Yield the exceptions that ended subtests of a failed test, in order."""
    for event in trace.events(test.first, test.last or test.first, call=test.id):
        site = trace.site(event.site) if event.kind is EventKind.CATCH and event.site else None
        if site is not None and _is_subtest(trace, site):
            yield _caught(trace, test, event, _names(trace, site))


def _is_subtest(trace: Trace, site: Site) -> bool:
    """Tell whether a statement is `with self.subTest(...)`, or its equivalent in pytest."""
    return any(_CALLED.fullmatch(each.name) for each in _named_in(trace, site))


def _names(trace: Trace, site: Site) -> list[str]:
    """Return the variables that the statement of a subtest names."""
    return [each.name for each in _named_in(trace, site) if each.kind == _READ]


def _named_in(trace: Trace, site: Site) -> list[Operation]:
    """Return the names in a `with` statement, without its body."""
    flow = trace.flow(site.function) if site.kind == _WITH else None
    if flow is None:
        return []
    # Since 3.13 the site is the expression after `with`, before that the whole statement.
    around = [
        number
        for number, each in enumerate(flow.statements)
        if each.kind == _WITH and is_within(site.span, each.span)
    ]
    operations = flow.operations if around else ()
    return [each for each in operations if each.statement == max(around) and each.kind in _NAMES]


def _caught(trace: Trace, test: Call, event: Event, names: list[str]) -> Caught:
    value = event.values[0]
    before = trace.events(max(event.moment - _NEARBY, test.first), event.moment)
    raised = [each for each in before if each.kind is EventKind.RAISE and each.values[0] == value]
    arguments = raised[-1].values[1:] if raised else ()
    left = [
        child.id
        for child in trace.children(test.id)
        if child.outcome is Outcome.RAISED
        and child.last is not None
        and child.last < event.moment
        and trace.result(child) == value
    ]
    function = trace.function(test.function)
    receivers = function.parameters[:1] if function else ()
    held = trace.variables(test, event.moment)
    named = tuple((name, held[name]) for name in names if name in held and name not in receivers)
    return Caught(event.moment, value, arguments, left[-1] if left else None, event, named)
