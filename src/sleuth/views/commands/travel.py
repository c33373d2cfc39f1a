"""`sleuth travel`: steps over the events of a recorded run, forward and back."""

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from sleuth.errors import UsageError
from sleuth.help_layout import HelpLayout
from sleuth.trace.events import Moment
from sleuth.trace.heap.roots import end_of
from sleuth.trace.history.cursor import Cursor
from sleuth.trace.history.locations import moment_in
from sleuth.trace.history.writes import line_of
from sleuth.trace.reader import Trace
from sleuth.trace.values import escaped, escaped_lines
from sleuth.views import trace_files
from sleuth.views.commands.history import call_in
from sleuth.views.drawing.calls import call_text
from sleuth.views.drawing.picture import Pictures
from sleuth.views.drawing.places import brief_place
from sleuth.views.drawing.screen import PLAIN
from sleuth.views.drawing.sections import table
from sleuth.views.project import labelled
from sleuth.views.prompt.typed_lines import Lines, TerminalLines, file_lines
from sleuth.views.words import variables
from sleuth.views.words.events import EventWords
from sleuth.views.words.writes import write_line

_AROUND = 4
"""Lines of source before and after the current one."""
_MOST_WRITES = 100
_MOST_CALLS = 20


@dataclass(frozen=True, slots=True)
class Row:
    """A command of the stepper."""

    key: str
    takes: str
    help: str
    move: Callable[[Cursor], Cursor] | None = None


ROWS = (
    Row("n", "", "over: the next event of this call", Cursor.over),
    Row("s", "", "into: the next event, in any call", Cursor.into),
    Row("r", "", "out: the caller, after this call", Cursor.out),
    Row("b", "", "back over: the event of this call before", Cursor.back_over),
    Row("bs", "", "back into: the event before, in any call", Cursor.back_into),
    Row("br", "", "back out: the caller, before this call", Cursor.back_out),
    Row("start", "", "the beginning of this call", Cursor.start),
    Row("end", "", "the end of this call", Cursor.end),
    Row("u", "", "up: select the caller at this moment", Cursor.up),
    Row("d", "", "down: select the call that it is in", Cursor.down),
    Row("at", "MOMENT", "go to a moment"),
    Row("prev", "PATH", "go to the write to a path before this moment"),
    Row("next", "PATH", "go to the next write to a path"),
    Row("hist", "PATH", "list the writes to a path, from the first of the run on"),
    Row("p", "[PATH]", "show a value; without a path all variables"),
    Row("w", "", "the calls that are going on, the outermost first"),
    Row("l", "", "the source around this line"),
    Row("?", "", "this list"),
    Row("q", "", "leave"),
)
"""Parser, help and docs follow from this table."""


def main(argv: list[str]) -> int:
    """Carry out the command."""
    options = parser().parse_args(argv)
    trace = labelled(Trace(trace_files.find(options.trace, folder=Path(trace_files.FOLDER))))
    keys = [row.key for row in ROWS]
    lines: Lines = (
        file_lines(options.answers)
        if options.answers
        else TerminalLines(lambda word: [key for key in keys if key.startswith(word)])
    )
    _converse(_begun(trace, options), lines)
    return 0


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = argparse.ArgumentParser(
        formatter_class=HelpLayout,
        prog="sleuth travel",
        description="Step over the events of a recorded run, forward and back. ? lists the "
        "commands.",
    )
    trace_files.add_trace(made)
    made.add_argument(
        "--call",
        metavar="CALL",
        help="begin at the end of this call: its number, or the name of a function (default: the "
        "call of the failing check, else the program)",
    )
    made.add_argument("--at", type=int, metavar="MOMENT", help="begin at this moment")
    made.add_argument("--answers", metavar="FILE", help="read the commands from a file, one a line")
    return made


def _begun(trace: Trace, options: argparse.Namespace) -> Cursor:
    call = call_in(trace, options.call)
    here = Cursor(trace, call.id, Moment(min(end_of(trace, call), trace.event_count - 1)))
    return here if options.at is None else here.at(moment_in(trace, options.at))


