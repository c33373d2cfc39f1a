"""Checks a trace file and reports in words what is wrong or missing.

Wrong: checksums, order, nesting, references.  Missing: what the recorder says it did not keep.
Used by tests and by `sleuth doctor`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sleuth import _core
from sleuth.errors import TraceError
from sleuth.trace.code import source_bytes
from sleuth.trace.events import Outcome
from sleuth.trace.flow import rules
from sleuth.trace.flow.table import Flow
from sleuth.trace.flow.wording import Wording
from sleuth.trace.reader import Trace
from sleuth.trace.store import database
from sleuth.trace.store.schema import has_column
from sleuth.trace.store.tables import SegmentRow
from sleuth.trace.store.writer import end_range, notes_json

_BLOBS = ("state", "notes", "bound", "objects", "parts", "sums", "ends", "block", "data")
_SCANNED = ("block", "ends", "state", "objects", "bound", "parts", "sums")
"""Columns that a scan of the events computes again, in its order."""


@dataclass(frozen=True, slots=True)
class Report:
    """What was found."""

    problems: tuple[str, ...]
    """What is wrong: this trace may not be usable."""
    gaps: tuple[str, ...]
    """What is missing, as the recorder says itself."""
    segments: int
    readable_segments: int


def check(path: Path) -> Report:
    """Read every byte of a trace; raise TraceError only when it can't be opened at all."""
    trace = Trace(path)
    problems = [*_sqlite(path)]
    readable, found = _segments(trace)
    problems += [*found, *_code(trace), *_flows(trace), *_sources(trace)]
    gaps = [] if problems else [*missing(trace), *_open_calls(trace)]
    return Report(tuple(dict.fromkeys(problems)), tuple(gaps), len(trace._segments.rows), readable)  # noqa: SLF001 - it checks the inside of a trace


def _sqlite(path: Path) -> Iterator[str]:
    try:
        with database.reading(path) as connection:
            for (line,) in connection.execute("PRAGMA integrity_check(5)"):
                if line != "ok":
                    yield f"SQLite says: {line}"
    except TraceError as error:
        yield str(error)


def _segments(trace: Trace) -> tuple[int, list[str]]:
    """Scan the events again and compare the index."""
    scanner = _core.Scanner()
    problems: list[str] = []
    functions: set[int] = set()
    sites: set[int] = set()
    readable = 0
    segments = trace._segments  # noqa: SLF001 - the checker looks where others ask
    names = [name for name in _BLOBS if has_column(segments.version, "segments", name)]
    for row in segments.rows:
        try:
            now, contents = segments.fetch(row.number, *names)
            stored = dict(zip(names, contents, strict=True))
            data = stored["data"]
            problems += _index(scanner, now, stored)
            some_functions, some_sites = _core.mentions(data)
        except (TraceError, ValueError) as error:
            problems.append(f"Segment {row.number} of the events: {error}")
            # The following segments can't be scanned without this one.
            break
        functions |= some_functions
        sites |= some_sites
        readable += 1
    problems += [
        f"Function {number} is called, but nothing is said of it."
        for number in sorted(functions)[:1000]
        if trace.function(number) is None
    ]
    problems += [
        f"Site {number} occurs in events, but nothing is said of it."
        for number in sorted(sites)
        if trace.site(number) is None
    ][:20]
    if trace.unmatched_count:
        problems.append(f"Calls that end but never began: {trace.unmatched_count:,}.")
    return readable, problems


def _index(scanner: _core.Scanner, row: SegmentRow, stored: dict[str, bytes]) -> Iterator[str]:
    first = scanner.next_moment, scanner.next_call
    moments, calls, roots, cut, unmatched, *blobs, scanned_notes = scanner.scan(
        stored["data"], True
    )
    counts = (*first, moments, calls, roots, cut, unmatched, len(scanned_notes))
    said = (row.first_moment, row.first_call, row.moments, row.calls, row.roots, row.cut)
    is_same = counts == (*said, row.unmatched, row.noted)
    if not is_same or end_range(blobs[1]) != (row.low_end, row.high_end):
        yield f"Segment {row.number} of the events does not hold what its row says."
    scanned = dict(zip(_SCANNED, blobs, strict=True), notes=notes_json(scanned_notes))
    if any(scanned.get(name, blob) != blob for name, blob in stored.items()):
        yield f"The index of segment {row.number} does not fit its events."


