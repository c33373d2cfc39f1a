"""Marks: digests of a call's code, inputs and effects, to recognise it in other runs.

Unlike a fingerprint within one run, a mark contains no object numbers, file paths or lines: so it
stays the same when other code is edited, and on another machine.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath

import numpy as np

from sleuth.trace import columns
from sleuth.trace.events import Call, Function, Module
from sleuth.trace.reader import Trace
from sleuth.trace.values import Atom, Ref, Shape, Value
from sleuth.tree.identity.same_run import Graph, digested, effects
from sleuth.tree.names.code_names import named_code
from sleuth.tree.observe import behaviour as words
from sleuth.tree.observe.behaviour import Behaviour
from sleuth.tree.observe.calls import behaviour_of

_MAIN = "__main__"
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
        self._names = _Names(trace)

    def of(self, call: Call) -> Mark | None:
        """Return the mark of a call; None: it has none that would hold in other runs."""
        if call.id not in self._known:
            self._known[call.id] = self._mark(call)
        return self._known[call.id]

    def given(self, call: Call) -> str | None:
        """Return a digest of the arguments of a call; None: they differ from run to run."""
        graph = _Portable(self._trace, names=self._names)
        found = digested(self._arguments(call, graph))
        return found if graph.is_sure else None

    def function(self, function: Function) -> tuple[str, str]:
        """Return the module and name of a function."""
        return self._names.module(function.module), function.qualified_name

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
        graph = _Portable(self._trace, names=self._names)
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


class _Names:
    """Names of code that are the same in other runs."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        main = next((each for each in trace.modules() if each.name == _MAIN), None)
        self.main = PurePath(main.path).stem if main else _MAIN
        """The main program is named by its file, so that it has the same name when imported."""

    def module(self, module: Module) -> str:
        """Return a module's name."""
        return self.main if module.name == _MAIN else module.name

    def code(self, ref: Ref) -> str:
        """Return the name of a function or type; empty: it has none."""
        module, name = named_code(self._trace).get(ref.id, (None, ""))
        return f"{self.module(module)}.{name}" if module is not None else ""


class _Portable(Graph):
    """Describes objects without anything that differs from run to run."""

    def __init__(
        self, trace: Trace, numbers: dict[int, int] | None = None, *, names: _Names
    ) -> None:
        super().__init__(trace, numbers)
        self._names = names

    def later(self) -> Graph:
        """Return a graph for another moment."""
        return _Portable(self._trace, self.numbers, names=self._names)

    def type_name(self, ref: Ref) -> str:
        """Return the name of an object's type."""
        name = ref.type_name
        if name.startswith(f"{_MAIN}."):
            return f"{self._names.main}{name[len(_MAIN) :]}"
        return name

    def opaque(self, ref: Ref) -> str:
        """Describe code by its name; if it has none, the description is not sure."""
        name = self._names.code(ref)
        self.is_sure = self.is_sure and bool(name)
        return name

    def contents(self, shape: Shape) -> Iterator[Value]:
        """Yield the contents of an object; those of a set of atoms are sorted."""
        for part in shape.parts:
            yield from part.keys
            is_plain = all(isinstance(item, Atom) for item in part.items)
            if part.kind == "set" and is_plain:
                yield from sorted(part.items, key=repr)
            else:
                yield from part.items
