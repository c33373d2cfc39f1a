"""Events in words, line by line, for `sleuth show --events`."""

from sleuth.trace.events import Event, EventKind, Site
from sleuth.trace.reader import Trace
from sleuth.trace.values import Atom, Ref, Value, escaped, shown
from sleuth.views.drawing.calls import function_name
from sleuth.views.drawing.picture import Pictures
from sleuth.views.drawing.value_text import badge

_STREAMS = {1: "stdout", 2: "stderr"}


class EventWords:
    """Puts events into words in their order: it counts the turns of loops as it goes.

    is_counting false: for events in any order, without the numbers of turns.
    """

    def __init__(self, trace: Trace, *, is_counting: bool = True) -> None:
        self._is_counting = is_counting
        self._trace = trace
        self._pictures = Pictures(trace)
        self._turns: dict[tuple[int | None, int], int] = {}
        self._heads: dict[int, str] = {}

    def line(self, event: Event) -> str:
        """Return an event in words."""
        call = "-" if event.call is None else str(event.call)
        return f"{event.moment:>8}  call {call:>5}  {self.words(event)}"

    def words(self, event: Event) -> str:  # noqa: C901 - one case per kind
        """Return what happened, without moment and call."""
        values = [self._pictures.name(value) for value in event.values]
        if EventKind.CATCH <= event.kind <= EventKind.DELETE_SLICE:
            return self._at_site(event, values)
        match event.kind:
            case EventKind.ENTER:
                function = self._trace.function(event.number)
                name = function_name(function, event.number)
                given = values[: len(values) - len(function.cells)] if function else values
                made = "made, not started: " if event.flags & 1 else "begins: "
                words = f"{made}{name}({', '.join(given)})"
            case EventKind.RETURN:
                words = f"returns {values[0]}"
            case EventKind.SUSPEND:
                words = f"{'waits for' if event.flags & 1 else 'gives'} {values[0] or 'something'}"
            case EventKind.RESUME:
                words = f"goes on, was sent {values[0]}" if values[0] else "goes on"
            case EventKind.UNWIND:
                words = f"is left by {values[0]}"
            case EventKind.LOST:
                words = "ended unseen"
            case EventKind.RAISE:
                words = f"raises {values[0]} with ({', '.join(values[1:])})"
            case EventKind.OUTPUT:
                stream = _STREAMS.get(event.number, f"stream {event.number}")
                words = f"writes {values[0]} to {stream}"
            case EventKind.CHANGED | EventKind.SPLICED | EventKind.PUT:
                words = self._by_others(event, values)
            case EventKind.CHILD:
                words = f"starts process {event.number or '?'} ({_plain(event.values[0])})"
            case _:
                words = f"recording stopped: {_plain(event.values[0])}"
        return words

    def _by_others(self, event: Event, values: list[str]) -> str:
        """Return a change of an object by code that is not recorded."""
        who = badge(Ref("", event.number))
        match event.kind:
            case EventKind.SPLICED:
                start, removed, *items = values
                words = f"from item {start} on {removed} removed, put there: {', '.join(items)}"
            case EventKind.PUT:
                words = f"put {values[0]}: {values[1]}"
            case _:
                since = f", some time after moment {values[0]}" if event.flags == 2 else ""
                words = f"contains {values[2]} items now{since}"
        return f"object {who} was changed by code that is not recorded: {words}"

    def _at_site(self, event: Event, values: list[str]) -> str:
        site = self._trace.site(event.number)
        if site is None:
            return f"{event.kind.name.lower()} at unknown site {event.number}: {', '.join(values)}"
        words = self._done(event, site, values)
        if event.kind >= EventKind.SET_ATTRIBUTE and event.flags & 1:
            words += " (asked for)"
        if event.kind is EventKind.TURN:
            return words
        return f"line {site.span.line}: {words}"

    def _done(self, event: Event, site: Site, values: list[str]) -> str:
        name = escaped(site.name) or "?"
        key = event.call, event.number
        match event.kind:
            case EventKind.CATCH:
                words = f"{values[0]} arrives at {escaped(site.kind)}"
            case EventKind.LOOP:
                self._turns[key] = 0
                over = f" over {values[0]}" if values[0] else ""
                words = f"{self._head(site)} begins{over}"
            case EventKind.TURN:
                self._turns[key] = number = self._turns.get(key, 0) + 1
                item = f": {values[0]}" if values[0] else ""
                turn = f"turn {number}" if self._is_counting else "a turn"
                words = f"{turn} of {self._head(site)} (line {site.span.line}){item}"
            case EventKind.ARM:
                words = f"takes {escaped(site.kind)}"
            case EventKind.BIND:
                words = f"{name} = {values[0]}"
            case EventKind.UNBIND:
                words = f"{name} deleted"
            case _:
                words = _changed(event.kind, name, values)
        return words

    def _head(self, site: Site) -> str:
        """Return the loop's head as it stands in the source, if that is known."""
        if site.id not in self._heads:
            kind = escaped(site.kind)
            head = f"{kind} {escaped(site.name)}".strip()
            lines = self._trace.source(site.module).splitlines()
            if 0 < site.span.line <= len(lines):
                line = lines[site.span.line - 1].strip().rstrip(":")
                if line.startswith(kind):
                    head = escaped(line)[:50]
            self._heads[site.id] = head
        return self._heads[site.id]


def _changed(kind: EventKind, name: str, values: list[str]) -> str:
    match kind:
        case EventKind.SET_ATTRIBUTE:
            words = f"{values[0]}.{name} = {values[1]}"
        case EventKind.DELETE_ATTRIBUTE:
            words = f"{values[0]}.{name} deleted"
        case EventKind.SET_ITEM:
            words = f"{values[0]}[{values[1]}] = {values[2]}"
        case EventKind.DELETE_ITEM:
            words = f"{values[0]}[{values[1]}] deleted"
        case EventKind.SET_SLICE:
            words = f"{values[0]}[{values[1]}:{values[2]}] = {values[3]}"
        case _:
            words = f"{values[0]}[{values[1]}:{values[2]}] deleted"
    return words


def _plain(value: Value) -> str:
    content = value.content if isinstance(value, Atom) else None
    return escaped(content) if isinstance(content, str) else shown(value)
