"""Dropped results: calls whose result is not used, so that it can't have an effect."""

from collections.abc import Iterator

from sleuth.trace.events import Call
from sleuth.trace.flow.table import Flow
from sleuth.trace.reader import Trace

_WAIT = "wait"


class Dropped:
    """Finds calls whose result no other operation takes."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._of_function: dict[int, frozenset[int]] = {}

    def is_dropped(self, call: Call) -> bool:
        """Tell whether the result of a call was dropped.  False: no, or not known."""
        if call.through_other_code or call.parent is None or call.place is None:
            return False
        caller = self._trace.call(call.parent).function
        flow = self._trace.flow(caller)
        if flow is None:
            return False
        if caller not in self._of_function:
            self._of_function[caller] = frozenset(_dropped(flow))
        return any(
            number in self._of_function[caller]
            for step in flow.steps_at(call.place)
            for number in flow.steps[step].operations
        )


def _dropped(flow: Flow) -> Iterator[int]:
    """Yield the calls whose result is not taken, or only by an `await` whose result is not."""
    users: dict[int, list[int]] = {}
    for number, operation in enumerate(flow.operations):
        for needed in operation.inputs:
            for made in needed.made:
                users.setdefault(made.operation, []).append(number)
    for number, operation in enumerate(flow.operations):
        taken = users.get(number, [])
        is_waited_for = all(
            flow.operations[user].kind == _WAIT and user not in users for user in taken
        )
        if operation.kind == "call" and is_waited_for:
            yield number
