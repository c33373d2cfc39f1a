"""`sleuth tree`: the tree that is asked about, in its present shape, with answers and weights."""

import argparse
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from sleuth.errors import UsageError
from sleuth.help_layout import HelpLayout
from sleuth.search.question import USER, Given
from sleuth.tree.node import NodeKind
from sleuth.views import trace_files
from sleuth.views.drawing.places import file_of
from sleuth.views.drawing.screen import PLAIN
from sleuth.views.drawing.sections import beside
from sleuth.views.drawing.styled import Line, Piece, Role, counted, line
from sleuth.views.prompt.answer_list import SAID
from sleuth.views.prompt.inquiry import Inquiry, looked_at
from sleuth.views.wire import recordings
from sleuth.views.wire.questions import question_id
from sleuth.views.words.node_line import node_text, node_title
from sleuth.views.words.recording import program

_BREADTH = 10
"""Children of one node that are drawn."""
_AROUND = 6
"""Lines of a screen that the tree leaves free: the head, the hint, the prompt of the shell."""
_USUAL_HEIGHT = 40
"""Lines of a pipe or a file."""
_LEAST = 0.005
_DEEPEST = 20
"""Levels of indentation."""


def main(argv: list[str]) -> int:
    """Carry out the command."""
    options = parser().parse_args(argv)
    if options.depth is not None and options.depth < 1:
        raise UsageError("--depth needs a number from 1 on, such as --depth 5.")
    inquiry = looked_at(trace_files.find(options.trace, folder=Path(trace_files.FOLDER)))
    if options.json:
        for document in documents(inquiry, options.depth):
            print(recordings.line(document))
    else:
        PLAIN.write(lines(inquiry, options.depth))
    return 0


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = argparse.ArgumentParser(
        formatter_class=HelpLayout,
        prog="sleuth tree",
        description="Draw the tree that sleuth ask searches, in its present shape: calls, loops, "
        "turns and groups, each with its share of the suspicion and the answer about it.",
    )
    trace_files.add_trace(made)
    made.add_argument(
        "--depth",
        type=int,
        metavar="N",
        help="levels below the whole run (default: as many as fit on a screen; with --json all)",
    )
    made.add_argument("--json", action="store_true", help="one JSON object a line for each node")
    return made


@dataclass(frozen=True, slots=True)
class _Judged:
    """What is known about one node."""

    share: float
    """Its share of the suspicion, with all below it, from 0 to 1."""
    is_suspect: bool
    is_trusted: bool
    given: Given | None
    """The answer about it."""
    is_implied: bool
    """Whether the answer was about an equal question, or about something around it."""


class _Findings:
    """Looks up what the session knows about nodes."""

    def __init__(self, inquiry: Inquiry) -> None:
        self._space = inquiry.session.space
        self._given = {given.number: given for given in inquiry.session.answers}

    def of(self, node: int) -> _Judged:
        """Look up one node."""
        space = self._space
        inside = space.focus <= node < space.stop
        at = node - space.focus
        weight = float(space.weight[at]) if inside else 0.0
        if node < space.focus < int(space.tree.end[node]):
            weight = float(space.total)  # what is searched lies in it
        _, number = space.judged.verdicts.get(node, (None, 0))
        implied = space.judged.implied.get(node, 0)
        return _Judged(
            share=weight / float(space.total) if space.total else 0.0,
            is_suspect=bool(inside and space.is_suspect[at]),
            is_trusted=bool(space.judged.trusted[node]),
            given=self._given.get(number or implied),
            is_implied=not number and bool(implied),
        )


# --- Words ---------------------------------------------------------------------------------------


def lines(inquiry: Inquiry, depth: int | None) -> Iterator[str | Line]:
    """Yield the tree as text, as deep as asked for or as fits on a screen."""
    tree = inquiry.tree
    shape = ", ".join(inquiry.session.problem.shape) or "none: as recorded"
    nodes = counted(len(tree), "node")
    yield f"{program(inquiry.trace.meta)}: {nodes}, transformations: {shape}"
    yield "The columns: share of the suspicion (-: ruled out), number of the call, node."
    wanted = _fitting(inquiry) if depth is None else depth
    findings = _Findings(inquiry)
    is_cut = False
    for node, left_out in _drawn(inquiry, wanted):
        if node is None:
            is_cut = True
            yield line(" " * 14, Piece(left_out, Role.DIM))
        else:
            yield from _row(inquiry, findings.of(node), node, PLAIN.width)
    deepest = int(tree.depth.max(initial=0))
    if deepest > wanted:
        yield f"{counted(wanted, 'level')} of {deepest:,}. More: --depth {wanted + 2}, or --json"
    elif is_cut:
        yield "All nodes: --json"