def _code(trace: Trace) -> Iterator[str]:
    tables = trace._tables  # noqa: SLF001 - it checks the inside of a trace
    for name, batches in (("functions", tables.functions), ("sites", tables.sites)):
        last = -1
        for batch in batches:
            if batch.first <= last:
                yield f"Two batches of {name} overlap at {batch.first}."
            last = batch.last
            if batch.module not in tables.modules:
                yield f"There are {name} of module {batch.module}, but nothing is said of it."
            try:
                known = trace.function(last) if name == "functions" else trace.site(last)
            except (TraceError, ValueError, TypeError) as error:
                yield str(error)
                continue
            if known is None:
                yield f"A batch of {name} does not hold number {last}, as it says."


def _flows(trace: Trace) -> Iterator[str]:
    """Check the flow of each function."""
    last = -1
    for batch in trace._tables.flows:  # noqa: SLF001 - it checks the inside of a trace
        if batch.first <= last:
            yield f"Two batches of flows overlap at {batch.first}."
        last = batch.last
        for number in range(batch.first, batch.last + 1):
            try:
                flow, wording = trace.flow(number), trace.wording(number)
            except (TraceError, ValueError, TypeError) as error:
                yield str(error)
                break
            if flow is not None:
                yield from _flow(trace, number, flow, wording)


def _flow(trace: Trace, number: int, flow: Flow, wording: Wording | None) -> Iterator[str]:
    function = trace.function(number)
    if function is None:
        yield f"There is a flow of function {number}, but nothing is said of it."
        return
    if len(flow.parameters) != len(function.parameters):
        yield f"The flow of function {number} has other parameters than the function."
    laws = [*rules.broken(flow)]
    laws += [] if wording is None else rules.misworded(flow, wording)
    for law in laws:
        yield f"The flow of function {number} is not right: {law}."
    if any(trace.site(site) is None for site in rules.sites(flow)):
        yield f"The flow of function {number} names a site of which nothing is said."
    if any(trace.function(made) is None for made in rules.functions(flow)):
        yield f"The flow of function {number} makes a function of which nothing is said."


def _sources(trace: Trace) -> Iterator[str]:
    for number in {row for row, _ in trace._tables.module_sources.values()}:  # noqa: SLF001 - it checks the inside of a trace
        try:
            source_bytes(trace.path, number)
        except TraceError as error:
            yield str(error)


def missing(trace: Trace) -> Iterator[str]:
    """Yield what the trace lacks, as far as that is known without reading its events."""
    yield from _untold_ending(trace)
    for stop in trace.stops:
        yield f"Recording stopped at moment {stop.moment:,}: {stop.reason}."
    stopped = trace.meta.get("stopped")
    if stopped and not trace.stops:
        yield f"Recording stopped early: {stopped}."
    if trace.meta.get("failure"):
        yield f"The recorder failed: {trace.meta['failure']}."
    elif trace.meta.get("complete") is False:
        yield "The recorder says that this trace is not complete."
    if trace.meta.get("mode") == "calls":
        yield "Only calls were recorded: no variables, loops and branches."
    if trace.cut_count:
        yield f"Values that were cut or not kept: {trace.cut_count:,}."
    plain = [module for module in trace.modules() if not module.is_recorded]
    if plain:
        yield f"Modules that ran unrecorded: {len(plain):,}. Why: sleuth show --modules"
    for process in trace.processes:
        pid = f"process {process.pid}" if process.pid else "a process"
        yield f"What {pid} did ({process.how}) is not in this trace."


def _untold_ending(trace: Trace) -> Iterator[str]:
    ending = trace.ending
    if ending is None:
        yield (
            "The run has not ended, or its recorder could not say so: "
            "it was stopped, or the disk was full."
        )
    elif ending.get("how") == "killed":
        yield f"The program was killed by signal {ending.get('signal')}."
    elif ending.get("how") == "vanished":
        yield "The program vanished without a word; its last events may be missing."


def _open_calls(trace: Trace) -> Iterator[str]:
    counts = {Outcome.UNFINISHED: 0, Outcome.SUSPENDED: 0, Outcome.LOST: 0}
    for call in trace.calls():
        if call.outcome in counts:
            counts[call.outcome] += 1
    words = {
        Outcome.UNFINISHED: "Calls that never ended",
        Outcome.SUSPENDED: "Calls that were suspended and not resumed again",
        Outcome.LOST: "Calls that ended unseen",
    }
    yield from (f"{words[kind]}: {count:,}." for kind, count in counts.items() if count)
