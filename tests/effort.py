"""How much of what takes long is done: all of it on the default version, a part on the others."""

import os
import sys

IS_DEFAULT = sys.version_info[:2] == (3, 11)
IS_WHOLE = bool(os.environ.get("WHOLE_LIBRARY"))
"""Whether all of the standard library is gone through, which takes some minutes."""


def share(full: int, part: int) -> int:
    """Return how much is done on this version."""
    return full if IS_DEFAULT else part
