"""Sleuth finds the wrong line by asking a few questions.

`sleuth.open(path)` gives a recorded run: its calls, events and sources.
"""

from sleuth.errors import (
    RecordError,
    SleuthError,
    TraceDamaged,
    TraceError,
    TraceMissing,
    TraceTooNew,
    UsageError,
)

TYPE_CHECKING = False  # importing sleuth must cost nothing
if TYPE_CHECKING:
    import os
    from typing import Any

    from sleuth.trace.reader import Trace

__version__ = "0.1.0"

__all__ = [
    "RecordError",
    "SleuthError",
    "Trace",
    "TraceDamaged",
    "TraceError",
    "TraceMissing",
    "TraceTooNew",
    "UsageError",
    "__version__",
    "open",
]


def open(trace: "str | os.PathLike[str]") -> "Trace":  # noqa: A001 - sleuth.open says it best
    """Open a trace file for reading."""
    from pathlib import Path  # noqa: PLC0415 - importing sleuth must cost nothing

    from sleuth.trace.reader import Trace  # noqa: PLC0415

    return Trace(Path(trace))


def __getattr__(name: str) -> "Any":
    if name == "Trace":
        from sleuth.trace.reader import Trace  # noqa: PLC0415

        return Trace
    raise AttributeError(f"module 'sleuth' has no attribute {name!r}")
