"""The record of a call: inputs and effects in a form that can be compared between runs."""

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
"""Name of a difference: side effects on objects not reachable from the arguments."""
NOT_COMPARED = "not compared"
"""Name of a difference: side effects that can't be compared.

The objects differed before the call, have no names, or other code may have written to them.
"""
WITHIN = ""
"""Name of a difference: an object further inside the arguments or the result."""
_CUT_SHORT = (words.CLOSED, words.NOT_REQUESTED)
"""Endings of a generator whose consumer wanted no more."""

_MOST_EVENTS = 10_000
_ASIDE = (EventKind.CHANGED, EventKind.SPLICED, EventKind.PUT, EventKind.OUTPUT)
"""Events that show effects of unrecorded code."""


@dataclass(frozen=True, slots=True)
class Besides:
    """Side effects of a call on objects not reachable from its arguments."""

    before: Told
    after: Told
    writes: tuple[Hashable, ...]
    """Places and written values."""
    is_alone: bool
    """False: the call can be suspended, and other code may have written to the places meanwhile."""
    is_named: bool
    """False: some places are objects without a name, which can't be matched surely."""


@dataclass(frozen=True, slots=True)
class Done:
    """The effects of a call."""

    outcome: Outcome
    arguments: tuple[Hashable, ...]
    """The arguments of the exception."""
    after: Told
    """Its arguments and its result when it ended."""
    yielded: tuple[Hashable, ...]
    printed: Hashable
    besides: "Besides"
    is_sure: bool

    @property
    def how(self) -> Hashable:
        """How it ended, with the type of an exception."""
        kind = getattr(self.outcome.value, "type_name", "")
        return self.outcome.how, kind if self.outcome.how == words.RAISED else ""


class Side:
    """One of two runs: looks up the inputs and effects of its calls."""

    def __init__(self, trace: Trace, chance: Chance | None = None) -> None:
        self.trace = trace
        self.names = Names(trace)
        self.likeness = Likeness(trace, chance)
        self._elsewhere = Elsewhere(trace)
        self._written: dict[int, Written] = {}
        self._given: dict[tuple[int, Counts], Told] = {}
        self._done: dict[tuple[int, Counts], Done] = {}

    def glance(self, call: Call) -> Mapping[str, Hashable]:
        """Return the arguments of a call, without the contents of objects."""
        given = given_to(self.trace, call)
        return {name: self.likeness.glance(value) for name, value in given.items()}

    def given(self, call: Call, counts: Counts = None) -> Told:
        """Return the arguments of a call, and the variables of enclosing functions."""
        key = int(call.id), counts
        if key not in self._given:
            roots = self._roots(call, call.first)
            self._given[key] = self.likeness.told(roots, call.first, counts)
        return self._given[key]

    def _roots(self, call: Call, at: int) -> dict[str, Value]:
        return {**given_to(self.trace, call), **self.trace.closure(call, at)}

    def used(self, call: Call, function: Function) -> Told:
        """Return the globals that a call read, with their values at its beginning."""
        seen = used_by(self.trace, call, function).values
        values = {each.path: each.value for each in seen if each.scope == "global"}
        return self.likeness.told(values, call.first)

    def globals(self, call: Call, function: Function, names: Mapping[str, Hashable]) -> Told:
        """Return some globals with their values at the beginning of a call."""
        there = self.trace.globals(function.module, call.first) if names else {}
        return self.likeness.told(
            {name: there[name] for name in names if name in there}, call.first
        )

    def done(self, call: Call, counts: Counts = None) -> Done:
        """Return the effects of a call."""
        key = int(call.id), counts
        if key not in self._done:
            self._done[key] = self._look(call, counts)
        return self._done[key]

    def met(self, call: Call) -> Atoms:
        """Return the plain values in attributes of the objects reachable from the arguments."""
        return self.likeness.atoms(self._roots(call, call.first), call.first)

    def left(self, call: Call) -> Atoms:
        """Return the plain values that a call returned, or left in reachable attributes."""
        end = end_of(self.trace, call)
        result = outcome_of(self.trace, call).value
        atoms = self.likeness.atoms({**self._roots(call, end), RETURN: result}, end)
        return {**atoms, ("", RETURN): Counter([self.likeness.glance(result)])}

    def sent(self, call: Call) -> tuple[Hashable, ...]:
        """Return the values and exceptions sent into a generator, in order."""
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
        """Whether the exception that left a call was caught by recorded code, or by none.

        Unrecorded code, such as `hasattr`, does not read the message of the exception.
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
        """Clear the caches after new values were found to be nondeterministic."""
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
        """Return the writes to objects that are not reachable from arguments or result."""
        if call.id not in self._written:
            end = end_of(self.trace, call)
            self._written[call.id] = self._elsewhere.written(
                call, end, lambda: self.likeness.reached(roots.values(), end)
            )
        return self._written[call.id]

    def written(self, call: Call) -> Written:
        """Return the writes of a call to objects not reachable from its arguments or its result."""
        end = end_of(self.trace, call)
        roots = {**self._roots(call, end), RETURN: outcome_of(self.trace, call).value}
        return self._written_by(call, roots)

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
        """Describe one write without its index, which depends on the contents before."""
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
    """Whether two generators were sent the same values, as far as both were resumed."""
    return all(mine == theirs for mine, theirs in zip(one, other, strict=False))


def differing(one: Done, other: Done) -> list[str]:
    """Return the names of the differences between the effects of two calls; empty: none."""
    found = []
    is_cut_short = {one.outcome.how, other.outcome.how} & {*_CUT_SHORT}
    if is_cut_short:
        # The consumer wanted no more values: compare only those that it took.
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
    """Whether an exception was thrown into a generator: it came at once, and no value was sent."""
    is_at_once = resumed is not None and raised.moment == resumed.moment + 1
    return is_at_once and resumed is not None and isinstance(resumed.values[0], Absent)
