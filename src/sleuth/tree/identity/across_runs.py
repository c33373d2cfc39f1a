"""Marks: digests of a call's code, inputs and effects, to recognise it in other runs.

Unlike a fingerprint within one run, a mark contains no object numbers, and no files or lines of
code: so it stays the same when other code is edited, and on another machine.  It is a key, so plain
values must be exactly the same: `values.py` says why.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from sleuth.trace import columns
from sleuth.trace.events import Call, Function
from sleuth.trace.heap.reachable import contents
from sleuth.trace.reader import Trace
from sleuth.trace.values import Atom, Part, Ref, Shape, Value
from sleuth.tree.identity.same_run import Graph, digested, effects
from sleuth.tree.identity.values import Values
from sleuth.tree.names.code_names import named_code
from sleuth.tree.observe import behaviour as words
from sleuth.tree.observe.behaviour import Behaviour
from sleuth.tree.observe.calls import behaviour_of

_BODIES = (words.MODULE_BODY, words.CLASS_BODY, words.CODE_BODY)


@dataclass(frozen=True, slots=True)
class Mark:
    """The digests of a call; equal texts mean equal contents."""

    module: str
    function: str
    code: str
    """Of its function, and of all functions called while it ran."""
    given: str
    used: str
    """Of the globals and the variables of enclosing functions that it used."""
    effects: str
    """Of its outcome and its changes."""

    @property
    def behaviour(self) -> str:
        """The digests of inputs and effects together."""
        return digested((self.given, self.used, self.effects))


class Marks:
    """The marks of the calls of one run, computed at first use."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._known: dict[int, Mark | None] = {}
        self._values = Values(trace)

    def of(self, call: Call) -> Mark | None:
        """Return the mark of a call; None: it has none that would hold in other runs."""
        if call.id not in self._known:
            self._known[call.id] = self._mark(call)
        return self._known[call.id]

    def given(self, call: Call) -> str | None:
        """Return a digest of the arguments of a call; None: they differ from run to run."""
        graph = _Portable(self._trace, values=self._values)
        found = digested(self._arguments(call, graph))
        return found if graph.is_sure else None

    def function(self, function: Function) -> tuple[str, str]:
        """Return the module and name of a function."""
        return self._values.module_name(function.module.name), function.qualified_name

    def _arguments(self, call: Call, graph: Graph) -> Iterator[str]:
        for seen in behaviour_of(self._trace, call).given:
            yield from graph.told(seen.path, seen.value, seen.at)

    def _mark(self, call: Call) -> Mark | None:
        function = self._trace.function(call.function)
        if function is None:
            return None
        behaviour = behaviour_of(self._trace, call)
        gaps = behaviour.gaps
        if gaps.closure or gaps.variables or behaviour.kind in _BODIES:
            return None
        graph = _Portable(self._trace, values=self._values)
        given = digested(self._seen(behaviour, graph, is_used=False))
        used = digested(self._seen(behaviour, graph, is_used=True))
        done = digested(effects(behaviour, graph))
        module, name = self.function(function)
        if not graph.is_sure:
            return None
        return Mark(module, name, self._code_of(call), given, used, done)

    def _seen(self, behaviour: Behaviour, graph: Graph, *, is_used: bool) -> Iterator[str]:
        for seen in behaviour.used if is_used else behaviour.given:
            yield from graph.told(seen.path, seen.value, seen.at)

    # --- Code ------------------------------------------------------------------------------------

    def _code_of(self, call: Call) -> str:
        stop = len(self._functions) if call.until is None else int(call.until)
        numbers = np.unique(self._functions[call.id : max(stop, call.id + 1)])
        return digested(sorted(map(self._text_of, numbers.tolist())))

    @cached_property
    def _functions(self) -> "np.typing.NDArray[np.int32]":
        return columns.calls(self._trace).function

    def _text_of(self, number: int) -> str:
        function = self._trace.function(number)
        if function is None:
            return "?"
        return ":".join((*self.function(function), function.identity))


class _Portable(Graph):
    """Describes objects without anything that differs from run to run."""

    def __init__(
        self, trace: Trace, numbers: dict[int, int] | None = None, *, values: Values
    ) -> None:
        super().__init__(trace, numbers)
        self._values = values

    def later(self) -> Graph:
        """Return a graph for another moment."""
        return _Portable(self._trace, self.numbers, values=self._values)

    def type_name(self, ref: Ref) -> str:
        """Return the name of an object's type."""
        return self._values.type_name(ref)

    def opaque(self, ref: Ref) -> str:
        """Describe code by its name; if it has none, the description is not sure."""
        module, name = named_code(self._trace).get(ref.id, (None, ""))
        self.is_sure = self.is_sure and module is not None
        return f"{self._values.module_name(module.name)}.{name}" if module is not None else ""

    def inside(self, _ref: Ref, shape: Shape) -> Iterable[Value]:
        """Return the contents of an object; those of a set of atoms are sorted."""
        return contents(replace(shape, parts=tuple(map(_sorted, shape.parts))))


def _sorted(part: Part) -> Part:
    is_plain = part.kind == "set" and all(isinstance(item, Atom) for item in part.items)
    return replace(part, items=tuple(sorted(part.items, key=repr))) if is_plain else part
