"""`sleuth ask`: from a trace to the guilty code, by questions."""

import argparse
import os
import sys
from collections.abc import Sequence
from io import StringIO, TextIOWrapper
from pathlib import Path
from typing import TextIO

from sleuth.errors import UsageError
from sleuth.help_layout import HelpLayout
from sleuth.oracles.table import ORACLES
from sleuth.search.journal import journal_path, put_aside
from sleuth.tree.transformations.outline import Wish
from sleuth.views import trace_files
from sleuth.views.drawing.screen import PLAIN, Screen, Waiting, screen_of
from sleuth.views.prompt import messages, name_lookup
from sleuth.views.prompt.conversation import Conversation
from sleuth.views.prompt.first_screen import introduction
from sleuth.views.prompt.inquiry import Inquiry, opened
from sleuth.views.prompt.typed_lines import FileLines, TerminalLines, file_lines
from sleuth.views.prompt.wishes import wished
from sleuth.views.wire import machine


def main(argv: list[str]) -> int:
    """Carry out the command."""
    options = parser().parse_args(argv)
    _check(options)
    return _ask(trace_files.find(options.trace, folder=Path(trace_files.FOLDER)), options)


def _check(options: argparse.Namespace) -> None:
    if options.json and options.answers:
        raise UsageError("--json and --answers can't be combined. Leave one of them out.")
    if options.unattended and options.answers:
        raise UsageError("--unattended and --answers can't be combined. Leave one of them out.")


def ask(path: Path, words: Sequence[str] = ()) -> int:
    """Ask about a trace; `options` are those of the command line."""
    options = parser().parse_args(list(words))
    _check(options)
    return _ask(path, options)


def parser(*, has_trace: bool = True) -> argparse.ArgumentParser:
    """Return the parser; without `has_trace` it takes no trace (`sleuth test` records one)."""
    made = argparse.ArgumentParser(
        formatter_class=HelpLayout,
        prog="sleuth ask",
        description="Find the bug in a recorded run by answering questions about its calls. "
        "Continues an earlier session about the run. At a question, ? lists the commands.",
        epilog="Exit status: 0 one call found, 1 none or several, 2 usage, 3 trace unreadable.",
    )
    made.set_defaults(root=None, restart=False)
    if has_trace:
        _add_trace(made)
    made.add_argument(
        "--strategy", metavar="NAME", help="how questions are chosen; see sleuth strategies"
    )
    made.add_argument(
        "--transform",
        metavar="NAME,...",
        help="shape of the tree that is asked about (default: loops,forward,balance). loops asks "
        "about loops and their turns, forward skips wrappers and getters, balance asks about "
        "neighbouring calls in groups (balance:max=20: at most 20 calls in a group); none is the "
        "tree of calls as recorded. At a question, x lists all of them",
    )
    made.add_argument(
        "--inline",
        metavar="NAME",
        action="append",
        default=[],
        help="count this function's code as part of its callers, and don't ask about it",
    )
    add_oracles(made)
    made.add_argument(
        "--unattended",
        action="store_true",
        help='never wait for input: a question that no oracle can answer counts as "don\'t know"',
    )
    made.add_argument(
        "--doubt-tests",
        action="store_true",
        help="ask about tests and fixtures, too (default: they are trusted)",
    )
    made.add_argument(
        "--answers",
        metavar="FILE",
        help="read the answers from a file, one a line, instead of the keyboard",
    )
    made.add_argument(
        "--json", action="store_true", help="questions and answers as JSON, one object a line"
    )
    made.add_argument(
        "--plain", action="store_true", help="plain lines: no colours, no moving progress"
    )
    return made


def _add_trace(made: argparse.ArgumentParser) -> None:
    trace_files.add_trace(made)
    made.add_argument(
        "--root",
        metavar="CALL",
        help="search only in this call, assuming that it is wrong; `run`: in the whole run",
    )
    made.add_argument(
        "--restart",
        action="store_true",
        help="start over; the answers so far are moved to another file",
    )


def add_oracles(made: argparse.ArgumentParser) -> None:
    """Add the options that give oracles their data, and `--without`."""
    for described in ORACLES.values():
        for each in described.settings:
            made.add_argument(
                each.flag, metavar=each.takes, action="append", default=[], help=each.help
            )
    made.add_argument(
        "--without",
        metavar="ORACLE",
        action="append",
        default=[],
        help="switch an oracle off and drop its answers; see docs/oracles.md",
    )


def strategies_parser() -> argparse.ArgumentParser:
    """Return the parser of `sleuth strategies`."""
    return argparse.ArgumentParser(
        formatter_class=HelpLayout,
        prog="sleuth strategies",
        description="List the strategies, which are ways to choose questions.",
    )


def strategies_main(argv: list[str]) -> int:
    """Carry out `sleuth strategies`."""
    strategies_parser().parse_args(argv)
    PLAIN.write(messages.strategies(PLAIN.width))
    return 0


def _ask(path: Path, options: argparse.Namespace) -> int:
    played = file_lines(options.answers) if options.answers else None
    waiting = Waiting(plain=options.plain, patience=0)
    aside = put_aside(journal_path(path)) if options.restart else None
    if aside is not None and not options.json:
        PLAIN.write([f"The earlier answers are now in {aside}."])
    with opened(path, tell=waiting.tell) as inquiry:
        waiting.done()
        _prepare(inquiry, options)
        if not options.unattended:
            inquiry.attend()
        elif not options.transform:
            inquiry.judge_calls()
        inquiry.get_help(told(options), without=options.without, is_attended=not options.unattended)
        if options.unattended:
            inquiry.end_unattended()
        if options.json and options.unattended:
            return machine.ended(inquiry, sys.stdout)
        if options.json:
            return machine.loop(inquiry, _standard_input(), sys.stdout)
        screen = screen_of(sys.stdout, os.environ, plain=options.plain)
        return _talk(inquiry, screen, played, is_unattended=options.unattended)


def _prepare(inquiry: Inquiry, options: argparse.Namespace) -> None:
    """Carry out the options of the command line, before the first question."""
    if options.doubt_tests:
        inquiry.doubt_tests()
    if options.root:
        inquiry.search_in(name_lookup.root(inquiry, options.root))
    if options.transform:
        inquiry.reshape(options.transform)
    for name in options.inline:
        wished(inquiry, Wish.INLINE, name, None)
    if options.strategy:
        inquiry.use(name_lookup.strategy(options.strategy))


def told(options: argparse.Namespace) -> dict[str, list[str]]:
    """Return the options for oracles, with traces as paths."""
    return {
        each.name: [
            str(trace_files.find(word, folder=Path(trace_files.FOLDER))) if each.is_trace else word
            for word in getattr(options, each.name.replace("-", "_"))
        ]
        for described in ORACLES.values()
        for each in described.settings
    }


def _standard_input() -> TextIO:
    """Return standard input; it may be closed, and bytes that are not text must not end us."""
    if isinstance(sys.stdin, TextIOWrapper):
        sys.stdin.reconfigure(errors="backslashreplace")
    return sys.stdin or StringIO()


def _talk(
    inquiry: Inquiry, screen: Screen, played: FileLines | None, *, is_unattended: bool
) -> int:
    screen.write(introduction(inquiry, screen.width))
    if is_unattended:
        screen.write(messages.ended_unattended(inquiry, screen.width))
        return inquiry.ended
    if played is None and not _standard_input().isatty():
        screen.write(messages.for_nobody(inquiry, screen.width))
        return inquiry.ended
    lines = played or TerminalLines(inquiry.paths)
    return Conversation(inquiry, lines, screen).run()
