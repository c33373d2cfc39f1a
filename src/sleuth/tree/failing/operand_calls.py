"""Which call an operand of a check is: the one that stands there, not one made on its behalf."""

from typing import NamedTuple

from sleuth.trace import conventions
from sleuth.trace.events import Call, Operand, Span
from sleuth.trace.flow.operations import Operation
from sleuth.trace.flow.table import Flow
from sleuth.trace.reader import Trace


def is_of_tests(trace: Trace, call: Call) -> bool:
    """Tell whether a call is of code that is there to test others."""
    module = trace.module_of(call.function)
    return module is not None and module.is_test


def is_within(inner: Span, outer: Span) -> bool:
    """Tell whether a stretch of text is part of another one."""
    first = (outer.line, outer.column) <= (inner.line, inner.column)
    return first and (inner.end_line, inner.end_column) <= (outer.end_line, outer.end_column)


def is_operand(trace: Trace, call: Call, operand: Operand, *, by_name: bool = False) -> bool:
    """Tell whether a call is what an operand says: `list(items)` is not `items.__len__()`.

    by_name: only if it is called as the operand calls it; else it may have another name there.
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
    """What stands where an operand does."""

    span: Span
    """Where it stands; of a call that is waited for without the word for that."""
    is_call: bool = False
    name: str = ""
    """What it calls, or which attribute it names."""


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
    """Return the last name of what is called; empty: it has none."""
    callee = flow.makers(call, "callee")
    if len(callee) != 1 or callee[0].kind not in ("read", "attribute"):
        return ""
    # A tool may have put it into a variable of its own before: then that is what is called.
    kept = [
        made.name
        for each in flow.operations
        if each.kind == "store" and each.name == callee[0].name and callee[0].kind == "read"
        for made in flow.makers(each, "value")
        if made.kind == "attribute" and made.span is not None and call.span is not None
        if is_within(made.span, call.span)
    ]
    return kept[-1] if kept else callee[0].name
