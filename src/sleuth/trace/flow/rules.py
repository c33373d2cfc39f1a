"""Consistency rules for flow tables."""

from collections.abc import Iterator

from sleuth.trace.flow.operations import MAKES_CODE
from sleuth.trace.flow.table import Flow
from sleuth.trace.flow.wording import Wording


def broken(flow: Flow) -> Iterator[str]:
    """Yield the rules that a function's flow breaks; its numbers were checked before."""
    if _goes_round_silently(flow):
        yield "it can go round in a circle without an event"
    reached = {number for step in flow.steps for number in step.operations}
    if len(reached) < len(flow.operations):
        yield "it has operations that belong to no step"


def misworded(flow: Flow, wording: Wording) -> Iterator[str]:
    """Yield how the wording of a function disagrees with its flow."""
    named = {*wording.digests, *wording.conditions}
    if any(number >= len(flow.statements) for number in named):
        yield "its wording names a statement that is not there"
    if max(len(wording.annotations), len(wording.defaults)) > len(flow.parameters):
        yield "its wording has more parameters than it"


def sites(flow: Flow) -> set[int]:
    """Return the sites in a flow."""
    return {step.event[1] for step in flow.steps if step.event is not None and step.event[1]}


def functions(flow: Flow) -> set[int]:
    """Return the functions that a flow creates."""
    return {
        each.value
        for each in flow.operations
        if each.kind in MAKES_CODE and isinstance(each.value, int)
    }


def _goes_round_silently(flow: Flow) -> bool:
    """Tell whether steps without events form a circle: then a route would be ambiguous."""
    silent = [step.event is None for step in flow.steps]
    into = [0] * len(flow.steps)
    for step, is_silent in zip(flow.steps, silent, strict=True):
        for after in step.next if is_silent else ():
            into[after] += 1
    ready = [number for number, count in enumerate(into) if not count]
    seen = 0
    while ready:
        number = ready.pop()
        seen += 1
        for after in flow.steps[number].next if silent[number] else ():
            into[after] -= 1
            if not into[after]:
                ready.append(after)
    return seen < len(flow.steps)
