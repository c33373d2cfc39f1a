"""`sleuth report`: the result of a session as Markdown, JSON or SARIF."""

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from sleuth.help_layout import HelpLayout
from sleuth.search.session import Session
from sleuth.trace.reader import Trace
from sleuth.tree.failing.test import Failure
from sleuth.views import trace_files
from sleuth.views.prompt import inquiry
from sleuth.views.wire import recordings
from sleuth.views.wire.markdown import markdown
from sleuth.views.wire.reports import report
from sleuth.views.wire.sarif import sarif

FORMATS = ("md", "json", "sarif")


def main(argv: list[str]) -> int:
    """Carry out the command."""
    options = parser().parse_args(argv)
    path = trace_files.find(options.trace, folder=Path(trace_files.FOLDER))
    asked = inquiry.looked_at(path)
    words = lines(asked.trace, asked.session, options.format, asked.failure)
    sys.stdout.writelines(f"{each}\n" for each in words)
    return 0


def lines(
    trace: Trace, session: Session, form: str, failure: Failure | None = None
) -> Iterator[str]:
    """Yield a report in one of the formats; failure: why the recorded test failed."""
    if form == "json":
        yield recordings.line(report(trace, session, failure))
    elif form == "sarif":
        yield json.dumps(sarif(trace, session), indent=2)
    else:
        yield from markdown(trace, session, failure)


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = argparse.ArgumentParser(
        formatter_class=HelpLayout,
        prog="sleuth report",
        description="Write a report: the diagnosis that the answers about a run lead to.",
    )
    trace_files.add_trace(made)
    made.add_argument(
        "--format",
        choices=FORMATS,
        default="md",
        help="Markdown, one JSON object, or SARIF 2.1.0 (md)",
    )
    return made
