"""Matches an operand of a check with the call written there, not one made on its behalf."""

from typing import NamedTuple

from sleuth.trace import conventions
from sleuth.trace.events import Call, Operand, Span
from sleuth.trace.flow.operations import Operation
from sleuth.trace.flow.table import Flow
from sleuth.trace.reader import Trace


def is_of_tests(trace: Trace, call: Call) -> bool:
    """Tell whether a call belongs to a module of tests."""
    module = trace.module_of(call.function)
    return module is not None and module.is_test


def is_within(inner: Span, outer: Span) -> bool:
    """Tell whether a stretch of text is part of another one."""
    first = (outer.line, outer.column) <= (inner.line, inner.column)
    return first and (inner.end_line, inner.end_column) <= (outer.end_line, outer.end_column)


def is_operand(trace: Trace, call: Call, operand: Operand, *, by_name: bool = False) -> bool:
    """Tell whether a call is the one written as an operand: `list(items)` is not `items.__len__()`.

    by_name: its function must have the name used in the operand; otherwise an alias is accepted.
    """
    function = trace.function(call.function)
    flow = None if call.parent is None else trace.flow(trace.call(call.parent).function)
    site = trace.call_site(call)
    if function is None or flow is None or site is None:
        return False
    meant = _meant(flow, operand.span)
    if site != meant.span:
        return False
    known = conventions.of(trace.meta.get("language"))
    if function.name in known.constructors:
        return False  # it returns nothing
    if not meant.is_call:
        return not by_name or function.name in known.operators or meant.name == function.name
    if function.name in (meant.name, f"__{meant.name}__"):
        return True
    return not by_name and meant.name not in known.builtin


class _Meant(NamedTuple):
    """The expression of an operand."""

    span: Span
    """Its span; for an awaited call without the word `await`."""
    is_call: bool = False
    name: str = ""
    """The name of the function that it calls, or of the attribute that it reads."""


def _meant(flow: Flow, span: Span) -> _Meant:
    here = [each for each in flow.operations if each.span == span]
    waits = [each for each in here if each.kind == "wait"]
    for each in flow.makers(waits[-1], "value") if waits else ():
        if each.span is not None and is_within(each.span, span):
            span = each.span
            here = [each]
    calls = [each for each in here if each.kind == "call"]
    if calls:
        return _Meant(span, is_call=True, name=_called(flow, calls[-1]))
    named = [each.name for each in here if each.kind == "attribute"]
    return _Meant(span, name=named[-1] if named else "")


def _called(flow: Flow, call: Operation) -> str:
    """Return the last name of the callee; empty: it has none."""
    callee = flow.makers(call, "callee")
    if len(callee) != 1 or callee[0].kind not in ("read", "attribute"):
        return ""
    # A test tool may have stored it in a variable of its own and call that.
    kept = [
        made.name
        for each in flow.operations
        if each.kind == "store" and each.name == callee[0].name and callee[0].kind == "read"
        for made in flow.makers(each, "value")
        if made.kind == "attribute" and made.span is not None and call.span is not None
        if is_within(made.span, call.span)
    ]
    return kept[-1] if kept else callee[0].name
