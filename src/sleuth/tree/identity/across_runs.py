"""What a call is known by in other runs: its code with what that called, its inputs, its effects.

Unlike a fingerprint within one run it holds no number of an object, no path of a file and no line:
so it stays the same while other code is edited, and on another machine.
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


@dataclass(frozen=True, slots=True)
class Mark:
    """What a call is known by; equal texts: the same."""

    module: str
    function: str
    code: str
    """Of its function, and of all functions that were called while it ran."""
    given: str
    used: str
    """Globals and variables of functions around it."""
    effects: str
    """What came of it, and what it changed."""

    @property
    def behaviour(self) -> str:
        """What it was given, used, and did."""
        return digested((self.given, self.used, self.effects))


class Marks:
    """The marks of the calls of one run, looked up when asked for."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._known: dict[int, Mark | None] = {}
        self._names = _Names(trace)

    def of(self, call: Call) -> Mark | None:
        """Return what a call is known by; None: nothing that would hold elsewhere."""
        if call.id not in self._known:
            self._known[call.id] = self._mark(call)
        return self._known[call.id]

    def given(self, call: Call) -> str | None:
        """Return what stands for the arguments of a call; None: they can't be told elsewhere."""
        graph = _Portable(self._trace, names=self._names)
        found = digested(self._arguments(call, graph))
        return found if graph.is_sure else None

    def function(self, function: Function) -> tuple[str, str]:
        """Return what a function is called: module and name."""
        return self._names.module(function.module), function.qualified_name

    def _arguments(self, call: Call, graph: Graph) -> Iterator[str]:
        for seen in behaviour_of(self._trace, call).given:
            yield from graph.told(seen.path, seen.value, seen.at)

    def _mark(self, call: Call) -> Mark | None:
        function = self._trace.function(call.function)
        if function is None:
            return None
        behaviour = behaviour_of(self._trace, call)
        if behaviour.gaps.closure or behaviour.kind in (words.MODULE_BODY, words.CLASS_BODY):
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
    """What code is called, in a way that other runs share."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        main = next((each for each in trace.modules() if each.name == _MAIN), None)
        self.main = PurePath(main.path).stem if main else _MAIN
        """A program is known by its file, so that it is the same when it is imported."""

    def module(self, module: Module) -> str:
        """Return a module's name."""
        return self.main if module.name == _MAIN else module.name

    def code(self, ref: Ref) -> str:
        """Return what a function or type is called; nothing: it has no name."""
        module, name = named_code(self._trace).get(ref.id, (None, ""))
        return f"{self.module(module)}.{name}" if module is not None else ""


class _Portable(Graph):
    """Tells objects without anything that another run would tell in another way."""

    def __init__(
        self, trace: Trace, numbers: dict[int, int] | None = None, *, names: _Names
    ) -> None:
        super().__init__(trace, numbers)
        self._names = names

    def later(self) -> Graph:
        """Return one for another moment."""
        return _Portable(self._trace, self.numbers, names=self._names)

    def type_name(self, ref: Ref) -> str:
        """Return what an object's type is called."""
        name = ref.type_name
        if name.startswith(f"{_MAIN}."):
            return f"{self._names.main}{name[len(_MAIN) :]}"
        return name

    def opaque(self, ref: Ref) -> str:
        """Tell code by its name; of what has none nothing is claimed."""
        name = self._names.code(ref)
        self.is_sure = self.is_sure and bool(name)
        return name

    def contents(self, shape: Shape) -> Iterator[Value]:
        """Yield what an object contains; sets have no order."""
        for part in shape.parts:
            yield from part.keys
            is_plain = all(isinstance(item, Atom) for item in part.items)
            if part.kind == "set" and is_plain:
                yield from sorted(part.items, key=repr)
            else:
                yield from part.items
