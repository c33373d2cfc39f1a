"""Items of turns: where the item came from that a loop was given, and what callers were handed."""

import numpy as np

from sleuth.trace.events import Call, Event, EventKind
from sleuth.trace.flow.lines import ROW
from sleuth.trace.history.locations import Inside
from sleuth.trace.origin.executions import At, NotKnown
from sleuth.trace.origin.items import Kept
from sleuth.trace.origin.values import Values
from sleuth.trace.values import Absent, Atom, Part, Ref, Value

_MOST_COUNTED = 500_000
"""Moments in which turns are counted."""
_MOST_HANDED = 2_000
"""Events among which results are looked for."""
_DELEGATED = 1
_NEAR = 64
_CALLS = ("call", "next", "iterate", "extend", "unpack", "wait", "compute", "enter", "leave")


class Turns:
    """Finds sources of items."""

    def __init__(self, values: Values) -> None:
        self._values = values
        self._runs = values.runs
        self._trace = values.trace
        self._yields = values.conventions.yields

    def yielded(self, at: At, turn: int) -> tuple[Call, int] | None:
        """Return the call that yielded the item of a turn, and when; None: it is not known."""
        item = self._trace.event(turn).values[0]
        over = self._over(at)
        if over is None or over[1].type_name in self._values.conventions.opaque:
            return None
        moment = turn - 1
        event = self._trace.event(moment)
        while event.kind == EventKind.SUSPEND and event.flags & _DELEGATED and moment > 0:
            moment -= 1
            event = self._trace.event(moment)
        if event.kind != EventKind.SUSPEND or event.call is None or event.values[:1] != (item,):
            return None
        return self._trace.call(event.call), moment

    def source(self, at: At, turn: int) -> Kept | None:
        """Return where the item of a turn was kept; None: it is not known."""
        over = self._over(at)
        if over is None:
            return None
        loop, holder = over
        item = self._trace.event(turn).values[0]
        match self._yields.get(holder.type_name):
            case "items":
                return self._checked(holder, "sequence", loop, turn, item)
            case "values":
                return self._checked(self._viewed(holder, turn), "mapping", loop, turn, item)
        return None

    def unpacked(self, unpacking: At, next_one: At, output: int) -> Kept | None:
        """Return where a part of the item of a turn was kept; None: it is not known."""
        over, turn = self._over(next_one), next_one.stretch.until
        if over is None or turn is None or unpacking.operation.name:
            return None
        loop, holder = over
        how = self._yields.get(holder.type_name)
        if how not in ("pairs", "numbered", "parallel") or (how != "parallel" and output != 1):
            return None
        item = self._bound(unpacking, output)
        if how == "pairs":
            return self._checked(self._viewed(holder, turn), "mapping", loop, turn, item)
        position = output if how == "parallel" else 0
        return self._checked(self._given(next_one, position), "sequence", loop, turn, item)

    def _bound(self, unpacking: At, output: int) -> Value:
        """Return what an output of an unpacking was stored as; absent: not known."""
        wanted = unpacking.number, output
        numbers = {
            number
            for number, each in enumerate(self._runs.operations(unpacking.call))
            if each.kind == "store"
            for one in each.inputs
            if wanted in one.made
        }
        first = unpacking.stretch.moment
        for event in self._trace.events(first, first + _NEAR, call=unpacking.call.id):
            if event.kind != EventKind.BIND:
                continue
            if self._runs.telling(unpacking.call, event.moment).number in numbers:
                return event.values[0]
        return NOTHING

    def _over(self, at: At) -> tuple[Event, Ref] | None:
        """Return the event with which a loop began, and what it went over."""
        iterate, _ = self._runs.maker(at, at.role("iterator"))
        if iterate.operation.kind != "iterate":
            return None
        event = self._trace.event(iterate.stretch.moment)
        if event.kind != EventKind.LOOP or event.call != at.call.id:
            return None
        value = event.values[0]
        return (event, value) if isinstance(value, Ref) else None

    def _viewed(self, view: Ref, moment: int) -> Value:
        """Return the mapping that a view shows."""
        return self._values.held(Inside(view, "attributes", Atom("of")), moment)

    def _given(self, at: At, position: int) -> Value:
        """Return an argument of the call that made what a loop goes over."""
        iterate, _ = self._runs.maker(at, at.role("iterator"))
        made, _ = self._runs.maker(iterate, iterate.role("what"))
        places = made.roles("position")
        if made.operation.kind != "call" or len(made.operation.inputs) != len(places) + 1:
            raise NotKnown("What the loop went over is not known.")
        callee, _ = self._runs.maker(made, made.role("callee"))
        is_builtin = callee.operation.kind == "read" and callee.operation.name in self._yields
        if not is_builtin or self._runs.entered(made) is not None or position >= len(places):
            raise NotKnown("What the loop went over is not known.")
        found = self._values.value(*self._runs.maker(made, places[position]))
        is_plain = isinstance(found, Ref) and self._yields.get(found.type_name) == "items"
        return found if is_plain else NOTHING

    def _checked(
        self, holder: Value, kind: str, loop: Event, turn: int, item: Value
    ) -> Kept | None:
        """Return the part with the number of the turn, if it is the item."""
        shape = self._trace.shape(holder, turn) if isinstance(holder, Ref) else None
        part = shape.part(kind) if shape and shape.is_sure else None
        number = self._number(loop, turn)
        if not isinstance(holder, Ref) or part is None or number is None:
            return None
        if number >= len(part.items) or part.items[number] != item:
            return None
        return Kept(Inside(holder, kind, _key(part, number)), turn)

    def _number(self, loop: Event, turn: int) -> int | None:
        """Return the number of a turn since its loop began, from 0."""
        if turn - loop.moment > _MOST_COUNTED or loop.call is None:
            return None
        site, count = self._trace.event(turn).number, 0
        for _, packed in self._trace.trails(loop.moment + 1, turn - 1, loop.call):
            rows = np.frombuffer(packed, ROW)
            is_turn = (rows["kind"] == EventKind.TURN) & (rows["number"] == site)
            count += int((is_turn & (rows["moment"] < turn)).sum())
        return count

    def handed(self, at: At) -> list[tuple[Call, int]]:
        """Return the calls that handed something to the unrecorded code that was called."""
        until = at.stretch.until
        if until is None or at.stretch.ran.operations[-1:] != (at.number,):
            return []
        first = self._runs.entered(at)
        if first is not None:
            is_it = not first.is_what_was_called and first.last is not None
            is_over = is_it and not first.is_resumable
            return [(first, first.last)] if is_over and first.last is not None else []
        if until - at.stretch.moment > _MOST_HANDED or self._is_shared(at):
            return []
        return [
            (self._trace.call(event.call), event.moment)
            for event in self._trace.events(
                at.stretch.moment + 1, until - 1, kind=EventKind.SUSPEND
            )
            if event.call is not None and not isinstance(event.values[0], Absent)
        ]

    def may_have_resumed(self, at: At) -> bool:
        """Tell whether calls went on while an operation or one close to it ran."""
        until = at.stretch.until
        if until is None or self._runs.entered(at) is not None:
            return False
        last = min(until - 1, at.stretch.moment + _MOST_HANDED)
        resumed = self._trace.events(at.stretch.moment + 1, last, kind=EventKind.RESUME)
        return next(resumed, None) is not None

    def _is_shared(self, at: At) -> bool:
        """Tell whether other operations of a stretch can have resumed calls, too."""
        operations = self._runs.operations(at.call)
        return any(
            number != at.number and operations[number].kind in _CALLS
            for number in at.stretch.ran.operations
        )


NOTHING = Absent()


def _key(part: Part, number: int) -> Value:
    return part.keys[number] if part.keys else Atom(number)
