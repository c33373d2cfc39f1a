"""Disk space that is reserved for the end of a trace.

On a full disk nothing could be written any more, not even that it is full, and how the run ended.
So a nameless file holds some room, which is let go when a write fails.
"""

import contextlib
import os
from pathlib import Path

SIZE = 1 << 20


class Reserve:
    """The room, as long as it is held."""

    def __init__(self, folder: Path) -> None:
        """Take it; where that can't be, there is none."""
        self._fd = -1
        with contextlib.suppress(OSError):
            self._fd = os.open(folder, os.O_TMPFILE | os.O_RDWR, 0o600)
            os.posix_fallocate(self._fd, 0, SIZE)

    def let_go(self) -> None:
        """Give it back to the disk."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1
