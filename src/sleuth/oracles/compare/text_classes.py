"""Classes derived from texts and numbers, whose values older traces do not have.

A trace has the attributes of an object.  For a subclass of `str` they are not all: `Token("a")` and
`Token("b")` have the same ones.
"""

from collections.abc import Iterator

from sleuth.trace.flow.operations import Operation
from sleuth.trace.flow.table import Flow
from sleuth.trace.reader import Trace

_PLAIN = frozenset(("str", "bytes", "int", "float", "complex", "Decimal"))


def plain_classes(trace: Trace) -> frozenset[str]:
    """Return the names of the classes that recorded code derives from texts and numbers."""
    bases = list(_bases(trace))
    found = set(_PLAIN)
    size = 0
    while size != len(found):
        size = len(found)
        found |= {name for name, above in bases if not above.isdisjoint(found)}
    return frozenset(found - _PLAIN)


def _bases(trace: Trace) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield the classes with their bases, as far as recorded."""
    for function in trace.functions():
        said = trace.names_said(function.id)
        made = [] if said is None else [trace.function(number) for number in said.functions]
        is_around = any(each is not None and each.kind == "class body" for each in made)
        flow = trace.flow(function.id) if is_around else None
        for operation in flow.operations if flow else ():
            if operation.kind == "class" and isinstance(operation.value, int) and flow:
                body = trace.function(operation.value)
                bases = flow.makers(operation, "base")
                yield body.name if body else "", frozenset(_name(flow, each) for each in bases)


def _name(flow: Flow, base: Operation) -> str:
    """Return the last name of a base class; that of `Base[int]` is `Base`."""
    of = flow.makers(base, "object") if base.kind == "item" else [base]
    return of[0].name if of and of[0].kind in ("read", "attribute") else ""
