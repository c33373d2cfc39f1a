"""`sleuth list`, `sleuth rm`, `sleuth doctor`: commands about trace files."""

import argparse
from pathlib import Path
from typing import Any

from sleuth.errors import SleuthError, TraceError
from sleuth.help_layout import HelpLayout
from sleuth.trace.store.check import check
from sleuth.trace.values import escaped
from sleuth.views import trace_files
from sleuth.views.drawing.screen import PLAIN
from sleuth.views.drawing.sections import table
from sleuth.views.drawing.styled import counted
from sleuth.views.wire import recordings
from sleuth.views.words.recording import ending, program

_FOLDER = Path(trace_files.FOLDER)


def list_parser() -> argparse.ArgumentParser:
    """Return the parser of `sleuth list`."""
    made = argparse.ArgumentParser(
        formatter_class=HelpLayout,
        prog="sleuth list",
        description="List the traces in .sleuth/, the newest first.",
    )
    made.add_argument("--json", action="store_true", help="one JSON object a line")
    return made


def list_main(argv: list[str]) -> int:
    """List the traces in .sleuth/."""
    options = list_parser().parse_args(argv)
    found = False
    for entry in trace_files.entries(_FOLDER):
        found = True
        if options.json:
            document = {"name": entry.path.name, "size": entry.size}
            print(recordings.line(_document(entry) | document))
        else:
            PLAIN.write(_entry(entry))
    if not found and not options.json:
        hint = "Record one: sleuth record PROGRAM.py"
        PLAIN.write([f"There is no trace in {trace_files.FOLDER}/ yet. {hint}"])
    return 0


def _document(entry: trace_files.Entry) -> dict[str, Any]:
    problem: SleuthError | None = entry.problem
    if entry.trace is not None:
        try:
            return recordings.trace(entry.trace)
        except SleuthError as error:
            problem = error
    return {"is": "unreadable", "path": str(entry.path), "problem": str(problem)}


def _entry(entry: trace_files.Entry) -> list[str]:
    name, size = escaped(entry.path.name), _size(entry.size)
    if entry.trace is None:
        return [f"{name}  {size}", f"    {entry.problem}"]
    trace = entry.trace
    counts = f"{counted(trace.call_count, 'call')}, {counted(trace.event_count, 'event')}"
    started = escaped(str(trace.meta.get("started", "at an unknown time")))
    about = f"{started}, {counts}, {size}, {ending(trace.ending)}"
    return [f"{name}  {program(trace.meta)}", f"    {about}"]


def _size(number: int) -> str:
    """Return a number of bytes as `812 B`, `1.5 kB`, `20.1 MB`."""
    amount = float(number)
    for unit in ("B", "kB", "MB"):
        if amount < 1000:
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:.1f} GB"


def rm_parser() -> argparse.ArgumentParser:
    """Return the parser of `sleuth rm`."""
    made = argparse.ArgumentParser(
        formatter_class=HelpLayout, prog="sleuth rm", description="Remove traces."
    )
    made.add_argument(
        "traces", nargs="+", metavar="TRACE", help="path, name or beginning of a name"
    )
    return made


def rm_main(argv: list[str]) -> int:
    """Remove traces."""
    options = rm_parser().parse_args(argv)
    for path in trace_files.remove(options.traces, folder=_FOLDER):
        PLAIN.write([f"removed {path}"])
    return 0


def doctor_parser() -> argparse.ArgumentParser:
    """Return the parser of `sleuth doctor`."""
    made = argparse.ArgumentParser(
        formatter_class=HelpLayout,
        prog="sleuth doctor",
        description="Read every byte of a trace, and report what is damaged or missing.",
    )
    trace_files.add_trace(made)
    made.add_argument("--json", action="store_true", help="one JSON object")
    return made


def doctor_main(argv: list[str]) -> int:
    """Check a trace; the exit status is 3 if it is damaged."""
    options = doctor_parser().parse_args(argv)
    path = trace_files.find(options.trace, folder=_FOLDER)
    report = check(path)
    if options.json:
        print(recordings.line(recordings.report(path, report)))
    else:
        rows = [
            *((f"{'wrong':<7}", escaped(problem)) for problem in report.problems),
            *(("missing", escaped(gap)) for gap in report.gaps),
        ]
        PLAIN.write(table(rows, PLAIN.width, indent=0))
        if report.problems:
            whole = f"{report.readable_segments:,} of {report.segments:,}"
            said = f"{whole} segments of its events are readable. Record the run again if you can."
        else:
            said = f"{path} is sound: everything that was written can be read."
        PLAIN.write([said])
    return TraceError.exit_status if report.problems else 0
