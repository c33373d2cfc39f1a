"""What a call was given and what it did, told so that a call of another run can be compared."""

from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from itertools import islice

from sleuth.oracles.compare.mentioned import Names
from sleuth.oracles.compare.nondeterminism import Atoms, Chance
from sleuth.oracles.compare.side_effects import OBJECT, Elsewhere, Written
from sleuth.oracles.compare.structural import Counts, Likeness, Told
from sleuth.oracles.compare.version_texts import is_version
from sleuth.trace.events import Call, Event, EventKind, Function
from sleuth.trace.heap.roots import end_of, given_to
from sleuth.trace.reader import Trace
from sleuth.trace.values import Absent, Ref, Value
from sleuth.tree.node_kinds import kind_of
from sleuth.tree.observe import behaviour as words
from sleuth.tree.observe.behaviour import Outcome
from sleuth.tree.observe.calls import outcome_of
from sleuth.tree.observe.printed import printed_in
from sleuth.tree.observe.stream import stream_of
from sleuth.tree.observe.used import used_by

RETURN = "return"
YIELDED = "yielded"
STDOUT = "stdout"
ELSEWHERE = "elsewhere"
"""What nobody handed to the call, as globals."""
NOT_COMPARED = "not compared"
"""The same, where it was something else already before."""
WITHIN = ""
"""Something that can be reached from the rest."""
_CUT_SHORT = (words.CLOSED, words.NOT_REQUESTED)
"""How a stream ends of which somebody wanted no more."""

_MOST_EVENTS = 10_000
_ASIDE = (EventKind.CHANGED, EventKind.SPLICED, EventKind.PUT, EventKind.OUTPUT)
"""What is seen of what other code did meanwhile."""


@dataclass(frozen=True, slots=True)
class Besides:
    """What a call wrote to that nobody handed to it."""

    before: Told
    after: Told
    writes: tuple[Hashable, ...]
    """Where something was written, and what."""
    is_alone: bool
    """False: while it ran others may have written to the same."""
    is_named: bool
    """False: some of it are objects that may be others of the same kind, elsewhere."""


@dataclass(frozen=True, slots=True)
class Done:
    """What came of a call."""

    outcome: Outcome
    arguments: tuple[Hashable, ...]
    """Of an exception."""
    after: Told
    """What it was given, and what it returned, when it ended."""
    yielded: tuple[Hashable, ...]
    printed: Hashable
    besides: "Besides"
    is_sure: bool

    @property
    def how(self) -> Hashable:
        """How it ended; an exception is told by its type."""
        kind = getattr(self.outcome.value, "type_name", "")
        return self.outcome.how, kind if self.outcome.how == words.RAISED else ""


