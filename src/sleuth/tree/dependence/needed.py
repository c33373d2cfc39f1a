"""The lines of a call that were needed for what it did, by the slice within the call."""

from collections.abc import Iterator
from dataclasses import dataclass

from sleuth.errors import NothingKnown
from sleuth.trace.events import Call
from sleuth.trace.heap.difference import Change
from sleuth.trace.history.locations import Ending, Inside, Pointed, pointed
from sleuth.trace.kept import kept
from sleuth.trace.path import RAISED, RETURN, PathError
from sleuth.trace.reader import Trace
from sleuth.trace.slices.criterion import begin
from sleuth.trace.slices.graph import Graph, graph_within
from sleuth.trace.slices.slice import own_lines
from sleuth.tree.observe import behaviour as words
from sleuth.tree.observe.behaviour import Behaviour

_BUDGET = 0.5
_MOST_CHANGES = 200


@dataclass(frozen=True, slots=True)
class Needed:
    """The lines of a call that were needed; not those of the calls that it made."""

    shown: frozenset[int]
    """Needed for what the question shows: the result, the changes, the output."""
    part: frozenset[int] = frozenset()
    """Needed for the part that was called wrong."""
    path: str = ""
    """This part; empty: there is none, or what it depends on is not known."""
    is_ready: bool = True
    """False: to find out would have taken too long."""


_LATE = Needed(frozenset(), is_ready=False)


def needed(trace: Trace, behaviour: Behaviour, path: str = "") -> Needed | None:
    """Return the lines that a node needed, and those for a part of it; None: not known."""
    call = behaviour.call
    is_other = behaviour.group is not None or behaviour.kind == words.GENERATOR
    if call.id < 0 or is_other or trace.flow(call.function) is None:
        return None
    is_call = behaviour.part is None and call.last is not None
    until = int(behaviour.last) + is_call
    graph = _graph(trace, until)
    if graph is None:
        return _LATE
    shown = _lines(graph, trace, call, [*_shown(trace, behaviour)], _outputs(graph, behaviour))
    if shown is None:
        return None
    part = _lines(graph, trace, call, [*_pointed(trace, behaviour, path)], []) if path else None
    return Needed(shown, part or frozenset(), path if part else "")


@kept(most=2)
def _graph(trace: Trace, until: int) -> Graph | None:
    return graph_within(trace, until, _BUDGET)


def _lines(
    graph: Graph, trace: Trace, call: Call, wanted: list[Pointed], nodes: list[int]
) -> frozenset[int] | None:
    """Return the lines of a call that some locations depend on; None: not known."""
    nodes, objects = [*nodes], list[int]()
    for each in wanted:
        try:
            start = begin(graph, trace, each)
        except NothingKnown:
            continue
        nodes += start.nodes
        objects += start.objects
    if not any(nodes) and not objects:
        return None
    return own_lines(graph, graph.core.back(nodes, objects, False), call.id)


def _shown(trace: Trace, behaviour: Behaviour) -> Iterator[Pointed]:
    call, outcome = behaviour.call, behaviour.outcome
    how = {words.RETURNED: RETURN, words.RAISED: RAISED}.get(outcome.how)
    if how is not None and behaviour.part is None:
        yield Pointed(how, call, behaviour.last, Ending(call.id, how), outcome.value)
    for change in behaviour.changes[:_MOST_CHANGES]:
        yield from _changed(trace, behaviour, change)


def _changed(trace: Trace, behaviour: Behaviour, change: Change) -> Iterator[Pointed]:
    if change.holder is None:
        yield from _pointed(trace, behaviour, change.path)
        return
    inside = Inside(change.holder, change.part, change.key)
    yield Pointed(change.path, behaviour.call, behaviour.last, inside, change.new)


def _pointed(trace: Trace, behaviour: Behaviour, path: str) -> Iterator[Pointed]:
    try:
        yield pointed(trace, path, behaviour.call, behaviour.last)
    except PathError:
        return


def _outputs(graph: Graph, behaviour: Behaviour) -> list[int]:
    if not behaviour.printed.lines and not behaviour.printed.errors:
        return []
    first, last = behaviour.first, behaviour.last
    return [node for moment, node in graph.core.outputs() if first <= moment <= last]
