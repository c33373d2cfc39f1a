"""Subtests: parts of a test that may fail while the test itself goes on."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sleuth.trace.events import Call, CallId, Event, EventKind, Moment, Outcome, Site
from sleuth.trace.reader import Trace
from sleuth.trace.values import Value

_CALLED = re.compile(r"\w*sub_?tests?", re.IGNORECASE)
"""How what begins a subtest is called."""
_WITH = "with"
_NAMES = ("read", "attribute")
_NEARBY = 200
"""So far before it arrives the beginning of an exception is looked for."""


@dataclass(frozen=True, slots=True)
class Caught:
    """An exception that ended a subtest, and not the test."""

    at: Moment
    """When it arrived."""
    value: Value
    arguments: tuple[Value, ...]
    left: CallId | None
    """The call that the test had made, and that the exception left; None: it is the test's own."""
    event: Event


def failed_subtests(trace: Trace, test: Call) -> Iterator[Caught]:
    """Yield what ended the subtests of a test that failed, in their order."""
    for event in trace.events(test.first, test.last or test.first, call=test.id):
        site = trace.site(event.site) if event.kind is EventKind.CATCH and event.site else None
        if site is not None and _is_subtest(trace, site):
            yield _caught(trace, test, event)


def _is_subtest(trace: Trace, site: Site) -> bool:
    """Tell whether a statement is `with self.subTest(...)`, or what pytest has for it."""
    flow = trace.flow(site.function) if site.kind == _WITH else None
    heads = (
        ()
        if flow is None
        else {number for number, each in enumerate(flow.statements) if each.span == site.span}
    )
    return flow is not None and any(
        each.statement in heads and each.kind in _NAMES and _CALLED.fullmatch(each.name)
        for each in flow.operations
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
