"""Sleuth finds the wrong line by asking a few questions.

`sleuth.open(path)` gives a recorded run: its trace, its execution tree, and sessions about it.
See docs/reference/api.md.
"""

from sleuth.errors import (
    JournalDamaged,
    JournalError,
    JournalForeign,
    JournalInUse,
    JournalTooNew,
    RecordError,
    SleuthError,
    TraceDamaged,
    TraceError,
    TraceMissing,
    TraceTooNew,
    TraceTooOld,
    UsageError,
)

TYPE_CHECKING = False  # importing sleuth must cost nothing
if TYPE_CHECKING:
    import os
    from typing import Any

    from sleuth.opening import Opened
    from sleuth.search.question import (
        Answer,
        Contradiction,
        Diagnosis,
        NoBug,
        Question,
        Verdict,
    )
    from sleuth.search.session import Session
    from sleuth.trace.reader import Trace

__version__ = "0.1.0"

__all__ = [
    "Answer",
    "Contradiction",
    "Diagnosis",
    "JournalDamaged",
    "JournalError",
    "JournalForeign",
    "JournalInUse",
    "JournalTooNew",
    "NoBug",
    "Opened",
    "Question",
    "RecordError",
    "Session",
    "SleuthError",
    "Trace",
    "TraceDamaged",
    "TraceError",
    "TraceMissing",
    "TraceTooNew",
    "TraceTooOld",
    "UsageError",
    "Verdict",
    "__version__",
    "open",
]

_HOMES = {
    "Answer": "sleuth.search.question",
    "Contradiction": "sleuth.search.question",
    "Diagnosis": "sleuth.search.question",
    "NoBug": "sleuth.search.question",
    "Opened": "sleuth.opening",
    "Question": "sleuth.search.question",
    "Session": "sleuth.search.session",
    "Trace": "sleuth.trace.reader",
    "Verdict": "sleuth.search.question",
}
"""Where the names live that are imported when somebody asks for them."""


def open(trace: "str | os.PathLike[str]") -> "Opened":  # noqa: A001 - sleuth.open says it best
    """Open a trace file."""
    from pathlib import Path  # noqa: PLC0415 - importing sleuth must cost nothing

    from sleuth.opening import opened  # noqa: PLC0415 - importing sleuth must cost nothing

    return opened(Path(trace))


def __getattr__(name: str) -> "Any":
    if name not in _HOMES:
        raise AttributeError(f"module 'sleuth' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - importing sleuth must cost nothing

    return getattr(import_module(_HOMES[name]), name)
