"""Compares two ways to each value: what an event tells, and what follows from the route."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

from sleuth.trace.events import Call, Event, EventKind
from sleuth.trace.history.locations import Inside
from sleuth.trace.origin.executions import At, NotKnown
from sleuth.trace.origin.given import ByOther, Default, Given
from sleuth.trace.origin.items import Items, Kept, Made, Source, Written
from sleuth.trace.origin.makers import Makers
from sleuth.trace.origin.values import Values
from sleuth.trace.reader import Trace
from sleuth.trace.values import ABSENT, Absent, Atom, Cut, NotKept, Ref, Value

_ROLES = {EventKind.LOOP: "what"}
_TELL = {
    EventKind.BIND: 0,
    EventKind.RETURN: 0,
    EventKind.SUSPEND: 0,
    EventKind.LOOP: 0,
    EventKind.SET_ATTRIBUTE: -1,
    EventKind.SET_ITEM: -1,
}
"""Kinds of events that tell a value -> which of their values."""
_ONE_WAY = frozenset({"compute", "make", "function", "class", "import", "slice", "other", "leave"})
"""Operations whose result only their consumer tells."""
_MOST_PARTS = 50


@dataclass
class Agreement:
    """How often the two ways give the same."""

    same: int = 0
    alone: int = 0
    """There is only one way."""
    not_known: Counter[str] = field(default_factory=Counter)
    """Why -> how often the route does not tell the value."""
    wrong: list[str] = field(default_factory=list)

    def add(self, other: "Agreement") -> None:
        """Add up two runs."""
        self.same += other.same
        self.alone += other.alone
        self.not_known.update(other.not_known)
        self.wrong += other.wrong


def compared(trace: Trace, most: int | None = None) -> Agreement:
    """Compare all values of a trace, or those of some events spread over it."""
    return _Comparison(trace).all(most)


class _Comparison:
    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._values = Values(trace)
        items = Items(self._values)
        self._given = Given(self._values, items)
        self._makers = Makers(self._values, self._given, items)
        self._found = Agreement()
        self._seen: set[int] = set()

    def all(self, most: int | None) -> Agreement:
        for event in self._events(most):
            if event.call is None:
                continue
            call = self._trace.call(event.call)
            if event.kind == EventKind.ENTER:
                self._arguments(call)
            elif event.kind in _TELL:
                self._stored(call, event)
            for value in event.values:
                if isinstance(value, Ref) and value.id not in self._seen:
                    self._seen.add(value.id)
                    self._parts(value, event)
        return self._found

    def _events(self, most: int | None) -> Iterator[Event]:
        count = self._trace.event_count
        if most is None or count <= most:
            yield from self._trace.events(0, count - 1)
            return
        # Runs of neighbours, spread evenly: contents are told with the event that comes next.
        runs = 20
        size = most // runs
        for number in range(runs):
            first = number * (count - size) // (runs - 1)
            yield from self._trace.events(first, first + size - 1)

    def _stored(self, call: Call, event: Event) -> None:
        told = event.values[_TELL[event.kind]] if event.values else ABSENT
        if isinstance(told, Absent):
            return
        try:
            consumer = self._values.runs.telling(call, event.moment)
            wanted = consumer.role(_ROLES.get(event.kind, "value"))
            made = Made(*self._values.runs.maker(consumer, wanted))
            self._compare(made, told, event)
        except NotKnown as problem:
            self._found.not_known[f"{event.kind.name}: {_general(problem)}"] += 1

    def _arguments(self, call: Call) -> None:
        function = self._trace.function(call.function)
        given = self._trace.arguments(call)
        if function is None or call.parent is None or function.kind.endswith(" body"):
            return
        for name, told in zip(function.parameters, given, strict=False):
            if isinstance(told, Absent) or self._given.collects(call, name):
                continue
            event = self._trace.event(call.first)
            try:
                source = self._given.source(call, self._given.caller(call), name)
                self._compare(source, told, event)
            except NotKnown as problem:
                self._found.not_known[f"argument: {_general(problem)}"] += 1

    def _parts(self, holder: Ref, event: Event) -> None:
        """Compare the items of a container with what it was made from."""
        shape = self._trace.shape(holder, event.moment)
        for part in shape.parts if shape and shape.is_sure else ():
            if part.kind not in ("sequence", "mapping"):
                continue
            keys = part.keys or tuple(map(Atom, range(len(part.items))))
            for key, told in [*zip(keys, part.items, strict=False)][:_MOST_PARTS]:
                inside = Inside(holder, part.kind, key)
                write = next(self._trace.writes(inside), None)
                if write is None or write.how != "made" or write.moment != event.moment:
                    break
                try:
                    self._compare(self._makers.part(inside, event.moment), told, event)
                except NotKnown as problem:
                    self._found.not_known[f"part: {_general(problem)}"] += 1

    def _compare(self, source: Source | Default | ByOther | At, told: Value, event: Event) -> None:
        match source:
            case Made(by, output, _):
                value = self._values.value(by, output)
                reason = f"{by.operation.kind} {by.operation.scope}".strip()
                is_alone = by.operation.kind in _ONE_WAY
                is_alone |= by.operation.kind in ("call", "wait", "enter") and (
                    self._values.result_of(by) is None
                )
            case Kept(location, at):
                value, reason, is_alone = self._values.held(location, at), "kept", False
            case Written(_, value):
                reason, is_alone = "constant", True
            case _:
                value, reason, is_alone = ABSENT, type(source).__name__, True
        if isinstance(value, Absent):
            self._found.alone += is_alone
            if not is_alone:
                self._found.not_known[f"{reason}: {self._why(source)}"] += 1
        elif isinstance(told, Cut | NotKept) or isinstance(value, Cut | NotKept):
            self._found.alone += 1
        elif value == told:
            self._found.same += 1
        else:
            self._found.wrong.append(f"moment {event.moment}: {event} {source} gives {value}")

    def _why(self, source: object) -> str:
        if not isinstance(source, Made):
            return ""
        try:
            self._values._value(source.by, source.output)
        except NotKnown as problem:
            return _general(problem)
        return "no value"


def _general(problem: NotKnown) -> str:
    """Return the reason without names."""
    words = str(problem).split()
    fixed = {"Which", "Where", "What", "It", "The", "How", "Another", "Too", "Of", "No"}
    return " ".join(words[:2] if words[0] in fixed and words[0] in ("Which", "Where") else words)
