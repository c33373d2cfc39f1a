"""Output to the terminal: its width, colours, a progress line."""

import os
import sys
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TextIO

from sleuth.views.drawing.styled import Line, Role, coloured, cut, fitted, hanging, line, plain

USUAL_WIDTH = 80
"""Columns of a pipe, a file or a document."""
_NARROWEST, _WIDEST = 40, 200
_PATIENCE = 0.5
"""Seconds before a wait is explained, usually."""


def terminal_width(stream: TextIO | None = None) -> int:
    """Return the columns of the terminal as it is now: its user may change its size at any time."""
    stream = stream or sys.stdout
    wanted = os.environ.get("COLUMNS", "")
    columns = int(wanted) if wanted.isascii() and wanted.isdecimal() and len(wanted) < 9 else 0
    if not columns:
        try:
            columns = os.get_terminal_size(stream.fileno()).columns
        except (OSError, ValueError, AttributeError):  # a pipe, a closed stream, no real file
            columns = 0
    return min(max(columns or USUAL_WIDTH, _NARROWEST), _WIDEST)


@dataclass(frozen=True, slots=True)
class Screen:
    """Standard output, and what may be written to it."""

    has_colour: bool
    can_move: bool
    """Whether a line may be written over; else nothing but whole lines is written."""

    @property
    def width(self) -> int:
        """The columns of the terminal at this moment."""
        return terminal_width()

    def write(self, lines: Iterable[str | Line]) -> None:
        """Write lines to standard output; a string is a sentence, which is wrapped."""
        for each in lines:
            width = self.width
            rows = (
                [line(part) for part in hanging(each, width)]
                if isinstance(each, str)
                else [cut(each, width)]
            )
            for words in coloured(rows) if self.has_colour else plain(rows):
                print(words)
        sys.stdout.flush()

    def prompt(self, words: str) -> str:
        """Return a prompt; readline is told which characters take no room."""
        if not self.has_colour:
            return words
        return f"\x01\x1b[{Role.STRONG.value}m\x02{words}\x01\x1b[0m\x02"


PLAIN = Screen(has_colour=False, can_move=False)
"""For commands that print a list and end."""


def screen_of(stream: TextIO, environment: Mapping[str, str], *, plain: bool) -> Screen:
    """Find out what may be written to a stream."""
    is_terminal = stream.isatty() and environment.get("TERM") != "dumb" and not plain
    return Screen(
        has_colour=is_terminal and not environment.get("NO_COLOR"),
        can_move=is_terminal,
    )


def complain(words: str) -> None:
    """Write a message to standard error: wrapped on a terminal, else one line for one message."""
    if sys.stderr.isatty():
        width = terminal_width(sys.stderr)
        words = "\n".join(row for each in words.split("\n") for row in hanging(each, width))
    print(words, file=sys.stderr, flush=True)


class Waiting:
    """Tells on standard error what is being done when it takes long."""

    def __init__(self, *, plain: bool = False, patience: float = _PATIENCE) -> None:
        self._can_move = screen_of(sys.stderr, os.environ, plain=plain).can_move
        self._begun = time.monotonic() + patience
        self._told = 0.0
        self._width = 0

    def tell(self, words: str) -> None:
        """Say how far it is: at once on a line that is written over, else every few seconds."""
        now = time.monotonic()
        every = 0.1 if self._can_move else 5.0
        if now < self._begun or now - self._told < every:
            return
        self._told = now
        if self._can_move:
            # The last column stays free: a full line would scroll.
            words = fitted(words, terminal_width(sys.stderr) - 1)
            print(f"\r{words:<{self._width}}", end="", file=sys.stderr, flush=True)
            self._width = len(words)
        else:
            print(f"sleuth: {words}", file=sys.stderr, flush=True)

    def done(self) -> None:
        """Remove the line."""
        if self._can_move and self._width:
            print(f"\r{'':<{self._width}}\r", end="", file=sys.stderr, flush=True)
            self._width = 0
