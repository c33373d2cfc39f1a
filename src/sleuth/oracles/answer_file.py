"""The file of remembered answers: JSON lines, sorted, that a team can commit and merge.

    {"sleuth": "memory", "version": 1}
    {"module": "shop", "function": "Cart.apply", "verdict": "wrong", "code": ..., "behaviour": ...}

`code` and `behaviour` are hashes (see `tree/identity/across_runs.py`).  The only values in it are
those that the user typed in an answer.
"""

import contextlib
import fcntl
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sleuth.errors import JournalError, JournalTooNew
from sleuth.search.question import Verdict
from sleuth.trace.values import escaped

VERSION = 1
NAME = "memory.jsonl"
_TEXTS = ("module", "function", "code", "behaviour", "path", "expected", "note", "run", "on")
_VERDICTS = {each.value for each in (Verdict.RIGHT, Verdict.WRONG, Verdict.INADMISSIBLE)}


@dataclass(frozen=True, slots=True, order=True)
class Remembered:
    """One answer."""

    module: str
    function: str
    code: str
    behaviour: str
    verdict: str
    path: str = ""
    expected: str = ""
    note: str = ""
    run: str = ""
    """The run that it was given about."""
    on: str = ""
    """The day it was given."""

    @property
    def key(self) -> tuple[str, str, str, str]:
        """Module, function, code and behaviour of the call."""
        return self.module, self.function, self.code, self.behaviour


def memory_path(trace: Path) -> Path:
    """Return the default file of remembered answers, next to the trace."""
    return trace.with_name(NAME)


def read(path: Path) -> tuple[list[Remembered], list[str]]:
    """Return the remembered answers, and messages about lines that could not be read."""
    if not path.exists():
        return [], []
    found: dict[Remembered, None] = {}
    problems = []
    for number, line in enumerate(path.read_text("utf-8", "replace").splitlines(), 1):
        try:
            told = json.loads(line) if line.strip() else {"sleuth": "memory", "version": VERSION}
            if "sleuth" in told:
                _check_version(path, told)
            else:
                found[_remembered(told)] = None
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            # Merge conflict markers may be left in the file.
            problems.append(f"line {number} of {escaped(path.name)} is not a remembered answer")
    return sorted(found), problems


def _check_version(path: Path, header: dict[str, Any]) -> None:
    if header["sleuth"] != "memory" or type(header["version"]) is not int:
        raise ValueError("no memory")
    if header["version"] > VERSION:
        raise JournalTooNew(
            f"{escaped(str(path))} was written by a newer Sleuth. Use that one, or another file: "
            "--memory FILE"
        )


def _remembered(told: dict[str, Any]) -> Remembered:
    texts = {name: told.get(name, "") for name in _TEXTS}
    if told["verdict"] not in _VERDICTS or not all(
        isinstance(each, str) for each in texts.values()
    ):
        raise ValueError("no answer")
    if not (texts["function"] and texts["code"] and texts["behaviour"]):
        raise ValueError("an answer about nothing")
    return Remembered(verdict=told["verdict"], **texts)


def update(path: Path, new: Iterable[Remembered], *, run: str) -> int:
    """Replace the remembered answers about a run; return how many are remembered.

    An answer about another run stays, unless one of this run contradicts it.
    """
    with _locked(path):
        known, _ = read(path)
        mine = {each.key: each for each in new}
        others = {each.key: each for each in known if each.run != run}
        kept = [each for key, each in others.items() if not _is_overruled(each, mine.get(key))]
        same = {each.key for each in kept}
        lines = sorted([*kept, *(each for key, each in mine.items() if key not in same)])
        if lines != known:
            _write(path, lines)
    return len(lines)


def add(path: Path, new: Iterable[Remembered]) -> None:
    """Remember more answers, and forget none."""
    with _locked(path):
        known, _ = read(path)
        keys = {each.key for each in known}
        lines = sorted([*known, *(each for each in new if each.key not in keys)])
        if lines != known:
            _write(path, lines)


def _is_overruled(old: Remembered, new: Remembered | None) -> bool:
    return new is not None and (new.verdict, new.expected) != (old.verdict, old.expected)


def _write(path: Path, lines: Iterable[Remembered]) -> None:
    """Replace the file atomically."""
    header = {"sleuth": "memory", "version": VERSION}
    texts = [json.dumps(header), *(json.dumps(_told(each)) for each in lines)]
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        beside.write_text("\n".join(texts) + "\n", encoding="ascii")
        beside.replace(path)
    except OSError as error:
        beside.unlink(missing_ok=True)
        raise JournalError(
            f"Answers can't be remembered in {escaped(str(path))}: {error.strerror}. "
            "Choose another file: --memory FILE"
        ) from None


def _told(each: Remembered) -> dict[str, str]:
    order = ("module", "function", "verdict", *_TEXTS[2:])
    return {name: text for name in order if (text := getattr(each, name))}


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Lock the file for writing, if the file system supports that."""
    try:
        folder = os.open(path.parent, os.O_RDONLY | os.O_CLOEXEC)
    except OSError as error:
        raise JournalError(
            f"Answers can't be remembered in {escaped(str(path))}: {error.strerror}. "
            "Choose another file: --memory FILE"
        ) from None
    try:
        with contextlib.suppress(OSError):
            fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)
