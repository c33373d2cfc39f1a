"""A failed assert of the program in words: its text, what it compared, the values of its names."""

import ast
from collections.abc import Iterator, Sequence

from sleuth.trace import conventions
from sleuth.trace.events import Check, Operand, Span
from sleuth.trace.reader import Trace
from sleuth.trace.values import Ref, escaped
from sleuth.tree.failing.asserted import Asserted, failed_assert
from sleuth.tree.failing.operands import Checking
from sleuth.tree.failing.test import Failure, failure_by
from sleuth.tree.failing.variables_named import variables_in
from sleuth.tree.node_kinds import text_at
from sleuth.tree.observe.behaviour import Behaviour
from sleuth.views.drawing.picture import Pictures
from sleuth.views.drawing.places import where
from sleuth.views.drawing.rows import Drawing
from sleuth.views.drawing.styled import fitted
from sleuth.views.drawing.styled import width as columns
from sleuth.views.words.failure import STARTING, compared_lines, first_line
from sleuth.views.words.outcome import error_text

_MOST_NAMES = 4
_RELATIONS = {ast.Eq: "==", ast.Is: "is"}


def crash_lines(
    trace: Trace, outermost: Behaviour, left: Sequence[int], width: int
) -> Iterator[str]:
    """Yield sentences about the exception that ended a run.

    left: the calls that it left, outermost first; they are asked about first.
    """
    said = list(_assert_lines(trace, left, width))
    yield from said
    if not said:
        error = error_text(Drawing(trace, outermost, width=width))
        yield f"The run ended with {error}; {STARTING}"


def _assert_lines(trace: Trace, path: Sequence[int], width: int) -> Iterator[str]:
    """Yield sentences about the assert that ended a run; nothing: it was something else."""
    failed = failed_assert(trace, trace.call(path[-1])) if path else None
    if failed is None:
        return
    text = text_at(trace.source(failed.function.module), failed.condition)
    place = where(trace, failed.function, failed.line)
    yield f"The run ended at {place}: assert {escaped(first_line(text))}"
    check = _check(text, failed.condition)
    shown: set[str] = set()
    if check is not None:
        failure = failure_by(trace, [trace.call(each) for each in path], failed, check)
        yield from compared_lines(trace, failure, width)
        shown = _shown(failure)
    yield from _named(trace, failed, shown, width)


def _shown(failure: Failure) -> set[str]:
    sides = (failure.actual, failure.expected)
    return {side.text for side in sides if side is not None and side.value is not None}


def _named(trace: Trace, failed: Asserted, shown: set[str], width: int) -> Iterator[str]:
    """Yield the values of the variables in the condition."""
    code = conventions.of(trace.meta.get("language")).code
    checking = Checking(trace, failed.call, failed.at)
    names = sorted(variables_in(trace, failed.function.id, failed.condition))
    found = [(name, checking.held(name)) for name in names if name not in shown]
    known = [
        (name, value)
        for name, value in found
        if value is not None and not (isinstance(value, Ref) and value.type_name in code)
    ]
    pictures = Pictures(trace)
    for name, value in known[:_MOST_NAMES]:
        start = f"  {fitted(escaped(name), width // 2)} was "
        yield start + pictures.deep(value, failed.at, width - columns(start))


def _check(text: str, span: Span) -> Check | None:
    """Return a comparison of two values as a check; None: the condition is something else."""
    try:
        condition = ast.parse(f"({text})", mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None
    match condition:
        case ast.Compare(left, [operator], [right]) if type(operator) in _RELATIONS:
            operands = tuple(_operand(each, text, span) for each in (left, right))
            return Check(span, " ".join(text.split()), _RELATIONS[type(operator)], operands)
    return None


def _operand(node: ast.expr, text: str, span: Span) -> Operand:
    source = ast.get_source_segment(f"({text})", node) or ""
    place = Span(
        span.line + node.lineno - 1,
        _column(node.lineno, node.col_offset, span),
        span.line + (node.end_lineno or node.lineno) - 1,
        _column(node.end_lineno or node.lineno, node.end_col_offset or 0, span),
    )
    name = node.id if isinstance(node, ast.Name) else ""
    return Operand(" ".join(source.split()), place, name, _is_literal(node))


def _column(line: int, column: int, span: Span) -> int:
    """Return a column of the source; the first line begins at the condition, behind a bracket."""
    return span.column + column - 1 if line == 1 else column


def _is_literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True
