"""Output to the terminal: colours, rules, a progress line."""

import os
import sys
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TextIO

from sleuth.views.drawing.styled import Line, Role, coloured, line, plain

_PATIENCE = 0.5
"""Seconds before a wait is explained, usually."""


@dataclass(frozen=True, slots=True)
class Screen:
    """How to write for whoever reads."""

    has_colour: bool
    can_move: bool
    """Whether a line may be written over; else nothing but whole lines is written."""

    def write(self, lines: Iterable[str | Line]) -> None:
        """Write lines to standard output."""
        pieces = (line(each) if isinstance(each, str) else each for each in lines)
        for words in coloured(pieces) if self.has_colour else plain(pieces):
            print(words)
        sys.stdout.flush()

    def prompt(self, words: str) -> str:
        """Return a prompt; readline is told which signs take no room."""
        if not self.has_colour:
            return words
        return f"\x01\x1b[{Role.STRONG.value}m\x02{words}\x01\x1b[0m\x02"


def screen_of(stream: TextIO, environment: Mapping[str, str], *, plain: bool) -> Screen:
    """Find out what may be written to a stream."""
    is_terminal = stream.isatty() and environment.get("TERM") != "dumb" and not plain
    return Screen(
        has_colour=is_terminal and not environment.get("NO_COLOR"),
        can_move=is_terminal,
    )


class Waiting:
    """Tells on stderr what is being done when it takes long."""

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
            print(f"\r{words:<{self._width}}", end="", file=sys.stderr, flush=True)
            self._width = len(words)
        else:
            print(f"sleuth: {words}", file=sys.stderr, flush=True)

    def done(self) -> None:
        """Take the line away."""
        if self._can_move and self._width:
            print(f"\r{'':<{self._width}}\r", end="", file=sys.stderr, flush=True)
            self._width = 0
