"""The condition at a turning of a route: its value, and the values behind it."""

from dataclasses import replace

from sleuth.trace.events import EventKind, Function, Moment, Span
from sleuth.trace.flow.operations import Operation
from sleuth.trace.flow.table import Flow
from sleuth.trace.origin import decision as words
from sleuth.trace.origin.conditions import Conditions
from sleuth.trace.origin.decision import Decision
from sleuth.trace.origin.executions import At
from sleuth.trace.origin.turnings import Turning
from sleuth.trace.reader import Trace
from sleuth.trace.values import ABSENT, Absent, Constant, Value

_RAISING = (EventKind.CATCH, EventKind.UNWIND)
_HANDLES = ("except", "except*")
_NOT_TOLD = "What it gave is not known."


def decided(
    trace: Trace, conditions: Conditions, turning: Turning, handler: int, number: int
) -> Decision:
    """Return what was decided at a turning; what the other way would have done is left open.

    handler: the handler that was not entered, a statement; -1: none.  number: the operation.
    """
    return _Decided(trace, conditions, turning, number).told(handler)


class _Decided:
    def __init__(self, trace: Trace, conditions: Conditions, turning: Turning, number: int) -> None:
        self._trace = trace
        self._conditions = conditions
        self._turning = turning
        self._number = number
        self._flow = trace.flow(turning.call.function) or Flow((), (), {})

    def told(self, handler: int) -> Decision:
        flow = self._flow
        if handler >= 0:
            return self._made(flow.statements[handler].span, words.NOT_ENTERED, -2 - handler)
        does = flow.operations[self._number] if self._number >= 0 else None
        step = flow.steps[self._turning.step]
        where = does.span if does else None
        if where is None and step.statement >= 0:
            where = flow.statements[step.statement].span
        if self._turning.taken < 0:
            return self._made(where, words.NOT_RESUMED, self._number)
        if self._turning.has_raised:
            made = self._made(where, words.RAISED, self._number)
            return replace(made, value=self._exception())
        if does is not None and does.kind == "branch":
            return self._branch(does, where)
        statement = does.statement if does else -1
        if statement >= 0 and flow.statements[statement].kind == "loop":
            where = flow.statements[statement].span
        how = words.ENDED if self._has_ended(step.next) else words.WENT_ON
        made = self._made(where, how, self._number)
        return self._with_inputs(made, self._iterated()) if does else made

    def _branch(self, does: Operation, where: Span | None) -> Decision:
        at = self._conditions.condition(self._turning.call, self._turning.stretch, self._number)
        if at is None:
            return replace(
                self._made(where, words.GAVE, self._number),
                unknown="What was compared is not known.",
            )
        span = at.operation.span
        if at.operation.name in _HANDLES and not self._is_inside(does.statement):
            return self._made(span or where, words.NOT_ENTERED, self._number)
        value = self._conditions.gave(at)
        if isinstance(value, Absent):
            value = self._by_way(at, does.statement)
        made = replace(self._made(span or where, words.GAVE, self._number), value=value)
        if does.span and span and _is_wider(does.span, span):
            # A test such as `x is None` has no operation of its own.
            made = replace(made, text=self._text(does.span), value=ABSENT)
            made = self._with_inputs(made, at, is_itself=True)
        else:
            made = self._with_inputs(made, at)
        return replace(made, unknown=_NOT_TOLD) if isinstance(made.value, Absent) else made

    def _by_way(self, at: At, statement: int) -> Value:
        """Return what a condition gave that is all of the head of its statement; else absent.

        Then it was true if the body ran.  A word more before it, such as `not`, or anything behind
        it, and nothing is said.
        """
        span = at.operation.span
        if span is None or statement < 0 or at.operation.kind == "read":
            return ABSENT
        whole = self._flow.statements[statement]
        if whole.kind not in ("branch", "loop") or span.end_line != whole.span.line:
            return ABSENT
        line = self._source(whole.span.line).encode()
        before = line[whole.span.column : span.column].decode(errors="replace")
        behind = line[span.end_column :].decode(errors="replace").lstrip(" )")
        if not before.strip(" (").isalpha() or not behind.startswith(":"):
            return ABSENT
        return Constant("True" if self._is_inside(statement) else "False")

    def _is_inside(self, statement: int) -> bool:
        """Whether the way that was taken leads into the body of a statement."""
        flow, at = self._flow, self._flow.steps[self._turning.taken].statement
        while at >= 0 and flow.statements[at].parent != statement:
            at = flow.statements[at].parent
        return at >= 0 and flow.statements[at].block == "body"

    def _has_ended(self, ways: tuple[int, ...]) -> bool:
        return len(ways) > 1 and self._turning.taken == ways[-1]

    def _iterated(self) -> At | None:
        """Return the operation that began to go over the items."""
        return self._conditions.condition(self._turning.call, self._turning.stretch, self._number)

    def _exception(self) -> Value:
        until = self._turning.stretch.until
        event = None if until is None else self._trace.event(until)
        is_it = event is not None and event.kind in _RAISING and bool(event.values)
        return event.values[0] if event is not None and is_it else ABSENT

    # --- Words -----------------------------------------------------------------------------------

    @property
    def _function(self) -> Function | None:
        return self._trace.function(self._turning.call.function)

    def _made(self, span: Span | None, how: str, number: int) -> Decision:
        stretch, function = self._turning.stretch, self._function
        until = self._trace.event_count if stretch.until is None else stretch.until
        return Decision(
            self._text(span),
            how,
            ABSENT,
            function.module.path if function else "",
            span.line if span else None,
            function.qualified_name if function else "",
            self._turning.call.id,
            Moment(stretch.moment),
            Moment(until),
            "",
            is_direct=True,
            operation=number,
        )

    def _with_inputs(self, made: Decision, at: At | None, *, is_itself: bool = False) -> Decision:
        if at is None:
            return made
        if is_itself:
            whole = self._conditions.itself(at)
            return replace(made, find_inputs=lambda: (whole,))
        return replace(made, find_inputs=lambda: self._conditions.inputs(at))

    def _source(self, line: int) -> str:
        function = self._function
        lines = self._trace.source(function.module).split("\n") if function else []
        return lines[line - 1] if 0 < line <= len(lines) else ""

    def _text(self, span: Span | None) -> str:
        """Return the text of a span; of several lines the first."""
        if span is None:
            return ""
        line = self._source(span.line).encode()
        end = span.end_column if span.end_line == span.line else None
        return line[span.column : end].decode(errors="replace").strip()


def _is_wider(whole: Span, part: Span) -> bool:
    """Whether a span on one line begins with another one and goes on behind it."""
    is_one_line = whole.line == whole.end_line == part.line == part.end_line
    return is_one_line and whole.column == part.column and whole.end_column > part.end_column
