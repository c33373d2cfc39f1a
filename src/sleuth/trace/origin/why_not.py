"""Why a location was not written: the decisions whose other way would have written it.

They are looked for in the call itself, then in the calls that it made, then in its callers, until
a call is found that would have written it itself.  The work is bounded.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from sleuth.errors import NothingKnown
from sleuth.trace.events import Call, Function, Moment
from sleuth.trace.flow.operations import Operation
from sleuth.trace.flow.segments import Stretch
from sleuth.trace.flow.table import Flow
from sleuth.trace.history.locations import Ending, Inside, Variable
from sleuth.trace.origin.conditions import Conditions
from sleuth.trace.origin.decided import decided
from sleuth.trace.origin.decision import Decision
from sleuth.trace.origin.executions import NotKnown
from sleuth.trace.origin.missing import Missed, missed
from sleuth.trace.origin.stores import Stores
from sleuth.trace.origin.turnings import Other, Turning, Turns, turnings
from sleuth.trace.reader import Trace
from sleuth.trace.values import ABSENT, Absent, Atom, Ref, Value

_MOST_DECISIONS = 200
_MOST_STEPS = 50_000
"""Steps of routes that are looked at."""
_MOST_CALLS = 500
"""Calls that are looked at."""
_MOST_TEXTS = 2


@dataclass(frozen=True, slots=True)
class NotWritten:
    """Why a location was not written."""

    path: str
    value: Value
    """What the location holds instead; absent: nothing, or not known."""
    since: int
    """When it was last written; -1: never, or that does not matter."""
    decisions: tuple[Decision, ...]
    """The nearest first.  None of them need be wrong: the code may lack the write altogether."""
    is_whole: bool
    """False: too much ran, and the oldest decisions were not looked at."""


def why_not(trace: Trace, path: str, call: Call, at: Moment | int | None = None) -> NotWritten:
    """Return the decisions whose other way would have written the location of a path.

    PathError: the path can't mean anything.  NothingKnown: the trace has no flow of the code.
    """
    if trace.flow(call.function) is None:
        raise NothingKnown("The trace does not tell which way its calls went.")
    found = _Search(trace, missed(trace, path, call, at))
    found.look(call)
    return found.result()


class _Search:
    """Looks for decisions about one location."""

    def __init__(self, trace: Trace, about: Missed) -> None:
        self._trace = trace
        self._about = about
        self._stores = Stores(trace, about.target, about.name)
        self._conditions = Conditions(trace)
        self._turns: dict[int, Turns] = {}
        self._found: list[Decision] = []
        self._steps = _MOST_STEPS
        self._is_whole = True
        self._ran: set[int] = set()
        """The operations that ran later in the call that is looked at."""

    def result(self) -> NotWritten:
        about = self._about
        order = sorted(self._found, key=lambda each: -each.moment)
        return NotWritten(about.path, about.value, about.since, tuple(order), self._is_whole)

    def look(self, call: Call) -> None:
        self._in_call(call, self._about.until)
        if isinstance(self._about.target, Variable | Ending) or self._is_done:
            return
        for child in self._below(call):
            self._in_call(child, self._about.until)
        if self._is_done:
            return
        inner = call
        while inner.parent is not None and inner.first > self._about.since and not self._is_done:
            outer = self._trace.call(inner.parent)
            self._in_call(outer, inner.first)
            inner = outer

    @property
    def _is_done(self) -> bool:
        return any(each.is_direct for each in self._found)

    def _below(self, call: Call) -> Iterator[Call]:
        """Yield calls that a call made, directly or not, the newest first."""
        until = self._trace.call_count if call.until is None else call.until
        first = max(call.id + 1, until - _MOST_CALLS)
        self._is_whole &= first == call.id + 1
        for number in range(until - 1, first - 1, -1):
            child = self._trace.call(number)
            is_over = child.last is not None and child.last <= self._about.since
            if child.first < self._about.until and not is_over:
                yield child

    def _in_call(self, call: Call, until: int) -> None:
        function, flow = self._trace.function(call.function), self._trace.flow(call.function)
        if function is None or flow is None:
            return
        wanted = self._stores.of(function)
        if not wanted:
            return
        turns = self._turns.setdefault(function.id, Turns(flow, frozenset(wanted)))
        self._ran = set()
        route = self._noted(self._conditions.route(call, until))
        try:
            for turning in turnings(flow, call, route, self._about.since, until):
                self._steps -= 1
                if self._steps < 0 or len(self._found) >= _MOST_DECISIONS:
                    self._is_whole = False
                    return
                self._take(function, flow, turns, turning)
        except NotKnown:
            self._is_whole = False

    def _noted(self, route: Iterator[Stretch]) -> Iterator[Stretch]:
        for stretch in route:
            self._ran.update(stretch.ran.operations)
            yield stretch

    def _take(self, function: Function, flow: Flow, turns: Turns, turning: Turning) -> None:
        for others, is_handler in (
            (turns.others(turning), False),
            (turns.not_entered(turning) if not turning.has_raised else [], True),
        ):
            missing = [
                self._matched(flow, turning, each)
                for each in others
                if not self._came_later(flow, turning, each)
            ]
            told = [each for each in missing if each is not None]
            if not told:
                continue
            wanted = self._stores.of(function)
            decision = decided(
                self._trace,
                self._conditions,
                turning,
                turns.handler_of(others[0].operation) if is_handler else -1,
                turns.decides(turning.step),
            )
            self._found.append(
                decision.would_do(
                    "; ".join(dict.fromkeys(text for text, _ in told[:_MOST_TEXTS])),
                    is_direct=any(wanted[number] for _, number in told),
                )
            )

    def _came_later(self, flow: Flow, turning: Turning, other: Other) -> bool:
        """Whether a loop went on, and what stands behind it ran when the loop had ended."""
        statement = flow.steps[turning.step].statement
        if other.operation not in self._ran or statement < 0:
            return False
        is_loop = flow.statements[statement].kind == "loop"
        loop = statement if is_loop else flow.loop_around(statement)
        return not flow.is_repeated(flow.operations[other.operation].statement, loop)

    # --- Whether a store that did not happen would have been to the location ---------------------

    def _matched(self, flow: Flow, turning: Turning, other: Other) -> tuple[str, int] | None:
        """Return what would have been written; None: another location."""
        does = flow.operations[other.operation]
        function = self._trace.function(turning.call.function)
        wanted = self._stores.of(function) if function else {}
        text = self._line(turning.call, flow, does)
        if not wanted.get(other.operation):
            return f"{text}, which may write it", other.operation
        exact = ""
        target = self._about.target
        if isinstance(target, Inside) and target.kind != "cell":
            is_it = self._is_target(flow, turning, other, target)
            if is_it is False:
                return None
            exact = "" if is_it else " (perhaps another one)"
        if not other.is_certain and not exact:
            exact = " (perhaps)"
        return f"{text}{exact}", other.operation

    def _is_target(self, flow: Flow, turning: Turning, other: Other, target: Inside) -> bool | None:
        """Tell whether a store would have been to the part of the object; None: not known."""
        does = flow.operations[other.operation]
        holder = self._ahead(flow, turning, other, _holder_of(flow, does))
        if isinstance(holder, Absent):
            # Most sums like `n += 1` are no containers.
            return False if does.kind == "compute" else None
        if not isinstance(holder, Ref) or holder.id != target.holder.id:
            return False
        if does.kind == "store attribute":
            return True
        keys = [made for each in does.inputs if each.role == "key" for made in each.made]
        if len(keys) != 1 or does.kind not in ("store item", "delete item"):
            return None
        key = self._ahead(flow, turning, other, keys[0])
        match key:
            case Atom(int() as index) if target.kind == "sequence" and index < 0:
                shape = self._trace.shape(target.holder, self._seen(turning))
                part = shape.part("sequence") if shape else None
                key = Atom(index + part.full_length) if part else ABSENT
        if isinstance(key, Absent) or isinstance(target.key, Absent):
            return None
        return key == target.key

    def _ahead(
        self, flow: Flow, turning: Turning, other: Other, made: tuple[int, int] | None
    ) -> Value:
        if made is None:
            return ABSENT
        operation, output = made
        return self._conditions.ahead(
            turning.call, self._seen(turning), flow.operations[operation], output, other.changed
        )

    def _seen(self, turning: Turning) -> int:
        until = turning.stretch.until
        return self._trace.event_count if until is None else until

    def _line(self, call: Call, flow: Flow, does: Operation) -> str:
        """Return the statement of an operation, its first line."""
        function = self._trace.function(call.function)
        span = flow.statements[does.statement].span if does.statement >= 0 else does.span
        if function is None or span is None:
            return does.kind
        lines = self._trace.source(function.module).split("\n")
        text = lines[span.line - 1].strip() if span.line <= len(lines) else does.kind
        return f"line {span.line}: {text}"


def _holder_of(flow: Flow, does: Operation) -> tuple[int, int] | None:
    """Return what makes the object that an operation writes to; None: not known."""
    role = "operand" if does.kind == "compute" else "object"
    if does.kind == "call":
        for each in does.inputs:
            if each.role == "callee" and len(each.made) == 1:
                return _holder_of(flow, flow.operations[each.made[0].operation])
        return None
    for each in does.inputs:
        if each.role == role:
            return each.made[0] if len(each.made) == 1 else None
    return None