class Side:
    """One of two runs: looks up what its calls were given and did."""

    def __init__(self, trace: Trace, chance: Chance | None = None) -> None:
        self.trace = trace
        self.names = Names(trace)
        self.likeness = Likeness(trace, chance)
        self._elsewhere = Elsewhere(trace)
        self._written: dict[int, Written] = {}
        self._given: dict[tuple[int, Counts], Told] = {}
        self._done: dict[tuple[int, Counts], Done] = {}

    def glance(self, call: Call) -> Mapping[str, Hashable]:
        """Return what a call was given, without looking into it."""
        given = given_to(self.trace, call)
        return {name: self.likeness.glance(value) for name, value in given.items()}

    def given(self, call: Call, counts: Counts = None) -> Told:
        """Return what a call was given, and what its function has from around it."""
        key = int(call.id), counts
        if key not in self._given:
            roots = self._roots(call, call.first)
            self._given[key] = self.likeness.told(roots, call.first, counts)
        return self._given[key]

    def _roots(self, call: Call, at: int) -> dict[str, Value]:
        return {**given_to(self.trace, call), **self.trace.closure(call, at)}

    def used(self, call: Call, function: Function) -> Told:
        """Return the globals that a call read, as they were when it began."""
        seen = used_by(self.trace, call, function).values
        values = {each.path: each.value for each in seen if each.scope == "global"}
        return self.likeness.told(values, call.first)

    def globals(self, call: Call, function: Function, names: Mapping[str, Hashable]) -> Told:
        """Return some globals as they were when a call began."""
        there = self.trace.globals(function.module, call.first) if names else {}
        return self.likeness.told(
            {name: there[name] for name in names if name in there}, call.first
        )

    def done(self, call: Call, counts: Counts = None) -> Done:
        """Return what came of a call."""
        key = int(call.id), counts
        if key not in self._done:
            self._done[key] = self._look(call, counts)
        return self._done[key]

    def met(self, call: Call) -> Atoms:
        """Return the plain values in attributes of all that a call was given."""
        return self.likeness.atoms(self._roots(call, call.first), call.first)

    def left(self, call: Call) -> Atoms:
        """Return the plain values that a call returned, or left in attributes that it reached."""
        end = end_of(self.trace, call)
        result = outcome_of(self.trace, call).value
        atoms = self.likeness.atoms({**self._roots(call, end), RETURN: result}, end)
        return {**atoms, ("", RETURN): Counter([self.likeness.glance(result)])}

    def sent(self, call: Call) -> tuple[Hashable, ...]:
        """Return what was sent or thrown into a generator while it waited, in order."""
        if not call.is_resumable:
            return ()
        events = self.trace.events(call.first, end_of(self.trace, call), call=call.id)
        found: list[Hashable] = []
        resumed: Event | None = None
        for event in islice(events, _MOST_EVENTS):
            if event.kind is EventKind.RESUME:
                value = event.values[0]
                found.append("" if isinstance(value, Absent) else self.likeness.glance(value))
            elif event.kind is EventKind.RAISE and _is_thrown(resumed, event):
                found[-1] = "thrown", self.likeness.glance(event.values[0])
            resumed = event if event.kind is EventKind.RESUME else None
        return tuple(found)

    def is_noticed(self, call: Call) -> bool:
        """Whether recorded code caught the exception that left a call, or nobody did.

        What looks for an attribute that is not there does not read what the exception says.
        """
        while call.parent is not None and call.last is not None:
            above = self.trace.call(call.parent)
            events = self.trace.events(call.last + 1, end_of(self.trace, above), call=above.id)
            seen = next((each.kind for each in events if each.kind not in _ASIDE), None)
            if seen is not EventKind.UNWIND:
                return seen in (EventKind.CATCH, EventKind.RAISE)
            call = above
        return True

    def forget(self) -> None:
        """Look at all calls anew: what chance decides on has become known."""
        self._given.clear()
        self._done.clear()

    def _look(self, call: Call, counts: Counts) -> Done:
        trace, end = self.trace, end_of(self.trace, call)
        function = trace.function(call.function)
        outcome = outcome_of(trace, call)
        roots = self._roots(call, end)
        name = function.name if function else ""
        if outcome.how != words.RAISED and not is_version(name, outcome.value):
            roots[RETURN] = outcome.value
        after = self.likeness.told(roots, end, counts)
        printed = printed_in(trace, call, end)
        written = self._written_by(call, roots)
        besides = self._besides(call, written, counts)
        yielded: tuple[Hashable, ...] = ()
        is_sure = after.is_sure and printed.is_whole and written.is_whole and besides.after.is_sure
        if call.is_resumable:
            stream = stream_of(trace, call, function, kind_of(trace, call, function))
            told = [self.likeness.told({"": each.value}, each.at, counts) for each in stream.given]
            yielded = tuple((each.near[""], each.all) for each in told)
            is_sure = is_sure and stream.is_whole and all(each.is_sure for each in told)
        return Done(
            outcome=outcome,
            arguments=tuple(self.likeness.glance(value) for value in outcome.arguments),
            after=after,
            yielded=yielded,
            printed=(printed.lines, printed.errors),
            besides=besides,
            is_sure=is_sure,
        )

    def _written_by(self, call: Call, roots: Mapping[str, Value]) -> Written:
        """Return what a call wrote to that can't be reached from what it was given or returned."""
        if call.id not in self._written:
            end = end_of(self.trace, call)
            self._written[call.id] = self._elsewhere.written(
                call, end, lambda: self.likeness.reached(roots.values(), end)
            )
        return self._written[call.id]

    def _besides(self, call: Call, written: Written, counts: Counts) -> Besides:
        names = [
            name
            for name in written.after
            if counts is None or name.endswith(OBJECT) or name.rpartition(".")[2] in counts
        ]
        before, after = (
            self.likeness.told({name: values[name] for name in names}, at, counts)
            for values, at in (
                (written.before, call.first),
                (written.after, end_of(self.trace, call)),
            )
        )
        writes = tuple(self._write(name, event) for name, event in written.writes)
        return Besides(
            before,
            after,
            writes,
            is_alone=not call.is_resumable,
            is_named=not any(name.endswith(OBJECT) for name in written.after),
        )

    def _write(self, place: str, event: Event) -> Hashable:
        """Tell one write; not at which index it was, which depends on what was there."""
        site = self.trace.site(event.site) if event.site else None
        is_store = site is not None and isinstance(event.values[0] if event.values else None, Ref)
        values = event.values[1:] if is_store else event.values
        told = self.likeness.told(
            {f"value {number}": each for number, each in enumerate(values)}, event.moment + 1
        )
        name = site.name if site else ""
        words = self.names.line(event, self.trace.place_of(event))
        return place, event.kind, name, words, tuple(told.near.items()), told.all


def is_sent_alike(one: tuple[Hashable, ...], other: tuple[Hashable, ...]) -> bool:
    """Whether two generators were sent the same, as far as both were resumed."""
    return all(mine == theirs for mine, theirs in zip(one, other, strict=False))


def differing(one: Done, other: Done) -> list[str]:
    """Return what differs between two outcomes, by name; nothing: they are alike."""
    found = []
    is_cut_short = {one.outcome.how, other.outcome.how} & {*_CUT_SHORT}
    if is_cut_short:
        # Whoever took from the stream wanted no more: it can be compared as far as that.
        shorter = min(len(one.yielded), len(other.yielded))
        if one.yielded[:shorter] != other.yielded[:shorter]:
            found.append(YIELDED)
    else:
        if one.how != other.how or one.arguments != other.arguments:
            found.append(RETURN)
        if one.yielded != other.yielded:
            found.append(YIELDED)
    if one.printed != other.printed and not is_cut_short:
        found.append(STDOUT)
    common = [name for name in one.after.near if name in other.after.near]
    found += [name for name in common if one.after.near[name] != other.after.near[name]]
    if not found and not is_cut_short and one.after.all != other.after.all:
        found.append(WITHIN)
    if not is_cut_short:
        found += _differing_besides(one.besides, other.besides)
    return list(dict.fromkeys(found))


def _differing_besides(one: Besides, other: Besides) -> list[str]:
    if one.writes == other.writes:
        return []
    is_same_start = one.before.is_like(other.before)
    if is_same_start and one.after.is_like(other.after):
        return [] if one.is_named and other.is_named else [NOT_COMPARED]
    return [ELSEWHERE if is_same_start and one.is_alone else NOT_COMPARED]


def _is_thrown(resumed: Event | None, raised: Event) -> bool:
    """Whether an exception came from outside: nothing was sent, and it was there at once."""
    is_at_once = resumed is not None and raised.moment == resumed.moment + 1
    return is_at_once and resumed is not None and isinstance(resumed.values[0], Absent)
