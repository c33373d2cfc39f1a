"""Slices: the statements and calls that a value depends on.

`sliced` makes the slice of a path.  `relevant_calls` is for the search: the calls in the relevant
slice of a path, as bytes with a 1 for each call that is in it (index: the call's id), or None if
that takes longer than half a second.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from sleuth.errors import NothingKnown
from sleuth.trace.events import Call
from sleuth.trace.flow.table import Flow
from sleuth.trace.history.locations import Pointed, pointed
from sleuth.trace.path import PathError
from sleuth.trace.reader import Trace
from sleuth.trace.slices.code import Codes
from sleuth.trace.slices.criterion import before, begin
from sleuth.trace.slices.graph import Graph, graph_before, graph_within

_BUDGET = 0.5
_DEFINES = frozenset({"function", "class"})
_REASONS = {
    1: "it is not known which object is read here, so every write that may be meant counts",
    2: "it is not known which item is read here, so all items count",
    3: "this called code whose operations are not in the trace",
    4: "an object was changed by code that is not recorded, it is not known where",
    5: "the events do not tell which code ran here",
    6: "it is not known what wrote this",
}


@dataclass(frozen=True, slots=True)
class Slice:
    """What a value depends on."""

    lines: Mapping[str, tuple[int, ...]]
    """Path of a file -> lines of its statements, sorted; definitions are left out."""
    calls: tuple[int, ...]
    """The calls that ran them, sorted."""
    unknown: tuple[str, ...]
    """Sentences about what is not known, so that the slice may be larger than necessary."""


def sliced(  # noqa: PLR0913 - what can be asked
    trace: Trace,
    path: str,
    call: Call,
    *,
    at: int | None = None,
    is_relevant: bool = False,
    start: str | None = None,
) -> Slice:
    """Return what a path depends on; PathError: it leads to nothing.

    `start` is another path: then only what depends on it, too, is returned.
    """
    wanted = pointed(trace, path, call, at)
    graph = graph_before(trace, before(trace, wanted))
    marks = _back(graph, trace, wanted, is_relevant=is_relevant)
    if start is not None:
        sources = begin(graph, trace, pointed(trace, start, call, at))
        marks = graph.core.forth(sources.nodes, marks)
    ran, calls, unknown = graph.core.show(marks)
    return Slice(
        _lines(graph.codes, ran),
        tuple(number for number, is_in in enumerate(calls) if is_in),
        tuple(sorted({_sentence(graph.codes, *each) for each in unknown})),
    )


def relevant_calls(
    trace: Trace, path: str, call: Call, at: int | None = None, seconds: float = _BUDGET
) -> bytes | None:
    """Return the calls in the relevant slice of a path; None: it is not known in time."""
    try:
        wanted = pointed(trace, path, call, at)
        graph = graph_within(trace, before(trace, wanted), seconds)
        if graph is None:
            return None
        marks = _back(graph, trace, wanted, is_relevant=True)
    except (PathError, NothingKnown):
        return None
    found: bytes = graph.core.show(marks)[1]
    return found


def _back(graph: Graph, trace: Trace, wanted: Pointed, *, is_relevant: bool) -> bytes:
    where = begin(graph, trace, wanted)
    nodes = [*where.nodes, *(where.decisions if is_relevant else ())]
    found: bytes = graph.core.back(nodes, where.objects, is_relevant)
    return found


def _lines(codes: Codes, ran: bytes) -> dict[str, tuple[int, ...]]:
    found: dict[str, set[int]] = {}
    for function, flow, number in codes.operations(ran):
        line = _line(flow, number)
        if line:
            found.setdefault(function.module.path, set()).add(line)
    return {file: tuple(sorted(lines)) for file, lines in sorted(found.items())}


def own_lines(graph: Graph, marks: bytes, call: int) -> frozenset[int]:
    """Return the lines on which a call itself ran marked operations."""
    found: set[int] = set()
    for _, flow, number in graph.codes.operations(graph.core.show(marks, call)[0]):
        span = flow.operations[number].span
        found |= {_line(flow, number), span.line if span else 0}
    return frozenset(found - {0})


def _line(flow: Flow, number: int) -> int:
    """Return the line of the statement of an operation; 0: it defines something, or has none."""
    operation = flow.operations[number]
    if operation.statement < 0 or operation.kind in _DEFINES:
        return 0
    makers = flow.makers(operation)
    if operation.kind == "store" and makers and all(each.kind in _DEFINES for each in makers):
        return 0
    return flow.statements[operation.statement].span.line


def _sentence(codes: Codes, reason: int, number: int) -> str:
    known = codes.operation(number)
    what = _REASONS.get(reason, _REASONS[6])
    if known is None:
        return f"{what[0].upper()}{what[1:]}."
    function, flow, at = known
    span = flow.operations[at].span
    where = f"line {span.line} of {function.module.name}" if span else function.qualified_name
    return f"{where}: {what}"
