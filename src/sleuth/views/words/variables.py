"""All variables at a moment in words, for `sleuth show --at`."""

from collections.abc import Iterator, Mapping

from sleuth.trace.events import Call, Function
from sleuth.trace.reader import Trace
from sleuth.trace.values import Ref, Value, escaped
from sleuth.views.drawing.calls import function_name
from sleuth.views.drawing.picture import Pictures
from sleuth.views.drawing.value_text import badge

_MOST_GLOBALS = 15
_WIDTH = 100
"""Columns of a value; one that is wider than the terminal takes several lines."""


def state(trace: Trace, call: Call, at: int) -> Iterator[str]:
    """Yield all variables of a call before the event at a moment, and its module's globals."""
    function = trace.function(call.function)
    yield f"moment {at:,}, in call {call.id}: {function_name(function, call.function)}"
    known: dict[int, str] = {}
    variables = seen_at(trace, call, at)
    yield from _variables(trace, variables, at, known)
    if not variables:
        yield "  no variables yet"
    yield from _globals(trace, function, at, known, own=variables)


def seen_at(trace: Trace, call: Call, at: int) -> Mapping[str, Value]:
    """Return the variables of a call; at its very beginning its arguments."""
    return trace.variables(call, at + 1 if at == call.first else at)


def running_at(trace: Trace, at: int) -> Call | None:
    """Return the call of the event at a moment; after the last event the call of the last."""
    if not trace.event_count:
        return None
    event = trace.event(min(at, trace.event_count - 1))
    return None if event.call is None else trace.call(event.call)


def globals_at(trace: Trace, function: Function | None, at: int) -> Mapping[str, Value]:
    """Return the globals of a function's module; none for the body of the module itself."""
    if function is None or function.kind == "module body":
        return {}
    return trace.globals(function.module, at)


def _globals(
    trace: Trace,
    function: Function | None,
    at: int,
    known: dict[int, str],
    *,
    own: Mapping[str, Value],
) -> Iterator[str]:
    found = {
        name: value
        for name, value in globals_at(trace, function, at).items()
        if name not in own and not _is_code(value)
    }
    if not found or function is None:
        return
    yield f"  globals of {escaped(function.module.name)}"
    some = dict(list(found.items())[:_MOST_GLOBALS])
    yield from _variables(trace, some, at, known)
    if len(found) > len(some):
        yield f"    ... {len(found) - len(some):,} more: --json"


def _is_code(value: Value) -> bool:
    return isinstance(value, Ref) and value.type_name in ("function", "type", "module")


def _variables(
    trace: Trace, variables: Mapping[str, Value], at: int, known: dict[int, str]
) -> Iterator[str]:
    pictures = Pictures(trace)
    for name, value in variables.items():
        words = f"    {escaped(name)} = {pictures.of(value, at, width=_WIDTH)}"
        if isinstance(value, Ref):
            words += _remarks(trace, value, at, known)
            known.setdefault(value.id, escaped(name))
        yield words


def _remarks(trace: Trace, ref: Ref, at: int, known: dict[int, str]) -> str:
    shape = trace.shape(ref, at)
    remarks = []
    if ref.id in known:
        probably = "probably " if shape and shape.is_probable else ""
        remarks.append(f"{probably}the same object as {known[ref.id]}, {badge(ref)}")
    if shape is not None and not shape.is_sure:
        remarks.append("may have been changed by code that is not recorded")
    return f"  ({'; '.join(remarks)})" if remarks else ""
