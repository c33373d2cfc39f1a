"""`sleuth suspects`: lists the functions that may hold the bug, with reasons, without asking."""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sleuth.help_layout import HelpLayout
from sleuth.oracles.table import author
from sleuth.search.question import UNATTENDED, Verdict
from sleuth.trace.events import Function
from sleuth.views import trace_files
from sleuth.views.commands import ask
from sleuth.views.drawing.places import file_of, files, shortened, where
from sleuth.views.drawing.screen import PLAIN
from sleuth.views.drawing.styled import Line, counted, hanging, line, wrapped
from sleuth.views.prompt.inquiry import Inquiry, looked_at
from sleuth.views.wire import recordings
from sleuth.views.words.failure import why_suspected

VERSION = 1
_INDENT = " " * 11
_ON_PATH = 2.0
"""The factor for calls that the uncaught exception left."""
_WRONG = 4.0
"""The factor for the innermost call that was judged wrong."""


@dataclass(frozen=True, slots=True)
class Suspect:
    """A function that may hold the bug."""

    function: Function
    call: int
    """The most suspicious of its calls."""
    calls: int
    """How many of its calls are suspects."""
    suspicion: float
    """Its share of the total suspicion, taken from that call."""
    reasons: tuple[str, ...]


def main(argv: list[str]) -> int:
    """Carry out the command."""
    options = parser().parse_args(argv)
    inquiry = looked_at(trace_files.find(options.trace, folder=Path(trace_files.FOLDER)))
    inquiry.get_help(ask.told(options), without=options.without)
    found = list(suspects(inquiry))
    if options.json:
        print(recordings.line(_document(inquiry, found)))
    else:
        PLAIN.write(_lines(inquiry, found, options.most, PLAIN.width))
    return 0


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = argparse.ArgumentParser(
        formatter_class=HelpLayout,
        prog="sleuth suspects",
        description="List the functions that may hold the bug, the most suspicious first, with "
        "reasons: from the answers so far, from oracles, and from hints. It asks nothing and "
        "saves nothing.",
    )
    trace_files.add_trace(made)
    ask.add_oracles(made)
    made.add_argument(
        "--most", metavar="N", type=int, default=20, help="list at most N functions (default: 20)"
    )
    made.add_argument("--json", action="store_true", help="one JSON object, with all of them")
    return made


def suspects(inquiry: Inquiry) -> Iterator[Suspect]:
    """Yield the functions that may hold the bug, the most suspicious first."""
    space, tree = inquiry.session.space, inquiry.tree
    nodes = np.flatnonzero(space.is_suspect) + space.focus
    scores = space.own[nodes - space.focus].copy()
    scores[np.isin(nodes, np.array(inquiry.session.problem.path, np.int64))] *= _ON_PATH
    if space.judged.verdicts.get(space.focus, (None, 0))[0] is Verdict.WRONG:
        scores[nodes == space.focus] *= _WRONG
    best: dict[int, tuple[float, int]] = {}
    counts: dict[int, int] = {}
    for node, score in zip(nodes.tolist(), scores.tolist(), strict=True):
        routine = int(tree.routine[node])
        counts[routine] = counts.get(routine, 0) + 1
        if routine not in best or score > best[routine][0]:
            best[routine] = score, node
    total = sum(score for score, _ in best.values()) or 1.0
    for routine, (score, node) in sorted(best.items(), key=lambda each: (-each[1][0], each[1][1])):
        function = inquiry.trace.function(routine)
        if function is not None:
            call, reasons = int(tree.key(node).call), tuple(_reasons(inquiry, node))
            yield Suspect(function, call, counts[routine], score / total, reasons)


def _reasons(inquiry: Inquiry, node: int) -> Iterator[str]:
    """Yield the reasons why a node is more or less suspicious."""
    session = inquiry.session
    verdict, number = session.space.judged.verdicts.get(node, (None, 0))
    by = next((each.answer.by for each in session.answers if each.number == number), "")
    if verdict is Verdict.WRONG:
        yield f"judged wrong by {author(by)}"
    elif verdict is Verdict.UNKNOWN and by != UNATTENDED:
        yield 'answered with "don\'t know"'
    if node in session.problem.path:
        call = int(inquiry.tree.key(node).call)
        yield why_suspected(inquiry.trace, inquiry.failure, call)
    yield from inquiry.hints(node).values()


def _lines(inquiry: Inquiry, found: list[Suspect], most: int, width: int) -> Iterator[str | Line]:
    answers = len(inquiry.session.answers)
    yield f"{counted(len(found), 'function')} may hold the bug, given {counted(answers, 'answer')}."
    room, known = width - len(_INDENT), files(inquiry.trace)
    for number, each in enumerate(found[:most], 1):
        calls = f"call {each.call}" + (f" and {each.calls - 1:,} more" if each.calls > 1 else "")
        head = f"{number:>3}. {each.suspicion:>4.0%}  {each.function.qualified_name}  ({calls})"
        yield from (line(row) for row in hanging(head, width, further=len(_INDENT)))
        place = shortened(where(inquiry.trace, each.function), room, known)
        for words in (place, "; ".join(each.reasons) or "not judged"):
            yield from (line(_INDENT, row) for row in wrapped(words, room))
    if len(found) > most:
        yield f"     ... {len(found) - most:,} more; list them: --most {len(found)}"


def _document(inquiry: Inquiry, found: list[Suspect]) -> dict[str, Any]:
    return {
        "type": "suspects",
        "version": VERSION,
        "trace": str(inquiry.trace.path),
        "answers": len(inquiry.session.answers),
        "suspects": [
            {
                "function": each.function.qualified_name,
                "module": each.function.module.name,
                "file": file_of(inquiry.trace, each.function) or None,
                "line": each.function.first_line,
                "call": each.call,
                "calls": each.calls,
                "suspicion": round(each.suspicion, 6),
                "reasons": list(each.reasons),
            }
            for each in found
        ],
    }
