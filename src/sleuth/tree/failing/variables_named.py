"""The variables that a part of a function's text reads, found by its operations."""

from collections.abc import Iterator

from sleuth.trace import conventions
from sleuth.trace.events import Span
from sleuth.trace.flow.operations import MAKES_CODE, Operation
from sleuth.trace.reader import Trace
from sleuth.tree.failing.operand_calls import is_within

_INNER = "inner"


def variables_in(trace: Trace, function: int, where: Span) -> frozenset[str]:
    """Return the variables of a function that a part of its text reads, as far as is known.

    Variables of comprehensions are left out; of nested functions only the variables shared with
    this one count.
    """
    found: set[str] = set()
    inside: list[int] = []
    for each in _operations(trace, function):
        if each.span is not None and is_within(each.span, where):
            if each.kind == "read" and not each.scope.startswith(_INNER):
                found.add(each.name)
            inside += _made(each)
    found.update(_shared(trace, inside))
    implicit = conventions.of(trace.meta.get("language")).implicit
    return frozenset(name for name in found if not name.startswith(implicit))


def _shared(trace: Trace, functions: list[int]) -> Iterator[str]:
    """Yield the free variables of functions and of those nested in them."""
    seen = {*functions}
    while functions:
        number = functions.pop()
        function = trace.function(number)
        free = () if function is None else function.free
        for each in _operations(trace, number):
            if each.kind == "read" and (each.scope == "global" or each.name in free):
                yield each.name
            new = {*_made(each)} - seen
            seen |= new
            functions += new


def _operations(trace: Trace, function: int) -> tuple[Operation, ...]:
    flow = trace.flow(function)
    return () if flow is None else flow.operations


def _made(operation: Operation) -> list[int]:
    value = operation.value
    return [value] if operation.kind in MAKES_CODE and isinstance(value, int) else []
