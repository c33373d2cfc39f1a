"""Encoded events are scanned and decoded to the same events; malformed bytes are refused."""

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sleuth import _core
from sleuth.trace.call_reader import _OUTCOMES
from sleuth.trace.event_reader import _KINDS
from sleuth.trace.events import Call, Event, EventKind, Outcome
from sleuth.trace.numbers import EnterFlag
from sleuth.trace.store.encode import Segment
from sleuth.trace.values import (
    ABSENT,
    PART_KINDS,
    Atom,
    Constant,
    Cut,
    NotKept,
    Part,
    Ref,
    Value,
    from_wire,
)
from tests.effort import examples

CONSTANTS = ("None", "True", "False", "Ellipsis", "NotImplemented")
U64 = st.integers(0, 2**64 - 1)

values: st.SearchStrategy[Value] = st.one_of(
    st.just(ABSENT),
    st.sampled_from(CONSTANTS).map(Constant),
    st.one_of(
        st.integers(),
        st.integers(-(2**70), 2**70),
        st.floats(),
        st.complex_numbers(),
        st.text(st.characters(), max_size=80),
        st.binary(max_size=80),
    ).map(Atom),
    st.builds(Ref, st.text(max_size=20), U64),
    st.builds(NotKept, st.text(max_size=20)),
    st.builds(Cut, st.just("text"), U64, U64, st.text(max_size=50)),
    st.builds(Cut, st.just("bytes"), U64, U64, st.binary(max_size=50)),
    st.builds(Cut, st.just("integer"), U64, U64, st.none(), st.booleans()),
)


stores = st.sampled_from(
    [
        (EventKind.SET_ATTRIBUTE, 2),
        (EventKind.DELETE_ATTRIBUTE, 1),
        (EventKind.SET_ITEM, 3),
        (EventKind.DELETE_ITEM, 2),
        (EventKind.SET_SLICE, 4),
        (EventKind.DELETE_SLICE, 3),
    ]
)


@st.composite
def parts(draw: st.DrawFn) -> Part:
    kind = draw(st.sampled_from(PART_KINDS[1:]))
    items = tuple(draw(st.lists(values, max_size=3)))
    if kind == "bytes":
        items = (Atom(draw(st.binary(max_size=40))),)
    keys = items if kind in ("mapping", "attributes", "summary") else ()
    return Part(kind, items, draw(U64), keys, draw(st.booleans()))


