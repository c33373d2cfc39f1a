"""Which lines of its code a call really ran, by its own events and not those of the calls it made.

Most statements leave an event: stores, loops, branches, calls of recorded functions, exceptions.
Where there is none, the line ran if control must have come by: see `control.Walk`.
"""

from dataclasses import dataclass

from sleuth.trace.events import Call, Function
from sleuth.trace.reader import Trace
from sleuth.tree.control import Walk
from sleuth.tree.evidence import Evidence

MOST_MOMENTS = 400_000
"""Of a longer call only the beginning and the end are looked at."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """The lines of one call."""

    lines: tuple[int, ...]
    """Those that ran, sorted."""
    code: tuple[int, ...]
    """All lines of the function that have code, sorted."""
    seen: tuple[int, ...]
    """Those of which an event tells that they ran."""
    raised: int | None
    """Where an exception left the call."""
    is_whole: bool = True
    """False: the call is so long that not all of it was looked at."""


def coverage(trace: Trace, call: Call, *, most_moments: int = MOST_MOMENTS) -> Coverage:
    """Return which lines of its function a call ran itself."""
    function = trace.function(call.function)
    if function is None:
        return Coverage((), (), (), None)
    evidence = Evidence(trace, call, function, most_moments)
    code = _code_lines(trace, function, evidence.lines)
    source = trace.sources().get(function.module.path, "").splitlines()
    walk = Walk(trace, call, function, evidence, source)
    ran = walk.of(function, code) if source else set(code)
    lines = sorted((ran | evidence.lines) & set(code))
    seen = tuple(sorted(evidence.lines & set(code)))
    return Coverage(tuple(lines), tuple(code), seen, evidence.raised, evidence.is_whole)


def _code_lines(trace: Trace, function: Function, seen: set[int]) -> list[int]:
    """Return the lines with code; the header of a function is not part of what a call runs."""
    own = range(function.first_line, function.last_line + 1)
    lines = {span.line for span in function.spans if span.line in own}
    lines |= seen & set(own)
    header = function.first_line
    is_named = not function.name.startswith("<")
    if is_named and header in lines - seen and _is_header(trace, function, lines):
        lines.discard(header)
    return sorted(lines)


def _is_header(trace: Trace, function: Function, lines: set[int]) -> bool:
    source = trace.sources().get(function.module.path, "").splitlines()
    below = [line for line in lines if line > function.first_line]
    if not below or function.first_line > len(source) or max(below) > len(source):
        return False
    header = source[function.first_line - 1]
    return all(
        _indentation(source[line - 1]) > _indentation(header)
        for line in below
        if source[line - 1].strip()
    )


def _indentation(line: str) -> int:
    line = line.expandtabs()
    return len(line) - len(line.lstrip())
