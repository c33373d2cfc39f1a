"""`sleuth why`: the operation that made a value, or the decisions that kept it from being set."""

import argparse
from pathlib import Path

from sleuth.help_layout import HelpLayout
from sleuth.trace.events import Call
from sleuth.trace.reader import Trace
from sleuth.views import trace_files
from sleuth.views.commands.history import call_in, opened
from sleuth.views.drawing.screen import PLAIN
from sleuth.views.wire import recordings
from sleuth.views.words.decisions import decision_json, not_written_lines
from sleuth.views.words.origins import DEPTH, origin_json, origin_lines

_NOTHING_KNOWN = 1


def main(argv: list[str]) -> int:
    """Carry out the command."""
    options = parser().parse_args(argv)
    trace, path = opened(options.given, parser(), folder=Path(trace_files.FOLDER))
    call = call_in(trace, options.call)
    if options.is_not:
        return _not_written(trace, path, call, options)
    found = trace.why(path, call=call, at=options.at)
    if options.json:
        print(recordings.line(origin_json(trace, found, options.depth)))
    else:
        PLAIN.write(origin_lines(trace, found, PLAIN.width, options.depth))
    return 0 if found.is_known else _NOTHING_KNOWN


def _not_written(trace: Trace, path: str, call: Call, options: argparse.Namespace) -> int:
    found = trace.why_not(path, call=call, at=options.at)
    if options.json:
        for each in found.decisions:
            print(recordings.line(decision_json(trace, each, options.depth)))
    else:
        PLAIN.write(not_written_lines(trace, found, PLAIN.width))
    return 0 if found.decisions else _NOTHING_KNOWN


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = argparse.ArgumentParser(
        formatter_class=HelpLayout,
        prog="sleuth why",
        usage="%(prog)s [TRACE] PATH [--not] [--at MOMENT] [--call ID] [--depth N] [--json]",
        description="Show the operation that made a value, its inputs with their values, and "
        "theirs. Paths: total, self.lines[2], return, raised, stdout[2], 'text:\"D3 50\"'.",
    )
    made.add_argument(
        "given", nargs="+", metavar="TRACE", help="a trace (default: the newest), then the path"
    )
    made.add_argument(
        "--not",
        dest="is_not",
        action="store_true",
        help="show why it was not written: the decisions whose other way would have written it",
    )
    made.add_argument("--at", metavar="MOMENT", type=int, help="the value before this event")
    made.add_argument(
        "--call",
        metavar="ID",
        help="where the path is looked up: a number, or the name of a function (default: the "
        "call of the failing check, else the program)",
    )
    made.add_argument(
        "--depth",
        metavar="N",
        type=int,
        default=DEPTH,
        help=f"levels of inputs to show (default: {DEPTH})",
    )
    made.add_argument(
        "--json", action="store_true", help="one JSON object; with --not one for each decision"
    )
    return made
