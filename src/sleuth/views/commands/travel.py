"""`sleuth travel`: steps over the events of a recorded run, forward and back."""

import argparse
from pathlib import Path

from sleuth.help_layout import HelpLayout
from sleuth.trace.events import Moment
from sleuth.trace.heap.roots import end_of
from sleuth.trace.history.cursor import Cursor
from sleuth.trace.reader import Trace
from sleuth.views import trace_files
from sleuth.views.commands.history import call_in
from sleuth.views.drawing.screen import PLAIN
from sleuth.views.project import labelled
from sleuth.views.prompt.typed_lines import Lines, TerminalLines, file_lines
from sleuth.views.travel.conversation import Travel
from sleuth.views.travel.table import KEYS


def main(argv: list[str]) -> int:
    """Carry out the command."""
    options = parser().parse_args(argv)
    trace = labelled(Trace(trace_files.find(options.trace, folder=Path(trace_files.FOLDER))))
    lines: Lines = (
        file_lines(options.answers)
        if options.answers
        else TerminalLines(lambda word: [key for key in KEYS if key.startswith(word)])
    )
    Travel(_begun(trace, options), lines, PLAIN).run()
    return 0


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = argparse.ArgumentParser(
        formatter_class=HelpLayout,
        prog="sleuth travel",
        description="Step over the events of a recorded run, forward and back. ? lists the "
        "commands.",
    )
    trace_files.add_trace(made)
    made.add_argument(
        "--call",
        metavar="CALL",
        help="begin at the end of this call: its number, or the name of a function (default: the "
        "call of the failing check, else the program)",
    )
    made.add_argument("--at", type=int, metavar="MOMENT", help="begin at this moment")
    made.add_argument("--answers", metavar="FILE", help="read the commands from a file, one a line")
    return made


def _begun(trace: Trace, options: argparse.Namespace) -> Cursor:
    call = call_in(trace, options.call)
    here = Cursor(trace, call.id, Moment(min(end_of(trace, call), trace.event_count - 1)))
    return here if options.at is None else here.at(options.at)
