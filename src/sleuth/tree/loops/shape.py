"""The shape of a loop: its span, its body, and the variables that its turns begin with."""

import re
from dataclasses import dataclass

from sleuth.trace import conventions
from sleuth.trace.events import Function, Site, Span
from sleuth.trace.flow.operations import Operation
from sleuth.trace.flow.table import Flow, Loop
from sleuth.trace.reader import Trace

COMPREHENSION = "comprehension"
CONDITIONAL = "while"
_COMMENT = re.compile(r"""("[^"]*"|'[^']*')|#.*""")
"""A string, which may contain `#`, or a comment."""
_OF_VARIABLES = frozenset({"read", "store", "delete"})
_ASYNC = re.compile(r"\basync\s+for\s*$")
"""`async for`; found in the text, as it is only shown and not all versions record it."""


@dataclass(frozen=True, slots=True)
class Extent:
    """A range of the source: line and column, the end not included."""

    start: tuple[int, int]
    end: tuple[int, int]

    def contains(self, span: Span | None) -> bool:
        """Whether a span lies inside; one that is not known does not."""
        if span is None:
            return False
        first, last = (span.line, span.column), (span.end_line, span.end_column)
        return self.start <= first and last <= self.end


def shape_of(trace: Trace, site: Site) -> Loop | None:
    """Return the shape of the loop at a site; None: not recorded."""
    flow = trace.flow(site.function)
    return None if flow is None else flow.loops.get(site.id)


def extent_of(trace: Trace, site: Site) -> Extent:
    """Return the extent of a loop's body; if that is not known, of its head."""
    shape = shape_of(trace, site)
    return place_of(site.span if shape is None else shape.body)


def condition_of(site: Site) -> Extent:
    """Return the extent of the condition of a `while` loop."""
    return place_of(site.span)


def head_lines(site: Site) -> range:
    """Return the lines of a loop's head."""
    return range(site.span.line, site.span.end_line + 1)


def text_of_head(trace: Trace, function: Function, site: Site) -> str:
    """Return the head of a loop on one line."""
    span = site.span
    text = _text(
        trace, function, Extent((span.line, span.column), (span.end_line, span.end_column))
    )
    if not text:
        return site.kind
    # The recorded head of a `while` loop is its condition, that of a comprehension its iterable.
    if is_conditional(site):
        return f"{site.kind} {text}"
    if not site.kind.endswith(COMPREHENSION):
        return text
    before = _text(trace, function, Extent((span.line, 0), (span.line, span.column)))
    return f"async for {text}" if _ASYNC.search(before) else f"for {text}"


def text_of_comprehension(trace: Trace, function: Function, site: Site) -> str:
    """Return a comprehension with its brackets on one line; empty for other loops."""
    if not site.kind.endswith(COMPREHENSION):
        return ""
    return _text(trace, function, extent_of(trace, site))


def names_in(trace: Trace, site: Site) -> frozenset[str]:
    """Return the variables that a loop reads, sets or deletes, as far as is known."""
    flow, shape = trace.flow(site.function), shape_of(trace, site)
    if flow is None or shape is None:
        return frozenset()
    implicit = conventions.of(trace.meta.get("language")).implicit
    return frozenset(
        operation.name
        for operation in flow.operations
        if operation.kind in _OF_VARIABLES and _is_in(operation, flow, site, shape)
        if not operation.name.startswith(implicit)
    )


def _is_in(operation: Operation, flow: Flow, site: Site, shape: Loop) -> bool:
    """Tell whether an operation is in a loop's head or in what it repeats."""
    if shape.statement < 0:
        is_inside = place_of(shape.body).contains(operation.span)
        return is_inside or place_of(site.span).contains(operation.span)
    is_repeated = flow.is_repeated(operation.statement, shape.statement)
    return is_repeated or operation.statement == shape.statement


def names_of(trace: Trace, site: Site) -> tuple[str, ...]:
    """Return the variables that a turn begins with: set by its item, or by the condition."""
    shape = shape_of(trace, site)
    return () if shape is None else shape.names


def is_conditional(site: Site) -> bool:
    """Tell whether a loop is a `while` loop, with a condition instead of items."""
    return site.kind == CONDITIONAL


def place_of(span: Span) -> Extent:
    """Return a span as an extent."""
    return Extent((span.line, span.column), (span.end_line, span.end_column))


def _text(trace: Trace, function: Function, extent: Extent) -> str:
    """Return the text of an extent on one line."""
    source = trace.source(function.module).encode().splitlines()
    (line, column), (end_line, end_column) = extent.start, extent.end
    lines = source[line - 1 : end_line] if line > 0 else []
    if not lines:
        return ""
    if end_line <= len(source):
        lines[-1] = lines[-1][:end_column]
    lines[0] = lines[0][column:]
    texts = [each.decode("utf-8", "replace") for each in lines]
    return " ".join(" ".join(_COMMENT.sub(r"\1", text) for text in texts).split())
