"""Stores: the operations of the recorded code that may write a location."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from sleuth.trace.events import Function
from sleuth.trace.flow.operations import Operation
from sleuth.trace.flow.table import Flow
from sleuth.trace.history.locations import Ending, Global, Inside, Location, Variable
from sleuth.trace.history.output import Printed
from sleuth.trace.reader import Trace
from sleuth.trace.slices.code import CHANGERS
from sleuth.trace.values import Atom

_PRINTS, _WRITES = "print", frozenset({"write", "writelines"})
_ADDERS = CHANGERS | {"appendleft", "extendleft"}
_ITEMS = frozenset({"sequence", "mapping", "set", "bytes"})
_FRESH = frozenset({"make", "compute", "constant"})
_MOST_FUNCTIONS = 300
"""Functions that are looked at to see whether calling one may write the location."""
_NESTED = "<locals>"


@dataclass(frozen=True, slots=True)
class Output:
    """Whatever is printed."""


class _Code(NamedTuple):
    function: Function
    flow: Flow


Target = Location | Output


class Stores:
    """Finds the operations that may write one location."""

    def __init__(self, trace: Trace, target: Target, name: str) -> None:
        """Prepare for a location; `name` is the variable's, if it is shared with closures."""
        self._trace = trace
        self._target = target
        self._name = name
        self._known: dict[int, dict[int, bool]] = {}
        self._writers: dict[int, bool] = {}

    def of(self, function: Function) -> dict[int, bool]:
        """Return the operations of a function that may write it; True: without another call."""
        number = function.id
        if number not in self._known:
            flow = self._trace.flow(number)
            found = dict.fromkeys(self._direct(function, flow), True) if flow else {}
            for each in self._calls(flow) if flow and self._is_shared else ():
                found.setdefault(each, False)
            self._known[number] = found
        return self._known[number]

    # --- In one function -------------------------------------------------------------------------

    @property
    def _is_shared(self) -> bool:
        """Whether other calls than that of the path can write it."""
        return not isinstance(self._target, Variable | Ending)

    def _direct(self, function: Function, flow: Flow) -> Iterator[int]:
        for number, does in enumerate(flow.operations):
            if self._writes(function, flow, does):
                yield number

    def _writes(self, function: Function, flow: Flow, does: Operation) -> bool:
        match self._target:
            case Variable(call, name):
                is_own = self._trace.call(call).function == function.id
                return is_own and (does.kind, does.name, does.scope) == ("store", name, "local")
            case Ending(call):
                return does.kind == "return" and self._trace.call(call).function == function.id
            case Global(module, name):
                is_of_body = function.kind == "module body" and does.scope != "inner"
                is_global = does.scope == "global" or is_of_body
                is_it = (does.kind, does.name) == ("store", name)
                return is_it and is_global and function.module.id == module.id
            case Inside(_, kind, key):
                return self._writes_part(_Code(function, flow), does, kind, key)
        return self._prints(flow, does)

    def _writes_part(self, code: "_Code", does: Operation, kind: str, key: object) -> bool:
        if kind in ("attributes", "summary"):
            return does.kind == "store attribute" and Atom(does.name) == key
        if kind == "cell":
            return (does.kind, does.scope, does.name) == ("store", "cell", self._name)
        if does.kind == "add":
            return True
        if does.kind in ("store item", "delete item"):
            return not self._is_fresh(code, does, "object")
        if does.kind == "compute" and does.name.endswith("="):
            return does.name not in _COMPARES and not self._is_fresh(code, does, "operand")
        callees = code.flow.makers(does, "callee") if does.kind == "call" else ()
        return any(
            each.kind == "attribute"
            and each.name in _ADDERS
            and not self._is_fresh(code, each, "object")
            for each in callees
        )

    @staticmethod
    def _is_fresh(code: "_Code", does: Operation, role: str) -> bool:
        """Whether an object was certainly made by the same call."""
        flow = code.flow
        makers = flow.makers(does, role)[:1]
        for each in makers:
            if each.name in code.function.parameters:
                return False
            if each.kind == "read" and each.scope == "local":
                stores = [
                    one
                    for one in flow.operations
                    if (one.kind, one.name, one.scope) == ("store", each.name, "local")
                ]
                made = [one for store in stores for one in flow.makers(store)]
                if not made or any(one.kind not in _FRESH for one in made):
                    return False
            elif each.kind not in _FRESH:
                return False
        return bool(makers)

    @staticmethod
    def _prints(flow: Flow, does: Operation) -> bool:
        callees = flow.makers(does, "callee") if does.kind == "call" else ()
        return any(
            (each.kind == "read" and each.name == _PRINTS)
            or (each.kind == "attribute" and each.name in _WRITES)
            for each in callees
        )

    # --- Through calls ---------------------------------------------------------------------------

    def _calls(self, flow: Flow) -> Iterator[int]:
        for number, does in enumerate(flow.operations):
            if does.kind == "call" and any(map(self._may_write, self._called(flow, does))):
                yield number

    def _called(self, flow: Flow, does: Operation) -> list[int]:
        """Return the functions that a call may be one of, by their names."""
        found: list[int] = []
        for callee in flow.makers(does, "callee"):
            for function in self._by_name.get(callee.name, ()):
                around, _, _ = function.qualified_name.rpartition(".")
                is_plain = not around or around.endswith(_NESTED)
                if callee.kind == "attribute" or (callee.kind == "read" and is_plain):
                    found.append(function.id)
        return found

    @cached_property
    def _by_name(self) -> dict[str, list[Function]]:
        """Functions by the name under which they are called: a class stands for its `__init__`."""
        found: dict[str, list[Function]] = {}
        for function in self._trace.functions():
            around, _, name = function.qualified_name.rpartition(".")
            if name == "__init__" and around:
                name = around.rpartition(".")[2]
            if not function.kind.endswith(" body"):
                found.setdefault(name, []).append(function)
        return found

    def _may_write(self, start: int) -> bool:
        """Whether a function, or one that it calls, may write the location."""
        if start in self._writers:
            return self._writers[start]
        seen, waiting = {start}, [start]
        while waiting and len(seen) <= _MOST_FUNCTIONS:
            number = waiting.pop()
            function, flow = self._trace.function(number), self._trace.flow(number)
            if function is None or flow is None:
                continue
            if self._writers.get(number) or any(
                # Most sums like `n += 1` are no containers; here their values are not known.
                flow.operations[each].kind != "compute"
                for each in self._direct(function, flow)
            ):
                self._writers[start] = True
                return True
            for does in flow.operations:
                fresh = [each for each in self._called(flow, does) if each not in seen]
                seen.update(fresh)
                waiting += fresh
        self._writers[start] = False
        return False


_COMPARES = frozenset({"==", "!=", "<=", ">="})


def target_of(location: Location) -> Target:
    """Return what has to be written: of a line of the output any line."""
    return Output() if isinstance(location, Printed) else location
