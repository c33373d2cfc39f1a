"""What the events of a call itself say of lines."""

from collections import Counter
from collections.abc import Iterator
from itertools import islice

from sleuth.trace.events import Call, Event, EventKind, Function
from sleuth.trace.reader import Trace

_MOST_CHILDREN = 200_000
_PLACED = (EventKind.RAISE, EventKind.UNWIND, EventKind.CATCH)
_BY_OTHERS = (EventKind.CHANGED, EventKind.SPLICED, EventKind.PUT)
_ENTERS = (EventKind.ARM, EventKind.TURN)


class Evidence:
    """What the events of a call say of lines."""

    def __init__(self, trace: Trace, call: Call, function: Function, most: int) -> None:
        self.lines: set[int] = set()
        self.caught: Counter[int] = Counter()
        """Line -> how many exceptions came from there and were caught in the call."""
        self.catching: set[int] = set()
        """Lines of what caught them."""
        self.raised: int | None = None
        self.sites: Counter[int] = Counter()
        """Site -> how many events it has."""
        self.entered: Counter[int] = Counter()
        """Site -> how often its block was entered."""
        self.is_whole = True
        for event in self._events(trace, call, most):
            self._take(trace, function, event)
        last = call.last
        for child in islice(trace.children(call.id), min(_MOST_CHILDREN, most)):
            if last is None or call.first <= child.first <= last:
                self._at(function, child.place)
        self.lines.discard(0)

    def _events(self, trace: Trace, call: Call, most: int) -> Iterator[Event]:
        last = trace.event_count - 1 if call.last is None else call.last
        if last - call.first <= most:
            yield from trace.events(call.first, last, call=call.id)
            return
        self.is_whole = False
        yield from trace.events(call.first, call.first + most // 2, call=call.id)
        yield from trace.events(last - most // 2, last, call=call.id)

    def _take(self, trace: Trace, function: Function, event: Event) -> None:
        if event.site is not None:
            self.sites[event.site] += 1
            self.entered[event.site] += event.kind in _ENTERS
            site = trace.site(event.site) if self._is_new(event) else None
            if site is not None:
                self.lines.add(site.span.line)
                if event.kind is EventKind.CATCH:
                    self.catching.add(site.span.line)
        if event.kind in _PLACED or event.kind in _BY_OTHERS:
            line = self._at(function, event.place)
            if line is not None and event.kind is EventKind.CATCH:
                self.caught[line] += 1
            if line is not None and event.kind is EventKind.UNWIND:
                self.raised = line

    def _is_new(self, event: Event) -> bool:
        return self.sites[event.number] == 1 or event.kind is EventKind.CATCH

    def _at(self, function: Function, place: int | None) -> int | None:
        span = function.span_at(place)
        if span is None or not span.line:
            return None
        self.lines.add(span.line)
        return span.line
