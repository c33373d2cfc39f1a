"""The calls that a passing test asserted something about: those whose results it checked.

A call that only contributed to a checked value may be wrong although the test passes.
"""

from collections.abc import Iterator

from sleuth.trace.events import Call, Check, EventKind, Operand, Outcome, Span
from sleuth.trace.reader import Trace
from sleuth.trace.values import Ref
from sleuth.tree.coverage import coverage
from sleuth.tree.failing.operand_calls import is_of_tests, is_operand, is_within
from sleuth.tree.observe.calls import behaviour_of

_SAYING = ("==", "is")
"""Relations that state the expected value."""


def asserted_calls(trace: Trace) -> Iterator[Call]:
    """Yield the calls of tested code whose result a test compared with an expected value."""
    for call in trace.calls():
        module = trace.module_of(call.function)
        if module is None or not module.is_test or call.outcome is not Outcome.RETURNED:
            continue
        function = trace.function(call.function)
        lines = {*coverage(trace, call).lines}
        broken = _broken(trace, call)
        for check in module.checks:
            is_here = function is not None and (
                function.first_line <= check.span.line <= function.last_line
            )
            has_held = check.span.line in lines and not any(
                is_within(place, check.span) for place in broken
            )
            if is_here and check.relation in _SAYING and has_held:
                yield from _about(trace, call, check)


def _broken(trace: Trace, test: Call) -> list[Span]:
    """Return the spans of exceptions that did not end a test: a check may be meant to fail."""
    events = trace.events(test.first, test.last or test.first, call=test.id)
    places = (trace.place_of(event) for event in events if event.kind is EventKind.RAISE)
    return [place for place in places if place is not None]


def _about(trace: Trace, test: Call, check: Check) -> Iterator[Call]:
    """Yield the call on one side of a check, if tested code did not make the other side."""
    if len(check.operands) != 2:
        return
    for one, other in (check.operands, check.operands[::-1]):
        found = _result(trace, test, one)
        if found is not None and not _has_call(trace, test, other) and _is_all(trace, found):
            yield found


def _result(trace: Trace, test: Call, operand: Operand) -> Call | None:
    """Return the call whose result an operand is; a variable must hold an immutable value."""
    children = list(trace.children(test.id))
    direct = [each for each in children if is_operand(trace, each, operand, by_name=True)]
    tested = [each for each in direct if not is_of_tests(trace, each)]
    if len(tested) == 1 and tested[0].outcome is Outcome.RETURNED:
        return tested[0]
    return _bound(trace, test, children, operand.variable) if operand.variable else None


def _bound(trace: Trace, test: Call, children: list[Call], name: str) -> Call | None:
    """Return the call whose result a variable holds, if it was set just once."""
    bound = []
    for event in trace.events(test.first, test.last or test.first, call=test.id):
        site = trace.site(event.site) if event.kind is EventKind.BIND and event.site else None
        if site is not None and site.name == name:
            bound.append((event, site))
    if len(bound) != 1:
        return None
    event, site = bound[0]
    before = [each for each in children if each.last is not None and each.last < event.moment]
    last = before[-1] if before else None
    if last is None or is_of_tests(trace, last) or last.outcome is not Outcome.RETURNED:
        return None
    where, value = trace.call_site(last), trace.result(last)
    is_there = where is not None and where.line <= site.span.line <= where.end_line
    is_fixed = not isinstance(value, Ref) and event.values[:1] == (value,)
    return last if is_there and is_fixed else None


def _has_call(trace: Trace, test: Call, operand: Operand) -> bool:
    """Tell whether tested code made the value that a result is compared with."""
    return _result(trace, test, operand) is not None or any(
        _is_inside(trace, child, operand) for child in trace.children(test.id)
    )


def _is_inside(trace: Trace, child: Call, operand: Operand) -> bool:
    site = trace.call_site(child)
    return site is not None and not is_of_tests(trace, child) and is_within(site, operand.span)


def _is_all(trace: Trace, call: Call) -> bool:
    """Tell whether a call has no effects but its result: the test checked nothing else."""
    behaviour = behaviour_of(trace, call)
    printed = behaviour.printed
    has_changed = behaviour.changes or behaviour.folded
    return not (has_changed or printed.lines or printed.errors or behaviour.stream)
