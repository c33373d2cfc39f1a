"""Disk space that is reserved for the end of a trace.

On a full disk the trace could not even say that the disk was full and how the run ended.  So a
nameless file occupies some space, which is freed when a write fails.
"""

import contextlib
import os
from pathlib import Path

SIZE = 1 << 20


class Reserve:
    """The reserved disk space."""

    def __init__(self, folder: Path) -> None:
        """Reserve the space; if the file system can't, nothing is reserved."""
        self._fd = -1
        with contextlib.suppress(OSError):
            self._fd = os.open(folder, os.O_TMPFILE | os.O_RDWR, 0o600)
            os.posix_fallocate(self._fd, 0, SIZE)

    def let_go(self) -> None:
        """Free the space."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
