"""Which lines of its code a call really ran, by its own events and not those of the calls it made.

Most statements leave an event: stores, loops, branches, calls of recorded functions, exceptions.
Where there is none, the line ran if control must have come by: see `_Walk`.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from sleuth.trace.events import Call, Event, EventKind, Function, Outcome, Site
from sleuth.trace.reader import Trace
from sleuth.tree.layout import LEAVES_CALL, LEAVES_TURN, OTHERWISE, Item, blocks

MOST_MOMENTS = 2_000_000
"""Of a longer call only the beginning and the end are looked at."""
_MOST_CHILDREN = 200_000
_STORES = frozenset({"local", "global", "class", "nonlocal", "attribute", "item", "store", "set"})
_BRANCHES = frozenset({"if", "except", "match"})
_LOOPS = frozenset({"for", "async for", "while"})
_PLACED = (EventKind.RAISE, EventKind.UNWIND, EventKind.CATCH)
_BY_OTHERS = (EventKind.CHANGED, EventKind.SPLICED, EventKind.PUT)
_BEFORE_TEST = re.compile(rb"\s*(\w+\s+\(*)?$")


@dataclass(frozen=True, slots=True)
class Coverage:
    """The lines of one call."""

    lines: tuple[int, ...]
    """Those that ran, sorted."""
    code: tuple[int, ...]
    """All lines of the function that have code, sorted."""
    seen: tuple[int, ...]
    """Those of which an event tells that they ran."""
    raised: int | None
    """Where an exception left the call."""
    is_whole: bool = True
    """False: the call is so long that not all of it was looked at."""


def coverage(trace: Trace, call: Call, *, most_moments: int = MOST_MOMENTS) -> Coverage:
    """Return which lines of its function a call ran itself."""
    function = trace.function(call.function)
    if function is None:
        return Coverage((), (), (), None)
    evidence = _Evidence(trace, call, function, most_moments)
    code = _code_lines(trace, function, evidence.lines)
    source = trace.sources().get(function.module.path, "").splitlines()
    top = blocks(source, function.first_line, function.last_line, frozenset(code))
    ran = _Walk(trace, call, function, evidence, source).of(top) if source else set(code)
    lines = sorted((ran | evidence.lines) & set(code))
    seen = tuple(sorted(evidence.lines & set(code)))
    return Coverage(tuple(lines), tuple(code), seen, evidence.raised, evidence.is_whole)


def _code_lines(trace: Trace, function: Function, seen: set[int]) -> list[int]:
    """Return the lines with code; the header of a function is not part of what a call runs."""
    own = range(function.first_line, function.last_line + 1)
    lines = {span.line for span in function.spans if span.line in own}
    lines |= seen & set(own)
    header = function.first_line
    if header in lines and header not in seen and _is_header(trace, function, lines):
        lines.discard(header)
    return sorted(lines)


def _is_header(trace: Trace, function: Function, lines: set[int]) -> bool:
    source = trace.sources().get(function.module.path, "").splitlines()
    below = [line for line in lines if line > function.first_line]
    if not below or function.first_line > len(source) or max(below) > len(source):
        return False
    header = source[function.first_line - 1]
    return all(
        _indentation(source[line - 1]) > _indentation(header)
        for line in below
        if source[line - 1].strip()
    )


def _indentation(line: str) -> int:
    line = line.expandtabs()
    return len(line) - len(line.lstrip())


class _Evidence:
    """What the events of a call say of lines."""

    def __init__(self, trace: Trace, call: Call, function: Function, most: int) -> None:
        self.lines: set[int] = set()
        self.caught: set[int] = set()
        """Where exceptions came from that were caught in the call."""
        self.raised: int | None = None
        self.sites: Counter[int] = Counter()
        self.is_whole = True
        for event in self._events(trace, call, most):
            self._take(trace, function, event)
        for child in islice(trace.children(call.id), min(_MOST_CHILDREN, most)):
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
            if self.sites[event.site] == 1 and (site := trace.site(event.site)) is not None:
                self.lines.add(site.span.line)
        if event.kind in _PLACED or event.kind in _BY_OTHERS:
            line = self._at(function, event.place)
            if line is not None and event.kind is EventKind.CATCH:
                self.caught.add(line)
            if line is not None and event.kind is EventKind.UNWIND:
                self.raised = line

    def _at(self, function: Function, place: int | None) -> int | None:
        span = function.span_at(place)
        if span is None or not span.line:
            return None
        self.lines.add(span.line)
        return span.line


@dataclass(frozen=True, slots=True)
class _Way:
    """How control left a sequence of lines."""

    passes: bool
    """It can have come to the end of it."""
    ended: bool = False
    """The call ended inside of it."""


class _Walk:
    """Follows control through blocks.

    The first line of a block that was entered ran.  A line ran if a later one of the same block
    did.  A line whose own store left no event did not run, nor did what follows it.  Behind a
    line that leaves the block, or the call, nothing ran unless an event says so.
    """

    def __init__(
        self,
        trace: Trace,
        call: Call,
        function: Function,
        evidence: _Evidence,
        source: Sequence[str],
    ) -> None:
        self._evidence = evidence
        self._source = source
        self._raised = evidence.raised if call.outcome is Outcome.RAISED else None
        self._ran: set[int] = set()
        self._guards: dict[int, list[Site]] = {}
        """Line -> sites that tell whether the block below it was entered."""
        self._stores: set[int] = set()
        """Lines that begin with a store."""
        self._refused: set[int] = set()
        """Lines of conditions that were seen not to hold."""
        for site in trace.sites_of(function):
            self._know(site)

    def of(self, items: list[Item]) -> set[int]:
        """Return the lines that ran."""
        self._sequence(items)
        return self._ran

    def _know(self, site: Site) -> None:
        line = site.span.line
        if not 0 < line <= len(self._source):
            return
        before = self._source[line - 1].encode()[: site.span.column]
        if site.kind in _STORES and not before.strip():
            self._stores.add(line)
        elif site.kind in _BRANCHES | _LOOPS and _BEFORE_TEST.match(before):
            self._guards.setdefault(line, []).append(site)
        elif site.kind == "else" and self._evidence.sites[site.id]:
            self._refused.add(line)

    def _sequence(self, items: list[Item]) -> _Way:
        evident = [index for index, item in enumerate(items) if self._is_seen(item)]
        last = evident[-1] if evident else -1
        way, ended = True, False
        chain: Item | None = None
        """The header whose alternatives follow."""
        for index, item in enumerate(items):
            is_other = item.word in OTHERWISE
            chain = chain if is_other else item
            if not (way or index <= last or (is_other and self._is_seen(item))):
                continue
            passes, has_ended = self._item(item, is_other=is_other, chain=chain)
            if is_other and self._is_entered(item, chain) and item.word in ("except", "catch"):
                # What was caught did not end the call.
                way, ended = passes, has_ended
                continue
            if not is_other or self._is_entered(item, chain):
                way = passes and (way or not is_other)
            ended = ended or has_ended
        return _Way(way, ended)

    def _item(self, item: Item, *, is_other: bool, chain: Item | None) -> tuple[bool, bool]:
        """Walk one item; return whether control can have gone on behind it, and if it ended."""
        is_seen = item.line in self._evidence.lines
        if not is_seen and item.line in self._stores:
            return False, False
        is_entered = self._is_entered(item, chain)
        if item.is_code and (is_seen or is_entered or not is_other):
            self._ran.add(item.line)
        if item.line == self._raised or item.word in LEAVES_CALL:
            self._inside(item)
            return False, True
        if item.word in LEAVES_TURN or item.line in self._evidence.caught:
            return False, False
        if not item.block or not is_entered:
            return True, False
        way = self._sequence(item.block)
        if self._is_loop(item):
            return not way.ended, way.ended
        is_optional = item.line in self._refused or (is_other and item.word == "elif")
        return way.passes or is_optional, way.ended

    def _inside(self, item: Item) -> None:
        """Take the further lines of a statement that goes over several."""
        waiting = list(item.block)
        while waiting:
            inner = waiting.pop()
            self._ran.add(inner.line)
            waiting += inner.block

    def _is_entered(self, item: Item, chain: Item | None) -> bool:
        guards = self._guards.get(item.line)
        if guards:
            return any(self._evidence.sites[site.id] for site in guards if site.span.line)
        if item.word in OTHERWISE and not item.is_code and item.word != "finally":
            follows_test = chain is not None and any(
                site.kind == "if" for site in self._guards.get(chain.line, ())
            )
            return self._is_seen(item) or not follows_test
        return True

    def _is_loop(self, item: Item) -> bool:
        return any(site.kind in _LOOPS for site in self._guards.get(item.line, ()))

    def _is_seen(self, item: Item) -> bool:
        """Whether an event tells of it or of anything in its block."""
        waiting = [item]
        while waiting:
            inner = waiting.pop()
            if inner.line in self._evidence.lines:
                return True
            waiting += inner.block
        return False
