"""The traces in .sleuth/ of the working folder: find, list and remove them."""

import argparse
import shlex
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sleuth.errors import SleuthError, TraceError, TraceMissing, UsageError
from sleuth.search.journal import journals
from sleuth.trace.reader import Trace
from sleuth.trace.values import escaped

FOLDER = ".sleuth"
REFERENCES = "references"
"""The folder beside a trace for the reference runs that `--against` records."""
_MAGIC = b"SQLite format 3\0"
_COMPANIONS = ("-wal", "-shm", "-journal")
_HOW_TO_RECORD = "Record one: sleuth record PROGRAM.py"


@dataclass(frozen=True, slots=True)
class Entry:
    """A trace file: open, or the reason why it can't be read."""

    path: Path
    size: int
    trace: Trace | None
    problem: SleuthError | None


def traces(folder: Path) -> list[Path]:
    """Return the trace files there, the newest first."""
    found = []
    for path in folder.iterdir() if folder.is_dir() else ():
        with suppress(OSError):
            if path.name.endswith(_COMPANIONS) or not path.is_file():
                continue
            with path.open("rb") as file:
                if file.read(len(_MAGIC)) == _MAGIC or path.suffix == ".trace":
                    found.append((path.stat().st_mtime_ns, path.name, path))
    return [path for *_, path in sorted(found, reverse=True)]


def add_trace(parser: argparse.ArgumentParser, *, what: str = "") -> None:
    """Add the argument that names a trace; `what` describes the trace in the help."""
    words = f"{what}: " if what else ""
    parser.add_argument(
        "trace",
        nargs="?",
        metavar="TRACE",
        help=f"{words}path, name or beginning of a name (default: the newest)",
    )


def find(name: str | None, *, folder: Path, is_exact: bool = False) -> Path:
    """Find a trace by path, name or beginning of a name; without one return the newest.

    A beginning that fits several means the newest of them, which is said on standard error;
    `is_exact` refuses it.
    """
    known = traces(folder)
    if name is None:
        if not known:
            raise TraceMissing(f"There is no trace in {FOLDER}/ yet. {_HOW_TO_RECORD}")
        return known[0]
    for path in known:
        if name in (path.name, path.stem):
            return path
    path = Path(name)
    if path.is_file():
        return path
    alike = [path for path in known if name and path.name.startswith(name)]
    if len(alike) == 1:
        return alike[0]
    if alike and not is_exact:
        count = f"{len(alike):,} traces begin with {escaped(name)}"
        print(f"sleuth: {count}; this is the newest: {escaped(alike[0].name)}", file=sys.stderr)
        return alike[0]
    if alike:
        names = ", ".join(escaped(path.name) for path in alike[:5])
        raise UsageError(
            f"{escaped(name)} could be {names}{', ...' if len(alike) > 5 else ''}. "
            f"Give more of the name."
        )
    if path.exists():
        raise TraceError(f"{escaped(name)} is not a file. Give the path of a trace file.")
    also = "List the traces: sleuth list" if known else _HOW_TO_RECORD
    raise TraceMissing(f"There is no trace {escaped(name)}, here or in {FOLDER}/. {also}")


def typed(path: Path) -> str:
    """Return the shortest argument by which commands find this trace."""
    is_near = path.parent == Path(FOLDER) or path.parent.resolve() == Path(FOLDER).resolve()
    return escaped(shlex.quote(path.name if is_near else str(path)))


def references(path: Path) -> list[Path]:
    """Return the traces that `sleuth run --against` made for one."""
    folder = path.resolve().parent / REFERENCES
    found = folder.iterdir() if folder.is_dir() else ()
    return [each for each in found if each.name.startswith(f"{path.stem}.")]


def entries(folder: Path) -> Iterator[Entry]:
    """Yield the traces of the folder, the newest first."""
    for path in traces(folder):
        try:
            yield Entry(path, path.stat().st_size, Trace(path), None)
        except SleuthError as problem:
            yield Entry(path, path.stat().st_size, None, problem)


def remove(names: list[str], *, folder: Path) -> list[Path]:
    """Remove traces and the answers about them; if one is not a trace, remove nothing."""
    paths = list(dict.fromkeys(find(name, folder=folder, is_exact=True) for name in names))
    for path in paths:
        with path.open("rb") as file:
            is_ours = file.read(len(_MAGIC)) == _MAGIC and file.read(100)[52:56] == b"Slth"
        if not is_ours and path.parent.resolve() != folder.resolve():
            raise TraceError(
                f"{escaped(str(path))} is not a Sleuth trace; nothing was removed. "
                f"Remove such a file by other means."
            )
    for path in paths:
        for companion in _COMPANIONS:
            path.with_name(path.name + companion).unlink(missing_ok=True)
        for kept in (*journals(path), *references(path)):
            kept.unlink(missing_ok=True)
        path.unlink()
    return paths
