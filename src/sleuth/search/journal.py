"""The journal: a session's entries as JSON lines, written at once and read to resume.

The first line names the trace; each further one is an entry, an undo, a redo, a change of strategy,
of the tree's shape, of the root or of the hints in use.  A crash can damage the last line at most;
it is left out, and reported.
"""

import fcntl
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeAlias

from sleuth.errors import (
    JournalDamaged,
    JournalError,
    JournalForeign,
    JournalInUse,
    JournalTooNew,
    UsageError,
)
from sleuth.search.question import (
    Alike,
    Answer,
    Change,
    Entry,
    Labelling,
    Naming,
    Ruling,
    Sources,
    Switch,
    Verdict,
    Word,
)
from sleuth.search.session import Session
from sleuth.search.strategies import STRATEGIES
from sleuth.tree.node import Key
from sleuth.tree.transformations import named
from sleuth.tree.transformations.outline import Wish, Wished

VERSION = 1
SUFFIX = ".answers.jsonl"

Line: TypeAlias = dict[str, Any]
_NUMBERS = range(-1, 1 << 53)
"""Numbers of calls, moments, functions and answers; -1: the whole run, or not known."""


def journal_path(trace: Path) -> Path:
    """Return the path of a trace's journal, next to the trace."""
    return trace.with_name((trace.stem if trace.suffix == ".trace" else trace.name) + SUFFIX)


def journals(trace: Path) -> list[Path]:
    """Return the paths of all journals of a trace: the current one, and those put aside."""
    kept = journal_path(trace)
    aside = kept.parent.iterdir() if kept.parent.is_dir() else ()
    return [kept, *(each for each in aside if _is_aside(each.name, kept.name))]


def _is_aside(name: str, kept: str) -> bool:
    return name.startswith(f"{kept}.") and name[len(kept) + 1 :].isdigit()


class Journal:
    """The file, locked for one process; `torn` is a damaged last line that was left out."""

    def __init__(self, path: Path, trace: str) -> None:
        self.path = path
        self.torn = ""
        self._file = _opened(path)
        try:
            _lock(self._file, path)
            self.lines, whole, self.torn = _read(path, trace)
            os.ftruncate(self._file, whole)
            if not whole:
                self._write(_header(trace))
        except BaseException:
            os.close(self._file)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Unlock the file."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def follow(self, before: Session, after: Session) -> Session:
        """Write the difference between two states of a session, and return the second."""
        for line in steps(before, after):
            self._write(line)
        return after

    def _write(self, line: Line) -> None:
        content = _encoded(line)
        # In one write where possible, so that no other line gets in between.
        while content:
            content = content[os.write(self._file, content) :]


def _opened(path: Path) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise JournalError(
            f"The answers can't be saved in {path}: {error.strerror}. Copy the trace to a folder "
            "where you may write."
        ) from None