def _fitting(inquiry: Inquiry) -> int:
    """Return the number of levels whose nodes fit on a screen."""
    try:
        height = os.get_terminal_size(sys.stdout.fileno()).lines
    except (OSError, ValueError, AttributeError):
        height = _USUAL_HEIGHT
    deepest = int(inquiry.tree.depth.max(initial=0))
    for depth in range(1, deepest + 1):
        if sum(1 for _ in _drawn(inquiry, depth + 1)) > height - _AROUND:
            return depth
    return max(deepest, 1)


def _drawn(inquiry: Inquiry, depth: int) -> Iterator[tuple[int | None, str]]:
    """Yield the nodes to draw, in order; None and words where some are left out.

    Without recursion, as a tree can be deeper than Python's stack.
    """
    tree = inquiry.tree
    waiting: list[tuple[int | None, str]] = [(0, "")]
    while waiting:
        node, words = waiting.pop()
        yield node, words
        if node is None:
            continue
        children = tree.children(node).tolist()
        indent = _indent(int(tree.depth[node]) + 1)
        if children and int(tree.depth[node]) >= depth:
            inside = int(tree.end[node]) - node - 1
            waiting.append((None, f"{indent}... {counted(inside, 'node')} below"))
            continue
        if len(children) > _BREADTH:
            waiting.append((None, f"{indent}... {len(children) - _BREADTH:,} more beside"))
        waiting.extend((child, "") for child in reversed(children[:_BREADTH]))


def _row(inquiry: Inquiry, judged: _Judged, node: int, width: int) -> list[Line]:
    tree = inquiry.tree
    key = tree.key(node)
    is_call = tree.kind[node] in (NodeKind.CALL, NodeKind.MERGED)
    number = f"{key.call:>7}" if is_call else " " * 7
    said = _said(judged)
    head = line(
        Piece(f"{_percent(judged.share):>4} {number}  ", Role.DIM),
        _indent(int(tree.depth[node])),
        *([Piece(f"[{said}] ", Role.STRONG)] if said else []),
    )
    text = partial(node_text, inquiry.trace, key, inquiry.loop_names)
    return beside(head, text, width, role=Role.PLAIN)


def _percent(share: float) -> str:
    """Return a share in percent; nothing is left of a node that is ruled out."""
    return "-" if not share else "<1%" if share < _LEAST else f"{share:.0%}"


def _said(judged: _Judged) -> str:
    if judged.given is not None:
        answer = judged.given.answer
        by = "you" if answer.by == USER else answer.by
        implied = ", by another answer" if judged.is_implied else ""
        return f"{SAID[answer.verdict]}, {by}{implied}"
    return "trusted" if judged.is_trusted else ""


def _indent(depth: int) -> str:
    return "  " * depth if depth <= _DEEPEST else "  " * _DEEPEST + f"({depth}) "


# --- JSON ----------------------------------------------------------------------------------------


def documents(inquiry: Inquiry, depth: int | None) -> Iterator[dict[str, Any]]:
    """Yield an object for each node, parents first."""
    tree, findings = inquiry.tree, _Findings(inquiry)
    nodes = np.arange(len(tree)) if depth is None else np.flatnonzero(tree.depth <= depth)
    for node in nodes.tolist():
        yield _document(inquiry, findings.of(node), node)


def _document(inquiry: Inquiry, judged: _Judged, node: int) -> dict[str, Any]:
    trace, found = inquiry.trace, inquiry.tree.node(node)
    function = trace.function(found.routine) if found.routine >= 0 else None
    given = judged.given
    return {
        "type": "node",
        "version": 1,
        "node": node,
        "parent": found.parent,
        "depth": int(inquiry.tree.depth[node]),
        "size": found.size,
        "id": question_id(found.key),
        "kind": found.kind.name.lower(),
        "call": found.key.call if found.key.call >= 0 else None,
        "function": function.qualified_name if function else None,
        "file": file_of(trace, function) if function else None,
        "line": function.first_line if function else None,
        "title": node_title(trace, found.key, inquiry.loop_names),
        "share": judged.share,
        "suspect": judged.is_suspect,
        "trusted": judged.is_trusted,
        "verdict": given.answer.verdict.value if given else None,
        "by": given.answer.by if given else None,
        "answer": given.number if given else None,
        "implied": judged.is_implied,
    }
