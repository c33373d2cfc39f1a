"""`sleuth history`: every write to a location, a line each."""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from sleuth.help_layout import HelpLayout
from sleuth.trace.events import Call
from sleuth.trace.reader import Trace
from sleuth.tree.pointing import usual_call
from sleuth.views import trace_files
from sleuth.views.drawing.screen import PLAIN
from sleuth.views.project import labelled
from sleuth.views.prompt import name_lookup
from sleuth.views.wire import recordings
from sleuth.views.words.writes import write_json, write_line


def main(argv: list[str]) -> int:
    """Carry out the command."""
    options = parser().parse_args(argv)
    trace, path = opened(options.given, parser(), folder=Path(trace_files.FOLDER))
    lines = _lines(trace, path, options)
    if options.json:
        sys.stdout.writelines(f"{line}\n" for line in lines)
    else:
        PLAIN.write(lines)
    return 0


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = argparse.ArgumentParser(
        formatter_class=HelpLayout,
        prog="sleuth history",
        usage="%(prog)s [TRACE] PATH [--call CALL] [--json]",
        description="Show every write to a variable, an attribute or an item: value, moment, "
        "line, call. Paths: c[2], self.total, global:shop.RATE.",
    )
    made.add_argument(
        "given", nargs="+", metavar="TRACE", help="a trace (default: the newest), then the path"
    )
    made.add_argument(
        "--call",
        metavar="CALL",
        help="where the path is looked up, at the end of the call: a number, or the name of a "
        "function (default: the call of the failing check, else the program)",
    )
    made.add_argument("--json", action="store_true", help="one JSON object a line")
    return made


def opened(
    given: list[str], command: argparse.ArgumentParser, *, folder: Path, what: str = "path"
) -> tuple[Trace, str]:
    """Return the trace and the text behind it; without a trace the newest one."""
    if len(given) > 2:
        command.error(f"too many words: {' '.join(given[2:])}; a {what} with spaces needs quotes")
    name = given[0] if len(given) > 1 else None
    return labelled(Trace(trace_files.find(name, folder=folder))), given[-1]


def call_in(trace: Trace, words: str | None) -> Call:
    """Return the call that an option names, else the usual one."""
    if words is None:
        return usual_call(trace)
    return trace.call(name_lookup.call_named(trace, words).call)


def _lines(trace: Trace, path: str, options: argparse.Namespace) -> Iterator[str]:
    found = trace.pointed(path, call=call_in(trace, options.call))
    for write in trace.writes(found.location):
        if options.json:
            value = recordings.value(write.value)
            yield recordings.line(write_json(trace, found.path, write, value))
        else:
            yield write_line(trace, write, PLAIN.width)