def _converse(here: Cursor, lines: Lines) -> None:
    PLAIN.write(_shown(here))
    while (typed := lines.read("travel> ")) is not None:
        key, _, rest = typed.strip().partition(" ")
        if key == "q":
            return
        if not key:
            continue
        try:
            there, words = _done(here, key, rest.strip())
        except UsageError as problem:
            PLAIN.write([escaped_lines(str(problem))])
            continue
        PLAIN.write(words if there == here else [*words, *_shown(there)])
        here = there


def _done(here: Cursor, key: str, rest: str) -> tuple[Cursor, list[str]]:  # noqa: C901 - one case per command
    row = next((each for each in ROWS if each.key == key), None)
    if row is None:
        raise UsageError(f"There is no command {escaped(key)}; ? lists the commands.")
    if bool(rest) > bool(row.takes) or (row.takes and row.takes[0] != "[" and not rest):
        raise UsageError(f"Type it like this: {f'{row.key} {row.takes}'.strip()}")
    if row.move is not None:
        return row.move(here), []
    match key:
        case "at":
            if not (rest.isascii() and rest.isdecimal()):
                raise UsageError(f"{escaped(rest)} is not a moment; type a number: at 120")
            return here.at(int(rest)), []
        case "prev" | "next":
            there, write = here.written(rest, back=key == "prev")
            return there, [write_line(here.trace, write, PLAIN.width)]
        case "hist":
            return here, list(_history(here, rest))
        case "p":
            return here, list(_values(here, rest))
        case "w":
            return here, list(_stack(here))
        case "l":
            return here, list(_source(here))
    pairs = [(f"{each.key} {each.takes}".strip(), each.help) for each in ROWS]
    return here, list(table(pairs, PLAIN.width, gap=2))


# --- What is shown -------------------------------------------------------------------------------


def _shown(here: Cursor) -> Iterator[str]:
    """Yield the selected event, and the call with its place."""
    trace, event = here.trace, here.trace.event(here.to)
    call = trace.call(here.call)
    line = line_of(trace, event) if event.call == here.call else None
    yield EventWords(trace).line(event)
    yield f"          in {call_text(trace, call, max(PLAIN.width - 13, 20))}"
    yield f"          {brief_place(trace, call, line)}"


def _history(here: Cursor, path: str) -> Iterator[str]:
    trace = here.trace
    found = trace.pointed(path, call=trace.call(here.call), at=here.seen)
    writes = trace.writes(found.location)
    for write in islice(writes, _MOST_WRITES):
        yield write_line(trace, write, PLAIN.width)
    if next(writes, None) is not None:
        yield f"... more than {_MOST_WRITES}; all of them: sleuth history"


def _values(here: Cursor, path: str) -> Iterator[str]:
    trace, call = here.trace, here.trace.call(here.call)
    if not path:
        yield from variables.state(trace, call, here.seen)
        return
    found = trace.pointed(path, call=call, at=here.seen)
    room = max(PLAIN.width - len(found.path) - 3, 20)
    yield f"{escaped(found.path)} = {Pictures(trace).of(found.value, found.at, width=room)}"


def _stack(here: Cursor) -> Iterator[str]:
    calls = list(islice(here.stack(), _MOST_CALLS + 1))
    if len(calls) > _MOST_CALLS:
        yield "  ..."
    for call in reversed(calls[:_MOST_CALLS]):
        mark = ">" if call.id == here.call else " "
        text = call_text(here.trace, call, max(PLAIN.width - 10, 20))
        yield f"{mark} {call.id:>6}  {text}"


def _source(here: Cursor) -> Iterator[str]:
    trace, event = here.trace, here.trace.event(here.to)
    function = trace.function(trace.call(here.call).function)
    lines = trace.source(function.module).splitlines() if function else []
    if function is None or not lines:
        yield "The source is not in the trace."
        return
    known = line_of(trace, event) if event.call == here.call else None
    middle = known or function.first_line
    for number in range(max(middle - _AROUND, 1), min(middle + _AROUND, len(lines)) + 1):
        mark = ">" if number == known else " "
        yield f"{mark} {number:>5}  {escaped(lines[number - 1])}"
