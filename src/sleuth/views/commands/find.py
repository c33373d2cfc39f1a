"""`sleuth find`: calls, writes, moments, threads and output that a query asks for, a line each."""

import argparse
import sys
from pathlib import Path

from sleuth.help_layout import HelpLayout
from sleuth.trace.query.hits import Count, Found, Hit
from sleuth.trace.reader import Trace
from sleuth.trace.values import escaped
from sleuth.tree.pointing import usual_call
from sleuth.views import trace_files
from sleuth.views.commands.history import opened
from sleuth.views.drawing.screen import PLAIN, complain
from sleuth.views.wire import recordings
from sleuth.views.words.hits import hit_json, hit_line, undecided_lines

_NOTHING_FOUND = 1


def main(argv: list[str]) -> int:
    """Carry out the command."""
    options = parser().parse_args(argv)
    folder = Path(trace_files.FOLDER)
    trace, query = opened(options.given, parser(), folder=folder, what="query")
    found = trace.find(query, call=usual_call(trace) if trace.call_count else None)
    is_empty = True
    for hit in found:
        is_empty = is_empty and hit == Count(0)
        _write(trace, hit, is_json=options.json)
    sys.stdout.flush()
    _explain(trace, query, found, is_empty=is_empty)
    return _NOTHING_FOUND if is_empty else 0


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = argparse.ArgumentParser(
        formatter_class=HelpLayout,
        prog="sleuth find",
        usage="%(prog)s [TRACE] QUERY [--json]",
        description="Find calls, writes, moments, threads and output, a line each. Queries: "
        "'calls of f where x > 3 and raised', 'first moment where total < 0', "
        "'writes to Order.total where value < 0', 'threads at 1234', "
        "'output where \"kg\" in text'. All of them: docs/reference/queries.md",
    )
    made.add_argument(
        "given", nargs="+", metavar="TRACE", help="a trace (default: the newest), then the query"
    )
    made.add_argument("--json", action="store_true", help="one JSON object a line")
    return made


def _write(trace: Trace, hit: Hit, *, is_json: bool) -> None:
    if is_json:
        print(recordings.line(hit_json(trace, hit)))
    else:
        print(hit_line(trace, hit, PLAIN.width))


def _explain(trace: Trace, query: str, found: Found, *, is_empty: bool) -> None:
    """Say on standard error what could not be decided, and what may be wrong with the query."""
    for sentence in (*undecided_lines(query, found), *found.remarks):
        complain(f"sleuth: {escaped(sentence)}")
    if is_empty and trace.call_count == 0:
        complain("sleuth: No calls were recorded. See why: sleuth show --modules")
    elif is_empty and not found.undecided and not found.remarks:
        complain("sleuth: Nothing was found.")
