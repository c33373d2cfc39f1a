"""Which call an operand of a check is: the one that stands there, not one made on its behalf."""

import re

from sleuth.trace import conventions
from sleuth.trace.conventions import Conventions
from sleuth.trace.events import Call, Operand, Span
from sleuth.trace.reader import Trace

_WAITING = "await "
_NAME = re.compile(r"\w*\Z")


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
    if function is None or not _stands_there(trace.call_site(call), operand):
        return False
    known = conventions.of(trace.meta.get("language"))
    if function.name in known.constructors:
        return False  # it returns nothing
    called = _called(operand.text)
    if not called:
        return not by_name or _is_implied(known, function.name, operand.text)
    if function.name in (called, f"__{called}__"):
        return True
    return not by_name and called not in known.builtin


def _stands_there(site: Span | None, operand: Operand) -> bool:
    if site is None or not operand.text.startswith(_WAITING):
        return site == operand.span
    span = operand.span
    start = span.line, span.column + len(_WAITING)
    return site == Span(*start, span.end_line, span.end_column)


def _is_implied(known: Conventions, name: str, text: str) -> bool:
    """Tell whether a text without a call means a function: an operator, or a property."""
    return name in known.operators or text.endswith(f".{name}")


def _called(text: str) -> str:
    """Return the last name of what is called by a text that is a call; nothing: it is none."""
    if not text.endswith(")"):
        return ""
    depth = 0
    for place in range(len(text) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(text[place], 0)
        if not depth:
            found = _NAME.search(text[:place])
            return found[0] if found else ""
    return ""
