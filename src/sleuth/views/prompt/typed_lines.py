"""Sources of typed lines: a terminal, or a file of answers."""

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from sleuth.errors import UsageError
from sleuth.trace.values import escaped

Completer = Callable[[str], list[str]]
"""Returns the completions of the beginning of a word."""
_COMMENT = re.compile(r"\s#(?:\s|$)")
"""The start of a comment in a line; a # without spaces may be part of a path or a value."""


class Lines(Protocol):
    """A source of lines."""

    def read(self, prompt: str) -> str | None:
        """Show the prompt and return the next line; None: there are no more lines."""


class TerminalLines:
    """Lines typed at a terminal."""

    def __init__(self, complete: Completer) -> None:
        self._is_edited = _completing(complete)

    def read(self, prompt: str) -> str | None:
        """Wait for a line; Ctrl-C and Ctrl-D end the input."""
        try:
            return input(prompt if self._is_edited else bare(prompt))
        except (EOFError, KeyboardInterrupt):
            print()
            return None


class FileLines:
    """Lines of a file, shown as if they were typed; `#` begins a comment."""

    def __init__(self, path: Path, lines: list[str]) -> None:
        self.path = path
        self.number = 0
        """The number of the line that was read last."""
        self._lines = _meant(lines)

    def read(self, prompt: str) -> str | None:
        """Return the next line that is not just a comment."""
        number, line = next(self._lines, (self.number, None))
        self.number = number
        print(f"{bare(prompt)}{escaped(line)}" if line is not None else bare(prompt).rstrip())
        return line

    def unused(self) -> int:
        """Return how many lines were not played."""
        return sum(1 for _ in self._lines)


def file_lines(name: str) -> FileLines:
    """Open a file of answers."""
    path = Path(name)
    try:
        return FileLines(path, path.read_text(encoding="utf-8-sig").splitlines())
    except OSError as error:
        raise UsageError(
            f"--answers: {escaped(name)} can't be read: {error.strerror}. "
            "Give a file with one answer a line."
        ) from None
    except UnicodeDecodeError:
        raise UsageError(
            f"--answers: {escaped(name)} is not text in UTF-8. Give a file with one answer a line."
        ) from None


def _meant(lines: list[str]) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(lines, 1):
        words = "" if line.lstrip().startswith("#") else _COMMENT.split(line, 1)[0].strip()
        if words:
            yield number, words


def bare(prompt: str) -> str:
    """Return a prompt without the marks that tell readline which characters have no width."""
    return prompt.replace("\x01", "").replace("\x02", "")


def _completing(complete: Completer) -> bool:
    """Enable line editing, and completion by the tab key, if readline is available."""
    if not sys.stdin.isatty():
        return False
    with suppress(ImportError):
        import readline  # noqa: PLC0415 - not there on every system

        found: list[str] = []

        def nth(word: str, number: int) -> str | None:
            if number == 0:
                found[:] = complete(word)
            return found[number] if number < len(found) else None

        readline.set_completer(nth)
        readline.set_completer_delims(" ")
        readline.parse_and_bind("tab: complete")
        return True
    return False
