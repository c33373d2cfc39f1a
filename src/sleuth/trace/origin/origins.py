"""Origins: from a value back to the operation that made it, through copies.

`chain(trace, location, at)` returns the calls whose result or effect carried a value, the newest
first, with moments.  What does not follow from the trace is said in `Origin.unknown`.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from sleuth.trace.events import Call, CallId, EventKind, Moment
from sleuth.trace.flow.operations import Input, Operation
from sleuth.trace.flow.segments import Stretch, stretches
from sleuth.trace.history import writes
from sleuth.trace.history.locations import Ending, Global, Inside, Location, Pointed, Variable
from sleuth.trace.history.output import Printed
from sleuth.trace.origin.origin import Origin
from sleuth.trace.reader import Trace
from sleuth.trace.values import ABSENT, Absent, Atom, Constant, Ref, Value

_WINDOW, _WIDER = 64, 16
_MOST_COPIES = 200
_STORES = ("store", "store attribute", "store item", "return", "yield", "raise")
_EFFECTS = (EventKind.SPLICED, EventKind.PUT, EventKind.CHANGED)
_MOST_MEANWHILE = 20_000
"""Events of other calls between two of a call."""
_SEQUENCE = ("list", "tuple")


class At(NamedTuple):
    """One execution of an operation."""

    call: Call
    stretch: Stretch
    number: int
    operation: Operation


class _Needed(NamedTuple):
    """An input of an operation that was carried out."""

    role: str
    by: At
    wanted: Input


class NotKnown(Exception):
    """An origin does not follow from the trace; the message says why."""


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

    def __init__(self, trace: Trace) -> None:
        self._trace = trace

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

    def _input(self, needed: _Needed) -> Origin:
        through: list[Origin] = []
        value: Value = ABSENT
        name = needed.role
        try:
            made_by, output = self._maker(needed.by, needed.wanted)
            value, name = self._value(made_by, output), self._text(made_by) or name
            made = self._made(made_by, output, through)
        except NotKnown as problem:
            made = _nothing(name, str(problem))
        told = made.value if isinstance(value, Absent) else value
        return replace(made, path=name, value=told, through=tuple(through))

    def given_to(
        self, call: Call, stretch: Stretch, number: int, wanted: Input
    ) -> tuple[str, Value]:
        """Return the text and value of an input of an operation that ran; absent: not known."""
        at = At(call, stretch, number, self._operations(call)[number])
        try:
            made_by, output = self._maker(at, wanted)
        except NotKnown:
            return "", ABSENT
        return self._text(made_by), self._value(made_by, output)

    # --- From a location to the operation --------------------------------------------------------

    def _location(self, location: Location, at: int, through: list[Origin]) -> Origin:
        if isinstance(location, Printed):
            return self._at_place(location.moments[0])
        last = self._trace.event_count if isinstance(location, Ending) else at - 1
        write = next(self._trace.writes(location, 0, last, back=True), None)
        if write is None:
            raise NotKnown("No write to it is recorded.")
        if write.how == writes.OTHERS:
            return self._at_place(write.moment)
        if write.how == writes.ARGUMENT and isinstance(location, Variable):
            return self._argument(self._trace.call(location.call), location.name, through)
        if write.how == writes.MADE and isinstance(location, Inside):
            return self._part_of_made(location, write.moment, through)
        if write.call is None or write.how == writes.DELETED:
            raise NotKnown("It was written by code that is not recorded.")
        call = self._trace.call(write.call)
        if isinstance(location, Ending) and location.how == "raised":
            return self._raised(call, through)
        store = self._store_at(call, write.moment)
        through.append(self._told(store, write.value))
        made_by, output = self._maker(store, _role(store, "value"))
        self._agree(made_by, output, write.value)
        return self._with(self._made(made_by, output, through), write.value)

    def _store_at(self, call: Call, moment: int) -> At:
        event = self._trace.event(moment)
        site = self._trace.site(event.number) if event.site is not None else None
        name = site.name if site else ""
        for stretch in self._back(call, moment + 1):
            operations = self._operations(call)
            if stretch.moment == moment:
                order = stretch.ran.operations[:2]
            elif stretch.until == moment:
                order = stretch.ran.operations[-1:]
            else:
                break
            for number in order:
                does = operations[number]
                if does.kind in _STORES and (not does.name or not name or does.name == name):
                    return At(call, stretch, number, does)
        raise NotKnown("The operation that wrote it is not known.")

    def _at_place(self, moment: int) -> Origin:
        event = self._trace.event(moment)
        if event.call is None or event.place is None:
            raise NotKnown(f"It was changed by code that is not recorded, by moment {moment:,}.")
        call = self._trace.call(event.call)
        flow = self._trace.flow(call.function)
        numbers = {
            number
            for step in (flow.steps_at(event.place) if flow else ())
            for number in (flow.steps[step].operations if flow else ())
        }
        return self._leaf(self._last_of(call, moment, numbers))

    def _part_of_made(self, location: Inside, moment: int, through: list[Origin]) -> Origin:
        event = self._trace.event(moment)
        if event.call is None or not event.values or event.values[-1] != location.holder:
            raise NotKnown(f"The object that holds it was first seen at moment {moment:,}.")
        call = self._trace.call(event.call)
        store = self._store_at(call, moment)
        whole, _ = self._maker(store, _role(store, "value"))
        does = whole.operation
        wanted = self._item_of(whole, location.key) if does.kind == "make" else None
        if wanted is None:
            return replace(self._leaf(whole), unknown="It is a part of what was made here.")
        made_by, output = self._maker(whole, wanted)
        return self._made(made_by, output, through)

    def _item_of(self, whole: At, key: Value) -> Input | None:
        """Return the input that became an item of a container; None: not known."""
        inputs = whole.operation.inputs
        items = [each for each in inputs if each.role == "item"]
        keys = [each for each in inputs if each.role == "key"]
        if not items or len(keys) + len(items) != len(inputs):
            return None
        if not keys and whole.operation.name in _SEQUENCE:
            match key:
                case Atom(int() as index) if 0 <= index < len(items):
                    return items[index]
        if len(keys) != len(items):
            return None
        told = [self._value(*self._maker(whole, each)) for each in keys]
        # The last of equal keys counts; a key that is not known may be equal.
        for item, known in zip(reversed(items), reversed(told), strict=True):
            if not isinstance(known, Atom):
                return None
            if known == key:
                return item
        return None

    def _argument(self, call: Call, name: str, through: list[Origin]) -> Origin:
        function = self._trace.function(call.function)
        flow = self._trace.flow(call.function)
        if function is None or flow is None or call.parent is None or call.ran_elsewhere:
            raise NotKnown("It was given by code that is not recorded.")
        caller = self._trace.call(call.parent)
        by = self._running(caller, call.first)
        number = function.parameters.index(name)
        value = self._trace.arguments(call)[number]
        self_given = function.name == "__init__" and not call.is_what_was_called
        if by.operation.kind != "call" or not (call.is_what_was_called or self_given):
            made = self._leaf(by)
            return replace(made, unknown="It was given by what was called at this place.")
        if number >= len(flow.parameters) or flow.parameters[number] not in ("plain", "keyword"):
            raise NotKnown("It collects arguments.")
        wanted = self._given(by, name, number, flow.parameters, is_made=self_given)
        through.append(self._told(by, value))
        made_by, output = self._maker(by, wanted)
        self._agree(made_by, output, value)
        return self._with(self._made(made_by, output, through), value)

    def _given(
        self, by: At, name: str, number: int, kinds: tuple[str, ...], *, is_made: bool
    ) -> Input:
        """Return the input of a call that became a parameter."""
        inputs = by.operation.inputs
        if any(each.role in ("*", "**") for each in inputs):
            raise NotKnown("The call was given a sequence or a mapping of arguments.")
        names = [each for each in inputs if each.role == "name"]
        told = [each for each in by.operation.name.split(",") if each]
        if name in told and len(told) == len(names):
            return names[told.index(name)]
        places = [each for each in inputs if each.role == "position"]
        receiver = [each for each in inputs if each.role == "receiver"]
        if is_made:
            if number == 0:
                raise NotKnown("The object was made by the call of its class.")
            number -= 1
        elif receiver:
            made_by, output = self._maker(by, receiver[0])
            first = self._value(made_by, output)
            is_method = first == self._trace.event(by.stretch.until or 0).values[0]
            places = [*receiver, *places] if is_method else places
        if kinds[number] == "plain" and number < len(places):
            return places[number]
        raise NotKnown("It is the default of the parameter.")

    def _raised(self, call: Call, through: list[Origin]) -> Origin:
        end = call.last if call.last is not None else self._trace.event_count
        event = self._trace.event(end)
        for child in self._trace.children(call.id):
            if child.last == end - 1 and self._trace.result(child) == event.values[0]:
                return self._raised(child, through)
        flow = self._trace.flow(call.function)
        numbers = {
            number
            for step in (flow.steps_at(event.place or 0) if flow else ())
            for number in (flow.steps[step].operations if flow else ())
        }
        return self._with(self._leaf(self._last_of(call, end, numbers)), event.values[0])

    # --- From an operation to the one that made its value ----------------------------------------

    def _made(self, at: At, output: int, through: list[Origin]) -> Origin:
        if len(through) > _MOST_COPIES:
            raise NotKnown(f"It was passed on more than {_MOST_COPIES} times.")
        kind = at.operation.kind
        if kind == "read":
            return self._read(at, through)
        child = self._entered(at) if kind in ("call", "attribute", "item") else None
        if child is not None:
            return self._called(at, child, through)
        if kind == "attribute" and output == 1:
            made_by, output = self._maker(at, _role(at, "object"))
            return self._made(made_by, output, through)
        if kind in ("attribute", "item"):
            inside = self._inside(at)
            through.append(self._told(at, self._value(at, 0)))
            return self._location(inside, self._when(at, inside), through)
        if kind == "next":
            return self._next(at, through)
        return self._unpacked(at, output, through) if kind == "unpack" else self._leaf(at)

    def _called(self, at: At, child: Call, through: list[Origin]) -> Origin:
        if not child.is_what_was_called and at.operation.kind == "call":
            made = self._leaf(at)
            return replace(made, unknown="It called recorded code, whose results count, too.")
        if child.is_resumable:
            return self._leaf(at)
        through.append(self._told(at, self._trace.result(child)))
        return self._location(Ending(child.id, "return"), 0, through)

    def _unpacked(self, at: At, output: int, through: list[Origin]) -> Origin:
        whole, _ = self._maker(at, _role(at, "whole"))
        items = [each for each in whole.operation.inputs if each.role == "item"]
        is_plain = whole.operation.kind == "make" and len(items) == len(whole.operation.inputs)
        if is_plain and output < len(items) and "*" not in at.operation.name:
            made_by, output = self._maker(whole, items[output])
            return self._made(made_by, output, through)
        return self._leaf(at)

    def _read(self, at: At, through: list[Origin]) -> Origin:
        if at.operation.scope == "inner":
            operations = self._operations(at.call)
            numbers = {
                number
                for number, each in enumerate(operations)
                if each.kind == "store" and (each.name, each.scope) == (at.operation.name, "inner")
            }
            store = self._before(at, numbers)
            made_by, output = self._maker(store, _role(store, "value"))
            return self._made(made_by, output, through)
        through.append(self._told(at, self._value(at, 0)))
        variable = self._variable(at)
        return self._location(variable, self._when(at, variable), through)

    def _variable(self, at: At) -> Location:
        return self._location_of(at.call, at.operation)

    def _location_of(self, call: Call, does: Operation) -> Location:
        name, scope = does.name, does.scope
        function = self._trace.function(call.function)
        if scope == "cell":
            cell = self._trace.cells(call).get(name)
            if isinstance(cell, Ref):
                return Inside(cell, "cell", ABSENT)
        if scope == "local":
            return Variable(call.id, name)
        if scope == "global" and function is not None:
            return Global(function.module, name)
        raise NotKnown(f"Where {name} was set is not known.")

    def _next(self, at: At, through: list[Origin]) -> Origin:
        until = at.stretch.until
        if until and self._trace.event(until).kind == EventKind.TURN:
            gave, turn = self._trace.event(until - 1), self._trace.event(until)
            if (
                gave.kind == EventKind.SUSPEND
                and gave.values == turn.values
                and gave.call is not None
            ):
                store = self._store_at(self._trace.call(gave.call), gave.moment)
                through.append(self._told(store, gave.values[0]))
                made_by, output = self._maker(store, _role(store, "value"))
                return self._with(self._made(made_by, output, through), gave.values[0])
        made = self._leaf(at)
        return replace(made, unknown="It is one of the items; which one is not known.")

    # --- Values ----------------------------------------------------------------------------------

    def _value(self, at: At, output: int) -> Value:
        """Return the value of an operation; absent: not known."""
        does = at.operation
        try:
            if does.kind == "constant":
                return constant_value(does.value)
            if does.kind == "read" and does.scope != "inner":
                variable = self._variable(at)
                return self._held(variable, self._when(at, variable))
            if does.kind == "attribute" and output == 1:
                made_by, output = self._maker(at, _role(at, "object"))
                return self._value(made_by, output)
            if does.kind in ("attribute", "item") and self._entered(at) is None:
                inside = self._inside(at)
                return self._held(inside, self._when(at, inside))
            child = self._entered(at)
            if does.kind == "call" and child is not None and child.is_what_was_called:
                return ABSENT if child.is_resumable else self._trace.result(child)
        except NotKnown:
            pass
        return ABSENT

    def _held(self, location: Location, at: int) -> Value:
        match location:
            case Variable(call, name):
                found = self._trace.variables(self._trace.call(call), at)
                return found.get(name, ABSENT)
            case Global(module, name):
                return self._trace.globals(module, at).get(name, ABSENT)
            case Inside(holder, kind, key):
                shape = self._trace.shape(holder, at)
                part = shape.part(kind) if shape and shape.is_sure else None
                if part is None:
                    return ABSENT
                if kind == "cell":
                    return part.items[0] if part.items else ABSENT
                if kind == "sequence":
                    match key:
                        case Atom(int() as index) if 0 <= index < len(part.items):
                            return part.items[index]
                    return ABSENT
                return dict(part.pairs).get(key, ABSENT)
        return ABSENT

    def _inside(self, at: At) -> Inside:
        """Return the part of an object that an operation reads."""
        made_by, output = self._maker(at, _role(at, "object"))
        holder = self._value(made_by, output)
        if not isinstance(holder, Ref):
            raise NotKnown(f"Which object {self._text(at)} was read from is not known.")
        if at.operation.kind == "attribute":
            found = Inside(holder, "attributes", Atom(at.operation.name))
        else:
            key_by, output = self._maker(at, _role(at, "key"))
            key = self._value(key_by, output)
            shape = self._trace.shape(holder, self._until(at))
            kind = "sequence" if shape and shape.part("sequence") else "mapping"
            part = shape.part(kind) if shape else None
            match key:
                case Atom(int() as index) if kind == "sequence" and part and index < 0:
                    key = Atom(index + part.full_length)
            if isinstance(key, Absent):
                raise NotKnown(f"Which item {self._text(at)} read is not known.")
            found = Inside(holder, kind, key)
        if isinstance(self._held(found, self._until(at)), Absent):
            raise NotKnown(f"Where {self._text(at)} came from is not known.")
        return found

    def _agree(self, at: At, output: int, told: Value) -> None:
        """Check that two ways to a value give the same."""
        found = self._value(at, output)
        is_open = isinstance(told, Absent) or isinstance(found, Absent)
        if not is_open and type(found) is type(told) is Atom and found != told:
            raise NotKnown("The recorded values contradict each other here.")

    # --- Routes ----------------------------------------------------------------------------------

    def _operations(self, call: Call) -> tuple[Operation, ...]:
        flow = self._trace.flow(call.function)
        return flow.operations if flow else ()

    def _back(self, call: Call, before: int) -> Iterator[Stretch]:
        """Yield what a call ran before a moment, the newest first."""
        size, end = _WINDOW, before - 1
        while end >= call.first:
            first = max(end - size, call.first)
            found = stretches(self._trace, call, first, end)
            if found is None:
                raise NotKnown("Which way the call went is not known.")
            yield from reversed(found)
            end = found[0].moment - 1 if found else first - 1
            size *= _WIDER

    def _last_of(self, call: Call, before: int, numbers: set[int]) -> At:
        """Return the last execution of one of some operations before a moment."""
        for stretch in self._back(call, before):
            if stretch.moment >= before:
                continue
            for number in reversed(stretch.ran.operations):
                if number in numbers:
                    return At(call, stretch, number, self._operations(call)[number])
            if not stretch.ran.is_certain:
                break
        raise NotKnown("Which way the call went is not known.")

    def _before(self, at: At, numbers: set[int]) -> At:
        ran = at.stretch.ran.operations
        for number in reversed(ran[: ran.index(at.number)]):
            if number in numbers:
                return At(at.call, at.stretch, number, self._operations(at.call)[number])
        return self._last_of(at.call, at.stretch.moment, numbers)

    def _maker(self, at: At, wanted: Input) -> tuple[At, int]:
        """Return the execution that made an input, and which of its outputs it is."""
        outputs = {made.operation: made.output for made in wanted.made}
        found = self._before(at, set(outputs))
        return found, outputs[found.number]

    def _running(self, caller: Call, entered: int) -> At:
        """Return the operation of a call during which another one began."""
        for stretch in self._back(caller, entered):
            if stretch.ran.operations:
                number = stretch.ran.operations[-1]
                return At(caller, stretch, number, self._operations(caller)[number])
        raise NotKnown("Where it was called is not known.")

    def _entered(self, at: At) -> Call | None:
        """Return the call that began during an operation; None: there is none."""
        until = at.stretch.until
        if until is None or at.stretch.ran.operations[-1:] != (at.number,):
            return None
        event = self._trace.event(until)
        if event.kind != EventKind.ENTER or event.call is None:
            return None
        child = self._trace.call(event.call)
        return child if child.parent == at.call.id else None

    def _until(self, at: At) -> int:
        """Return the moment whose state an operation saw: later calls may have changed objects."""
        first, ran = at.stretch.moment, at.stretch.ran.operations
        until = self._trace.event_count if at.stretch.until is None else at.stretch.until
        if until - first > _MOST_MEANWHILE:
            raise NotKnown("Too much happened meanwhile in other calls.")
        flow = self._trace.flow(at.call.function)
        for event in self._trace.events(first + 1, until - 1, call=at.call.id):
            if event.kind not in _EFFECTS or event.place is None or flow is None:
                continue
            steps = flow.steps_at(event.place)
            numbers = {number for step in steps for number in flow.steps[step].operations}
            if not numbers & set(ran):
                raise NotKnown("It was changed meanwhile, before or after it was read.")
            if numbers & set(ran[ran.index(at.number) + 1 :]):
                return event.moment
        return until

    def _when(self, at: At, location: Location) -> int:
        """Return the moment of a read; other calls and threads must not have written meanwhile."""
        until = self._until(at)
        for write in self._trace.writes(location, at.stretch.moment + 1, until - 1, back=True):
            if write.how != writes.MADE and write.call != at.call.id:
                raise NotKnown("Another call wrote it meanwhile, before or after it was read.")
        return until

    # --- Words -----------------------------------------------------------------------------------

    def _leaf(self, at: At) -> Origin:
        needed = [_Needed(each.role, at, each) for each in at.operation.inputs]
        made = self._told(at, self._value(at, 0))
        return replace(made, find_inputs=lambda: tuple(self._input(each) for each in needed))

    def _told(self, at: At, value: Value) -> Origin:
        function, span = self._trace.function(at.call.function), at.operation.span
        text = self._text(at)
        return Origin(
            text,
            value,
            at.operation.kind,
            text,
            function.module.path if function else "",
            span.line if span else None,
            function.qualified_name if function else "",
            at.call.id,
            Moment(at.stretch.moment),
            Moment((at.stretch.moment if at.stretch.until is None else at.stretch.until) + 1),
        )

    def _text(self, at: At) -> str:
        function, span = self._trace.function(at.call.function), at.operation.span
        if function is None or span is None:
            return at.operation.name
        lines = self._trace.source(function.module).split("\n")
        if span.line > len(lines):
            return at.operation.name
        line = lines[span.line - 1].encode()
        end = span.end_column if span.end_line == span.line else None
        return line[span.column : end].decode(errors="replace").strip()

    @staticmethod
    def _with(made: Origin, value: Value) -> Origin:
        return replace(made, value=value) if isinstance(made.value, Absent) else made


def _nothing(path: str, sentence: str) -> Origin:
    return Origin(path, ABSENT, "", "", "", None, "", None, None, None, unknown=sentence)


def _role(at: At, role: str) -> Input:
    for each in at.operation.inputs:
        if each.role == role:
            return each
    raise NotKnown("What it was given is not known.")


def constant_value(told: object) -> Value:
    """Return the value of a constant of the table; absent: it is not a plain one."""
    if told is None or isinstance(told, bool):
        return Constant(repr(told))
    return Atom(told) if isinstance(told, int | float | str) else ABSENT
