"""The variables from which differences are searched: arguments, local variables, globals."""

from collections.abc import Container, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from sleuth.trace import conventions
from sleuth.trace.events import Call, Function, Module, Moment
from sleuth.trace.heap.difference import Comparison, Difference
from sleuth.trace.heap.objects import Heap
from sleuth.trace.path import GLOBAL, name_text
from sleuth.trace.values import Absent, Ref, Value


class Roots(NamedTuple):
    """Variables at a moment; `Trace.shape` with that moment gives the contents of their objects."""

    at: Moment
    values: Mapping[str, Value]


class Source(Protocol):
    """The part of a trace that is needed here."""

    @property
    def meta(self) -> Mapping[str, Any]:
        """What the recorder says of the run."""

    @property
    def event_count(self) -> int:
        """How many events there are."""

    def function(self, function: int) -> Function | None:
        """Return a function."""

    def arguments(self, call: Call) -> tuple[Value, ...]:
        """Return the arguments of a call."""

    def closure(self, call: Call, at: int) -> Mapping[str, Value]:
        """Return the variables of enclosing functions that it can use."""

    def variables(self, call: Call, at: int) -> Mapping[str, Value]:
        """Return the variables of a call."""

    def globals(self, module: Module, at: int) -> Mapping[str, Value]:
        """Return the globals of a module."""


def global_path(module: Module, name: str) -> str:
    """Return the path of a global whose bare name would mean something else."""
    return f"{GLOBAL}{'.'.join(map(name_text, (*module.name.split('.'), name)))}"


def end_of(trace: Source, call: Call) -> Moment:
    """Return the moment at which the final state of a call is looked at."""
    return Moment(trace.event_count) if call.last is None else call.last


def given_to(trace: Source, call: Call) -> dict[str, Value]:
    """Return the arguments of a call by name."""
    function = trace.function(call.function)
    names = function.parameters if function else ()
    given = trace.arguments(call)
    names = (*names, *[f"argument {number}" for number in range(len(names), len(given))])
    pairs = zip(names, given, strict=False)
    return {name: value for name, value in pairs if not isinstance(value, Absent)}


def before(trace: Source, call: Call) -> Roots:
    """Return the variables of a call at its beginning."""
    return Roots(call.first, {**trace.closure(call, call.first), **given_to(trace, call)})


def after(trace: Source, call: Call) -> Roots:
    """Return the variables of a call at its end."""
    end = end_of(trace, call)
    return Roots(end, {**trace.closure(call, end), **given_to(trace, call)})


def changed_by(trace: Source, heap: Heap, call: Call) -> Difference:
    """Return the changes of a call to its arguments, its closure and its module's globals."""
    function, end = trace.function(call.function), end_of(trace, call)
    if function is not None and function.kind.endswith(" body"):
        # The body of a module or class has no arguments, only its closure: it makes its variables.
        made = Roots(end, trace.variables(call, end))
        return compared(
            trace, heap, None, (Roots(call.first, trace.closure(call, call.first)), made)
        )
    states = before(trace, call), after(trace, call)
    found = _older(heap, call.first, trace.variables(call, end), states[0].values)
    return compared(trace, heap, function, states, found)


def _older(
    heap: Heap, first: Moment, variables: Mapping[str, Value], known: Container[str]
) -> dict[str, Value]:
    """Return the variables, except known ones, with objects that are older than that.

    The objects came from other calls; what was changed in them since then is an effect, too.
    """
    return {
        name: value
        for name, value in variables.items()
        if name not in known and isinstance(value, Ref) and heap.touched(value.id, 0, first)
    }


def changed_meanwhile(
    trace: Source, heap: Heap, call: Call, first: Moment, last: Moment
) -> Difference:
    """Return the changes of a call's variables and its module's globals between two moments."""
    function = trace.function(call.function)
    is_module = function is not None and function.kind == "module body"
    was, now = (Roots(at, trace.variables(call, at)) for at in (first, last))
    kept = {name for name, value in was.values.items() if now.values.get(name) == value}
    found = _older(heap, first, now.values, kept)
    return compared(trace, heap, None if is_module else function, (was, now), found)


def compared(
    trace: Source,
    heap: Heap,
    function: Function | None,
    states: tuple[Roots, Roots],
    older: Mapping[str, Value] = MappingProxyType({}),
) -> Difference:
    """Compare the state of a call at two moments; older: its variables with older objects."""
    first, last = states
    comparison = Comparison(heap, first.at, last.at, conventions.of(trace.meta.get("language")))
    comparison.compare(first.values, last.values)
    if function is not None:
        hidden = {*first.values, *last.values, *older}
        module = function.module
        there = [
            {
                global_path(module, name) if name in hidden else name: value
                for name, value in trace.globals(module, state.at).items()
            }
            for state in states
        ]
        comparison.compare(*there)
    comparison.compare(older, older, also=False)
    difference = comparison.result()
    local = {*map(name_text, older)}
    return replace(difference, same=tuple(name for name in difference.same if name not in local))
