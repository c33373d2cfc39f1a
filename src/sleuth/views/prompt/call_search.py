"""Search for calls by function, argument, value or exception, in one pass over the events.

A search can be long, so it is a generator that yields its progress now and then: the caller can
show the progress, or stop the search and resume it later.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from sleuth.trace.events import CallId, Event, EventKind, Function, FunctionId
from sleuth.trace.reader import Trace
from sleuth.trace.values import Absent, Atom, Constant, Ref, Value, shown
from sleuth.views.drawing.picture import Pictures
from sleuth.views.drawing.value_text import SHORT

_STEP = 512
"""Events between two reports of progress."""
_WIDE = 200
_LONG = 200_000
"""In a run with more events, the contents of lists and objects are not searched."""


@dataclass(frozen=True, slots=True)
class Found:
    """A call in which the text was found."""

    call: CallId
    where: str
    """Where the text is: the function, an argument, a result, an exception, a store, or output."""


@dataclass(frozen=True, slots=True)
class Searched:
    """Progress of the search."""

    moment: int


def looks_inside(trace: Trace) -> bool:
    """Whether the contents of lists and objects are searched, too; not in a long run."""
    return trace.event_count <= _LONG


def calls_with(trace: Trace, text: str) -> Iterator[Found | Searched]:
    """Yield the calls in which a text is found, each once, in the order of the events."""
    seen: set[CallId] = set()
    matcher = _Matcher(trace, text)
    for event in trace.events(0, trace.event_count - 1):
        if event.moment % _STEP == 0:
            yield Searched(event.moment)
        if event.call is None or event.call in seen:
            continue
        if where := matcher.fitting(event):
            seen.add(event.call)
            yield Found(event.call, where)


class _Matcher:
    """Finds the text in events; remembers which functions have it in their name."""

    def __init__(self, trace: Trace, text: str) -> None:
        self._trace = trace
        self._text = text.lower()
        self._pictures = Pictures(trace)
        self._looks_inside = looks_inside(trace)
        self._functions: dict[int, tuple[Function | None, bool]] = {}

    def fitting(self, event: Event) -> str:
        match event.kind:
            case EventKind.ENTER:
                return self._entered(event)
            case EventKind.RETURN:
                return self._valued("returned ", event, event.values[:1])
            case EventKind.RAISE:
                return self._raised(event)
            case EventKind.OUTPUT:
                return self._valued("printed ", event, event.values)
            case EventKind.BIND | EventKind.SET_ATTRIBUTE | EventKind.SET_ITEM:
                return self._stored(event)
            case _:
                return ""

    def _entered(self, event: Event) -> str:
        function, is_named_so = self._function(event.number)
        if is_named_so:
            return "its function"
        names = function.parameters if function else ()
        for position, value in enumerate(event.values):
            name = f"{names[position]}=" if position < len(names) else ""
            if not isinstance(value, Absent) and self._fits(
                words := name + self._shown(value, event)
            ):
                return words
        return ""

    def _function(self, number: int) -> tuple[Function | None, bool]:
        if number not in self._functions:
            function = self._trace.function(FunctionId(number))
            fits = function is not None and self._fits(function.qualified_name)
            self._functions[number] = function, fits
        return self._functions[number]

    def _valued(self, words: str, event: Event, values: tuple[Value, ...]) -> str:
        for value in values:
            if self._fits(told := words + self._shown(value, event)):
                return told
        return ""

    def _raised(self, event: Event) -> str:
        exception = event.values[0]
        kind = exception.type_name if isinstance(exception, Ref) else shown(exception)
        given = ", ".join(shown(value, width=_WIDE) for value in event.values[1:])
        words = f"raised {kind.removeprefix('builtins.')}({given})"
        return words if self._fits(words) else ""

    def _stored(self, event: Event) -> str:
        value = event.values[-1]
        if not isinstance(value, Atom | Constant):
            return ""
        site = None if event.site is None else self._trace.site(event.site)
        name = f"{site.name} = " if site and site.name else ""
        words = name + shown(value, width=_WIDE)
        return f"set {words}" if self._fits(words) else ""

    def _shown(self, value: Value, event: Event) -> str:
        if isinstance(value, Ref) and not self._looks_inside:
            return value.type_name
        return self._pictures.of(value, event.moment, width=_WIDE, depth=SHORT)

    def _fits(self, words: str) -> bool:
        return self._text in words.lower()
