"""Lines of the output: the events that wrote a line, and the newest line that contains a text."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sleuth.trace.events import Call, Event, EventKind, Moment
from sleuth.trace.nearest import Wanted
from sleuth.trace.path import PathError, key_text
from sleuth.trace.values import Atom, Cut, Value

if TYPE_CHECKING:
    from sleuth.trace.reader import Trace

TEXT = "text:"
_NAMES = {1: "stdout", 2: "stderr"}


@dataclass(frozen=True, slots=True)
class Printed:
    """A line that was printed."""

    stream: int
    """1: standard output, 2: standard error."""
    line: int
    """Its number, from 0."""
    text: str
    moments: tuple[Moment, ...]
    """The events that wrote it, in order."""

    @property
    def moment(self) -> Moment:
        """When its first characters were written."""
        return self.moments[0]


@dataclass(slots=True)
class _Open:
    """A line that has not ended yet."""

    texts: list[str] = field(default_factory=list)
    moments: list[Moment] = field(default_factory=list)
    number: int = 0


def line_of(trace: "Trace", call: Call, stream: int, number: int, last: int) -> Printed:
    """Return a line that a call and its callees printed before a moment; of the run for a root."""
    found = [each for each in printed_lines(trace, call, last) if each.stream == stream]
    name = _NAMES[stream]
    if not found:
        raise PathError(f"Nothing was printed to {name} until then.")
    if not -len(found) <= number < len(found):
        raise PathError(f"There is no {name}[{number}]; there is [0] to [{len(found) - 1}].")
    return found[number]


def newest_with(trace: "Trace", text: str, last: int) -> Printed:
    """Return the newest line before a moment that contains a text."""
    newest: Printed | None = None
    some: list[Printed] = []
    for each in printed_lines(trace, None, last):
        some = [*some[-2:], each]
        if text and text in each.text:
            newest = each
    if newest is None:
        printed = "; ".join(key_text(each.text) for each in some)
        ends = f" The last lines are {printed}." if some else " Nothing was printed."
        raise PathError(f"No line of the output contains {key_text(text)}.{ends}")
    return newest


def last_lines(trace: "Trace", at: int, most: int) -> list[tuple[int, str]]:
    """Return the last lines that were printed before a moment, each with its stream, in order.

    The newest one of a stream may not have ended yet.
    """
    found: list[tuple[Moment, int, str]] = []
    before, ends = at, 0
    wanted = Wanted(kind=EventKind.OUTPUT)
    while ends <= most and (moment := trace.nearest.before(before, wanted)) is not None:
        event = trace.event(moment)
        text = _text(event.values[0])
        found.append((moment, event.number, text))
        ends += text.count("\n")
        before = moment
    lines: list[tuple[int, str]] = []
    open_at: dict[int, int] = {}
    for _, stream, text in reversed(found):
        for number, piece in enumerate(text.split("\n")):
            if number:
                open_at.pop(stream, None)
            if stream in open_at:
                lines[open_at[stream]] = stream, lines[open_at[stream]][1] + piece
            elif piece or number < text.count("\n"):
                open_at[stream] = len(lines)
                lines.append((stream, piece))
    return lines[-most:]


def printed_lines(trace: "Trace", call: Call | None, last: int) -> Iterator[Printed]:
    """Yield the lines that a call and its callees printed before a moment; None: the run."""
    first = 0 if call is None or call.parent is None else call.first
    lines: dict[int, _Open] = {}
    for event in trace.events(first, last - 1, kind=EventKind.OUTPUT):
        if event.number not in _NAMES or not _is_within(event, call):
            continue
        line = lines.setdefault(event.number, _Open())
        *ended, rest = _text(event.values[0]).split("\n")
        for text in ended:
            line.texts.append(text)
            line.moments.append(event.moment)
            yield Printed(event.number, line.number, "".join(line.texts), tuple(line.moments))
            line = lines[event.number] = _Open(number=line.number + 1)
        if rest:
            line.texts.append(rest)
            line.moments.append(event.moment)
    for stream, line in lines.items():
        if line.texts:
            yield Printed(stream, line.number, "".join(line.texts), tuple(line.moments))


def _is_within(event: Event, call: Call | None) -> bool:
    if call is None or call.parent is None or event.call is None:
        return True
    return call.id <= event.call and (call.until is None or event.call < call.until)


def _text(value: Value) -> str:
    match value:
        case Atom(str() as content):
            return content
        case Cut(_, _, _, str() as kept):
            return f"{kept}..."
    return ""
