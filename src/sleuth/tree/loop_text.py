"""Where in the source a loop's body stands: by indentation, or by the brackets around it.

A trace has the text of a function but not its syntax, and says of a loop where its head stands.
"""

import re
from dataclasses import dataclass

from sleuth.trace.events import Function, Site, Span
from sleuth.trace.reader import Trace

COMPREHENSION = "comprehension"
CONDITIONAL = "while"
_OPENING, _CLOSING = b"([{", b")]}"
_EXPRESSION = "generator expression"
_FAR = 1 << 30
_COMMENT = re.compile(r"""("[^"]*"|'[^']*')|#.*""")
"""A text, which may contain the sign, or what the compiler does not see."""
_WORD = re.compile(r"[^\W\d]\w*")
_ASYNC = re.compile(r"\basync\s+for\s*$")
_ASSIGNED = re.compile(r"([^\W\d]\w*)\s*:=")
_TARGETS = re.compile(r"(?:async )?for ([\w\s,()*]+?) in ")


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
    if function.kind == _EXPRESSION:
        return Extent((function.first_line, 0), (function.last_line, _FAR))
    if site.kind.endswith(COMPREHENSION):
        return _brackets(source, site.span)
    return _block(source, site.span, function.last_line)


def condition_of(site: Site) -> Extent:
    """Return where the condition of a loop stands that has just that."""
    return _place(site.span)


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
    # Of a loop with just a condition the head is that condition, of a comprehension what it goes
    # through.
    word = site.kind
    if word.endswith(COMPREHENSION):
        before = _text(trace, function, Extent((span.line, 0), (span.line, span.column)))
        word = "async for" if _ASYNC.search(before) else "for"
    return text if text.startswith(("for ", "async ")) else f"{word} {text}"


def text_of_comprehension(trace: Trace, function: Function, site: Site) -> str:
    """Return a comprehension with its brackets on one line; of other loops nothing."""
    if not site.kind.endswith(COMPREHENSION):
        return ""
    around = brackets_of(trace, function, site)
    text = _text(trace, function, around)
    (line, column), (end_line, end_column) = around.start, around.end
    if function.kind == _EXPRESSION:
        return f"({text})"
    outer = Extent((line, max(column - 1, 0)), (end_line, end_column + 1))
    return _text(trace, function, outer)


def brackets_of(trace: Trace, function: Function, site: Site) -> Extent:
    """Return what stands between the brackets of a comprehension."""
    source = trace.sources().get(function.module.path, "").encode().splitlines()
    return _brackets(source, site.span)


def names_in(trace: Trace, function: Function, site: Site) -> frozenset[str] | None:
    """Return the names that a loop's text mentions; None: there is no text."""
    body = extent_of(trace, function, site)
    texts = [_text(trace, function, each) for each in (_place(site.span), body)]
    return frozenset(_WORD.findall(" ".join(texts))) if all(texts) else None


def target_names(head: str) -> tuple[str, ...]:
    """Return the variables that each turn puts its item into."""
    found = _TARGETS.match(head)
    return tuple(_WORD.findall(found.group(1))) if found else ()


def condition_names(head: str) -> tuple[str, ...]:
    """Return the variables that the condition of a loop sets, for the turn behind it."""
    is_condition = head.startswith(f"{CONDITIONAL} ")
    return tuple(dict.fromkeys(_ASSIGNED.findall(head))) if is_condition else ()


def _place(span: Span) -> Extent:
    return Extent((span.line, span.column), (span.end_line, span.end_column))


def _text(trace: Trace, function: Function, extent: Extent) -> str:
    """Return what stands there, on one line."""
    source = trace.sources().get(function.module.path, "").encode().splitlines()
    (line, column), (end_line, end_column) = extent.start, extent.end
    lines = source[line - 1 : end_line] if line > 0 else []
    if not lines:
        return ""
    if end_line <= len(source):
        lines[-1] = lines[-1][:end_column]
    lines[0] = lines[0][column:]
    texts = [each.decode("utf-8", "replace") for each in lines]
    return " ".join(" ".join(_COMMENT.sub(r"\1", text) for text in texts).split())


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
