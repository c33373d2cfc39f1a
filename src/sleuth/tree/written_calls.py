"""Tells whether a call is written with the parameters of its function alone."""

from collections.abc import Iterator

from sleuth.trace.events import Function
from sleuth.trace.flow.operations import Operation
from sleuth.trace.flow.table import Flow
from sleuth.trace.reader import Trace

_SUPER = "super"
_OWN = ("local", "cell")


def names_all(trace: Trace, function: Function, place: int | None) -> bool:
    """Tell whether the call at a place names all parameters of its function and nothing else.

    False: it does not, or that is not known.
    """
    flow = trace.flow(function.id)
    if flow is None or place is None:
        return False
    calls = [each for each in flow.operations_at(place) if each.kind == "call"]
    if len(calls) != 1:
        return False
    whom = _whom(flow, calls[0])
    named = {whom}
    for operation in _given(flow, calls[0]):
        is_own = operation.kind == "read" and operation.scope in _OWN
        if not is_own or operation.name not in function.parameters:
            return False
        named.add(operation.name)
    left = set(function.parameters[whom == _SUPER :])
    return bool(whom) and left <= named


def _whom(flow: Flow, call: Operation) -> str:
    """Return the variable that a callee starts from; empty: it is another expression.

    `self` for `self.parts.add`.  The only call allowed in it has no arguments: `super().add`.
    """
    found = flow.makers(call, "callee")
    is_through_call = False
    for _ in flow.operations:  # bounded, in case the table has a cycle
        if len(found) != 1:
            break
        (operation,) = found
        if operation.kind == "read":
            return operation.name
        if operation.kind == "attribute":
            found = flow.makers(operation, "object")
        elif operation.kind == "call" and not is_through_call:
            found = flow.makers(operation, "callee")
            is_through_call = True
            is_super = [each.name for each in found] == [_SUPER]
            if not is_super and {each.role for each in operation.inputs} - {"callee", "receiver"}:
                return ""
        else:
            return ""
    return ""


def _given(flow: Flow, call: Operation) -> Iterator[Operation]:
    """Yield the arguments of a call; packed ones are unpacked."""
    work = [
        each
        for each in flow.makers(call, "position", "name", "*", "**")
        if each.kind != "constant" or each.span != call.span
    ]
    seen: set[int] = set()
    while work:
        operation = work.pop()
        if id(operation) in seen:
            continue
        seen.add(id(operation))
        if operation.kind != "make" or operation.span != call.span:
            yield operation
            continue
        work += flow.makers(operation, "item", "*")
        work += [
            what
            for each in flow.operations
            if each.kind in ("add", "extend") and each.span == call.span
            if any(container is operation for container in flow.makers(each, "container"))
            for what in flow.makers(each, "what")
        ]
