"""The kind of a call's node, by its function and by how it was called."""

from sleuth.trace import conventions
from sleuth.trace.events import Call, Function, Span
from sleuth.trace.reader import Trace
from sleuth.tree.observe import behaviour as words

_BY_FUNCTION = {
    "module body": words.MODULE_BODY,
    "class body": words.CLASS_BODY,
    "code body": words.CODE_BODY,
    "expression": words.EXPRESSION,
    "generator": words.GENERATOR,
    "generator expression": words.GENERATOR,
    "async generator": words.GENERATOR,
    "coroutine": words.COROUTINE,
    "lambda": words.LAMBDA,
}
_OF_ATTRIBUTES = ("attribute", "store attribute", "delete attribute")
_LONGEST = 200


def kind_of(trace: Trace, call: Call, function: Function | None) -> str:
    """Return one of `behaviour.KINDS`."""
    if function is None:
        return words.CALL
    known = _BY_FUNCTION.get(function.kind)
    if known is None and call.is_resumable:
        known = words.GENERATOR
    if known is not None:
        return known
    role = conventions.role(conventions.of(trace.meta.get("language")), function)
    if role == words.METHOD and _is_named_only(trace, call, function.name):
        return words.PROPERTY
    return role or words.CALL


def _is_named_only(trace: Trace, call: Call, name: str) -> bool:
    """Whether the caller reads, sets or deletes an attribute of its name instead of calling it."""
    if call.parent is None or call.place is None or call.through_other_code:
        return False
    flow = trace.flow(trace.call(call.parent).function)
    here = () if flow is None else flow.operations_at(call.place)
    # A private name is mangled outside of its class, and ends with the written name.
    return any(each.kind in _OF_ATTRIBUTES and each.name.endswith(name) for each in here)


def written(trace: Trace, call: Call) -> str:
    """Return the text of the call in its caller, on one line; empty if not known."""
    span = trace.call_site(call)
    if span is None or call.parent is None or call.through_other_code:
        return ""
    caller = trace.function(trace.call(call.parent).function)
    source = trace.source(caller.module) if caller else ""
    return " ".join(text_at(source, span).split())[:_LONGEST]


def text_at(source: str, span: Span) -> str:
    """Return the text of a span; columns count bytes."""
    lines = [line.encode() for line in source.splitlines()[span.line - 1 : span.end_line]]
    if not lines or span.line < 1:
        return ""
    lines[-1] = lines[-1][: span.end_column]
    lines[0] = lines[0][span.column :]
    return b"\n".join(lines).decode("utf-8", "replace")
