"""Executions of operations: which one ran before another, and which one made its input."""

from collections.abc import Iterator
from typing import NamedTuple

from sleuth.trace.events import Call, EventKind
from sleuth.trace.flow.operations import Input, Operation
from sleuth.trace.flow.segments import Stretch, callee_at, stretches
from sleuth.trace.origin.far import TooFar, moments_before
from sleuth.trace.reader import Trace

_WINDOW, _WIDER, _WIDEST = 64, 4, 4096
_NEAR = 200
"""Events of a call that are looked at one by one."""
_MOST_CHECKED, _BEHIND = 200, 16
_MOST_BETWEEN = 20_000
"""Events of a call that are looked at one by one."""
_TELLS = {
    EventKind.BIND: ("store",),
    EventKind.RETURN: ("return",),
    EventKind.SUSPEND: ("yield",),
    EventKind.LOOP: ("iterate",),
    EventKind.SET_ATTRIBUTE: ("store attribute",),
    EventKind.SET_ITEM: ("store item",),
    EventKind.SET_SLICE: ("store item", "store slice"),
}
"""Kind of an event -> the operation whose input it tells; it comes right behind the event."""


class NotKnown(Exception):
    """An origin does not follow from the trace; the message says why."""


class At(NamedTuple):
    """One execution of an operation."""

    call: Call
    stretch: Stretch
    number: int
    operation: Operation

    def role(self, role: str) -> Input:
        """Return the first input in a role."""
        for each in self.operation.inputs:
            if each.role == role:
                return each
        raise NotKnown("What it was given is not known.")

    def roles(self, role: str) -> list[Input]:
        """Return all inputs in a role."""
        return [each for each in self.operation.inputs if each.role == role]


