"""File names of new traces: in .sleuth/ of the working folder, closed to other users."""

import os
import re
import shlex
import stat
import time
from pathlib import Path

from sleuth.errors import RecordError

FOLDER = ".sleuth"


def file_name(text: str) -> str:
    """Return a text as part of a file name: at most 40 characters, odd ones replaced by _."""
    return re.sub(r"[^\w.-]+", "_", text)[:40].strip(".")


def test_name(test: str) -> str:
    """Return the name of a trace's file for a test."""
    base, sign, rest = test.partition("[")
    return file_name(base.rpartition("::")[2] + sign + rest).strip("_") or "test"


def _check(folder: Path) -> None:
    """Refuse a folder that is a link, or that other users can read or write.

    Traces hold the values of a run.  A user who can write into the folder could put links there,
    and so make Sleuth write to any place.
    """
    info = folder.lstat()
    if stat.S_ISLNK(info.st_mode):
        raise RecordError(
            f"{folder} is a link, and traces are not written through links; "
            "remove it, or choose a file with --output"
        )
    if not stat.S_ISDIR(info.st_mode):
        raise RecordError(f"{folder} is no folder; rename it, or use --output")
    if info.st_uid != os.geteuid():
        raise RecordError(f"{folder} belongs to another user; rename it, or use --output")
    if info.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise RecordError(
            f"{folder} is open to other users, and traces hold the values of a run; "
            f"close it: chmod go-rwx {shlex.quote(str(folder))}; or use --output"
        )


def prepared(folder: Path | None = None) -> Path:
    """Return the folder .sleuth in the given or the working folder; create it if necessary."""
    folder = (folder or Path.cwd()) / FOLDER
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except OSError as error:
        if not os.path.lexists(folder):
            raise RecordError(f"{folder} can't be made: {error.strerror}; use --output") from None
    _check(folder)
    try:
        ignore = folder / ".gitignore"
        if not ignore.exists():
            ignore.write_text("# Traces hold the values of a run: don't publish them.\n*\n")
    except OSError as error:
        raise RecordError(f"{folder} can't be used: {error.strerror}; use --output") from None
    return folder


def new_file(name: str, folder: Path | None = None) -> Path:
    """Return the path of a new trace: a name that no file in .sleuth has yet."""
    folder = prepared(folder)
    stem = f"{name}-{time.strftime('%Y%m%d-%H%M%S')}"
    path = folder / f"{stem}.trace"
    number = 1
    while os.path.lexists(path):
        number += 1
        path = folder / f"{stem}-{number}.trace"
    return path
