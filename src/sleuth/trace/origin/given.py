"""Arguments: which input of a call became a parameter of the function that was called."""

from typing import NamedTuple

from sleuth.trace.events import Call, Function
from sleuth.trace.flow.operations import Input
from sleuth.trace.flow.wording import COLLECTS_NAMES, COLLECTS_POSITIONS, KEYWORD, PLAIN
from sleuth.trace.history.locations import Inside
from sleuth.trace.origin.classes import class_of
from sleuth.trace.origin.executions import At, NotKnown
from sleuth.trace.origin.items import Items, Kept, Made, Source, items_of
from sleuth.trace.origin.values import Values
from sleuth.trace.values import Absent, Atom, Ref

_OTHERS = "It was given by code that is not recorded."
_PLACE = "It was given by what was called at this place."
_SEQUENCE = "The call was given a sequence or a mapping of arguments that is not known."


class Default(NamedTuple):
    """A source: the default of a parameter."""

    text: str


class ByOther(NamedTuple):
    """A source: something that was called, which gave it to the function."""

    sentence: str


class _Call(NamedTuple):
    """A call, the operation that made it, and its function."""

    child: Call
    by: At
    function: Function
    kinds: tuple[str, ...]
    shift: int
    """1: the first parameter was not among the arguments."""

    def number(self, name: str) -> int:
        return self.function.parameters.index(name)