class Executions:
    """Finds executions of operations."""

    def __init__(self, trace: Trace, farthest: int | None = None) -> None:
        self.trace = trace
        self._farthest = farthest
        """Events over which a call is followed back; None: all."""

    def operations(self, call: Call) -> tuple[Operation, ...]:
        """Return the operations of a call's function."""
        flow = self.trace.flow(call.function)
        return flow.operations if flow else ()

    def maker(self, at: At, wanted: Input) -> tuple[At, int]:
        """Return the execution that made an input, and which of its outputs it is."""
        outputs = {made.operation: made.output for made in wanted.made}
        found = self.before(at, set(outputs))
        return found, outputs[found.number]

    def before(self, at: At, numbers: set[int]) -> At:
        """Return the last execution of one of some operations before another execution."""
        ran = at.stretch.ran.operations
        for number in reversed(ran[: ran.index(at.number)]):
            if number in numbers:
                return At(at.call, at.stretch, number, self.operations(at.call)[number])
        if not at.stretch.ran.is_certain:
            raise NotKnown("Which way the call went is not known.")
        return self.last_of(at.call, at.stretch.moment, numbers)

    def last_of(self, call: Call, before: int, numbers: set[int]) -> At:
        """Return the last execution of one of some operations before a moment."""
        for count, stretch in enumerate(self.back(call, before)):
            if count > _NEAR:
                return self._long_before(call, stretch.moment + 1, numbers)
            found = self._in(call, stretch, numbers) if stretch.moment < before else None
            if found is not None:
                return found
        raise NotKnown("Which way the call went is not known.")

    def _in(self, call: Call, stretch: Stretch, numbers: set[int]) -> At | None:
        """Return the last execution of one of some operations in a stretch; None: there is none."""
        for number in reversed(stretch.ran.operations):
            if number in numbers:
                return At(call, stretch, number, self.operations(call)[number])
        if not stretch.ran.is_certain:
            raise NotKnown("Which way the call went is not known.")
        return None

    def _long_before(self, call: Call, before: int, numbers: set[int]) -> At:
        try:
            for checked, moment in enumerate(moments_before(self.trace, call, before, numbers)):
                if checked > _MOST_CHECKED:
                    break
                near = stretches(self.trace, call, max(moment - _BEHIND, call.first), moment)
                for stretch in reversed(near or ()):
                    found = self._in(call, stretch, numbers) if stretch.moment == moment else None
                    if found is not None:
                        return found
        except TooFar:
            pass
        raise NotKnown("It was made too long before to look for it.")

    def between(self, first: At, last: At, numbers: set[int]) -> list[At]:
        """Return all executions of some operations between two executions of one call, in order."""
        start, end = first.stretch.moment, last.stretch.moment
        if min(end - start, first.call.events) > _MOST_BETWEEN:
            raise NotKnown("It was made in too many steps to follow them.")
        operations = self.operations(first.call)
        found = []
        for stretch in stretches(self.trace, first.call, start, end) or ():
            if stretch.moment > end:
                break
            ran = stretch.ran.operations
            if not stretch.ran.is_certain:
                raise NotKnown("Which way the call went is not known.")
            low = ran.index(first.number) + 1 if stretch.moment == start else 0
            high = ran.index(last.number) if stretch.moment == end else len(ran)
            found += [
                At(first.call, stretch, number, operations[number])
                for number in ran[low:high]
                if number in numbers
            ]
        return found

    def telling(self, call: Call, moment: int) -> At:
        """Return the execution that the event of a call at a moment tells of."""
        event = self.trace.event(moment)
        if event.kind == EventKind.TURN:
            return self._turning(call, moment)
        kinds = _TELLS.get(event.kind, ())
        site = self.trace.site(event.number) if event.site is not None else None
        name = site.name if site and event.kind != EventKind.LOOP else ""
        for stretch in self.back(call, moment + 1):
            if stretch.moment == moment:
                order = stretch.ran.operations[:2]
            elif stretch.until == moment and event.kind == EventKind.BIND:
                # Some variables are told of right after they were set.
                order = stretch.ran.operations[-2:][::-1]
            else:
                break
            for number in order:
                does = self.operations(call)[number]
                if does.kind in kinds and (not does.name or not name or does.name == name):
                    return At(call, stretch, number, does)
        raise NotKnown("The operation that wrote it is not known.")

    def _turning(self, call: Call, moment: int) -> At:
        """Return the execution that gave the item of a turn."""
        for stretch in self.back(call, moment):
            if stretch.until != moment:
                break
            for number in stretch.ran.operations[-1:]:
                does = self.operations(call)[number]
                if does.kind == "next":
                    return At(call, stretch, number, does)
        raise NotKnown("The operation that gave the item is not known.")

    def at_place(self, call: Call, place: int | None, before: int) -> At:
        """Return the last execution before a moment of what is at a place."""
        return self.last_of(call, before, self._at(call, place))

    def _at(self, call: Call, place: int | None) -> set[int]:
        """Return the operations at a place."""
        flow = self.trace.flow(call.function)
        steps = flow.steps_at(place) if flow and place is not None else ()
        return {number for step in steps if flow for number in flow.steps[step].operations}

    def running(self, caller: Call, child: Call) -> At:
        """Return the execution of a call during which another one began."""
        for count, stretch in enumerate(self.back(caller, child.first)):
            if stretch.moment >= child.first:
                continue
            if count > _NEAR:
                return self._long_before(caller, stretch.moment, self._at(caller, child.place))
            if stretch.ran.operations:
                number = stretch.ran.operations[-1]
                return At(caller, stretch, number, self.operations(caller)[number])
            event = self.trace.event(stretch.moment)
            if event.kind != EventKind.ENTER or event.call == caller.id:
                break
        raise NotKnown("Where it was called is not known.")

    def entered(self, at: At) -> Call | None:
        """Return the call that began first during an operation; None: there is none."""
        until = at.stretch.until
        if until is None or at.stretch.ran.operations[-1:] != (at.number,):
            return None
        event = self.trace.event(until)
        if event.kind != EventKind.ENTER or event.call is None:
            return None
        child = self.trace.call(event.call)
        return child if child.parent == at.call.id else None

    def text(self, at: At) -> str:
        """Return the text of an operation in the source, or its first line."""
        function, span = self.trace.function(at.call.function), at.operation.span
        if function is None or span is None or at.operation.kind == "read":
            # One instruction can set a variable and read another: both have the span of the first.
            return at.operation.name
        lines = self.trace.source(function.module).split("\n")
        if span.line > len(lines):
            return at.operation.name
        line = lines[span.line - 1].encode()
        end = span.end_column if span.end_line == span.line else None
        return line[span.column : end].decode(errors="replace").strip()

    def is_placed(self, at: At) -> bool:
        """Tell whether an operation stands where its span says.

        A constant that is returned without a `return` statement has the span of something else: the
        call reached its end, or the compiler moved the constant behind what runs on the way out.
        """
        operations, flow = self.operations(at.call), self.trace.flow(at.call.function)
        if at.operation.kind not in ("constant", "return") or flow is None:
            return True
        for each in operations[at.number : at.number + 2]:
            if each.kind == "return" and each.statement >= 0:
                return flow.statements[each.statement].kind == "return"
        return True

    def back(self, call: Call, before: int) -> Iterator[Stretch]:
        """Yield what a call ran before a moment, the newest first."""
        size, end = _WINDOW, before - 1
        while end >= call.first:
            first = max(end - size, call.first)
            found = stretches(self.trace, call, first, end)
            if found is None:
                raise NotKnown("Which way the call went is not known.")
            for stretch in reversed(found):
                yield stretch
                if self._farthest is not None and before - stretch.moment > self._farthest:
                    raise NotKnown("Too much ran since then.")
            if found:
                end, size = found[0].moment - 1, min(size * _WIDER, _WIDEST)
            else:
                # Callees may run for a long time: go to the beginning of the last one.
                child = callee_at(self.trace, call, first - 1) if first > call.first else None
                end = first - 1 if child is None else child.first
