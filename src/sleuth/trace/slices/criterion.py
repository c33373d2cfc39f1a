"""The beginning of a slice: the nodes of the graph that a path means."""

from bisect import bisect_right
from typing import NamedTuple

from sleuth.trace import path as paths
from sleuth.trace.events import Call, EventKind, Outcome
from sleuth.trace.path import Path, PathError
from sleuth.trace.reader import Trace
from sleuth.trace.slices.code import GLOBAL, token_of
from sleuth.trace.slices.graph import Graph
from sleuth.trace.values import Atom

TEXT = "text:"
_STDOUT = 1
_KEY_ITEM = 1 << 63


class Criterion(NamedTuple):
    """A path in a call, at a moment."""

    text: str
    path: Path | None
    """None: it is a text in the output."""
    call: Call
    before: int
    """The moment before which its value is asked for."""
    outputs: tuple[int, ...] = ()
    """The moments of the output that it means."""


class Begin(NamedTuple):
    """Nodes, and objects with all that they contain."""

    nodes: list[int]
    objects: list[int]


def criterion(trace: Trace, text: str, call: Call, at: int | None) -> Criterion:
    """Read a path; PathError: it is none, or it leads to nothing."""
    end = trace.event_count if call.last is None else call.last
    if text.startswith(TEXT):
        content = paths.text_of(text[len(TEXT) :])
        wanted = text[len(TEXT) :] if content is None else content
        moments = _moments_of_text(trace, wanted, trace.event_count if at is None else at)
        if not moments:
            raise PathError(f"No output contains {wanted!r}.")
        return Criterion(text, None, call, moments[-1] + 1, moments)
    path = paths.parse(text)
    if path.start == paths.STDOUT and path.steps and not path.is_global:
        until = end + 1 if at is None else at
        moments = _moments_of_line(trace, path, call, until)
        return Criterion(text, path, call, moments[-1] + 1, moments)
    if path.start in (paths.RETURN, paths.RAISED) and not path.is_global:
        wanted_outcome = Outcome.RETURNED if path.start == paths.RETURN else Outcome.RAISED
        if call.outcome is not wanted_outcome or call.last is None:
            how = "return" if path.start == paths.RETURN else "raise an exception"
            raise PathError(f"Call {call.id} did not {how}.")
        return Criterion(text, path, call, call.last + 1)
    before = end if at is None else at
    return Criterion(text, path, call, max(0, min(before, trace.event_count)))


def begin(graph: Graph, trace: Trace, wanted: Criterion) -> Begin:
    """Return where in the graph a slice begins; PathError: the path leads to nothing."""
    if wanted.outputs:
        nodes = dict(graph.core.outputs())
        return Begin([nodes[moment] for moment in wanted.outputs if moment in nodes], [])
    assert wanted.path is not None  # noqa: S101 - only a text in the output has none
    steps = list(wanted.path.steps)
    if wanted.path.start in (paths.RETURN, paths.RAISED) and not wanted.path.is_global:
        call, node = graph.core.result()
        if call != wanted.call.id or not node:
            raise PathError(f"What {wanted.text} depends on is not known.")
        token = _token(trace.result(wanted.call))
    else:
        graph.core.flush(wanted.call.id)
        node, token = _variable(graph, trace, wanted, steps)
    nodes_found = [node]
    for step in steps:
        if token & 3 != 1:
            raise PathError(f"{wanted.text}: nothing is known of {step} there.")
        key, back = _key(step)
        node, token, is_whole, index = graph.core.part(token >> 2, key, back)
        nodes_found.append(node)
        if is_whole:
            return Begin(nodes_found, [index])
    objects = [graph.core.cell(token >> 2)] if token & 3 == 1 else []
    return Begin(nodes_found, objects)


def _variable(
    graph: Graph, trace: Trace, wanted: Criterion, steps: list[paths.Step]
) -> tuple[int, int]:
    """Return the node that set a variable last, and the number of its value."""
    assert wanted.path is not None  # noqa: S101 - see `begin`
    name = wanted.path.start
    if wanted.path.is_global:
        modules = {module.name: module.id for module in trace.modules()}
        known = name
        while known not in modules and steps and steps[0].kind == "attribute":
            known = f"{known}.{steps.pop(0).text}"
        if known not in modules or not steps or steps[0].kind != "attribute":
            raise PathError(f"{wanted.text} names no global.")
        variable = steps.pop(0).text
        slot = graph.codes.global_slot(modules[known], variable)
        where = None if slot is None else (GLOBAL, slot)
    else:
        where = graph.codes.variable(wanted.call.function, name)
    if where is None:
        raise PathError(f"There is no variable {name} in call {wanted.call.id}.")
    node, token = graph.core.variable(wanted.call.id, *where)
    if not node:
        raise PathError(f"{name} had no value in call {wanted.call.id} then.")
    return node, token


def _key(step: paths.Step) -> tuple[int, int]:
    """Return a step's key as C knows it, and an index from the end; 0: none."""
    if step.kind == "attribute":
        return token_of(step.text), 0
    known = paths.literal(step.text)
    if known is None:
        return 0, 0
    content = known.content
    if type(content) is int and content < 0:
        return 0, -content
    token = token_of(content)
    return (token | _KEY_ITEM if token else 0), 0


def _token(value: object) -> int:
    number = getattr(value, "id", None)
    return number << 2 | 1 if isinstance(number, int) else 0


# --- Output ---------------------------------------------------------------------------------------


def _written(trace: Trace, first: int, stop: int) -> tuple[str, list[int], list[int]]:
    """Return the standard output between two moments, where each piece begins, and its moment."""
    pieces: list[str] = []
    starts: list[int] = []
    moments: list[int] = []
    length = 0
    for event in trace.events(first, stop - 1, kind=EventKind.OUTPUT):
        value = event.values[0]
        content = value.content if isinstance(value, Atom) else ""
        if event.number == _STDOUT and isinstance(content, str):
            starts.append(length)
            moments.append(event.moment)
            pieces.append(content)
            length += len(content)
    return "".join(pieces), starts, moments


def _covering(starts: list[int], moments: list[int], low: int, high: int) -> tuple[int, ...]:
    first = max(bisect_right(starts, low) - 1, 0)
    last = max(bisect_right(starts, max(high - 1, low)), first + 1)
    return tuple(moments[first:last])


def _moments_of_text(trace: Trace, text: str, stop: int) -> tuple[int, ...]:
    written, starts, moments = _written(trace, 0, stop)
    at = written.rfind(text) if text else -1
    return () if at < 0 else _covering(starts, moments, at, at + len(text))


def _moments_of_line(trace: Trace, path: Path, call: Call, stop: int) -> tuple[int, ...]:
    number = path.steps[0].text
    written, starts, moments = _written(trace, call.first, stop)
    lines = written.splitlines(keepends=True)
    if not number.isdigit() or not 1 <= int(number) <= len(lines):
        what = "line" if len(lines) == 1 else "lines"
        raise PathError(f"stdout[{number}]: {len(lines)} {what} were written by then.")
    low = sum(map(len, lines[: int(number) - 1]))
    content = lines[int(number) - 1].rstrip("\r\n")
    return _covering(starts, moments, low, low + len(content))