class Given:
    """Finds the sources of arguments."""

    def __init__(self, values: Values, items: Items) -> None:
        self._values = values
        self._items = items
        self._runs = values.runs
        self._trace = values.trace

    def caller(self, call: Call) -> At:
        """Return the operation that called, or led to a call."""
        if call.parent is None or call.ran_elsewhere or call.parent_is_resumer:
            raise NotKnown(_OTHERS)
        return self._runs.running(self._trace.call(call.parent), call)

    def source(self, call: Call, by: At, name: str) -> Source | Default | ByOther:
        """Return the source of a parameter, given the operation that called."""
        called = self._called(call, by)
        if called is None:
            return ByOther(_PLACE)
        number = called.number(name)
        if number >= len(called.kinds) or called.kinds[number] not in (PLAIN, KEYWORD):
            raise NotKnown("It collects arguments.")
        return self._plain(called, number, name)

    def collected(self, call: Call, by: At, name: str, part: Inside) -> Source | ByOther:
        """Return the source of an item of a parameter that collects arguments."""
        called = self._called(call, by)
        if called is None:
            return ByOther(_PLACE)
        kind = called.kinds[called.number(name)]
        match part.key:
            case Atom(int() as index) if kind == COLLECTS_POSITIONS and part.kind == "sequence":
                before = called.kinds.count(PLAIN)
                return self._position(called, before + index - called.shift)
            case Atom(str() as key) if kind == COLLECTS_NAMES and part.kind == "mapping":
                found = self._named(called, key)
                if found is not None:
                    return found
        raise NotKnown("It is among the arguments; which one is not known.")

    def collects(self, call: Call, name: str) -> bool:
        """Tell whether a parameter collects arguments."""
        function, flow = self._trace.function(call.function), self._trace.flow(call.function)
        if function is None or flow is None or name not in function.parameters:
            return False
        number = function.parameters.index(name)
        kinds = (COLLECTS_POSITIONS, COLLECTS_NAMES)
        return number < len(flow.parameters) and flow.parameters[number] in kinds

    # --- Inside ----------------------------------------------------------------------------------

    def _called(self, call: Call, by: At) -> _Call | None:
        """Return what is known of a call; None: the operation called something else."""
        function, flow = self._trace.function(call.function), self._trace.flow(call.function)
        if function is None or flow is None:
            raise NotKnown(_OTHERS)
        is_new = function.name in self._values.conventions.constructors
        is_made = is_new and not call.is_what_was_called and self._is_class(call, by)
        if by.operation.kind != "call" or not (call.is_what_was_called or is_made):
            return None
        found = _Call(call, by, function, flow.parameters, 1)
        return found if is_made else found._replace(shift=self._shift(found))

    def _is_class(self, call: Call, by: At) -> bool:
        """Tell whether the class of the object was called, for a constructor."""
        if by.operation.kind != "call" or self._runs.entered(by) != call:
            return False
        maker, output = self._runs.maker(by, by.role("callee"))
        callee = self._values.value(maker, output)
        made = self._trace.arguments(call)[:1]
        if not isinstance(callee, Ref) or not made or not isinstance(made[0], Ref):
            return False
        # What was called may be another class, which makes such objects, too.
        is_code = callee.type_name in self._values.conventions.code
        is_named = made[0].type_name.rpartition(".")[2] == maker.operation.name
        return is_code and (is_named or class_of(self._trace, made[0], call.first) == callee)

    def _shift(self, called: _Call) -> int:
        """Return 1 if the first parameter is the object that a method was called of, else 0."""
        by = called.by
        receiver = by.roles("receiver")
        given = self._trace.arguments(called.child)
        if receiver and given:
            value = self._values.value(*self._runs.maker(by, receiver[0]))
            if isinstance(value, Ref) and value == given[0]:
                return 1
        callee = self._values.value(*self._runs.maker(by, by.role("callee")))
        if isinstance(callee, Ref) and not receiver:
            known = self._values.conventions.shifts.get(callee.type_name)
            if known is not None:
                return known
        possible = [shift for shift in (0, 1) if self._fits(called._replace(shift=shift))]
        if len(possible) != 1:
            raise NotKnown("How the arguments were given is not known.")
        return possible[0]

    def _fits(self, called: _Call) -> bool:
        """Tell whether the arguments can have been given this way."""
        by, given = called.by, self._trace.arguments(called.child)
        wording = self._trace.wording(called.function.id)
        places, names = by.roles("position"), _names(by)
        is_open = any(each.role in ("*", "**") for each in by.operation.inputs)
        filled = called.shift + len(places)
        plain = called.kinds.count(PLAIN)
        if called.shift and not plain and COLLECTS_POSITIONS not in called.kinds:
            return False
        if filled > plain and COLLECTS_POSITIONS not in called.kinds:
            return False
        for number, kind in enumerate(called.kinds):
            if kind not in (PLAIN, KEYWORD) or is_open:
                continue
            is_filled = kind == PLAIN and number < filled
            is_named = called.function.parameters[number] in names
            if is_filled == is_named and (is_filled or not (wording and wording.default(number))):
                return False
        for number, each in enumerate(places[: max(plain - called.shift, 0)]):
            value = self._values.value(*self._runs.maker(by, each))
            told = given[number + called.shift]
            if not isinstance(value, Absent) and not isinstance(told, Absent) and value != told:
                return False
        return True

    def _plain(self, called: _Call, number: int, name: str) -> Source | Default | ByOther:
        found = self._named(called, name)
        if found is not None:
            return found
        if number < called.shift:
            return self._receiver(called)
        if called.kinds[number] == PLAIN:
            place = number - called.shift
            if place < self._positions(called):
                return self._position(called, place)
        wording = self._trace.wording(called.function.id)
        text = wording.default(number) if wording else ""
        if not text:
            raise NotKnown("It is the default of the parameter.")
        return Default(text)

    def _receiver(self, called: _Call) -> Source | ByOther:
        receiver = called.by.roles("receiver")
        given = self._trace.arguments(called.child)[0]
        if receiver and called.child.is_what_was_called:
            made = Made(*self._runs.maker(called.by, receiver[0]))
            value = self._values.value(made.by, made.output)
            if isinstance(value, Absent) or value == given:
                return made
        if not called.child.is_what_was_called:
            return ByOther("The object was made here, by the call of its class.")
        raise NotKnown("Of which object the method was called is not known.")

    def _named(self, called: _Call, name: str) -> Source | None:
        """Return the source of an argument that was given by name; None: there is none."""
        names = _names(called.by)
        given = called.by.roles("name")
        if name in names and len(names) == len(given):
            return Made(*self._runs.maker(called.by, given[names.index(name)]), called.by)
        for each in called.by.roles("**"):
            made = Made(*self._runs.maker(called.by, each))
            value = self._values.value(made.by, made.output)
            if isinstance(value, Ref):
                at = self._values.until(called.by)
                inside = Inside(value, "mapping", Atom(name))
                shape = self._trace.shape(value, at)
                part = shape.part("mapping") if shape and shape.is_sure else None
                if part is None or not part.is_complete:
                    raise NotKnown(_SEQUENCE)
                if Atom(name) in part.keys:
                    return Kept(inside, at)
            else:
                found = self._items.find(made.by, called.by, Atom(name))
                if found is not None:
                    return found
        return None

    def _positions(self, called: _Call) -> int:
        """Return how many arguments were given by position."""
        places = len(called.by.roles("position"))
        for each in called.by.roles("*"):
            count = self._count(called, each)
            if count is None:
                raise NotKnown(_SEQUENCE)
            places += count
        return places

    def _count(self, called: _Call, each: Input) -> int | None:
        made_by, output = self._runs.maker(called.by, each)
        items = items_of(made_by.operation.value)
        if made_by.operation.kind == "constant" and items is not None:
            return len(items)
        value = self._values.value(made_by, output)
        if isinstance(value, Ref):
            shape = self._trace.shape(value, self._values.until(called.by))
            part = shape.part("sequence") if shape and shape.is_sure else None
            is_plain = value.type_name in self._values.conventions.containers
            return part.full_length if part and is_plain else None
        return self._items.length(made_by, called.by)

    def _position(self, called: _Call, number: int) -> Source:
        """Return the source of an argument that was given by position."""
        places = called.by.roles("position")
        if number < len(places):
            return Made(*self._runs.maker(called.by, places[number]), called.by)
        number -= len(places)
        for each in called.by.roles("*"):
            made_by, output = self._runs.maker(called.by, each)
            value = self._values.value(made_by, output)
            if isinstance(value, Ref):
                inside = Inside(value, "sequence", Atom(number))
                return Kept(inside, self._values.until(called.by))
            return self._items.at_index(made_by, called.by, number, None)
        raise NotKnown("Which argument it was is not known.")


def _names(by: At) -> list[str]:
    return [each for each in by.operation.name.split(",") if each]
