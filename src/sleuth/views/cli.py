"""The command line: the table of commands, and the exit statuses of errors."""

import os
import sys
from difflib import get_close_matches
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from typing import TYPE_CHECKING

from sleuth import __version__
from sleuth.errors import SleuthError, UsageError
from sleuth.trace.values import escaped, escaped_lines
from sleuth.views.drawing.screen import PLAIN, complain
from sleuth.views.drawing.sections import table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_INTERRUPTED = 130

COMMANDS: dict[str, tuple[str, str, str]] = {
    # Name: module, function, help.  The module is imported when the command runs: a fast start.
    "record": ("sleuth.record.launch", "main", "run a program and record it into .sleuth/"),
    "run": ("sleuth.views.commands.run", "main", "record a program, then ask about the run"),
    "test": ("sleuth.views.commands.test", "main", "run pytest, ask about a failing test"),
    "ask": ("sleuth.views.commands.ask", "main", "find the bug in a recorded run by questions"),
    "suspects": (
        "sleuth.views.commands.suspects",
        "main",
        "rank the functions that may hold the bug",
    ),
    "strategies": (
        "sleuth.views.commands.ask",
        "strategies_main",
        "list the ways to choose questions",
    ),
    "report": (
        "sleuth.views.commands.report",
        "main",
        "write the diagnosis as Markdown, JSON or SARIF",
    ),
    "replay": (
        "sleuth.views.commands.replay",
        "main",
        "record again, and check which answers still apply",
    ),
    "freeze": ("sleuth.views.commands.freeze", "main", "write a pytest test of the guilty call"),
    "slice": (
        "sleuth.views.commands.slices",
        "main",
        "show the code that a value depends on",
    ),
    "show": ("sleuth.views.commands.show", "main", "show a recorded run: the tree of its calls"),
    "travel": (
        "sleuth.views.commands.travel",
        "main",
        "step over the events of a run, forward and back",
    ),
    "history": (
        "sleuth.views.commands.history",
        "main",
        "list every write to a variable, an attribute or an item",
    ),
    "find": (
        "sleuth.views.commands.find",
        "main",
        "find calls, writes, moments and output by a query",
    ),
    "why": (
        "sleuth.views.commands.why",
        "main",
        "show the operation that made a value, and its inputs",
    ),
    "tree": (
        "sleuth.views.commands.tree",
        "main",
        "draw the tree that is searched, with answers and weights",
    ),
    "list": ("sleuth.views.commands.traces", "list_main", "list the traces in .sleuth/"),
    "rm": ("sleuth.views.commands.traces", "rm_main", "remove traces"),
    "completion": (
        "sleuth.views.commands.completion",
        "main",
        "print a script that completes commands in your shell",
    ),
    "doctor": (
        "sleuth.views.commands.traces",
        "doctor_main",
        "check a trace for damage and missing parts",
    ),
}


def entry() -> None:
    """Run the command `sleuth` and exit with its status."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # the parent process closed it
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123 - stays open
    sys.exit(main(sys.argv[1:]))


def main(argv: list[str]) -> int:
    """Run a command line and return its exit status."""
    try:
        status = _run(argv)
        sys.stdout.flush()
    except SleuthError as error:
        complain(f"sleuth: {escaped_lines(str(error))}")
        return error.exit_status
    except BrokenPipeError:
        # The reader of a pipe is gone; the interpreter must not try to flush when it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        where = f": {escaped(str(error.filename))}" if error.filename else ""
        complain(f"sleuth: {error.strerror or error}{where}")
        return SleuthError.exit_status
    except KeyboardInterrupt:
        return _INTERRUPTED
    except SystemExit as end:  # argparse has printed the message already
        return end.code if isinstance(end.code, int) else 2
    return status


def _run(argv: list[str]) -> int:
    if not argv and _has_traces():
        argv = ["ask"]
    if not argv or argv[0] in ("-h", "--help", "help"):
        PLAIN.write(_help(PLAIN.width))
        return 0
    if argv[0] in ("-V", "--version"):
        print(f"sleuth {__version__}")
        return 0
    if argv[0] not in COMMANDS:
        near = get_close_matches(argv[0], COMMANDS, n=1)
        hint = f"Did you mean {near[0]}? " if near else ""
        raise UsageError(
            f"There is no command {escaped(argv[0])}. {hint}The commands are "
            f"{', '.join(COMMANDS)}; see sleuth --help"
        )
    module, name, _ = COMMANDS[argv[0]]
    if argv[0] not in ("record", "run", "test") and isinstance(sys.stdout, TextIOWrapper):
        # A character that the terminal can't show must not end the command.
        sys.stdout.reconfigure(errors="backslashreplace")
    command: Callable[[list[str]], int] = getattr(import_module(module), name)
    return command(argv[1:])


def _has_traces() -> bool:
    from sleuth.views import trace_files  # noqa: PLC0415 - starting must be quick

    return bool(trace_files.traces(Path(trace_files.FOLDER)))


_FIRST = (
    ("sleuth run PROGRAM.py", "record a run, then answer questions about it"),
    ("sleuth test tests/", "the same for the first test that fails, with pytest"),
    ("sleuth", "go on with the newest recording"),
)
_SHOWN_FIRST = ("run", "test")
_RARE = ("strategies", "list", "rm", "doctor", "completion")
"""Commands whose names alone stand in the help, which has to fit on a screen."""


def _help(width: int) -> "Iterator[str]":
    yield "sleuth - finds the wrong line by asking you a few questions."
    yield from table(_FIRST, width, gap=4)
    yield ""
    yield "commands (each has --help):"
    left_out = {*_SHOWN_FIRST, *_RARE}
    rows = [(name, words) for name, (_, _, words) in COMMANDS.items() if name not in left_out]
    yield from table(rows, width, gap=1)
    yield f"more: {', '.join(_RARE)}"
