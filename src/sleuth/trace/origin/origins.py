"""Origins: from a value back to the operation that made it, through copies.

`chain(trace, location, at)` returns the calls whose result or effect carried a value, the newest
first, with moments.  What does not follow from the trace is said in `Origin.unknown`.
"""

from dataclasses import replace
from typing import NamedTuple

from sleuth.trace.events import Call, CallId, Event, EventKind, Moment
from sleuth.trace.flow.operations import Input
from sleuth.trace.flow.segments import Stretch
from sleuth.trace.history import writes
from sleuth.trace.history.locations import Ending, Inside, Location, Pointed, Variable
from sleuth.trace.history.output import Printed
from sleuth.trace.history.writes import Write
from sleuth.trace.origin.executions import At, NotKnown
from sleuth.trace.origin.given import ByOther, Default, Given
from sleuth.trace.origin.items import Items, Kept, Made, Source, Written
from sleuth.trace.origin.makers import Makers, name_of
from sleuth.trace.origin.origin import Origin
from sleuth.trace.origin.turns import Turns
from sleuth.trace.origin.values import Values, is_inner
from sleuth.trace.reader import Trace
from sleuth.trace.values import ABSENT, Absent, Constant, Value, shown

_MOST_COPIES = 200
_EFFECTS = (EventKind.SPLICED, EventKind.PUT, EventKind.CHANGED)
_MOST_HANDED = 8
"""Results of other code that are listed as inputs of a call."""
_COUNTS = "It called recorded code, whose results count, too."
_MAY_COUNT = "Recorded code went on meanwhile; what it yielded may count, too."


class _Needed(NamedTuple):
    """An input of an operation that was carried out."""

    role: str
    by: At
    wanted: Input


def chain(trace: Trace, location: Location, at: Moment | int) -> list[tuple[CallId, Moment]]:
    """Return the calls that carried the value of a location, the newest first, with moments."""
    made = Origins(trace).at(location, int(at))
    found = [
        (each.call, each.moment)
        for each in (*made.through, made)
        if each.call is not None and each.moment is not None
    ]
    return [each for number, each in enumerate(found) if not number or found[number - 1] != each]


