"""Records small programs, for tests that read their traces."""

import os
import textwrap
import time
from contextlib import suppress
from pathlib import Path

from sleuth.errors import TraceError
from sleuth.trace.events import Call
from sleuth.trace.reader import Trace
from tests.ready import ran


def recorded(folder: Path, source: str, *, status: int = 0, name: str = "prog.py") -> Trace:
    """Record a program in a folder of its own and open the trace."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(textwrap.dedent(source), encoding="utf-8")
    path = folder / "prog.trace"
    kept = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    process = ran(
        ["record", "--output", str(path), "--", name],
        cwd=folder,
        env=kept | {"XDG_CACHE_HOME": str(folder / "cache"), "PYTHONIOENCODING": "utf-8"},
    )
    assert process.returncode == status, process.stderr
    return _ended(path)


def _ended(path: Path) -> Trace:
    """Wait until the collector has written everything, also after the program was killed."""
    for _ in range(600):
        with suppress(TraceError):
            trace = Trace(path)
            if not trace.is_running:
                return trace
        time.sleep(0.05)
    raise AssertionError("the trace was never finished")


def calls_of(trace: Trace, name: str) -> list[Call]:
    """Return all calls of a function."""
    return [
        call
        for call in trace.calls()
        if (function := trace.function(call.function)) and function.qualified_name == name
    ]


def call_of(trace: Trace, name: str, number: int = 0) -> Call:
    """Return the first, or another, call of a function."""
    return calls_of(trace, name)[number]


PRICES = """
    def price(n):
        if n > 2:
            return n * 3
        return n * 2
    def total(ns):
        result = 1
        for n in ns:
            result += price(n)
        return result
    print(total([1, 2, 3]))
    """
