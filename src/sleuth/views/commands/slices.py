"""`sleuth slice`: the code that a value depends on, as marked source or JSON."""

import argparse
from collections.abc import Iterator
from pathlib import Path

from sleuth.help_layout import HelpLayout
from sleuth.trace.reader import Trace
from sleuth.trace.slices.slice import Slice
from sleuth.trace.values import escaped
from sleuth.views import trace_files
from sleuth.views.commands.history import call_in
from sleuth.views.drawing.places import module_file
from sleuth.views.drawing.screen import PLAIN
from sleuth.views.drawing.styled import counted, wrapped
from sleuth.views.wire import recordings

_MARK = ">"
_AROUND = 2
"""Lines shown before and after a marked one."""


def main(argv: list[str]) -> int:
    """Carry out the command."""
    options = parser().parse_args(argv)
    trace = Trace(trace_files.find(options.trace, folder=Path(trace_files.FOLDER)))
    found = trace.slice(
        options.path,
        call=call_in(trace, options.call),
        at=options.at,
        is_relevant=options.relevant,
        start=options.start,
    )
    if options.json:
        print(recordings.line(_document(trace, found)))
    else:
        PLAIN.write(_lines(trace, found, PLAIN.width))
    return 0


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = argparse.ArgumentParser(
        formatter_class=HelpLayout,
        prog="sleuth slice",
        description="Show the statements that a value depends on. Where the trace does not tell "
        "what was read, all that may have been read counts.",
    )
    trace_files.add_trace(made)
    made.add_argument(
        "path",
        metavar="PATH",
        help="the value: total, self.lines[2], return, raised, stdout[0], 'text:\"D3 50\"'",
    )
    made.add_argument("--at", metavar="MOMENT", type=int, help="its value before this event")
    made.add_argument(
        "--call",
        metavar="ID",
        help="where the path is looked up: a number, or the name of a function (default: the "
        "call of the failing check, else the program)",
    )
    made.add_argument(
        "--relevant",
        action="store_true",
        help="also decisions that could have changed the value by going the other way",
    )
    made.add_argument(
        "--from",
        dest="start",
        metavar="PATH",
        help="only what depends on this value, too",
    )
    made.add_argument("--json", action="store_true", help="one JSON object")
    return made


def _by_file(trace: Trace, found: Slice) -> dict[str, tuple[str, tuple[int, ...]]]:
    """Return file -> its path in the trace, and its lines."""
    names = {module.path: module_file(trace, module) for module in trace.modules()}
    return {names.get(path, path): (path, lines) for path, lines in found.lines.items()}


def _document(trace: Trace, found: Slice) -> dict[str, object]:
    return {
        "is": "slice",
        "lines": {file: [*lines] for file, (_, lines) in _by_file(trace, found).items()},
        "calls": [*found.calls],
        "unknown": [*found.unknown],
    }


def _lines(trace: Trace, found: Slice, width: int) -> Iterator[str]:
    for file, (path, marked) in _by_file(trace, found).items():
        yield f"{escaped(file)}: {counted(len(marked), 'line')} of the slice"
        text = trace.sources().get(path, "").splitlines()
        yield from _source(text, marked, width)
        yield ""
    yield f"{counted(len(found.calls), 'call')} ran this code."
    for sentence in found.unknown:
        yield from wrapped(escaped(sentence), width)


def _source(text: list[str], marked: tuple[int, ...], width: int) -> Iterator[str]:
    """Yield the marked lines and those around them."""
    shown = sorted(
        {
            line
            for each in marked
            for line in range(each - _AROUND, each + _AROUND + 1)
            if 1 <= line <= len(text)
        }
    )
    is_marked = set(marked)
    before = shown[0] - 1 if shown else 0
    for line in shown:
        if line != before + 1:
            yield "      ..."
        before = line
        mark = _MARK if line in is_marked else " "
        yield escaped(f"{mark} {line:>5}  {text[line - 1]}".rstrip())[: max(width, 20)]
