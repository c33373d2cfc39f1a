"""The table of the stepper's commands; parser, help and docs follow from it."""

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches

from sleuth.errors import UsageError
from sleuth.trace.history.cursor import Cursor
from sleuth.trace.values import escaped


@dataclass(frozen=True, slots=True)
class Row:
    """A command of the stepper."""

    key: str
    takes: str
    """The argument; in brackets if it is optional."""
    help: str
    move: Callable[[Cursor], Cursor] | None = None

    @property
    def typed(self) -> str:
        """The key with its argument."""
        return f"{self.key} {self.takes}".strip()


ROWS = (
    Row("n", "", "over: the next event of this call", Cursor.over),
    Row("s", "", "into: the next event, in any call", Cursor.into),
    Row("r", "", "out: the caller, after this call", Cursor.out),
    Row("b", "", "back over: the event of this call before", Cursor.back_over),
    Row("bs", "", "back into: the event before, in any call", Cursor.back_into),
    Row("br", "", "back out: the caller, before this call", Cursor.back_out),
    Row("start", "", "the beginning of this call", Cursor.start),
    Row("end", "", "the end of this call", Cursor.end),
    Row("turn", "", "the next turn of the loop", lambda here: here.turn(back=False)),
    Row("bturn", "", "the turn of the loop before", lambda here: here.turn(back=True)),
    Row("line", "LINE", "the next time that a line of this call runs; FILE:LINE: in any call"),
    Row("bline", "LINE", "the time before that a line runs, likewise"),
    Row("at", "MOMENT", "go to a moment"),
    Row("prev", "[PATH]", "go to the write to a path before this moment"),
    Row("next", "[PATH]", "go to the next write to a path"),
    Row("threads", "", "the threads and tasks at this moment, and what each is in"),
    Row("thread", "N", "go to a thread or task of this list"),
    Row("u", "", "up: select the caller at this moment", Cursor.up),
    Row("d", "", "down: select the call that it is in", Cursor.down),
    Row("w", "", "the calls that are going on, the outermost first"),
    Row("ev", "[MOMENT]", "the events of this call, from its beginning or a moment"),
    Row("more", "", "the next page of the events"),
    Row("open", "N", "open an entry of the events: a call, a loop, a turn"),
    Row("go", "N", "go to an entry of the events; the call stays selected"),
    Row("st", "[PATH]", "the state now and at the beginning: * changed, + changed inside"),
    Row("from", "[MOMENT]", "compare the state with this moment; alone: with the beginning"),
    Row("mark", "[PATH]", "mark the events that write to a path; alone: none"),
    Row("hist", "[PATH]", "list the writes to a path, from the first of the run on"),
    Row("chist", "[PATH]", "list the writes to a path from the beginning to the end of this call"),
    Row("why", "[PATH]", "the operation that made a value, and its inputs"),
    Row("p", "[PATH]", "show a value and what is in it; without a path all variables"),
    Row("out", "", "the last lines that were printed before this moment"),
    Row("l", "", "the source around this line; . marks lines that ran in this call"),
    Row("?", "", "this list"),
    Row("q", "", "leave"),
)
"""Without a path, prev, next, hist, chist and why take the one that was used last."""
KEYS = tuple(row.key for row in ROWS)
_BY_KEY = {row.key: row for row in ROWS}


def understood(line: str) -> tuple[Row, str]:
    """Return the command of a line and its argument."""
    key, _, rest = line.strip().partition(" ")
    row, rest = _BY_KEY.get(key), rest.strip()
    if row is None:
        near = get_close_matches(key, KEYS, n=1)
        hint = f" Did you mean {near[0]}?" if near else ""
        raise UsageError(f"There is no command {escaped(key)}.{hint} ? lists the commands.")
    if bool(rest) > bool(row.takes) or (row.takes and row.takes[0] != "[" and not rest):
        raise UsageError(f"Type it like this: {row.typed}")
    return row, rest


def number_of(text: str, what: str, example: str) -> int:
    """Return a number that was typed."""
    if not (text.isascii() and text.isdecimal() and len(text) < 16):
        raise UsageError(f"{escaped(text)} is not {what}; type a number: {example}")
    return int(text)
