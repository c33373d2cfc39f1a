"""Forwarding: calls that pass their arguments to one other call, and its result back.

A call only forwards if nothing happens in it but one other call, which is written with its
parameters alone and has the same arguments and the same result or exception (objects compared by
identity).  A getter that only reads an attribute forwards as well, and so does the wrapper of a
decorator that sets no more than its local variables.
"""

from collections.abc import Iterator
from functools import lru_cache

from sleuth.trace import conventions
from sleuth.trace.events import Call, Event, EventKind, Function
from sleuth.trace.flow.operations import Operation
from sleuth.trace.flow.table import Flow
from sleuth.trace.reader import Trace
from sleuth.trace.values import Absent, Ref, Value
from sleuth.tree.names.decorated import decorations_of

_SUPER = "super"
_OWN = ("local", "cell")
"""The scopes of a function's own variables."""
_MOST_WORDS = 4_096
_FEWEST = 2
"""A getter has more operations than this: it reads a variable, then attributes, and returns."""


class Forwarders:
    """Finds the forwarding calls of one trace, with a cache by function and place."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._is_written: dict[tuple[int, int | None], bool] = {}
        """(Function, place) -> whether the call there is written with the parameters alone."""
        self._callers = conventions.of(trace.meta.get("language")).callers
        self.is_getter = lru_cache(_MOST_WORDS)(self._only_names_an_attribute)
        """Tell whether a function, given by number, only reads an attribute."""

    def may_wrap(self, number: int) -> bool:
        """Tell whether a function, given by number, can be the wrapper of a decorator."""
        return decorations_of(self._trace).may_wrap(number)

    def passes_on(self, outer: int, inner: int) -> bool:
        """Tell whether the only visible effect of a wrapper was to call the wrapped function.

        It may have local variables, for example to measure the time.
        """
        trace = self._trace
        call, made = trace.call(outer), trace.call(inner)
        if call.is_resumable or made.is_resumable or call.last is None or made.last is None:
            return False
        if call.outcome is not made.outcome or not made.is_what_was_called:
            return False
        if trace.result(call) != trace.result(made) or isinstance(trace.result(made), Absent):
            return False
        own = (
            *trace.events(call.first + 1, made.first - 1),
            *trace.events(made.last + 1, call.last - 1),
        )
        if not all(each.call == call.id and self._is_idle(each) for each in own):
            return False
        return decorations_of(trace).of(call) is not None and self._has_same_arguments(call, made)

    def _is_idle(self, event: Event) -> bool:
        """Tell whether an event has no effect outside of its call."""
        if event.kind is EventKind.BIND and event.site is not None:
            site = self._trace.site(event.site)
            return site is not None and site.kind == "local"
        return event.kind is EventKind.ARM

    def only_forwards(self, outer: int, inner: int) -> bool:
        """Tell whether a call only forwards to the only call that it made."""
        trace = self._trace
        call, made = trace.call(outer), trace.call(inner)
        function = trace.function(call.function)
        if function is None or call.is_resumable or made.is_resumable:
            return False
        if call.outcome is not made.outcome or made.through_other_code:
            return False
        site = call.function, made.place
        if site not in self._is_written:
            self._is_written[site] = _names_all(trace, function, made.place)
        if not self._is_written[site]:
            return False
        return self._has_same_result(call, made) and self._has_same_arguments(call, made)

    def _has_same_result(self, call: Call, made: Call) -> bool:
        result = self._trace.result(made)
        if isinstance(result, Absent) or result != self._trace.result(call):
            return False
        if call.last is None or made.last is None:
            return False
        # The result may have been stored in a variable before it was returned.
        between = self._trace.events(made.last + 1, call.last - 1)
        return all(
            each.kind is EventKind.BIND and each.call == call.id and each.values == (result,)
            for each in between
        )

    def _has_same_arguments(self, call: Call, made: Call) -> bool:
        given, taken = self._flat(call), self._flat(made)
        if given is None or taken is None:
            return False
        function = self._trace.function(call.function)
        if function is not None and function.name in self._callers:
            given = given[1:]  # without the object that is called
        for value in given:
            if value not in taken:
                return False
            taken.remove(value)
        return True  # the remaining parameters have defaults

    def _flat(self, call: Call) -> list[Value] | None:
        """Return the arguments with `*args` and `**kwargs` unpacked; None: not all are known."""
        function = self._trace.function(call.function)
        found: list[Value] = []
        for value in self._trace.arguments(call):
            if isinstance(value, Absent):
                return None
            shape = None
            if isinstance(value, Ref) and value.type_name in ("tuple", "dict"):
                shape = self._trace.shape(value, call.first)
            if shape is None or function is None:
                found.append(value)
            elif not shape.is_complete:
                return None
            else:
                found += [item for part in shape.parts for item in part.items]
        return found

    def _only_names_an_attribute(self, number: int) -> bool:
        function = self._trace.function(number)
        if function is None or function.kind != "function":
            return False
        flow = self._trace.flow(number)
        kinds = [] if flow is None else [each.kind for each in flow.operations]
        is_getter = len(kinds) > _FEWEST and {*kinds[1:-1]} == {"attribute"}
        return is_getter and (kinds[0], kinds[-1]) == ("read", "return")


def _names_all(trace: Trace, function: Function, place: int | None) -> bool:
    """Tell whether the call at a place names all parameters of its function and nothing else.

    False: it does not, or that is not known.
    """
    flow = trace.flow(function.id)
    if flow is None or place is None:
        return False
    calls = [each for each in flow.operations_at(place) if each.kind == "call"]
    if len(calls) != 1:
        return False
    whom = _whom(flow, calls[0])
    named = {whom}
    for operation in _given(flow, calls[0]):
        is_own = operation.kind == "read" and operation.scope in _OWN
        if not is_own or operation.name not in function.parameters:
            return False
        named.add(operation.name)
    left = set(function.parameters[whom == _SUPER :])
    return bool(whom) and left <= named


def _whom(flow: Flow, call: Operation) -> str:
    """Return the variable that a callee starts from; empty: it is another expression.

    `self` for `self.parts.add`.  The only call allowed in it has no arguments: `super().add`.
    """
    found = flow.makers(call, "callee")
    is_through_call = False
    for _ in flow.operations:  # bounded, in case the table has a cycle
        if len(found) != 1:
            break
        (operation,) = found
        if operation.kind == "read":
            return operation.name
        if operation.kind == "attribute":
            found = flow.makers(operation, "object")
        elif operation.kind == "call" and not is_through_call:
            found = flow.makers(operation, "callee")
            is_through_call = True
            is_super = [each.name for each in found] == [_SUPER]
            if not is_super and {each.role for each in operation.inputs} - {"callee", "receiver"}:
                return ""
        else:
            return ""
    return ""


def _given(flow: Flow, call: Operation) -> Iterator[Operation]:
    """Yield the arguments of a call; packed ones are unpacked."""
    work = [
        each
        for each in flow.makers(call, "position", "name", "*", "**")
        if each.kind != "constant" or each.span != call.span
    ]
    seen: set[int] = set()
    while work:
        operation = work.pop()
        if id(operation) in seen:
            continue
        seen.add(id(operation))
        if operation.kind != "make" or operation.span != call.span:
            yield operation
            continue
        work += flow.makers(operation, "item", "*")
        work += [
            what
            for each in flow.operations
            if each.kind in ("add", "extend") and each.span == call.span
            if any(container is operation for container in flow.makers(each, "container"))
            for what in flow.makers(each, "what")
        ]
