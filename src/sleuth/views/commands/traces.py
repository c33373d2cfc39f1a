"""`sleuth list`, `sleuth rm`, `sleuth doctor`: commands about trace files."""

import argparse
from pathlib import Path
from typing import Any

from sleuth.errors import SleuthError, TraceError
from sleuth.trace.store.check import check
from sleuth.trace.values import escaped
from sleuth.views import trace_files
from sleuth.views.drawing import text
from sleuth.views.wire import recordings

_FOLDER = Path(trace_files.FOLDER)


def list_main(argv: list[str]) -> int:
    """List the traces in .sleuth/."""
    parser = argparse.ArgumentParser(
        prog="sleuth list", description="List the traces in .sleuth/, the newest first."
    )
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    options = parser.parse_args(argv)
    found = False
    for entry in trace_files.entries(_FOLDER):
        found = True
        if options.json:
            document = {"name": entry.path.name, "size": entry.size}
            print(recordings.line(_document(entry) | document))
        else:
            print(_entry(entry))
    if not found and not options.json:
        print(
            f"There is no trace in {trace_files.FOLDER}/ yet. Record one: sleuth record PROGRAM.py"
        )
    return 0


def _document(entry: trace_files.Entry) -> dict[str, Any]:
    problem: SleuthError | None = entry.problem
    if entry.trace is not None:
        try:
            return recordings.trace(entry.trace)
        except SleuthError as error:
            problem = error
    return {"is": "unreadable", "path": str(entry.path), "problem": str(problem)}


def _entry(entry: trace_files.Entry) -> str:
    name, size = escaped(entry.path.name), text.size(entry.size)
    if entry.trace is None:
        return f"{name}  {size}\n    {entry.problem}"
    trace = entry.trace
    counts = f"{text.counted(trace.call_count, 'call')}, {text.counted(trace.event_count, 'event')}"
    started = escaped(str(trace.meta.get("started", "at an unknown time")))
    about = f"{started}, {counts}, {size}, {text.ending(trace.ending)}"
    return f"{name}  {text.program(trace.meta)}\n    {about}"


def rm_main(argv: list[str]) -> int:
    """Remove traces."""
    parser = argparse.ArgumentParser(prog="sleuth rm", description="Remove traces.")
    parser.add_argument(
        "traces", nargs="+", metavar="TRACE", help="path, name or beginning of a name"
    )
    options = parser.parse_args(argv)
    for path in trace_files.remove(options.traces, folder=_FOLDER):
        print(f"removed {escaped(str(path))}")
    return 0


def doctor_main(argv: list[str]) -> int:
    """Check a trace; the exit status is 3 if it is damaged."""
    parser = argparse.ArgumentParser(
        prog="sleuth doctor",
        description="Read every byte of a trace, and report what is damaged or missing.",
    )
    trace_files.add_trace(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object")
    options = parser.parse_args(argv)
    path = trace_files.find(options.trace, folder=_FOLDER)
    report = check(path)
    if options.json:
        print(recordings.line(recordings.report(path, report)))
    else:
        for problem in report.problems:
            print(f"wrong    {escaped(problem)}")
        for gap in report.gaps:
            print(f"missing  {escaped(gap)}")
        if report.problems:
            whole = f"{report.readable_segments:,} of {report.segments:,}"
            print(f"{whole} segments of its events are readable. Record the run again if you can.")
        else:
            print(f"{escaped(str(path))} is sound: everything that was written can be read.")
    return TraceError.exit_status if report.problems else 0
