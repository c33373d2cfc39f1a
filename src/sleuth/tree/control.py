"""Which lines control came by: events tell of most, the layout of the source of the rest."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sleuth.trace.events import Call, Function, Outcome, Site
from sleuth.trace.reader import Trace
from sleuth.tree.evidence import Evidence
from sleuth.tree.layout import LEAVES_CALL, LEAVES_TURN, OTHERWISE, Item, blocks

_STORES = frozenset({"local", "global", "class", "nonlocal", "attribute", "item", "store", "set"})
_BRANCHES = frozenset({"if", "except", "match"})
_LOOPS = frozenset({"for", "async for", "while"})
_OPERANDS = frozenset({"conditional", "and", "or"})
_TESTS = frozenset({"if", "match"})
_BEFORE_TEST = re.compile(rb"\s*(\w+\s+\(*)?$")


@dataclass(frozen=True, slots=True)
class _Way:
    """How control left a sequence of lines."""

    passes: bool
    """It can have come to the end of it."""
    ended: bool = False
    """The call ended inside of it."""


class Walk:
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
        evidence: Evidence,
        source: Sequence[str],
    ) -> None:
        self._evidence = evidence
        self._source = source
        self._raised = evidence.raised if call.outcome is Outcome.RAISED else None
        self._ran: set[int] = set()
        self._guards: dict[int, list[Site]] = {}
        """Line -> sites that tell whether the block below it was entered."""
        self._heads: dict[int, int] = {}
        """Line -> where the condition or loop head that begins there ends."""
        self._stores: set[int] = set()
        """Lines that begin with a store."""
        self._operands: set[int] = set()
        """Lines that begin with something that is evaluated only sometimes."""
        self._refused: set[int] = set()
        """Lines of conditions that were seen not to hold."""
        for site in trace.sites_of(function):
            self._know(site)

    def of(self, function: Function, code: Sequence[int]) -> set[int]:
        """Return the lines that ran, of those that have code."""
        span = function.first_line, function.last_line
        self._sequence(blocks(self._source, *span, frozenset(code), self._heads), 1)
        return self._ran

    def _know(self, site: Site) -> None:
        line = site.span.line
        if not 0 < line <= len(self._source):
            return
        before = self._source[line - 1].encode()[: site.span.column]
        if site.kind in _STORES and not before.strip():
            self._stores.add(line)
        elif site.kind in _OPERANDS and _BEFORE_TEST.match(before):
            self._operands.add(line)
        elif site.kind in _BRANCHES | _LOOPS and _BEFORE_TEST.match(before):
            self._guards.setdefault(line, []).append(site)
            if site.kind != "except":  # that one has the span of all of it
                self._heads[line] = max(self._heads.get(line, 0), site.span.end_line)
        elif site.kind == "else" and self._evidence.sites[site.id]:
            self._refused.add(line)

    def _sequence(self, items: list[Item], times: int) -> _Way:
        """Walk a block that was entered so many times."""
        chains = _chains(items)
        evident = [at for at, chain in enumerate(chains) if any(map(self._is_seen, chain))]
        last = evident[-1] if evident else -1
        passes, ended = True, False
        for at, chain in enumerate(chains):
            if passes or at <= last:
                way = self._chain(chain, times)
                passes, ended = way.passes, ended or way.ended
        return _Way(passes, ended)

    def _chain(self, chain: list[Item], times: int) -> _Way:
        """Walk a line and the alternatives that follow it."""
        head = chain[0]
        if self._is_test(head):
            return self._tests(chain, times)
        way = self._item(head, times)
        caught, ended = False, way.ended
        for item in chain[1:]:
            is_else = item.word == "else"
            if not self._is_entered(item, head) or (is_else and not way.passes):
                continue
            self._take(item)
            inner = self._sequence(item.block, self._times(item, times))
            if item.word in ("except", "catch"):
                # What was caught did not end the call.
                caught, ended = caught or inner.passes, inner.ended
            elif self._is_seen(item) or not self._is_loop(head):
                is_past = caught and is_else
                way = _Way((way.passes or caught) and (inner.passes or is_past))
                ended = ended or inner.ended
        return _Way(way.passes or caught, ended)

    def _take(self, item: Item) -> None:
        """Note that a line ran, with the further lines of its head if it has several."""
        if item.is_code:
            self._ran.add(item.line)
        last = self._heads.get(item.line, 0)
        self._inside([inner for inner in item.block if inner.line <= last])

    def _tests(self, chain: list[Item], times: int) -> _Way:
        """Walk a chain of conditions, of which each is looked at if those before did not hold."""
        head = chain[0]
        entered = [self._is_entered(item, head) for item in chain]
        passes, ended = False, False
        for at, item in enumerate(chain):
            is_looked_at = at == 0 or any(entered[at:]) or not any(entered[:at])
            if is_looked_at or item.line in self._evidence.lines:
                self._take(item)
            if entered[at]:
                way = self._sequence(item.block, self._times(item, times))
                passes, ended = passes or way.passes, ended or way.ended
        is_past = not any(entered) or any(item.line in self._refused for item in chain)
        return _Way(passes or is_past, ended)

    def _item(self, item: Item, times: int) -> _Way:
        """Walk one line and the block below it."""
        evidence = self._evidence
        if item.line not in evidence.lines and item.line in self._operands:
            return _Way(passes=True)
        if item.line not in evidence.lines and item.line in self._stores:
            return _Way(passes=False)
        self._take(item)
        if item.line in evidence.caught:
            return _Way(passes=evidence.caught[item.line] < times)
        if item.line == self._raised:
            self._inside(item.block)
            return _Way(passes=times > 1, ended=True)
        if item.word in LEAVES_CALL:
            self._inside(item.block)
            return _Way(passes=False, ended=True)
        if item.word in LEAVES_TURN:
            return _Way(passes=False)
        if not item.block or not self._is_entered(item, item):
            return _Way(passes=True)
        way = self._sequence(item.block, self._times(item, times))
        if self._is_loop(item):
            return _Way(not way.ended, way.ended)
        return _Way(way.passes or item.line in evidence.catching, way.ended)

    def _times(self, item: Item, times: int) -> int:
        """Return how often a block was entered, as far as is known."""
        guards = self._guards.get(item.line)
        return sum(self._evidence.entered[site.id] for site in guards) if guards else times

    def _inside(self, items: list[Item]) -> None:
        """Take the further lines of a statement that goes over several."""
        waiting = list(items)
        while waiting:
            inner = waiting.pop()
            if inner.line in self._evidence.lines or inner.line not in self._operands:
                self._ran.add(inner.line)
                waiting += inner.block

    def _is_entered(self, item: Item, head: Item) -> bool:
        guards = self._guards.get(item.line)
        if guards:
            return any(self._evidence.entered[site.id] for site in guards)
        is_alternative = item is not head and not item.is_code and item.word != "finally"
        return self._is_seen(item) or not (is_alternative and self._is_test(head))

    def _is_test(self, item: Item) -> bool:
        return any(site.kind in _TESTS for site in self._guards.get(item.line, ()))

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


def _chains(items: list[Item]) -> list[list[Item]]:
    """Join each line with the alternatives that follow it."""
    chains: list[list[Item]] = []
    for item in items:
        if chains and item.word in OTHERWISE:
            chains[-1].append(item)
        else:
            chains.append([item])
    return chains