class Origins:
    """Finds origins."""

    def __init__(self, trace: Trace, farthest: int | None = None) -> None:
        self._trace = trace
        self._values = Values(trace, farthest)
        self._runs = self._values.runs
        items = Items(self._values)
        self._arguments = Given(self._values, items)
        self._makers = Makers(self._values, self._arguments, items)
        self._turns = Turns(self._values)
        self._nothing_said = [Constant(name) for name in self._values.conventions.nothing]

    def of(self, pointed: Pointed) -> Origin:
        """Return the origin of the value that a path points at."""
        made = self.at(pointed.location, pointed.at, pointed.path)
        return made if isinstance(pointed.value, Absent) else replace(made, value=pointed.value)

    def at(self, location: Location, at: int, path: str = "") -> Origin:
        """Return the origin of the value of a location before the event at a moment."""
        through: list[Origin] = []
        try:
            made = self._location(location, at, through)
        except NotKnown as problem:
            made = _nothing(path, str(problem))
        return replace(made, path=path, through=tuple(through))

    def given(self, at: At, number: int) -> Origin:
        """Return the origin of an input of an operation that was carried out."""
        wanted = at.operation.inputs[number]
        return self._input(_Needed(wanted.role, at, wanted))

    def given_to(
        self, call: Call, stretch: Stretch, number: int, wanted: Input
    ) -> tuple[str, Value]:
        """Return the text and value of an input of an operation that ran; absent: not known."""
        at = At(call, stretch, number, self._runs.operations(call)[number])
        try:
            made_by, output = self._runs.maker(at, wanted)
        except NotKnown:
            return "", ABSENT
        return self._runs.text(made_by), self._values.value(made_by, output)

    def _input(self, needed: _Needed) -> Origin:
        through: list[Origin] = []
        value: Value = ABSENT
        name = needed.role
        try:
            made_by, output = self._runs.maker(needed.by, needed.wanted)
            value, name = self._values.value(made_by, output), self._runs.text(made_by) or name
            made = self._made(made_by, output, through)
        except NotKnown as problem:
            made = _nothing(name, str(problem))
        told = made.value if isinstance(value, Absent) else value
        return replace(made, path=name, value=told, through=tuple(through))

    # --- From a location to the operation --------------------------------------------------------

    def _location(self, location: Location, at: int, through: list[Origin]) -> Origin:
        if isinstance(location, Printed):
            return self._at_place(location.moments[0])
        if isinstance(location, Ending):
            return self._ending(location, through)
        write = self._last_write(location, at)
        if write is None:
            raise NotKnown("No write to it is recorded.")
        if write.how == writes.OTHERS:
            return self._with(self._at_place(write.moment), write.value)
        if write.how == writes.ARGUMENT and isinstance(location, Variable):
            return self._argument(self._trace.call(location.call), location.name, through)
        if write.how == writes.MADE and isinstance(location, Inside):
            return self._part_of_made(location, write, through)
        if write.call is None or write.how == writes.DELETED:
            raise NotKnown("It was written by code that is not recorded.")
        return self._written(self._trace.call(write.call), write.moment, write.value, through)

    def _last_write(self, location: Location, at: int) -> Write | None:
        """Return the last write before the event at a moment."""
        for write in self._trace.writes(location, 0, at, back=True):
            # What an object contains is told with the event that comes next.
            is_late = write.how == writes.OTHERS and self._event(at).kind not in _EFFECTS
            if write.moment < at or write.how == writes.MADE or is_late:
                return write
        return None

    def _event(self, moment: int) -> Event:
        return self._trace.event(min(moment, self._trace.event_count - 1))

    def _written(self, call: Call, moment: int, value: Value, through: list[Origin]) -> Origin:
        """Follow a value that an event of a call tells."""
        store = self._runs.telling(call, moment)
        if store.operation.kind == "next":
            return self._next(store, through)
        through.append(self._told(store, value))
        made_by, output = self._runs.maker(store, store.role("value"))
        self._agree(made_by, output, value)
        return self._with(self._made(made_by, output, through), value)

    def _ending(self, location: Ending, through: list[Origin]) -> Origin:
        call = self._trace.call(location.call)
        if call.last is None:
            raise NotKnown("The call has not ended.")
        if location.how == "raised":
            return self._raised(call, through)
        return self._written(call, call.last, self._trace.result(call), through)

    def _at_place(self, moment: int) -> Origin:
        event = self._trace.event(moment)
        if event.call is None or event.place is None:
            raise NotKnown(f"It was changed by code that is not recorded, by moment {moment:,}.")
        call = self._trace.call(event.call)
        return self._leaf(self._runs.at_place(call, event.place, moment))

    def _part_of_made(self, location: Inside, write: Write, through: list[Origin]) -> Origin:
        if location.kind == "cell":
            owner = self._makers.owner(location, write.moment)
            return self._argument(owner, name_of(location), through)
        source = self._makers.part(location, write.moment)
        if isinstance(source, At):
            made = self._with(self._leaf(source), write.value)
            return replace(made, unknown="It is a part of what was made here.")
        return self._with(self._source(source, through), write.value)

    def _source(self, source: Source, through: list[Origin]) -> Origin:
        match source:
            case Made(made_by, output, _):
                return self._made(made_by, output, through)
            case Kept(location, at):
                return self._location(location, at, through)
            case Written(by, value):
                return replace(self._leaf(by), value=value)

    def _argument(self, call: Call, name: str, through: list[Origin]) -> Origin:
        function = self._trace.function(call.function)
        if function is None or name not in function.parameters:
            raise NotKnown("It was given by code that is not recorded.")
        by = self._arguments.caller(call)
        value = self._trace.arguments(call)[function.parameters.index(name)]
        source = self._arguments.source(call, by, name)
        if isinstance(source, ByOther):
            return replace(self._with(self._leaf(by), value), unknown=source.sentence)
        through.append(self._told(by, value))
        if isinstance(source, Default):
            return self._default(call, source.text, value)
        if isinstance(source, Made):
            self._agree(source.by, source.output, value)
        return self._with(self._source(source, through), value)

    def _default(self, call: Call, text: str, value: Value) -> Origin:
        function = self._trace.function(call.function)
        return Origin(
            text,
            value,
            "function",
            text,
            function.module.path if function else "",
            function.first_line if function else None,
            function.qualified_name if function else "",
            call.id,
            call.first,
            Moment(call.first + 1),
        )

    def _raised(self, call: Call, through: list[Origin]) -> Origin:
        end = call.last if call.last is not None else self._trace.event_count
        return self._thrown(call, end, through)

    def _thrown(self, call: Call, moment: int, through: list[Origin]) -> Origin:
        """Follow an exception that a call caught or let pass at a moment."""
        event = self._trace.event(moment)
        if event.place is None or not event.values:
            raise NotKnown("Where it was raised is not known.")
        at = self._runs.at_place(call, event.place, moment)
        child = self._makers.unwound(at, moment, event.values[0])
        if child is None:
            return self._with(self._leaf(at), event.values[0])
        through.append(self._told(at, event.values[0]))
        return self._raised(child, through)

    # --- From an operation to the one that made its value ----------------------------------------

    def _made(  # noqa: C901 - a case for each kind
        self, at: At, output: int, through: list[Origin]
    ) -> Origin:
        if len(through) > _MOST_COPIES:
            raise NotKnown(f"It was passed on more than {_MOST_COPIES} times.")
        kind = at.operation.kind
        result = self._values.result_of(at)
        if result is not None:
            through.append(self._told(at, self._trace.result(result)))
            return self._location(Ending(result.id, "return"), 0, through)
        match kind:
            case "read":
                return self._read(at, through)
            case "attribute" if output == 1:
                return self._made(*self._runs.maker(at, at.role("object")), through)
            case "attribute" | "item" if self._runs.entered(at) is None:
                return self._part_read(at, through)
            case "iterate":
                through.append(self._told(at, self._values.value(at)))
                return self._made(*self._runs.maker(at, at.role("what")), through)
            case "next":
                return self._next(at, through)
            case "unpack":
                return self._unpacked(at, output, through)
            case "caught" if at.stretch.until is not None:
                return self._thrown(at.call, at.stretch.until, through)
            case "yield" | "wait":
                return self._resumed(at)
        return self._leaf(at)

    def _kept(self, at: At, location: Location, through: list[Origin]) -> Origin:
        through.append(self._told(at, self._values.value(at)))
        return self._location(location, self._values.when(at, location), through)

    def _part_read(self, at: At, through: list[Origin]) -> Origin:
        try:
            inside = self._values.inside(at)
        except NotKnown as problem:
            return replace(self._leaf(at), unknown=str(problem))
        return self._kept(at, inside, through)

    def _unpacked(self, at: At, output: int, through: list[Origin]) -> Origin:
        try:
            source = self._one_of(at, output)
        except NotKnown as problem:
            return replace(self._leaf(at), unknown=str(problem))
        through.append(self._told(at, self._values.value(at, output)))
        return self._source(source, through)

    def _one_of(self, at: At, output: int) -> Source:
        """Return the source of an output of an unpacking."""
        whole, _ = self._runs.maker(at, at.role("whole"))
        if whole.operation.kind == "next":
            found = self._turns.unpacked(at, whole, output)
            if found is not None:
                return found
        return self._makers.unpacked(at, output)

    def _read(self, at: At, through: list[Origin]) -> Origin:
        if is_inner(at):
            return self._made(*self._values.inner(at), through)
        variable = self._values.variable(at)
        if self._last_write(variable, self._values.when(at, variable)) is None:
            return replace(self._leaf(at), unknown="No write to it is recorded.")
        return self._kept(at, variable, through)

    def _next(self, at: At, through: list[Origin]) -> Origin:
        until = at.stretch.until
        if until is None or self._trace.event(until).kind != EventKind.TURN:
            raise NotKnown("Which item it was is not known.")
        item = self._trace.event(until).values[0]
        try:
            gave, source = self._turns.yielded(at, until), self._turns.source(at, until)
        except NotKnown:
            gave = source = None
        if gave is not None:
            return self._with(self._written(*gave, item, through), item)
        if source is None:
            made = self._with(self._leaf(at), item)
            return replace(made, unknown="It is one of the items; which one is not known.")
        through.append(self._told(at, item))
        return self._with(self._source(source, through), item)

    def _resumed(self, at: At) -> Origin:
        """Return the origin of what a suspended call was given when it went on."""
        made = self._with(self._leaf(at), self._values.value(at))
        return replace(made, unknown="It was given by what resumed the call.")

    def _agree(self, at: At, output: int, told: Value) -> None:
        """Check that two ways to a value give the same."""
        found = self._values.value(at, output)
        is_open = isinstance(told, Absent) or isinstance(found, Absent)
        if not is_open and found != told:
            raise NotKnown("The recorded values contradict each other here.")

    # --- Words -----------------------------------------------------------------------------------

    def _leaf(self, at: At) -> Origin:
        # What is called is code: the value depends on what the code was given.
        inputs = (each for each in at.operation.inputs if each.role != "callee")
        needed = [_Needed(each.role, at, each) for each in inputs]
        made = self._told(at, self._values.value(at))
        handed = self._turns.handed(at) if at.operation.kind == "call" else []
        sentence = _COUNTS if handed else None
        if at.operation.kind == "call" and not handed and self._turns.may_have_resumed(at):
            sentence = _MAY_COUNT

        def found() -> tuple[Origin, ...]:
            more = [self._handed(*each) for each in handed[:_MOST_HANDED]]
            return (*(self._input(each) for each in needed), *more)

        return replace(made, unknown=sentence, find_inputs=found)

    def _handed(self, call: Call, moment: int) -> Origin:
        """Return the origin of what recorded code handed to a call of other code."""
        through: list[Origin] = []
        function, value = self._trace.function(call.function), self._trace.event(moment).values[0]
        try:
            made = self._written(call, moment, value, through)
        except NotKnown as problem:
            made = _nothing("", str(problem))
        name = function.qualified_name if function else "a call"
        return replace(made, path=f"from {name}", value=value, through=tuple(through))

    def _told(self, at: At, value: Value) -> Origin:
        function, span = self._trace.function(at.call.function), at.operation.span
        text, line = self._runs.text(at), span.line if span else None
        if not self._runs.is_placed(at):
            is_end = at.operation.kind == "return" or value in self._nothing_said
            text, line = ("end of the function", line) if is_end else (shown(value), None)
        return Origin(
            text,
            value,
            at.operation.kind,
            text,
            function.module.path if function else "",
            line,
            function.qualified_name if function else "",
            at.call.id,
            Moment(at.stretch.moment),
            Moment((at.stretch.moment if at.stretch.until is None else at.stretch.until) + 1),
        )

    @staticmethod
    def _with(made: Origin, value: Value) -> Origin:
        return replace(made, value=value) if isinstance(made.value, Absent) else made


def _nothing(path: str, sentence: str) -> Origin:
    return Origin(path, ABSENT, "", "", "", None, "", None, None, None, unknown=sentence)
