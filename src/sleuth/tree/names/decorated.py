"""Decorated functions: the function behind a decorator's wrapper, and its decorator.

The flow tables show the decorators of a function.  A call of the wrapper shows the wrapped
function: the callee is a variable of the decorator, or an attribute of a callable object.
"""

from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from sleuth.trace import conventions
from sleuth.trace.events import Call, Function
from sleuth.trace.flow.operations import Operation
from sleuth.trace.flow.table import Flow
from sleuth.trace.kept import kept
from sleuth.trace.reader import Trace
from sleuth.tree.names.imported import makers
from sleuth.tree.node_kinds import written

_MOST_LOOKED = 20
"""Callees of a wrapper that are looked at."""
_DEEPEST = 10
"""Nested decorators that are followed."""


class Decorated(NamedTuple):
    """The function behind a wrapper, and its decorator."""

    function: Function
    """The wrapped function, which a person knows."""
    by: str
    """The decorator as written in the source, without arguments."""


class Decorations:
    """Looks up the decorators of one trace."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._words = conventions.of(trace.meta.get("language"))
        self._by_name: dict[str, list[Function]] = {}
        self._in_module: dict[tuple[int, str], list[Function]] = {}
        for each in trace.functions():
            self._by_name.setdefault(each.name, []).append(each)
            key = each.module.id, each.qualified_name
            self._in_module.setdefault(key, []).append(each)
        self.decorators = lru_cache(4096)(self._decorators)
        """Return the decorators of a function, given by number, the outermost last."""

    def of(self, call: Call) -> Decorated | None:
        """Return the function behind a call of a wrapper; None: it is no wrapper, or not known."""
        return self._of(call, _DEEPEST)

    def may_wrap(self, number: int) -> bool:
        """Tell whether a function, given by number, can be the wrapper of a decorator."""
        function = self._trace.function(number)
        return function is not None and self._decorator(function) is not None

    # --- Inside ----------------------------------------------------------------------------------

    def _of(self, call: Call, depth: int) -> Decorated | None:
        function = self._trace.function(call.function)
        decorator = None if function is None else self._decorator(function)
        if function is None or decorator is None or depth <= 0:
            return None
        for made in islice(self._trace.children(call.id), _MOST_LOOKED):
            if self._is_held(function, made):
                inner = self._of(made, depth - 1)
                known = inner.function if inner else self._trace.function(made.function)
                by = None if known is None else self._written(known, decorator)
                return Decorated(known, by) if known is not None and by else None
        return self._as_called(call, decorator)

    def _decorator(self, function: Function) -> str | None:
        """Return the name of the decorator whose wrapper a function can be."""
        around, inner, _ = function.qualified_name.partition(self._words.inner)
        if inner and function.free:
            return around.rpartition(".")[2]
        if function.name in self._words.callers:
            return around.rpartition(".")[0].rpartition(".")[2]
        return None

    def _is_held(self, function: Function, made: Call) -> bool:
        """Tell whether the callee is a variable of an enclosing function, or held by `self`."""
        flow = self._trace.flow(function.id)
        if not made.is_what_was_called or made.place is None or flow is None:
            return False
        for step in flow.steps_at(made.place):
            for number in flow.steps[step].operations:
                operation = flow.operations[number]
                callee = next(makers(flow, operation, "callee"), None)
                if operation.kind == "call" and callee is not None:
                    return self._is_of_wrapper(function, flow, callee)
        return False

    def _is_of_wrapper(self, function: Function, flow: Flow, callee: Operation) -> bool:
        if callee.kind == "read":
            return callee.scope == "cell" and callee.name in function.free
        of = next(makers(flow, callee, "object"), None)
        is_own = of is not None and of.name in function.parameters[:1]
        return callee.kind == "attribute" and is_own and function.name in self._words.callers

    def _as_called(self, call: Call, decorator: str) -> Decorated | None:
        """Return the function that the caller names, if it is the only one with that decorator."""
        name = written(self._trace, call).partition("(")[0].rpartition(".")[2]
        found = [
            Decorated(each, by)
            for each in self._by_name.get(name, ())
            if (by := self._written(each, decorator))
        ]
        return found[0] if len(found) == 1 else None

    def _written(self, function: Function, decorator: str) -> str:
        """Return a decorator of a function as written; empty: it is not one of its decorators."""
        names = self.decorators(function.id)
        return next((each for each in names if each.rpartition(".")[2] == decorator), "")

    def _decorators(self, number: int) -> tuple[str, ...]:
        function = self._trace.function(number)
        if function is None:
            return ()
        around = function.qualified_name.rpartition(function.name)[0].removesuffix(".")
        around = around.removesuffix(self._words.inner.rstrip("."))
        outer = self._in_module.get((function.module.id, around or self._words.body), ())
        for each in outer:
            flow = self._trace.flow(each.id)
            found = () if flow is None else _given_to(flow, number)
            if found:
                return found
        return ()


def _given_to(flow: Flow, function: int) -> tuple[str, ...]:
    """Return the names of a function's decorators, in the order in which they are applied."""
    made = [
        number
        for number, each in enumerate(flow.operations)
        if each.kind == "function" and each.value == function
    ]
    names: list[str] = []
    while made and len(names) < _DEEPEST:
        taker = _taker(flow, made[0])
        if taker is None or taker in made:
            break
        names.append(_name(flow, flow.operations[taker]))
        made = [taker]
    return tuple(filter(None, names))


def _taker(flow: Flow, made: int) -> int | None:
    """Return the call whose only argument is the output of an operation."""
    for number, each in enumerate(flow.operations):
        given = [one for one in each.inputs if one.role not in ("callee", "receiver")]
        is_given = any(one.made[-1].operation == made for one in given)
        if each.kind == "call" and len(given) == 1 and is_given and number != made:
            return number
    return None


def _name(flow: Flow, call: Operation) -> str:
    """Return the callee without arguments: `app.route` for `app.route("/")(f)`."""
    names: list[str] = []
    callee = _source(call, "callee")
    for _ in range(_DEEPEST):
        operation = None if callee is None else flow.operations[callee]
        if operation is None or operation.kind not in ("read", "attribute", "call"):
            return ""
        if operation.kind != "call":
            names.append(operation.name)
        if operation.kind == "read":
            return ".".join(reversed(names))
        role = "object" if operation.kind == "attribute" else "callee"
        callee = _source(operation, role)
    return ""


def _source(operation: Operation, role: str) -> int | None:
    """Return the operation that makes an input; of several the first."""
    return next((each.made[0].operation for each in operation.inputs if each.role == role), None)


@kept(most=1)
def decorations_of(trace: Trace) -> Decorations:
    """Return the decorations of a trace, with a cache."""
    return Decorations(trace)
