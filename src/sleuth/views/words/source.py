"""The code of a call: the lines that ran are marked, the others dimmed."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from sleuth.trace.events import Call, Function
from sleuth.trace.reader import Trace
from sleuth.tree.coverage import Coverage, coverage
from sleuth.views.drawing.styled import Line, Piece, Role, fitted, hanging, line, wrapped
from sleuth.views.words.recording import is_changed

HEIGHT = 40
RAN = "*"
RAISED = "!"
_FURTHER = 4
"""Columns by which the rest of a long line is indented."""
_AROUND = 1
"""Lines before and after one that ran that are shown where not all are."""


def code_lines(
    trace: Trace,
    call: Call,
    *,
    width: int,
    covered: Coverage | None = None,
    height: int = HEIGHT,
) -> list[Line]:
    """Return a call's function, with a mark at each line that ran."""
    function = trace.function(call.function)
    if function is None:
        return [line("The code is not known.")]
    if not function.module.has_source:
        said = f"The source of {function.module.path} is not in the trace."
        return [line(each) for each in wrapped(said, width)]
    covered = covered or coverage(trace, call)
    lines = trace.source(function.module).splitlines()
    numbers = list(_chosen(function, covered, len(lines), height))
    remarks = [*_remarks(covered, width, is_changed=is_changed(trace, function.module))]
    remarks += _of_template(function, covered, width)
    legend = [_legend(covered)] if covered.is_known else []
    return [*_drawn(lines, numbers, covered, width), *remarks, *legend]


def _chosen(function: Function, covered: Coverage, count: int, height: int) -> Iterator[int]:
    """Yield the numbers of the lines to show: all, or those that ran and their neighbours."""
    first, last = max(function.first_line, 1), min(function.last_line, count)
    if last - first < height:
        yield from range(first, last + 1)
        return
    shown = {first}
    for number in covered.lines[: height - 1]:
        shown.add(number)
    for number in covered.lines:
        if len(shown) >= height:
            break
        shown |= {number - _AROUND, number + _AROUND} & set(range(first, last + 1))
    yield from sorted(shown)


def _drawn(
    lines: Sequence[str], numbers: Sequence[int], covered: Coverage, width: int
) -> Iterator[Line]:
    column = len(str(numbers[-1])) if numbers else 1
    ran = set(covered.lines)
    for before, number in pairwise([None, *numbers]):
        if before is not None and number is not None and number > before + 1:
            gap = f"{'':>{column}}   ... {number - before - 1:,} lines"
            yield line(Piece(f"  {gap}", Role.DIM))
        if number is None:
            continue
        mark = RAISED if number == covered.raised else RAN if number in ran else " "
        text, room = lines[number - 1].expandtabs().rstrip(), width - column - 5
        # Of a line that ran nothing is cut: it may be the wrong one.
        further = min(len(text) - len(text.lstrip()) + _FURTHER, room // 2)
        first, *rest = [fitted(text, room)] if mark == " " else hanging(text, room, further=further)
        role = Role.WRONG if mark == RAISED else Role.PLAIN if mark == RAN else Role.DIM
        marked = Piece(f"  {number:>{column}} {mark} ", Role.LABEL if mark != " " else Role.DIM)
        yield line(marked, Piece(first, role))
        yield from (line(" " * (column + 5), Piece(each, role)) for each in rest)


def _remarks(covered: Coverage, width: int, *, is_changed: bool) -> Iterator[Line]:
    if is_changed:
        said = "  The file has changed since; this is the code that ran."
        yield from (line(Piece(each, Role.WRONG)) for each in hanging(said, width))
    if not covered.is_known:
        said = "  The trace does not tell which of these lines ran."
        yield from (line(Piece(each, Role.DIM)) for each in hanging(said, width))


def _of_template(function: Function, covered: Coverage, width: int) -> Iterator[Line]:
    """Yield the lines that ran of the template that the code was made from."""
    template = function.module.template
    if template is not None and covered.is_known:
        ran = template.lines_in(function, covered.lines)
        which = f"{'line' if len(ran) == 1 else 'lines'} {', '.join(map(str, ran))}"
        said = f"This was compiled from {template.name}; of that ran {which if ran else 'nothing'}."
        yield from (line(f"  {each}") for each in wrapped(said, width - 2))


def _legend(covered: Coverage) -> Line:
    """Return the meaning of the marks."""
    error = "" if covered.raised is None else f"   {RAISED} the exception came from here"
    return line(Piece(f"  {RAN} ran in this call{error}", Role.DIM))
