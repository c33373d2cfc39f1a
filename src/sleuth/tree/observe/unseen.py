"""Unseen calls: calls of unrecorded project code, and calls that a cache answered.

They are found by the flow table: a call that certainly began on the route of its caller, at a place
where no call is recorded.  The code is known from imports, or from the type of the object whose
method it is; calls whose code is not known are left out.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from sleuth.trace import conventions
from sleuth.trace.events import Call, EventKind, Function, Module, Span
from sleuth.trace.flow.operations import Operation
from sleuth.trace.flow.table import Flow
from sleuth.trace.heap.roots import end_of
from sleuth.trace.kept import kept
from sleuth.trace.reader import Trace
from sleuth.trace.values import Ref, Value
from sleuth.tree.coverage import steps_of
from sleuth.tree.names.imported import Imports, Source, makers
from sleuth.tree.observe.behaviour import RUN, Behaviour

_MOST_STEPS = 8_000
"""Functions with more steps are left out: their routes take too much memory."""
_MOST_EVENTS = 100_000
"""Calls with more events are left out."""
_MOST_PASSED, _MOST_LOOKED = 2_000, 300
"""Calls below a call that are passed, and that are looked at."""
_BODY = "module body"


class Unseen(NamedTuple):
    """The unseen calls of a call."""

    plain: tuple[str, ...] = ()
    """Unrecorded code of the project that it called."""
    below: tuple[str, ...] = ()
    """Unrecorded code of the project that its callees called, directly or not."""
    cached: tuple[str, ...] = ()
    """Functions that it called and whose cache answered."""


def unseen_in(trace: Trace, behaviour: Behaviour) -> Unseen:
    """Return the unseen calls of a call or some turns.

    For a group: of its first members; for the whole run: the modules that ran unrecorded.
    """
    if behaviour.kind == RUN:
        return Unseen(tuple(each.name for each in trace.modules() if each.is_own))
    first, last = int(behaviour.first), int(behaviour.last)
    if behaviour.group is not None:
        own = _together(of_call(trace, each) for each in behaviour.group.members)
    elif behaviour.part is None:
        own = of_call(trace, behaviour.call)
    else:
        own = _unseen(trace, behaviour.call, first, last, False)
    below = _together(of_call(trace, each) for each in _below(trace, behaviour.call, first, last))
    return own._replace(below=tuple(name for name in below.plain if name not in own.plain))


def _below(trace: Trace, call: Call, first: int, last: int) -> Iterator[Call]:
    """Yield a bounded number of calls below a call that may have run unrecorded code."""
    stop = trace.call_count if call.until is None else call.until
    looked = 0
    for number in range(call.id + 1, min(stop, call.id + _MOST_PASSED)):
        below = trace.call(number)
        if first <= below.first <= last and _may_run_plain(trace, below.function):
            yield below
            looked += 1
        if looked >= _MOST_LOOKED:
            return


@kept(most=4096)
def _may_run_plain(trace: Trace, function: int) -> bool:
    """Tell whether a function contains a call that may run unrecorded code of the project."""
    runs_text = conventions.of(trace.meta.get("language")).runs_text
    flow = trace.flow(function)
    if flow is None:
        return False
    is_left_out = any(each.is_own for each in trace.modules())
    return any(
        each.kind == "call" if is_left_out else each.kind == "read" and each.name in runs_text
        for each in flow.operations
    )


def of_call(trace: Trace, call: Call) -> Unseen:
    """Return the unseen calls that a call made itself."""
    return _unseen(trace, call, int(call.first), int(end_of(trace, call)), True)


def _together(several: Iterable[Unseen]) -> Unseen:
    found = list(several)
    plain = dict.fromkeys(name for each in found for name in each.plain)
    cached = dict.fromkeys(name for each in found for name in each.cached)
    return Unseen(tuple(plain), (), tuple(cached))


@kept(most=256)
def _unseen(trace: Trace, call: Call, first: int, last: int, is_whole: bool) -> Unseen:  # noqa: FBT001 - keyword arguments are not kept
    function, flow = trace.function(call.function), trace.flow(call.function)
    if function is None or flow is None or not flow.operations:
        return Unseen()
    if len(flow.steps) > _MOST_STEPS or last - first > _MOST_EVENTS:
        return Unseen()
    bits = steps_of(trace).of(call) if is_whole else steps_of(trace).between(call, first, last)
    looked = _Looked(trace, call, (function, flow), (first, last))
    plain: dict[str, None] = {}
    cached: dict[str, None] = {}
    for operation in _made_calls(flow, bits or 0):
        if name := looked.plain(operation):
            plain[name] = None
        elif name := looked.cached(operation):
            cached[name] = None
    return Unseen(tuple(plain), (), tuple(cached))


def _made_calls(flow: Flow, bits: int) -> Iterator[Operation]:
    """Yield the call operations of the steps that ran."""
    numbers = {
        each
        for number, step in enumerate(flow.steps)
        if bits >> number & 1
        for each in step.operations
    }
    return (
        flow.operations[each] for each in sorted(numbers) if flow.operations[each].kind == "call"
    )


class _Looked:
    """Finds the callees of the operations of one call, or of a part of it."""

    def __init__(
        self, trace: Trace, call: Call, code: tuple[Function, Flow], span: tuple[int, int]
    ) -> None:
        self._trace = trace
        self._call = call
        self._function, self._flow = code
        self._first, self._last = span
        self._imports = imports_of(trace)
        self._words = conventions.of(trace.meta.get("language"))
        self._inner = _recorded_inside(trace, call, *span)

    def plain(self, operation: Operation) -> str:
        """Return the name of the unrecorded project code that a call ran; empty: none."""
        made = self._inner.get(operation.span, ())
        if any(each.is_what_was_called for each in made):
            return ""
        callee = next(makers(self._flow, operation, "callee"), None)
        if callee is None:
            return ""
        if self._runs_text(callee):
            return "" if made else callee.name
        source = self._source(callee)
        if source is not None:
            return source.name if source.module.is_own else ""
        return ("" if made else self._replaced(callee)) or self._method(callee)

    def cached(self, operation: Operation) -> str:
        """Return the name of the function whose cache answered; empty: none did."""
        if operation.span in self._inner or operation.span in self._raised:
            return ""
        callee = next(makers(self._flow, operation, "callee"), None)
        if callee is None or callee.kind != "read" or callee.scope != "global":
            return ""
        value = self._global(callee.name, is_steady=True)
        is_cache = isinstance(value, Ref) and value.type_name in self._words.caches
        return callee.name if is_cache else ""

    # --- What a name stands for ------------------------------------------------------------------

    def _runs_text(self, callee: Operation) -> bool:
        """Tell whether the callee is a builtin that runs code, such as `exec`."""
        if callee.kind != "read" or callee.name not in self._words.runs_text:
            return False
        found = self._trace.global_since(self._function.module, callee.name, self._last)
        return callee.scope in ("global", "class") and found is None

    def _source(self, operation: Operation) -> Source | None:
        if operation.kind == "attribute":
            of = next(makers(self._flow, operation, "object"), None)
            source = None if of is None else self._source(of)
            return None if source is None else self._imports.attribute(source, operation.name)
        if operation.kind != "read":
            return None
        module = self._function.module
        if operation.scope == "local":
            if operation.name in self._function.parameters:
                return None
            return self._imports.of_variable(self._flow, module, operation.name)
        if operation.scope != "global" or self._global(operation.name) is None:
            return None
        return self._imports.of_global(module, operation.name, self._set_at(operation.name))

    def _set_at(self, name: str) -> Span | None:
        """Return the span where a global was last set; None: it is not known."""
        found = self._trace.global_since(self._function.module, name, self._last)
        event = self._trace.event(found[0]) if found is not None and found[0] >= 0 else None
        site = self._trace.site(event.site) if event is not None and event.site else None
        is_it = site is not None and site.kind == "global" and site.name == name
        return site.span if site is not None and is_it else None

    def _global(self, name: str, *, is_steady: bool = False) -> Value | None:
        """Return the value of a global, if it is the same before and after; None: not known.

        is_steady: it must not have been set meanwhile either, so that it can't have been restored.
        """
        module = self._function.module
        found = self._trace.global_since(module, name, self._last)
        if found is None or self._function.kind == _BODY:
            return None if found is None else found[1]
        since, value = found
        before = self._trace.global_since(module, name, self._first)
        is_same = since <= self._first or (
            not is_steady and before is not None and before[1] == value
        )
        return value if is_same else None

    def _replaced(self, callee: Operation) -> str:
        """Return the function of its own module that the program has replaced, or empty."""
        if callee.kind != "read" or callee.scope != "global" or self._global(callee.name) is None:
            return ""
        function = self._imports.defined(self._function.module, callee.name)
        path, name = self._function.module.path, function.qualified_name if function else ""
        is_plain = any(
            each.is_own and each.path == path and each.name == f"{name}()"
            for each in self._trace.modules()
        )
        return name if is_plain else ""

    def _method(self, callee: Operation) -> str:
        """Return the called method if its class is in an unrecorded project module, or empty."""
        of = next(makers(self._flow, callee, "object"), None)
        if callee.kind != "attribute" or of is None or of.kind != "read":
            return ""
        found = self._type_of(of)
        if found is None:
            return ""
        module, kind = found
        return f"{kind}.{callee.name}" if module.is_own else ""

    def _type_of(self, read: Operation) -> tuple[Module, str] | None:
        """Return module and name of the one class of all values of a variable."""
        values = list(self._values(read))
        names = {each.type_name if isinstance(each, Ref) else "" for each in values}
        if len(names) != 1 or not all(self._is_plain_object(each) for each in values):
            return None
        module, _, kind = names.pop().rpartition(".")
        found = self._imports.by_name(module)
        return None if found is None else (found, kind)

    def _values(self, read: Operation) -> Iterator[Value]:
        """Yield the values of a variable in this call."""
        if read.scope == "global":
            value = self._global(read.name)
            if value is not None:
                yield value
            return
        if read.scope != "local":
            return
        given = dict(
            zip(self._function.parameters, self._trace.arguments(self._call), strict=False)
        )
        if read.name in given:
            yield given[read.name]
        sites = {each.id for each in self._trace.sites_of(self._function) if each.name == read.name}
        events = self._trace.events(
            self._call.first, self._last, call=self._call.id, kind=EventKind.BIND
        )
        yield from (each.values[0] for each in events if each.site in sites)

    def _is_plain_object(self, value: Value) -> bool:
        """Tell whether its class has no builtin base, whose methods are not the project's."""
        shape = self._trace.shape(value, self._last) if isinstance(value, Ref) else None
        return shape is not None and all(each.kind == "attributes" for each in shape.parts)

    @property
    def _raised(self) -> set[Span | None]:
        """The spans where exceptions came from in this call."""
        events = self._trace.events(self._first, self._last, call=self._call.id)
        kinds = (EventKind.RAISE, EventKind.CATCH, EventKind.UNWIND)
        return {self._trace.place_of(each) for each in events if each.kind in kinds}


def _recorded_inside(
    trace: Trace, call: Call, first: int, last: int
) -> dict[Span | None, list[Call]]:
    """Return the recorded callees of a call in an interval, by span."""
    found: dict[Span | None, list[Call]] = {}
    for each in trace.children(call.id):
        if first <= each.first <= last:
            found.setdefault(trace.call_site(each), []).append(each)
    return found


@kept(most=1)
def imports_of(trace: Trace) -> Imports:
    """Return the imports of a trace, with a cache."""
    return Imports(trace)
