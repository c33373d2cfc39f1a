"""The results as a table, and the verdict."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

FULL_MEAN, CALLS_MEAN, MOST, BYTES_EACH = 4.0, 1.8, 8.0, 4.0
"""The limits: ratios of CPU time, and bytes of the file for an event."""
GROWTH, GROWTH_EACH = 64 << 20, 32
"""Limits of memory in bytes: in all, and for each live object."""
ENOUGH = 100_000
"""With fewer events, the cost of starting would dominate the cost per event."""
LABEL, COLUMN, LAST = 24, 10, 8
"""Widths: 100 columns with all six programs."""


class AtLeast(float):
    """A ratio whose run was stopped: the true one is larger."""

    def __format__(self, form: str) -> str:
        return ">" + super().__format__(form)


@dataclass(frozen=True, slots=True)
class Recording:
    """A program recorded in one mode, against the plain run."""

    cpu: float
    """Ratio of the process's CPU time."""
    wall: float
    """Ratio of wall time, until the trace is finished."""
    collector: float
    """Seconds of CPU in the collector."""
    calls: int
    events: int
    ns_each: float
    """CPU time that an event adds to the program's process."""
    bytes_each: float
    """Bytes of the trace file for an event."""
    memory: int
    """Bytes that the process's peak grew by."""


@dataclass(frozen=True, slots=True)
class Row:
    """Everything about one program."""

    program: str
    plain_cpu: float
    full: Recording
    calls_only: Recording
    viztracer: float | None = None
    pysnooper: float | None = None


@dataclass(slots=True)
class Result:
    """Everything about one interpreter."""

    python: str
    rows: list[Row] = field(default_factory=list)
    growth: dict[str, int] = field(default_factory=dict)
    object_growth: int = 0
    live_objects: int = 0
    """Bytes, on the run of many calls, by mode."""
    notes: list[str] = field(default_factory=list)


def mean(values: Sequence[float]) -> float:
    """Give the geometric mean."""
    found = math.exp(sum(map(math.log, values)) / len(values))
    return AtLeast(found) if any(isinstance(value, AtLeast) for value in values) else found


def _for_each(value: float, recording: Recording) -> float | None:
    """Return an amount per event; nothing if there are too few events."""
    return value if recording.events >= ENOUGH else None


Picked = Callable[[Row], float | None]

LINES: list[tuple[str, str, Picked]] = [
    # What it is called, how a number looks, where it is found.
    ("plain, CPU seconds", ".2f", lambda row: row.plain_cpu),
    ("full: CPU, times plain", ".2f", lambda row: row.full.cpu),
    ("  wall, times plain", ".2f", lambda row: row.full.wall),
    ("  collector, seconds", ".2f", lambda row: row.full.collector),
    ("  million events", ".2f", lambda row: row.full.events / 1e6),
    ("  ns an event", ".1f", lambda row: _for_each(row.full.ns_each, row.full)),
    ("  bytes an event", ".2f", lambda row: _for_each(row.full.bytes_each, row.full)),
    ("  memory, MB more", ".1f", lambda row: row.full.memory / 2**20),
    ("calls only: CPU", ".2f", lambda row: row.calls_only.cpu),
    ("  wall, times plain", ".2f", lambda row: row.calls_only.wall),
    ("  collector, seconds", ".2f", lambda row: row.calls_only.collector),
    ("  million events", ".2f", lambda row: row.calls_only.events / 1e6),
    ("  ns an event", ".1f", lambda row: _for_each(row.calls_only.ns_each, row.calls_only)),
    ("  bytes an event", ".2f", lambda row: _for_each(row.calls_only.bytes_each, row.calls_only)),
    ("  memory, MB more", ".1f", lambda row: row.calls_only.memory / 2**20),
    ("viztracer, arguments", ".1f", lambda row: row.viztracer),
    ("PySnooper, small piece", ".0f", lambda row: row.pysnooper),
]


def table(result: Result) -> str:
    """Lay out one interpreter's results."""
    names = [row.program for row in result.rows]
    lines = [
        f"CPython {result.python}",
        _line("", names, "mean", "max"),
    ]
    for label, form, picked in LINES:
        values = [picked(row) for row in result.rows]
        known = [value for value in values if value is not None]
        if known:
            cells = ["-" if value is None else format(value, form) for value in values]
            # A geometric mean needs positive numbers; a tiny run can give others.
            middle = format(mean(known), form) if min(known) > 0 else "-"
            lines.append(_line(label, cells, middle, format(max(known), form)))
    lines += [
        f"memory on many calls, {mode}: {grown / 2**20:.1f} MB more than plain"
        for mode, grown in result.growth.items()
    ]
    lines.append(
        f"memory on many objects, {result.live_objects:,} of them alive, full: "
        f"{result.object_growth / 2**20:.1f} MB more than plain"
    )
    return "\n".join([*lines, *result.notes])


def _line(label: str, cells: Sequence[str], middle: str, most: str) -> str:
    columns = "".join(f"{cell:>{COLUMN}}" for cell in cells)
    return f"{label:<{LABEL}}{columns}{middle:>{LAST}}{most:>{LAST}}"


def missed(result: Result) -> list[str]:
    """List the limits that do not hold."""
    full = [row.full.cpu for row in result.rows]
    calls = [row.calls_only.cpu for row in result.rows]
    found = []
    if mean(full) > FULL_MEAN:
        found.append(f"full is {mean(full):.2f}x in the mean, more than {FULL_MEAN:g}x")
    if mean(calls) > CALLS_MEAN:
        found.append(f"calls only is {mean(calls):.2f}x in the mean, more than {CALLS_MEAN:g}x")
    found += [
        f"{row.program} is {ratio:.2f}x, more than {MOST:g}x"
        for row in result.rows
        for ratio in (row.full.cpu, row.calls_only.cpu)
        if ratio > MOST
    ]
    found += [
        f"{row.program} takes {row.full.bytes_each:.2f} bytes an event, more than {BYTES_EACH:g}"
        for row in result.rows
        if row.full.events >= ENOUGH and row.full.bytes_each > BYTES_EACH
    ]
    found += [
        f"memory grows by {grown / 2**20:.1f} MB on many calls ({mode}), more than 64 MB"
        for mode, grown in result.growth.items()
        if grown > GROWTH
    ]
    most = GROWTH + GROWTH_EACH * result.live_objects
    if result.object_growth > most:
        found.append(
            f"memory grows by {result.object_growth / 2**20:.1f} MB with "
            f"{result.live_objects:,} live objects, more than {most / 2**20:.0f} MB"
        )
    return [f"{result.python}: {each}" for each in found]


def verdict(results: Sequence[Result]) -> tuple[str, bool]:
    """Say whether the limits hold; the flag is true when they do."""
    limits = (
        f"limits: full <= {FULL_MEAN:g}x, calls only <= {CALLS_MEAN:g}x (geometric means of CPU), "
        f"none over {MOST:g}x,\n        at most {BYTES_EACH:g} bytes an event (full), "
        "memory at most 64 MB more on ten million calls,\n"
        f"        and {GROWTH_EACH} bytes for each live object on ten million objects"
    )
    found = [each for result in results for each in missed(result)]
    if found:
        return "\n".join([limits, *(f"MISSED  {each}" for each in found)]), False
    return f"{limits}\nKEPT    all, on {', '.join(result.python for result in results)}", True