class Model:
    """Writes records, and lists the events that they should be decoded to."""

    def __init__(self, draw: st.DrawFn, limit: int) -> None:
        self.draw = draw
        self.segments: list[Segment] = [Segment()]
        self.events: list[Event] = []
        self.stacks: dict[int, list[int]] = {0: []}
        self.tasks: dict[int, int] = {0: 0}
        self.thread = 0
        self.calls: list[dict[str, Any]] = []
        for _ in range(draw(st.integers(0, limit))):
            self.step()

    @property
    def segment(self) -> Segment:
        return self.segments[-1]

    def happened(
        self,
        kind: EventKind,
        call: int | None,
        number: int,
        *given: Value,
        place: int | None = None,
        flags: int = 0,
    ) -> None:
        row = (
            len(self.events),
            kind,
            call,
            self.thread,
            self.tasks[self.thread],
            number,
            place,
            flags,
            given,
        )
        self.events.append(Event._make(row))
        if call is not None:
            self.calls[call]["events"] += 1

    def step(self) -> None:  # noqa: C901 - one branch per kind of record
        stack = self.stacks[self.thread]
        current = stack[-1] if stack else None
        value = self.draw(values)
        number = self.draw(st.integers(0, 300))
        place = self.draw(st.none() | st.integers(0, 300))
        choice = self.draw(st.integers(0, 14))
        if choice == 0:
            self.segments.append(Segment())
        elif choice == 1:
            self.thread = self.draw(st.sampled_from([0, 1, 2, 70000]))
            self.stacks.setdefault(self.thread, [])
            self.tasks.setdefault(self.thread, 0)
            self.segment.thread(self.thread)
        elif choice == 2:
            self.tasks[self.thread] = number
            self.segment.task(number)
        elif choice in (3, 4, 5):
            flags = self.draw(st.sampled_from([0, 0, EnterFlag.DEFERRED, 2, 4, EnterFlag.CALLED]))
            given = self.draw(st.lists(values, max_size=3))
            self.segment.enter(number, given, flags=flags, place=place)
            call = len(self.calls)
            self.calls.append(
                {
                    "parent": current,
                    "function": number,
                    "place": place,
                    "thread": self.thread,
                    "task": self.tasks[self.thread],
                    "first": len(self.events),
                    "events": 0,
                    "last": len(self.events) if flags & 1 else None,
                    "outcome": Outcome.SUSPENDED if flags & 1 else Outcome.UNFINISHED,
                }
            )
            self.happened(EventKind.ENTER, call, number, *given, place=place, flags=flags)
            if not flags & EnterFlag.DEFERRED:
                stack.append(call)
        elif choice in (6, 7, 8) and current is not None:
            self.leave(choice, stack, value, place)
        elif choice == 9 and any(c["outcome"] is Outcome.SUSPENDED for c in self.calls):
            waiting = [i for i, c in enumerate(self.calls) if c["outcome"] is Outcome.SUSPENDED]
            call = self.draw(st.sampled_from(waiting))
            self.segment.resume(call, value)
            if self.calls[call]["last"] == self.calls[call]["first"]:
                # Made, not started yet: it belongs to the task that runs it.
                self.calls[call]["task"] = self.tasks[self.thread]
            self.calls[call].update(outcome=Outcome.UNFINISHED, last=None)
            self.happened(EventKind.RESUME, call, call, value)
            stack.append(call)
        elif choice == 10:
            given = self.draw(st.lists(values, max_size=2))
            self.segment.raises(value, given, place=place)
            self.happened(EventKind.RAISE, current, 0, value, *given, place=place)
        elif choice == 11:
            self.unseen(value)
        elif choice == 12:
            self.by_others(current, value, place)
        elif choice == 13:
            (stored, count), asked = self.draw(st.tuples(stores, st.booleans()))
            self.segment.at(stored, number, *[value] * count, asked=asked)
            self.happened(stored, current, number, *[value] * count, flags=int(asked))
        else:
            kind = self.draw(st.sampled_from([EventKind.BIND, EventKind.TURN]))
            self.segment.at(kind, number, value)
            self.happened(kind, current, number, value)

    def unseen(self, value: Value) -> None:
        """Records that are no events."""
        if self.draw(st.booleans()):
            self.segment.contents(self.draw(U64), self.draw(parts()))
        else:
            self.segment.unsure(self.draw(U64))

    def by_others(self, current: int | None, value: Value, place: int | None) -> None:
        """Records of what code that is not recorded did."""
        identity, part = self.draw(U64), self.draw(parts())
        start, removed = self.draw(U64), self.draw(U64)
        choice = self.draw(st.integers(0, 3))
        if choice == 0:
            self.segment.spliced(identity, start, removed, [value], place=place)
            given = (Atom(start), Atom(removed), value)
            self.happened(EventKind.SPLICED, current, identity, *given, place=place, flags=1)
        elif choice == 1:
            self.segment.put(identity, value, value, place=place)
            self.happened(EventKind.PUT, current, identity, value, value, place=place, flags=1)
        else:
            since = start if choice == 2 else None
            self.segment.changed(identity, part, place=place, since=since)
            number = PART_KINDS.index(part.kind)
            told = (Atom(since or 0), Atom(number), Atom(part.full_length))
            pairs = tuple(each for pair in part.pairs for each in pair) if part.keys else part.items
            flags = 1 if since is None else 2
            told_all = (*told, *pairs)
            self.happened(EventKind.CHANGED, current, identity, *told_all, place=place, flags=flags)

    def leave(self, choice: int, stack: list[int], value: Value, place: int | None) -> None:
        call = stack.pop()
        outcome = [Outcome.RETURNED, Outcome.SUSPENDED, Outcome.RAISED][choice - 6]
        self.calls[call].update(outcome=outcome, last=len(self.events))
        if choice == 6:
            self.segment.leave(value)
            self.happened(EventKind.RETURN, call, 0, value)
        elif choice == 7:
            waits = self.draw(st.booleans())
            self.segment.suspend(value, waits=waits, place=place)
            self.happened(EventKind.SUSPEND, call, 0, value, place=place, flags=int(waits))
        else:
            self.segment.unwind(value, place=place)
            self.happened(EventKind.UNWIND, call, 0, value, place=place)


models = st.composite(lambda draw: Model(draw, 40))()


def scan_all(segments: list[bytes]) -> tuple[list[Event], list[Call], list[Any]]:
    scanner = _core.Scanner()
    events: list[Event] = []
    blocks: list[tuple[int, int, bytes]] = []
    for data in segments:
        first_call, first_moment = scanner.next_call, scanner.next_moment
        for size in (0, len(data)):
            growing = scanner.scan(data[:size], False)
        found = scanner.scan(data, True)
        assert growing == found, "a segment that is not final leaves no mark"
        moments, (block, ends, state) = found[0], found[5:8]
        rows = _core.decode(
            data, state, first_call, first_moment, 0, first_moment + moments, -2, _KINDS
        )
        for row in rows:
            read = tuple(from_wire(value, CONSTANTS) for value in row[8])
            events.append(Event._make((*row[:8], read)))
        blocks = [(c, m, _core.merge(b, c, m, ends)) for c, m, b in blocks]
        blocks.append((first_call, first_moment, block))
    calls = [
        Call._make(row)
        for c, m, block in blocks
        for row in _core.unpack(block, c, m, 0, 2**40, _OUTCOMES)
    ]
    return events, calls, blocks


