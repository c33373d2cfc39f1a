"""Where traces are put: new files in .sleuth/ of the working folder."""

import os
import re
import time
from pathlib import Path

from sleuth.errors import RecordError

FOLDER = ".sleuth"


def file_name(text: str) -> str:
    """Return what a trace's file can be called after something."""
    return re.sub(r"[^\w.-]+", "_", text)[:40].strip(".")


def test_name(test: str) -> str:
    """Return what the trace of a test can be called."""
    base, sign, rest = test.partition("[")
    return file_name(base.rpartition("::")[2] + sign + rest).strip("_") or "test"


def new_file(name: str, folder: Path | None = None) -> Path:
    """Return a file for a trace that is not there yet, in the working folder or another one."""
    folder = (folder or Path.cwd()) / FOLDER
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        ignore = folder / ".gitignore"
        if not ignore.exists():
            ignore.write_text("# Traces hold the values of a run: don't publish them.\n*\n")
    except OSError as error:
        raise RecordError(f"{folder} can't be made: {error.strerror}; use --output") from None
    stem = f"{name}-{time.strftime('%Y%m%d-%H%M%S')}"
    path = folder / f"{stem}.trace"
    number = 1
    while os.path.lexists(path):
        number += 1
        path = folder / f"{stem}-{number}.trace"
    return path
