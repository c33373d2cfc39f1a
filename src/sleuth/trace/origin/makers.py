"""Sources of parts: what made the object that holds a part, and what it was made from."""

from collections import deque

from sleuth.trace.events import Call, Event, EventKind, Outcome
from sleuth.trace.history.locations import Inside, Variable
from sleuth.trace.origin.executions import At, NotKnown
from sleuth.trace.origin.given import ByOther, Default, Given
from sleuth.trace.origin.items import Items, Kept, Made, Source
from sleuth.trace.origin.values import Values, is_inner
from sleuth.trace.values import Absent, Atom, Constant, Ref, Value

_MOST_SEARCHED = 2_000
"""Objects that are looked at to find one in what an event tells."""
_MOST_BEFORE = 32
"""Events between the end of a call and the handler of what it raised."""
_INPUTS = {"iterate": "what"}
_NO_START = Constant("None")
_PARTS = ("sequence", "mapping", "attributes")


class Makers:
    """Finds what made parts of objects."""

    def __init__(self, values: Values, given: Given, items: Items) -> None:
        self._values = values
        self._given = given
        self._items = items
        self._runs = values.runs
        self._trace = values.trace

    def owner(self, cell: Inside, moment: int) -> Call:
        """Return the call whose parameter a cell was made for."""
        event = self._trace.event(moment)
        if event.kind == EventKind.ENTER and event.call is not None:
            call = self._trace.call(event.call)
            function = self._trace.function(call.function)
            name = name_of(cell)
            is_own = function is not None and name in function.parameters
            if is_own and self._trace.cells(call).get(name) == cell.holder:
                return call
        raise NotKnown("Where it was set first is not known.")

    def part(self, location: Inside, moment: int) -> Source | At:
        """Return the source of a part that an object had when it was first seen.

        An execution: it is somewhere in what that one made.
        """
        event = self._trace.event(moment)
        if event.call is None:
            raise NotKnown(f"The object that holds it was first seen at moment {moment:,}.")
        number, inner = self._way_to(event, location.holder, moment)
        ways = [*inner, location]
        call = self._trace.call(event.call)
        source: Source
        if event.kind == EventKind.ENTER:
            found = self._argument(call, number, ways[0])
            source, ways = found
        else:
            consumer = self._runs.telling(call, moment)
            if consumer.operation.kind == "next":
                return consumer
            role = _INPUTS.get(consumer.operation.kind, "value")
            source = Made(*self._runs.maker(consumer, consumer.role(role)), consumer)
        for way in ways:
            if not isinstance(source, Made):
                raise NotKnown("It is a part of something else; where that came from is not known.")
            step = self._inside(source, way, moment)
            if isinstance(step, At):
                return step
            source = step
        return source

    def _argument(self, call: Call, number: int, first: Inside) -> tuple[Source, list[Inside]]:
        function = self._trace.function(call.function)
        if function is None or number >= len(function.parameters):
            raise NotKnown("It was given by code that is not recorded.")
        name, by = function.parameters[number], self._given.caller(call)
        if self._given.collects(call, name):
            found = self._given.collected(call, by, name, first)
            if isinstance(found, ByOther):
                raise NotKnown(found.sentence)
            return found, []
        given = self._given.source(call, by, name)
        if isinstance(given, ByOther | Default):
            raise NotKnown("It is a part of an argument; where that came from is not known.")
        return given, [first]

    def _inside(self, whole: Made, part: Inside, moment: int) -> Source | At:
        """Return the source of a part of what an operation made."""
        while whole.by.operation.kind == "read" and is_inner(whole.by):
            whole = Made(*self._values.inner(whole.by), whole.consumer)
        by = whole.by
        if by.operation.kind == "class" and part.kind == "attributes":
            body = self._runs.entered(by)
            match part.key:
                case Atom(str() as name) if body is not None and body.last is not None:
                    return Kept(Variable(body.id, name), body.last)
        if by.operation.kind == "unpack" and part.kind == "sequence":
            return self._starred(by, whole.output, part)
        if by.operation.kind == "slice" and part.kind == "sequence":
            return self._sliced(by, part, moment)
        if by.operation.kind not in ("make", "constant") or whole.consumer is None:
            return by
        shape = self._trace.shape(part.holder, moment)
        told = shape.part(part.kind) if shape else None
        size = told.full_length if told else 0
        try:
            return self._items.of(by, whole.consumer, part, size)
        except NotKnown:
            return by

    def _starred(self, by: At, output: int, part: Inside) -> Source | At:
        """Return the source of an item of a list that collected the rest of an unpacking."""
        star = by.operation.name.removeprefix("*")
        match part.key:
            case Atom(int() as index) if star.isdigit() and output == int(star):
                return self.item(by, output + index)
        return by

    def _sliced(self, by: At, part: Inside, moment: int) -> Source | At:
        """Return the source of an item of a slice, if both are equal."""
        holder = self._values.value(*self._runs.maker(by, by.role("object")))
        start = self._values.value(*self._runs.maker(by, by.role("start")))
        first = 0 if start == _NO_START else _index(start)
        index = _index(part.key)
        if not isinstance(holder, Ref) or first is None or index is None or by.roles("step"):
            return by
        found = Inside(holder, "sequence", Atom(first + index))
        at = self._values.when(by, found)
        value = self._values.held(found, at)
        is_it = not isinstance(value, Absent) and value == self._values.held(part, moment)
        is_plain = holder.type_name in self._values.conventions.containers
        return Kept(found, at) if is_it and is_plain and first >= 0 else by

    def item(self, unpacking: At, index: int) -> Source:
        """Return the source of an item of what was unpacked, counted from the front."""
        whole = Made(*self._runs.maker(unpacking, unpacking.role("whole")), unpacking)
        if whole.by.operation.kind in ("make", "constant"):
            return self._items.at_index(whole.by, unpacking, index, None)
        value = self._values.value(whole.by, whole.output)
        if not isinstance(value, Ref):
            raise NotKnown("What was unpacked is not known.")
        inside = Inside(value, "sequence", Atom(index))
        return Kept(inside, self._values.when(unpacking, inside))

    def unpacked(self, at: At, output: int) -> Source:
        """Return the source of an output of an unpacking."""
        star = at.operation.name.removeprefix("*")
        if not star or (star.isdigit() and output < int(star)):
            return self.item(at, output)
        inside = self._values.unpacked(at, output)
        return Kept(inside, self._values.when(at, inside))

    def unwound(self, at: At, moment: int, value: Value) -> Call | None:
        """Return the callee that raised what its caller caught or let pass; None: there is none."""
        child = self._runs.entered(at)
        has_raised = child is not None and child.outcome is Outcome.RAISED
        if child is not None and has_raised and self._trace.result(child) == value:
            return child
        for event in self._before(moment):
            is_end = event.kind == EventKind.UNWIND and event.values[:1] == (value,)
            if is_end and event.call is not None and event.call != at.call.id:
                return self._trace.call(event.call)
        return None

    def _before(self, moment: int) -> list[Event]:
        first = max(moment - _MOST_BEFORE, 0)
        return [*self._trace.events(first, moment - 1)][::-1]

    # --- Where a part is in what an event tells --------------------------------------------------

    def _way_to(self, event: Event, holder: Ref, moment: int) -> tuple[int, list[Inside]]:
        """Return which value of an event holds an object, and the way to it inside."""
        for number, value in reversed([*enumerate(event.values)]):
            if value == holder:
                return number, []
        waiting: deque[tuple[int, Ref, tuple[Inside, ...]]] = deque(
            (number, value, ())
            for number, value in enumerate(event.values)
            if isinstance(value, Ref)
        )
        seen = {each[1].id for each in waiting}
        while waiting and len(seen) < _MOST_SEARCHED:
            number, outer, ways = waiting.popleft()
            for inside, inner in self._parts(outer, moment):
                if inner == holder:
                    return number, [*ways, inside]
                if inner.id not in seen:
                    seen.add(inner.id)
                    waiting.append((number, inner, (*ways, inside)))
        raise NotKnown(f"The object that holds it was first seen at moment {moment:,}.")

    def _parts(self, outer: Ref, moment: int) -> list[tuple[Inside, Ref]]:
        shape = self._trace.shape(outer, moment)
        found = []
        for part in shape.parts if shape else ():
            if part.kind not in _PARTS:
                continue
            keys = part.keys or tuple(map(Atom, range(len(part.items))))
            for key, inner in zip(keys, part.items, strict=False):
                if isinstance(inner, Ref):
                    found.append((Inside(outer, part.kind, key), inner))
        return found


def _index(value: Value) -> int | None:
    match value:
        case Atom(int() as index):
            return index
    return None


def name_of(cell: Inside) -> str:
    """Return the name of a variable that closures share."""
    match cell.key:
        case Atom(str() as name):
            return name
    raise NotKnown("Which variable it is is not known.")
