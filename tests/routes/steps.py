"""The certain steps of each call, in order, by its route."""

from sleuth.trace.events import Call
from sleuth.trace.flow.segments import stretches
from sleuth.trace.reader import Trace


class StepRoutes:
    """Finds the steps of calls."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace

    def all(self) -> dict[int, tuple[int, ...] | None]:
        """Return the certain steps of all calls, by their numbers; None: no route fits."""
        return {call.id: self._steps(call) for call in self._trace.calls()}

    def _steps(self, call: Call) -> tuple[int, ...] | None:
        found = stretches(self._trace, call, call.first, self._trace.event_count)
        return None if found is None else tuple(step for each in found for step in each.ran.steps)
