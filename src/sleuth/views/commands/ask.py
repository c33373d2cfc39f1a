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
        raise UsageError("--json and --answers are two ways to answer; choose one.")
    if options.unattended and options.answers:
        raise UsageError("--unattended asks nobody, so nothing can be played from --answers.")


def ask(path: Path, words: Sequence[str] = ()) -> int:
    """Ask about a trace, with options as they can be typed."""
    options = parser().parse_args(list(words))
    _check(options)
    return _ask(path, options)


def parser(*, has_trace: bool = True) -> argparse.ArgumentParser:
    """Return what can stand on the command line; has_trace: there is a trace to go on with."""
    made = argparse.ArgumentParser(
        formatter_class=HelpLayout,
        prog="sleuth ask",
        description="Find the bug in a recorded run by answering questions about its calls. "
        "Goes on where it was left. At a question, ? lists what can be typed.",
        epilog="Exit status: 0 one call found, 1 ended without, 2 usage, 3 trace unreadable.",
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
        help="the tree that is asked about, else loops,forward,balance: loops gives loops and "
        "turns nodes of their own, forward passes wrappers and getters, balance groups calls that "
        "stand side by side (balance:max=20 at most so many); none is the tree of calls; x at a "
        "question lists all",
    )
    made.add_argument(
        "--inline",
        metavar="NAME",
        action="append",
        default=[],
        help="the code of this function counts as its callers': it is not asked about",
    )
    add_oracles(made)
    made.add_argument(
        "--unattended",
        action="store_true",
        help='never wait for anybody: what no oracle can answer counts as "don\'t know"',
    )
    made.add_argument(
        "--doubt-tests",
        action="store_true",
        help="ask about tests and fixtures, too, which are trusted otherwise",
    )
    made.add_argument(
        "--answers", metavar="FILE", help="play the lines of a file instead of reading the keyboard"
    )
    made.add_argument("--json", action="store_true", help="one JSON object a line, in and out")
    made.add_argument(
        "--plain", action="store_true", help="no colours, nothing that moves: lines only"
    )
    return made


def _add_trace(made: argparse.ArgumentParser) -> None:
    trace_files.add_trace(made)
    made.add_argument(
        "--root",
        metavar="CALL",
        help="search in this call, taken to be wrong; `run` is the whole run again",
    )
    made.add_argument(
        "--restart", action="store_true", help="begin anew; the answers so far are put aside"
    )


def add_oracles(made: argparse.ArgumentParser) -> None:
    """Add what tells oracles what to go by, and what switches them off."""
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
        help="switch an oracle off, and take back all that it said; see docs/oracles.md",
    )


def strategies_main(argv: list[str]) -> int:
    """Carry out `sleuth strategies`."""
    argparse.ArgumentParser(
        formatter_class=HelpLayout,
        prog="sleuth strategies",
        description="List the strategies: how questions can be chosen.",
    ).parse_args(argv)
    PLAIN.write(messages.strategies(PLAIN.width))
    return 0


def _ask(path: Path, options: argparse.Namespace) -> int:
    played = file_lines(options.answers) if options.answers else None
    waiting = Waiting(plain=options.plain, patience=0)
    aside = put_aside(journal_path(path)) if options.restart else None
    if aside is not None and not options.json:
        PLAIN.write([f"The answers so far are in {aside}."])
    with opened(path, tell=waiting.tell) as inquiry:
        waiting.done()
        _prepare(inquiry, options)
        if not options.unattended:
            inquiry.attend()
        elif not options.transform:
            inquiry.judge_calls()
        inquiry.get_help(told(options), without=options.without)
        if options.unattended:
            inquiry.end_unattended()
        if options.json and options.unattended:
            return machine.ended(inquiry, sys.stdout)
        if options.json:
            return machine.loop(inquiry, _standard_input(), sys.stdout)
        screen = screen_of(sys.stdout, os.environ, plain=options.plain)
        return _talk(inquiry, screen, played, is_unattended=options.unattended)


def _prepare(inquiry: Inquiry, options: argparse.Namespace) -> None:
    """Do what was wished on the command line, before the first question."""
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
    """Return what the oracles were told; traces by their paths."""
    return {
        each.name: [
            str(trace_files.find(word, folder=Path(trace_files.FOLDER))) if each.is_trace else word
            for word in getattr(options, each.name.replace("-", "_"))
        ]
        for described in ORACLES.values()
        for each in described.settings
    }


def _standard_input() -> TextIO:
    """Return where lines come from; what is no text must not stop us, and it may be closed."""
    if isinstance(sys.stdin, TextIOWrapper):
        sys.stdin.reconfigure(errors="backslashreplace")
    return sys.stdin or StringIO()


def _talk(
    inquiry: Inquiry, screen: Screen, played: FileLines | None, *, is_unattended: bool
) -> int:
    screen.write(messages.introduction(inquiry, screen.width))
    if is_unattended:
        screen.write(messages.ended_unattended(inquiry, screen.width))
        return inquiry.ended
    if played is None and not _standard_input().isatty():
        screen.write(messages.for_nobody(inquiry, screen.width))
        return inquiry.ended
    lines = played or TerminalLines(inquiry.paths)
    return Conversation(inquiry, lines, screen).run()