@given(models)
def test_decoding_gives_what_was_encoded(model: Model) -> None:
    events, calls, _ = scan_all([segment.data for segment in model.segments])
    assert events == model.events
    for call, wanted in zip(calls, model.calls, strict=True):
        assert {name: getattr(call, name) for name in wanted} == wanted


@given(models)
def test_children_are_the_calls_with_that_parent(model: Model) -> None:
    _, calls, blocks = scan_all([segment.data for segment in model.segments])
    for parent in [-1, *range(len(calls))]:
        found, at = [], parent + 1
        for first, _, block in blocks:
            if first + len(block) // 42 > at:
                some, at = _core.children(block, first, parent, max(at, first))
                found += some
        wanted = None if parent == -1 else parent
        assert found == [call.id for call in calls if call.parent == wanted]


@given(models, st.data())
def test_events_of_one_call_are_those_that_belong_to_it(model: Model, data: st.DataObject) -> None:
    segments = [segment.data for segment in model.segments]
    scanner = _core.Scanner()
    call = data.draw(st.integers(-1, max(len(model.calls) - 1, 0)))
    low = data.draw(st.integers(0, len(model.events)))
    moments = []
    for segment in segments:
        first_call, first_moment = scanner.next_call, scanner.next_moment
        state = scanner.scan(segment, True)[7]
        rows = _core.decode(segment, state, first_call, first_moment, low, 2**40, call, _KINDS)
        moments += [row[0] for row in rows]
    owner = None if call == -1 else call
    assert moments == [e.moment for e in model.events if e.call == owner and e.moment >= low]


@given(st.binary(max_size=200))
@settings(max_examples=examples(500))
def test_random_bytes_are_refused_or_read_but_never_out_of_bounds(data: bytes) -> None:
    read_or_refuse(data)


@given(st.binary(max_size=60))
@settings(max_examples=examples(500))
def test_a_damaged_set_of_numbers_is_refused_or_in_order(data: bytes) -> None:
    try:
        numbers = list(memoryview(_core.numbers(data)).cast("Q"))
    except ValueError:
        return
    assert numbers == sorted(set(numbers))


@given(models, st.data())
def test_records_with_a_damaged_start_are_refused_or_found(
    model: Model, data: st.DataObject
) -> None:
    scanner = _core.Scanner()
    found = scanner.scan(model.segments[0].data, True)
    try:
        records = _core.Records(model.segments[0].data, damaged(data, found[7]), 0, 0)
    except ValueError:
        return
    for identity in records.touched(0, 2**63):
        assert records.about(identity, 0, 2**63)


@given(models)
def test_what_is_told_of_an_object_is_found_by_it(model: Model) -> None:
    scanner = _core.Scanner()
    changes = (EventKind.CHANGED, EventKind.SPLICED, EventKind.PUT)
    for segment in model.segments:
        first_call, first_moment = scanner.next_call, scanner.next_moment
        found = scanner.scan(segment.data, True)
        records = _core.Records(segment.data, found[7], first_call, first_moment)
        here = model.events[first_moment : first_moment + found[0]]
        told: dict[int, list[tuple[int, int, int | None]]] = {}
        for event in here:
            receiver = event.values[0] if event.values else None
            is_store = EventKind.SET_ATTRIBUTE <= event.kind <= EventKind.DELETE_SLICE
            if event.kind in changes:
                told.setdefault(event.number, []).append((event.moment, event.kind, event.call))
            elif is_store and not event.flags and isinstance(receiver, Ref):
                told.setdefault(receiver.id, []).append((event.moment, event.kind, event.call))
        index = set(memoryview(_core.numbers(found[8])).cast("Q"))
        assert index >= told.keys()
        for identity in index:
            rows = records.about(identity, 0, 2**63)
            events = [row[:3] for row in rows if row[1] < 0x40]
            assert events == told.get(identity, [])
        binds = (EventKind.BIND, EventKind.UNBIND, EventKind.TURN)
        last = {event.number: event for event in here if event.kind in binds}
        assert set(memoryview(_core.numbers(found[9])).cast("Q")) == last.keys()
        for site, event in last.items():
            row = records.last(site, -2, 0, 2**63)
            assert row is not None
            assert row[:3] == (event.moment, event.kind, event.call)
            owner = -1 if event.call is None else event.call
            if owner >= 0:
                # (As text: nan is not equal to itself.)
                assert repr(records.last(site, owner, 0, 2**63)) == repr(row)


