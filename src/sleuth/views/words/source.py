"""The code of a call: lines that ran, and those that were needed, are marked; others dimmed."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from sleuth.trace.events import Call, Function
from sleuth.trace.reader import Trace
from sleuth.tree.coverage import Coverage, coverage
from sleuth.tree.dependence.needed import Needed
from sleuth.views.drawing.styled import Line, Piece, Role, fitted, hanging, line, wrapped
from sleuth.views.drawing.styled import width as columns
from sleuth.views.trace_files import typed
from sleuth.views.words.recording import is_changed

HEIGHT = 40
RAN = "."
NEEDED = "*"
PART = "#"
RAISED = "!"
_LEFT_OUT = (
    "Which lines were needed is left out: the run is too long to find out quickly. "
    "For one value: sleuth slice {trace} PATH --call {call}"
)
_BETWEEN = "   "
_FURTHER = 4
"""Columns by which the rest of a long line is indented."""
_AROUND = 1
"""Lines before and after one that ran that are shown where not all are."""


def code_lines(  # noqa: PLR0913 - what is known of the call
    trace: Trace,
    call: Call,
    *,
    width: int,
    covered: Coverage | None = None,
    needed: Needed | None = None,
    height: int = HEIGHT,
) -> list[Line]:
    """Return a call's function, with a mark at each line that ran.

    needed: what was needed for what the call did; None: that is not known.
    """
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
    marks = _marks(covered, needed)
    legend = _legend(marks, needed, width) if covered.is_known else ()
    if covered.is_known and needed is not None and not needed.is_ready:
        said = _LEFT_OUT.format(trace=typed(trace.path), call=call.id)
        remarks += [line(Piece(each, Role.DIM)) for each in hanging(f"  {said}", width)]
    return [*_drawn(lines, numbers, marks, width), *remarks, *legend]


def _marks(covered: Coverage, needed: Needed | None) -> dict[int, str]:
    """Return the mark of each line that ran."""
    found = dict.fromkeys(covered.lines, RAN)
    if needed is not None:
        for mark, lines in ((NEEDED, needed.shown), (PART, needed.part)):
            found |= dict.fromkeys(lines & found.keys(), mark)
    if covered.raised is not None:
        found[covered.raised] = RAISED
    return found


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
    lines: Sequence[str], numbers: Sequence[int], marks: Mapping[int, str], width: int
) -> Iterator[Line]:
    column = len(str(numbers[-1])) if numbers else 1
    for before, number in pairwise([None, *numbers]):
        if before is not None and number is not None and number > before + 1:
            gap = f"{'':>{column}}   ... {number - before - 1:,} lines"
            yield line(Piece(f"  {gap}", Role.DIM))
        if number is None:
            continue
        mark = marks.get(number, " ")
        text, room = lines[number - 1].expandtabs().rstrip(), width - column - 5
        # Of a line that ran nothing is cut: it may be the wrong one.
        further = min(len(text) - len(text.lstrip()) + _FURTHER, room // 2)
        first, *rest = [fitted(text, room)] if mark == " " else hanging(text, room, further=further)
        role = Role.WRONG if mark == RAISED else Role.DIM if mark == " " else Role.PLAIN
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


def _legend(marks: Mapping[int, str], needed: Needed | None, width: int) -> Iterator[Line]:
    """Yield the meaning of the marks that occur."""
    means = {
        RAN: "ran in this call",
        NEEDED: "ran, needed for what is shown",
        PART: f"ran, needed for {needed.path if needed else ''}",
        RAISED: "the exception came from here",
    }
    row = ""
    for mark, meaning in means.items():
        if mark not in marks.values():
            continue
        said = f"{mark} {meaning}"
        if row and columns(f"{row}{_BETWEEN}{said}") > width:
            yield line(Piece(row, Role.DIM))
            row = ""
        row = f"{row}{_BETWEEN}{said}" if row else fitted(f"  {said}", width)
    if row:
        yield line(Piece(row, Role.DIM))