def _lock(file: int, path: Path) -> None:
    """Lock the file, if the file system supports that."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise JournalInUse(
            f"Another process is asking about this trace: {path} is in use. "
            "Leave it there (q), or look at the answers with: sleuth report"
        ) from None
    except OSError:
        pass


def put_aside(path: Path) -> Path | None:
    """Rename a journal to begin anew, unless it is in use; return its new path."""
    if not path.exists():
        return None
    file = _opened(path)
    try:
        _lock(file, path)
        number = 1
        while (aside := path.with_name(f"{path.name}.{number}")).exists():
            number += 1
        return path.rename(aside)
    except OSError as error:
        raise JournalError(
            f"{path} can't be renamed: {error.strerror}. Move it away yourself, then try again."
        ) from None
    finally:
        os.close(file)


def _header(trace: str) -> Line:
    return {"sleuth": "answers", "version": VERSION, "trace": trace}


def _encoded(line: Line) -> bytes:
    return json.dumps(line, ensure_ascii=True, separators=(",", ":")).encode() + b"\n"


def read(path: Path, trace: str) -> list[Line]:
    """Read the lines without locking; without a file there are none."""
    return _read(path, trace)[0] if path.exists() else []


def replayed(session: Session, lines: Iterable[Line]) -> Session:
    """Apply the lines of a journal to a session."""
    for line in lines:
        match line["type"]:
            case "undo":
                session = session.undone()
            case "redo":
                session = session.redone()
            case "strategy":
                session = session.using(line["name"])
            case "shape":
                session = session.shaped(named(line["names"]))
            case "hints":
                session = session.hinted(_sources(line["from"]))
            case "root":
                node = session.problem.find(_key(line))
                if node is not None:
                    session = session.on(replace(session.problem, root=node))
            case _:
                session = session.extended((_entry(line),))
    return session


# --- Reading -------------------------------------------------------------------------------------


def _read(path: Path, trace: str) -> tuple[list[Line], int, str]:
    """Return the lines, their size in bytes, and the damaged rest."""
    content = path.read_bytes()
    *pieces, torn = content.split(b"\n")
    lines: list[Line] = []
    taken = 0
    for number, piece in enumerate(pieces, 1):
        try:
            lines.append(_checked(json.loads(piece), is_first=number == 1))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise _damaged(path, number) from None
        if number == 1:
            _check_header(path, lines[0], trace)
        taken += len(piece) + 1
    if not lines and not _encoded(_header(trace)).startswith(torn):
        raise _damaged(path, 1)
    return lines[1:], taken, torn.decode(errors="replace")


def _damaged(path: Path, number: int) -> JournalDamaged:
    return JournalDamaged(
        f"Line {number} of {path} is not an entry that Sleuth wrote. Remove that line, or move the "
        "file away to start over."
    )


def _check_header(path: Path, header: Line, trace: str) -> None:
    if header["version"] > VERSION:
        raise JournalTooNew(
            f"{path} was written by a newer Sleuth (version {header['version']} of the format). "
            "Go on with that one, or move the file away."
        )
    if header["trace"] != trace:
        raise JournalForeign(
            f"The answers in {path} are about another trace. Move the file away to start over."
        )


def _checked(line: Any, *, is_first: bool) -> Line:
    """Return a line of a journal, checked by building its entry."""
    if is_first:
        if line["sleuth"] != "answers" or type(line["version"]) is not int:
            raise ValueError("no journal")
        return {"version": line["version"], "trace": str(line["trace"])}
    match line["type"]:
        case "undo" | "redo":
            pass
        case "strategy":
            if line["name"] not in STRATEGIES:
                raise ValueError("unknown strategy")
        case "shape":
            _names(line["names"])
        case "hints":
            _sources(line["from"])
        case "root":
            _key(line)
        case _:
            _entry(line)
    return dict(line)


def _names(found: Any) -> None:
    if not isinstance(found, list) or not all(isinstance(name, str) for name in found):
        raise ValueError("unknown transformations")
    try:
        named(found)
    except UsageError as error:
        raise ValueError(str(error)) from None


def _sources(found: Any) -> Sources:
    if not isinstance(found, dict) or not all(isinstance(each, list) for each in found.values()):
        raise TypeError("hints have lists of files")
    return tuple((name, tuple(map(_text, files))) for name, files in found.items())


def _key(line: Line) -> Key:
    call, first, last = line["about"]
    if not all(type(each) is int and each in _NUMBERS for each in (call, first, last)):
        raise TypeError("a key is three numbers")
    return Key(call, first, last)


def _entry(line: Line) -> Entry:
    match line["type"]:
        case "answer":
            return _answer(line)
        case "alike":
            also = tuple(_key({"about": each}) for each in line["also"])
            return Alike(_number(line["number"]), also)
        case "change":
            changed = line["answer"]
            return Change(_number(line["number"]), None if changed is None else _answer(changed))
        case "wish":
            return _wished(line)
        case "ruling":
            return Ruling(_key(line), Word(line["word"]))
        case "name":
            return Naming(_key(line), _text(line["words"]))
        case "label":
            return Labelling(_text(line["class"]), _text(line["paths"]))
        case "switch":
            return Switch(_text(line["name"]), line["on"] is True)
    raise ValueError("an unknown kind of line")


def _wished(line: Line) -> Wished:
    routine = line.get("function")
    if routine is not None and (type(routine) is not int or routine not in _NUMBERS):
        raise TypeError("a function is a number")
    return Wished(Wish(line["wish"]), _key(line) if "about" in line else None, routine)


def _text(found: Any) -> str:
    if not isinstance(found, str):
        raise TypeError("a text is none")
    return found


def _number(found: Any) -> int:
    if type(found) is not int or found < 1 or found not in _NUMBERS:
        raise ValueError("no number of an answer")
    return found


def _answer(line: Line) -> Answer:
    texts = {name: line.get(name, "") for name in ("path", "expected", "note")}
    if not all(isinstance(text, str) for text in (*texts.values(), line["by"])):
        raise TypeError("a text is none")
    return Answer(
        _key(line),
        Verdict(line["verdict"]),
        by=line["by"],
        is_for_all=line.get("for_all", False) is True,
        confidence=_confidence(line.get("confidence", 1.0)),
        **texts,
    )


def _confidence(found: Any) -> float:
    if type(found) not in (int, float) or not 0 <= found <= 1:
        raise ValueError("no confidence")
    return float(found)


# --- Writing -------------------------------------------------------------------------------------


def steps(before: Session, after: Session) -> Iterator[Line]:
    """Yield lines that lead from one state to the next."""
    if after.problem.shape != before.problem.shape:
        yield {"type": "shape", "names": list(after.problem.shape)}
    root = after.problem.tree.key(after.problem.root)
    if root != before.problem.tree.key(before.problem.root):
        yield {"type": "root", "about": root}
    if after.strategy != before.strategy:
        yield {"type": "strategy", "name": after.strategy}
    if after.hinted_by != before.hinted_by:
        yield {"type": "hints", "from": {name: list(files) for name, files in after.hinted_by}}
    known = len(before.entries)
    if len(after.entries) < known:
        yield {"type": "undo"}
    elif len(after.entries) > known:
        back = before.undone_entries[-1:]
        is_redo = after.undone_entries == before.undone_entries[:-1] and back
        if is_redo and after.entries[known:] == back[0]:
            yield {"type": "redo"}
        else:
            yield from map(_line, after.entries[known:])


def _line(entry: Entry) -> Line:
    match entry:
        case Answer():
            return {"type": "answer", **_said(entry)}
        case Alike(number, also):
            return {"type": "alike", "number": number, "also": also}
        case Change(number, answer):
            said = None if answer is None else _said(answer)
            return {"type": "change", "number": number, "answer": said}
        case Wished(wish, about, routine):
            meant = {"about": about, "function": routine}
            said = {name: what for name, what in meant.items() if what is not None}
            return {"type": "wish", "wish": wish.value, **said}
        case Naming(about, words):
            return {"type": "name", "about": about, "words": words}
        case Labelling(class_name, paths):
            return {"type": "label", "class": class_name, "paths": paths}
        case Ruling(about, word):
            return {"type": "ruling", "about": about, "word": word.value}
        case Switch(name, is_on):
            return {"type": "switch", "name": name, "on": is_on}


def _said(answer: Answer) -> Line:
    line: Line = {"about": answer.about, "verdict": answer.verdict.value, "by": answer.by}
    for name in ("path", "expected", "note"):
        if text := getattr(answer, name):
            line[name] = text
    if answer.is_for_all:
        line["for_all"] = True
    if answer.confidence != 1.0:
        line["confidence"] = answer.confidence
    return line
