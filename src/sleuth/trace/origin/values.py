"""Values of operations, as they follow from the route of a call, its stores and the heap."""

from sleuth.trace import conventions
from sleuth.trace.events import Call, EventKind, Outcome
from sleuth.trace.flow.operations import Operation
from sleuth.trace.heap.parts import atom_key
from sleuth.trace.history import writes
from sleuth.trace.history.locations import Global, Inside, Location, Variable
from sleuth.trace.origin.classes import class_holder
from sleuth.trace.origin.executions import At, Executions, NotKnown
from sleuth.trace.reader import Trace
from sleuth.trace.values import ABSENT, Absent, Atom, Constant, Ref, Value

_EFFECTS = (EventKind.SPLICED, EventKind.PUT, EventKind.CHANGED)
_MOST_MEANWHILE = 20_000
"""Events of other calls between two of a call."""


class Values:
    """Finds the values of operations."""

    def __init__(self, trace: Trace, farthest: int | None = None) -> None:
        self.trace = trace
        self.runs = Executions(trace, farthest)
        self.conventions = conventions.of(trace.meta.get("language"))

    def value(self, at: At, output: int = 0) -> Value:
        """Return an output of an operation; absent: not known."""
        try:
            return self._value(at, output)
        except NotKnown:
            return ABSENT

    def _value(self, at: At, output: int) -> Value:
        match at.operation.kind:
            case "constant":
                return constant(at.operation.value)
            case "read" if is_inner(at):
                return self.value(*self.inner(at))
            case "read":
                variable = self.variable(at)
                return self.held(variable, self.when(at, variable))
            case "attribute" if output == 1:
                return self.value(*self.runs.maker(at, at.role("object")))
            case "next":
                return self._told_next(at, EventKind.TURN)
            case "yield":
                return self._told_next(at, EventKind.RESUME)
            case "caught":
                return self._told_next(at, EventKind.CATCH)
            case "unpack":
                part = self.unpacked(at, output)
                return self.held(part, self.when(at, part))
            case "attribute" | "item" if self.runs.entered(at) is None:
                inside = self.inside(at)
                return self.held(inside, self.when(at, inside))
        child = self.result_of(at)
        return ABSENT if child is None else self.trace.result(child)

    def _told_next(self, at: At, kind: EventKind) -> Value:
        """Return the value of the event right behind an operation, if it is of a kind."""
        until = at.stretch.until
        event = None if until is None else self.trace.event(until)
        if event is None or event.kind != kind or event.call != at.call.id or not event.values:
            return ABSENT
        return event.values[0]

    def result_of(self, at: At) -> Call | None:
        """Return the call whose result is that of an operation; None: there is none."""
        if at.operation.kind == "wait":
            return self._awaited(at)
        child = self.runs.entered(at)
        if child is None or child.is_resumable or child.outcome is not Outcome.RETURNED:
            return None
        match at.operation.kind:
            case "call":
                return child if child.is_what_was_called else None
            case "attribute" | "item":
                return child if self._is_accessor(at, child) else None
            case "enter":
                function = self.trace.function(child.function)
                is_it = function is not None and function.name in self.conventions.entering
                return child if is_it else None
        return None

    def _is_accessor(self, at: At, child: Call) -> bool:
        """Tell whether a call gave what was read: a method of the object for just that."""
        function, given = self.trace.function(child.function), self.trace.arguments(child)
        if function is None or not given:
            return False
        known = self.conventions.accessors
        is_named = function.name in known[at.operation.kind] or (
            at.operation.kind == "attribute" and function.name == at.operation.name
        )
        holder = self.value(*self.runs.maker(at, at.role("object")))
        return is_named and isinstance(holder, Ref) and given[0] == holder

    def _awaited(self, at: At) -> Call | None:
        """Return the call that returned what was waited for."""
        made_by, _ = self.runs.maker(at, at.role("value"))
        child = self.runs.entered(made_by) if made_by.operation.kind == "call" else None
        is_it = child is not None and child.is_what_was_called and child.is_resumable
        is_done = child is not None and child.outcome is Outcome.RETURNED
        return child if is_it and is_done else None

    # --- Locations -------------------------------------------------------------------------------

    def held(self, location: Location, at: int) -> Value:
        """Return the value of a location before the event at a moment; absent: not known."""
        match location:
            case Variable() | Global():
                write = next(self.trace.writes(location, 0, at - 1, back=True), None)
                return ABSENT if write is None else write.value
            case Inside(holder, kind, key):
                return self._part(holder, kind, key, at)
        return ABSENT

    def _part(self, holder: Ref, kind: str, key: Value, at: int) -> Value:
        shape = self.trace.shape(holder, at)
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
        wanted = atom_key(key)
        return next((item for known, item in part.pairs if atom_key(known) == wanted), ABSENT)

    def variable(self, at: At) -> Location:
        """Return the variable that an operation reads."""
        if at.operation.scope == "class":
            found = Variable(at.call.id, at.operation.name)
            if not isinstance(self.held(found, self.until(at)), Absent):
                return found
        return self.named(at.call, at.operation)

    def named(self, call: Call, does: Operation) -> Location:
        """Return the variable that an operation of a call would read."""
        function = self.trace.function(call.function)
        if does.scope == "cell":
            cell = self.trace.cells(call).get(does.name)
            if isinstance(cell, Ref):
                return Inside(cell, "cell", Atom(does.name))
        if does.scope == "local":
            return Variable(call.id, does.name)
        if does.scope in ("global", "class") and function is not None:
            return Global(function.module, does.name)
        raise NotKnown(f"Where {does.name} was set is not known.")

    def inner(self, at: At) -> tuple[At, int]:
        """Return what set the variable of a comprehension that an operation reads."""
        wanted = at.operation.name, at.operation.scope
        numbers = {
            number
            for number, each in enumerate(self.runs.operations(at.call))
            if each.kind == "store" and (each.name, each.scope) == wanted
        }
        store = self.runs.before(at, numbers)
        return self.runs.maker(store, store.role("value"))

    def inside(self, at: At) -> Inside:
        """Return the part of an object that an operation reads."""
        made_by, output = self.runs.maker(at, at.role("object"))
        holder = self.value(made_by, output)
        if not isinstance(holder, Ref):
            raise NotKnown(f"Which object {self.runs.text(at)} was read from is not known.")
        if at.operation.kind == "attribute":
            found = self._attribute(at, holder)
        else:
            found = self._item(at, holder)
        if isinstance(self.held(found, self.until(at)), Absent):
            raise NotKnown(f"Where {self.runs.text(at)} came from is not known.")
        return found

    def _attribute(self, at: At, holder: Ref) -> Inside:
        key, until = Atom(at.operation.name), self.until(at)
        if not isinstance(self._part(holder, "attributes", key, until), Absent):
            return Inside(holder, "attributes", key)
        owner = class_holder(self.trace, self.conventions, holder, key, until)
        return Inside(holder if owner is None else owner, "attributes", key)

    def _item(self, at: At, holder: Ref) -> Inside:
        key = self.value(*self.runs.maker(at, at.role("key")))
        shape = self.trace.shape(holder, self.until(at))
        kind = "sequence" if shape and shape.part("sequence") else "mapping"
        part = shape.part(kind) if shape else None
        match key:
            case Atom(int() as index) if kind == "sequence" and part and index < 0:
                key = Atom(index + part.full_length)
            case Constant(name) if kind == "sequence" and name in ("True", "False"):
                key = Atom(int(name == "True"))
        if isinstance(key, Absent):
            raise NotKnown(f"Which item {self.runs.text(at)} read is not known.")
        return Inside(holder, kind, key)

    def unpacked(self, at: At, output: int) -> Inside:
        """Return the item that became an output of an unpacking."""
        maker, made = self.runs.maker(at, at.role("whole"))
        if maker.operation.kind == "next" and not self._gives_items(maker):
            raise NotKnown("What was unpacked is not known: it may have been used again.")
        whole = self.value(maker, made)
        shape = self.trace.shape(whole, self.until(at)) if isinstance(whole, Ref) else None
        part = shape.part("sequence") if shape else None
        if not isinstance(whole, Ref) or part is None:
            raise NotKnown("What was unpacked is not known.")
        star = at.operation.name.removeprefix("*")
        if star:
            front = int(star) if star.isdigit() else -1
            if front < 0 or output == front:
                raise NotKnown("Which items were unpacked here is not known.")
            if output > front:
                behind = self._outputs(at) - 1 - output
                output = part.full_length - 1 - behind
        return Inside(whole, "sequence", Atom(output))

    def _gives_items(self, at: At) -> bool:
        """Tell whether a loop is given objects that others keep, no tuples that are used again."""
        iterate, _ = self.runs.maker(at, at.role("iterator"))
        event = self.trace.event(iterate.stretch.moment)
        if iterate.operation.kind != "iterate" or event.kind != EventKind.LOOP:
            return False
        name = event.values[0].type_name if isinstance(event.values[0], Ref) else ""
        return name not in self.conventions.opaque | self.conventions.views

    def _outputs(self, at: At) -> int:
        """Return how many outputs of an unpacking are used."""
        return 1 + max(
            made.output
            for each in self.runs.operations(at.call)
            for one in each.inputs
            for made in one.made
            if made.operation == at.number
        )

    # --- Moments ---------------------------------------------------------------------------------

    def until(self, at: At) -> int:
        """Return the moment whose state an operation saw: later calls may have changed objects."""
        first, ran = at.stretch.moment, at.stretch.ran.operations
        until = self.trace.event_count if at.stretch.until is None else at.stretch.until
        if until - first > _MOST_MEANWHILE:
            raise NotKnown("Too much happened meanwhile in other calls.")
        flow = self.trace.flow(at.call.function)
        for event in self.trace.events(first + 1, until - 1, call=at.call.id):
            if event.kind not in _EFFECTS or event.place is None or flow is None:
                continue
            steps = flow.steps_at(event.place)
            numbers = {number for step in steps for number in flow.steps[step].operations}
            if not numbers & set(ran):
                raise NotKnown("It was changed meanwhile, before or after it was read.")
            if numbers & set(ran[ran.index(at.number) + 1 :]):
                return event.moment
        return until

    def when(self, at: At, location: Location) -> int:
        """Return the moment of a read; other calls and threads must not have written meanwhile."""
        until = self.until(at)
        for write in self.trace.writes(location, at.stretch.moment + 1, until - 1, back=True):
            is_other = write.how != writes.MADE and write.call != at.call.id
            if is_other and not self._is_by_callee(at, write.call, write.moment):
                raise NotKnown("Another call wrote it meanwhile, before or after it was read.")
        return until

    def _is_by_callee(self, at: At, call: int | None, moment: int) -> bool:
        """Tell whether the callee with which a stretch began, or one it called, wrote it."""
        begin = self.trace.event(at.stretch.moment)
        if call is None or begin.kind != EventKind.ENTER or begin.call in (None, at.call.id):
            return False
        child = self.trace.call(begin.call or 0)
        if child.is_resumable or child.ran_elsewhere or child.last is None:
            return False
        wrote = self.trace.call(call)
        is_below = child.id <= call and (child.until is None or call < child.until)
        return is_below and moment <= child.last and wrote.thread == child.thread


def is_inner(at: At) -> bool:
    """Tell whether an operation reads a variable of a comprehension."""
    return at.operation.scope.startswith("inner")


def constant(told: object) -> Value:
    """Return a constant of the table as a value; absent: it is not a plain one."""
    if told is None or isinstance(told, bool):
        return Constant(repr(told))
    return Atom(told) if isinstance(told, int | float | str) else ABSENT
