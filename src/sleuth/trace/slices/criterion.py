"""The beginning of a slice: the nodes of the graph that a location means."""

from typing import NamedTuple

from sleuth.errors import NothingKnown
from sleuth.trace.history.locations import (
    Ending,
    Global,
    Inside,
    Location,
    Pointed,
    Variable,
)
from sleuth.trace.history.output import Printed
from sleuth.trace.reader import Trace
from sleuth.trace.slices.code import GLOBAL, token_of
from sleuth.trace.slices.graph import Graph
from sleuth.trace.values import Atom, Ref, Value

_KEY_ITEM = 1 << 63
_KEY_CELL = 1


class Begin(NamedTuple):
    """Nodes, and objects with all that they contain."""

    nodes: list[int]
    objects: list[int]
    decisions: tuple[int, ...] = ()
    """Later ones that could have set it, for the relevant slice."""


def before(trace: Trace, wanted: Pointed) -> int:
    """Return the moment before which everything counts that a value can depend on."""
    match wanted.location:
        case Printed(moments=moments):
            return moments[-1] + 1
        case Ending():
            last = wanted.call.last
            return trace.event_count if last is None else last + 1
    return min(wanted.at, trace.event_count)


def begin(graph: Graph, trace: Trace, wanted: Pointed) -> Begin:
    """Return where in the graph a slice begins; NothingKnown: it is not known."""
    found = _begin(graph, wanted)
    if isinstance(wanted.value, Ref) and not isinstance(wanted.location, Printed):
        found.objects.append(graph.core.cell(wanted.value.id))
    if not any(found.nodes) and not found.objects:
        why = "" if trace.flow(wanted.call.function) else " The trace has no flow of its code."
        raise NothingKnown(f"It is not known what {wanted.path} depends on.{why}")
    return found


def _begin(graph: Graph, wanted: Pointed) -> Begin:
    location: Location = wanted.location
    match location:
        case Printed(moments=moments):
            nodes = dict(graph.core.outputs())
            return Begin([nodes[each] for each in moments if each in nodes], [])
        case Ending(call=call):
            ended, node = graph.core.result()
            return Begin([node] if ended == call else [], [])
        case Variable(call=call, name=name):
            graph.core.flush(call)
            where = graph.codes.variable(wanted.call.function, name)
            if where is None:
                return Begin([], [])
            node, _, decisions = graph.core.variable(call, *where)
            return Begin([node], [], tuple(decisions))
        case Global(module=module, name=name):
            graph.core.flush(wanted.call.id)
            slot = graph.codes.global_slot(module.id, name)
            return Begin([] if slot is None else [graph.core.variable(0, GLOBAL, slot)[0]], [])
    graph.core.flush(wanted.call.id)
    return _part(graph, location)


def _part(graph: Graph, location: Inside) -> Begin:
    key = key_of(location.kind, location.key)
    node, _, is_whole, index = graph.core.part(location.holder.id, key, 0)
    return Begin([node], [index] if is_whole else [])


def key_of(kind: str, key: Value) -> int:
    """Return the key of a part as C knows it; 0: all parts count."""
    if kind == "cell":
        return _KEY_CELL
    token = _token(key)
    if kind == "attributes" or not token:
        return token
    return token | _KEY_ITEM if kind in ("sequence", "mapping") else 0


def _token(key: Value) -> int:
    return token_of(key.content) if isinstance(key, Atom) else 0
