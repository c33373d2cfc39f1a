"""Subtests: parts of a test that may fail while the test goes on."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sleuth.trace.events import Call, CallId, Event, EventKind, Moment, Outcome, Site
from sleuth.trace.reader import Trace
from sleuth.trace.values import Value
from sleuth.tree.failing.operand_calls import is_within

_CALLED = re.compile(r"\w*sub_?tests?", re.IGNORECASE)
"""Names of the functions that begin a subtest."""
_WITH = "with"
_NAMES = ("read", "attribute")
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


def failed_subtests(trace: Trace, test: Call) -> Iterator[Caught]:
    """Yield the exceptions that ended subtests of a failed test, in order."""
    for event in trace.events(test.first, test.last or test.first, call=test.id):
        site = trace.site(event.site) if event.kind is EventKind.CATCH and event.site else None
        if site is not None and _is_subtest(trace, site):
            yield _caught(trace, test, event)


def _is_subtest(trace: Trace, site: Site) -> bool:
    """Tell whether a statement is `with self.subTest(...)`, or its equivalent in pytest."""
    flow = trace.flow(site.function) if site.kind == _WITH else None
    if flow is None:
        return False
    # Since 3.13 the site is the expression after `with`, before that the whole statement.
    around = [
        number
        for number, each in enumerate(flow.statements)
        if each.kind == _WITH and is_within(site.span, each.span)
    ]
    return any(
        each.statement == max(around) and each.kind in _NAMES and _CALLED.fullmatch(each.name)
        for each in (flow.operations if around else ())
    )


def _caught(trace: Trace, test: Call, event: Event) -> Caught:
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
    return Caught(event.moment, value, arguments, left[-1] if left else None, event)
