"""Where in the source a loop's body stands: by indentation, or by the brackets around it.

A trace has the text of a function but not its syntax, and says of a loop where its head stands.
"""

from dataclasses import dataclass

from sleuth.trace.events import Function, Site, Span
from sleuth.trace.reader import Trace

COMPREHENSION = "comprehension"
_OPENING, _CLOSING = b"([{", b")]}"
_FAR = 1 << 30


@dataclass(frozen=True, slots=True)
class Extent:
    """From where to where something goes: line and column, the end not included."""

    start: tuple[int, int]
    end: tuple[int, int]

    def contains(self, span: Span | None) -> bool:
        """Whether a span lies inside; one that is not known does not."""
        if span is None:
            return False
        first, last = (span.line, span.column), (span.end_line, span.end_column)
        return self.start <= first and last <= self.end

    @property
    def lines(self) -> range:
        """The lines that it touches."""
        return range(self.start[0], self.end[0] + 1)


def extent_of(trace: Trace, function: Function, site: Site) -> Extent:
    """Return where what a loop repeats stands."""
    source = trace.sources().get(function.module.path, "").encode().splitlines()
    if function.kind == "generator expression":
        return Extent((0, 0), (_FAR, _FAR))
    if site.kind.endswith(COMPREHENSION):
        return _brackets(source, site.span)
    return _block(source, site.span, function.last_line)


def head_lines(site: Site) -> range:
    """Return the lines of a loop's head."""
    return range(site.span.line, site.span.end_line + 1)


def text_of_head(trace: Trace, function: Function, site: Site) -> str:
    """Return the head of a loop on one line."""
    source = trace.sources().get(function.module.path, "").encode().splitlines()
    span = site.span
    lines = source[span.line - 1 : span.end_line] if span.line > 0 else []
    if not lines:
        return site.kind
    lines[-1] = lines[-1][: span.end_column]
    lines[0] = lines[0][span.column :]
    text = " ".join(b" ".join(lines).decode("utf-8", "replace").split())
    # Of a loop with just a condition the head is that condition.
    return text if text.startswith(("for ", "async ")) else f"{site.kind} {text}"


def _block(source: list[bytes], head: Span, last: int) -> Extent:
    """Return the lines below a head that are indented more, with what stands behind the head."""
    start = head.end_line, head.end_column
    if not 0 < head.line <= len(source):
        return Extent(start, (head.end_line, _FAR))
    indentation, end = _indentation(source[head.line - 1]), head.end_line
    for number in range(head.end_line + 1, min(last, len(source)) + 1):
        text = source[number - 1].strip()
        if not text or text.startswith(b"#"):
            continue
        if _indentation(source[number - 1]) <= indentation and text[:1] not in _CLOSING:
            break
        end = number
    return Extent(start, (end, _FAR))


def _indentation(line: bytes) -> int:
    line = line.expandtabs()
    return len(line) - len(line.lstrip())


def _brackets(source: list[bytes], span: Span) -> Extent:
    """Return what is between the brackets around a span."""
    start = _outward(source, (span.line, span.column), -1)
    end = _outward(source, (span.end_line, span.end_column), 1)
    return Extent(start, end)


def _outward(source: list[bytes], at: tuple[int, int], step: int) -> tuple[int, int]:
    """Go on until a bracket that was opened on the other side."""
    inner, outer = (_OPENING, _CLOSING) if step > 0 else (_CLOSING, _OPENING)
    line, column = at
    depth = 0
    while 0 < line <= len(source):
        text = source[line - 1]
        places = range(column, len(text)) if step > 0 else range(min(column, len(text)) - 1, -1, -1)
        for place in places:
            if text[place] in inner:
                depth += 1
            elif text[place] in outer:
                if not depth:
                    return (line, place) if step > 0 else (line, place + 1)
                depth -= 1
        line += step
        column = 0 if step > 0 else _FAR
    return line, column