@given(models, st.data())
@settings(max_examples=examples(300))
def test_damaged_records_are_refused_or_read(model: Model, data: st.DataObject) -> None:
    whole = bytearray(b"".join(segment.data for segment in model.segments[:1]))
    for _ in range(data.draw(st.integers(1, 4)) if whole else 0):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    read_or_refuse(bytes(whole[: data.draw(st.integers(0, len(whole)))]))


@given(models, st.data())
def test_damaged_indexes_are_refused_or_read(model: Model, data: st.DataObject) -> None:
    scanner = _core.Scanner()
    for segment in model.segments:
        first_call, first_moment = scanner.next_call, scanner.next_moment
        found = scanner.scan(segment.data, True)
        block, ends, state = (damaged(data, blob) for blob in found[5:8])
        try:
            rows = _core.decode(segment.data, state, first_call, first_moment, 0, 2**40, -2, _KINDS)
            assert len(rows) == found[0]
            block = _core.merge(block, 0, 0, ends)
            _core.children(block, 0, 1, 0)
            _core.unpack(block, 0, 0, 0, 2**40, _OUTCOMES)
        except ValueError:
            continue


def damaged(data: st.DataObject, blob: bytes) -> bytes:
    changed = bytearray(blob)
    for _ in range(data.draw(st.integers(0, 3)) if blob else 0):
        changed[data.draw(st.integers(0, len(blob) - 1))] = data.draw(st.integers(0, 255))
    return bytes(changed)


def in_columns(data: bytes, state: bytes, call: int, size: int, *, is_sparse: bool) -> list[bytes]:
    """Return the events of a call as columns, and what all touched."""
    room = [bytearray(width * size) for width in (8, 4, 1, 4)]
    columns = room[0], room[1], room[2], room[3]
    begin = 0, 0, 0, 2**40, call
    count, _, events = _core.own(data, state, *begin, is_sparse, (0, 0, 0), columns)
    assert count <= events <= size
    rows, whats = _core.touches(data, 0, 0, 2**40, b"\x01" * 100)
    assert len(rows) == 16 * len(whats)
    return [bytes(column) for column in columns]


def read_or_refuse(data: bytes) -> None:
    scanner = _core.Scanner()
    try:
        found = scanner.scan(data, True)
    except ValueError:
        assert (scanner.next_call, scanner.next_moment) == (0, 0)
        for is_sparse in (False, True):
            with suppress(ValueError):
                in_columns(data, bytes(8), 0, len(data), is_sparse=is_sparse)
        return
    for is_sparse in (False, True):
        in_columns(data, found[7], 0, found[0], is_sparse=is_sparse)
    if found[0] > 1:
        with suppress(ValueError):  # there may be fewer
            in_columns(data, found[7], 0, 1, is_sparse=False)
    events = _core.decode(data, found[7], 0, 0, 0, 2**40, -2, _KINDS)
    assert len(events) == found[0]
    assert len(_core.unpack(found[5], 0, 0, 0, 2**40, _OUTCOMES)) == found[1]
    _core.mentions(data)
    records = _core.Records(data, found[7], 0, 0)
    told = sum(
        len(records.about(identity, 0, 2**63))
        for identity in memoryview(_core.numbers(found[8])).cast("Q")
    )
    assert told >= len(found[8]) // 10
    for site in memoryview(_core.numbers(found[9])).cast("Q"):
        assert records.last(site, -2, 0, 2**63) is not None
    assert len(records.touched(0, 2**63)) == len(_core.numbers(found[8])) // 8


def test_the_state_of_a_deep_recursion_has_only_the_calls_that_the_segment_leaves() -> None:
    scanner = _core.Scanner()
    down = Segment()
    for _ in range(100_000):
        down.enter(1, [])
    scanner.scan(down.data, True)
    up = Segment()
    up.leave(ABSENT)
    up.leave(ABSENT)
    state = scanner.scan(up.data, True)[7]
    assert len(state) < 100
    (_, _, call, *_), (_, _, caller, *_) = _core.decode(
        up.data, state, 100_000, 100_000, 0, 2**40, -2, _KINDS
    )
    assert (call, caller) == (99_999, 99_998)


def test_a_resume_of_a_call_that_never_began_is_refused() -> None:
    segment = Segment()
    segment.resume(7)
    with pytest.raises(ValueError, match="never began"):
        _core.Scanner().scan(segment.data, True)


def test_an_end_without_a_call_is_counted() -> None:
    segment = Segment()
    segment.leave(ABSENT)
    assert _core.Scanner().scan(segment.data, True)[4] == 1
