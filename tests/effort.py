"""Chooses how much of the long tests is run, by the variable EFFORT.

full   all tests and examples; the default
part   a fifth of the examples, a fifth of the tests that are the same on every version
       (`any_version`), half of those that depend little on the version (`two_versions`) or are
       much alike (`sampled`), and none that one version is enough for (`one_version`)
fast   a smaller part of each, and no slow tests

`make test` runs everything on one version and a part on the others, so each check is made in full
once; `make test-fast` runs the smaller part on one version.
"""

import os
import sys
from zlib import crc32

import pytest

LEVEL = os.environ.get("EFFORT") or "full"
MINOR = sys.version_info.minor
IS_FULL = LEVEL == "full"
IS_WHOLE = bool(os.environ.get("WHOLE_LIBRARY"))
"""Whether tests read all of the standard library, which takes some minutes."""
_EXAMPLES = {"full": 1, "part": 5, "fast": 10}
"""The divisor for the number of examples."""
_FEWEST = 5
_EVERY = {
    "part": {"any_version": 5, "two_versions": 2, "sampled": 2},
    "fast": {"any_version": 10, "two_versions": 2, "sampled": 5},
}
"""By marker: one out of this many tests is run."""

if LEVEL not in _EXAMPLES:
    raise pytest.UsageError(f"EFFORT is {LEVEL!r}: set it to {', '.join(_EXAMPLES)}, or not at all")


def share(full: int, part: int) -> int:
    """Return how much is done in this run."""
    return full if IS_FULL else part


def examples(full: int) -> int:
    """Return how many examples a property is tried on in this run."""
    return max(full // _EXAMPLES[LEVEL], min(full, _FEWEST))


def is_left_out(name: str, marks: set[str]) -> bool:
    """Tell whether a test is left to other runs, by its name and its markers."""
    if IS_FULL:
        return False
    if "one_version" in marks or (LEVEL == "fast" and "slow" in marks):
        return True
    every = max(_EVERY[LEVEL].get(mark, 1) for mark in ("", *marks))
    # Each version runs different tests, and the same ones each time.
    return crc32(name.encode()) % every != MINOR % every
