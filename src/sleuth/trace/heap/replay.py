"""Replay of writes: how each record changes the known state of an object."""

from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple, Protocol

from sleuth.trace.events import CallId, EventKind, Moment
from sleuth.trace.heap.parts import Growing, Keyed, Sequenced, Whole, growing, index_of
from sleuth.trace.numbers import Definition, PartFlag
from sleuth.trace.values import PART_KINDS, Absent, Atom, Part, Ref, Shape, Value

_FIXED = {"tuple", "frozenset", "str", "bytes", "range"}
"""Immutable types: a store into such an object fails."""
_NO_KEYS = {"list", "dict", "set", "bytearray"}
"""Unhashable types: a store with such a key fails."""


class Write(NamedTuple):
    """A record about an object."""

    moment: Moment
    """The moment of the record; for `contents` and `unsure` that of the next event."""
    kind: int
    call: CallId | None
    number: int
    """For a store its site, for `spliced` its start."""
    removed: int
    flags: int
    place: int | None
    since: Moment
    part: int
    part_flags: int
    full_length: int
    digest: int
    """A hash of all items, if not all are kept; 0: none."""
    values: tuple[Value, ...]

    def is_before(self, at: int) -> bool:
        """Whether it belongs to the state before the event at that moment."""
        return self.moment < at + (self.kind in (Definition.CONTENTS, Definition.UNSURE))

    @property
    def is_recorded(self) -> bool:
        """Whether recorded code made this change."""
        return EventKind.SET_ATTRIBUTE <= self.kind <= EventKind.DELETE_SLICE

    @property
    def part_kind(self) -> str:
        """The kind of part that it describes."""
        return PART_KINDS[self.part]


class Others(Protocol):
    """What replaying a record needs to know about other objects."""

    def key_of(self, value: Value) -> Hashable:
        """Return a hashable that is equal for equal keys."""

    def nested(self, ref: Ref, at: int) -> Shape | None:
        """Return another object's shape."""

    @property
    def name_of(self) -> Callable[[int], str | None]:
        """Returns the name of an attribute, given the site that sets it."""


class State:
    """The known state of one object; `apply` replays one record."""

    def __init__(self) -> None:
        self.parts: dict[str, Growing] = {}
        self.is_sure = True
        self.is_summary_old = False
        """Whether items have changed since the summary was recorded."""
        self.is_told = False
        """Whether any record was applied yet."""
        self.digests: dict[str, int | None] = {}
        """Hashes of parts of which not all items are kept."""

    @property
    def size(self) -> int:
        """The number of items, roughly."""
        return sum(
            len(part.items) if isinstance(part, Sequenced) else len(part.pairs)
            for part in self.parts.values()
            if not isinstance(part, Whole)
        )

    def copy(self) -> "State":
        """Return an independent copy."""
        other = State()
        other.parts = {kind: part.copy() for kind, part in self.parts.items()}
        other.is_sure, other.is_told = self.is_sure, self.is_told
        other.is_summary_old = self.is_summary_old
        other.digests = dict(self.digests)
        return other

    def _digest(self, told: Write) -> None:
        """Keep the hash of a truncated part until something is stored into it."""
        if told.kind in (Definition.CONTENTS, EventKind.CHANGED):
            self.digests[told.part_kind] = told.digest or None
        elif told.kind != Definition.UNSURE:
            self.digests.clear()

    def apply(self, told: Write, ref: Ref, others: Others) -> None:
        """Replay one record."""
        self.is_told = True
        self._digest(told)
        match told.kind:
            case Definition.CONTENTS | EventKind.CHANGED:
                self.is_sure = True
                kind = PART_KINDS[told.part]
                self.is_summary_old &= kind != "summary"
                is_cut = bool(told.part_flags & PartFlag.CUT)
                self.parts[kind] = growing(
                    kind, told.values, told.full_length, others.key_of, is_cut=is_cut
                )
            case Definition.UNSURE:
                self.is_sure = False
            case EventKind.SPLICED:
                self._splice(told.number, told.removed, told.values)
            case EventKind.PUT:
                self._put(told.values[0], told.values[1], others)
            case EventKind.SET_ATTRIBUTE | EventKind.DELETE_ATTRIBUTE:
                self._attribute(told, others)
            case _ if _plain(ref.type_name) not in _FIXED:
                self._item(told, ref, others)

    def _attribute(self, told: Write, others: Others) -> None:
        name = others.name_of(told.number)
        if name is None:
            self.is_sure = False
            return
        attributes = self._keyed("attributes", others)
        if told.kind == EventKind.SET_ATTRIBUTE:
            attributes.put(Atom(name), told.values[1])
        else:
            attributes.delete(Atom(name))

    def _keyed(self, kind: str, others: Others) -> Keyed:
        part = self.parts.get(kind)
        if not isinstance(part, Keyed):
            # The other parts are not known.
            part = self.parts[kind] = Keyed((), 0, others.key_of, is_complete=False)
        return part

    def _put(self, key: Value, value: Value, others: Others) -> None:
        kinds = [kind for kind in ("mapping", "attributes", "set") if kind in self.parts]
        part = self._keyed(kinds[0] if kinds else "mapping", others)
        if isinstance(value, Absent):
            part.delete(key)
        else:
            part.put(key, value)

    def _splice(self, start: int, removed: int, items: Sequence[Value]) -> None:
        sequence, content = self.parts.get("sequence"), self._bytes()
        if isinstance(sequence, Sequenced):
            sequence.splice(start, removed, items)
            self.is_summary_old = "summary" in self.parts
        elif content is not None and (more := _as_bytes(items)) is not None:
            content[start : start + removed] = more
            self._set_bytes(content)
        else:
            self.is_sure = False

    def _item(self, told: Write, ref: Ref, others: Others) -> None:
        sequence, mapping = self.parts.get("sequence"), self.parts.get("mapping")
        is_slice = told.kind in (EventKind.SET_SLICE, EventKind.DELETE_SLICE)
        if isinstance(mapping, Keyed) and not is_slice:
            self._in_mapping(told, mapping)
        elif isinstance(sequence, Sequenced) and not is_slice:
            self._in_sequence(told, sequence)
        elif isinstance(sequence, Sequenced):
            self._slice(told, sequence, ref, others)
        elif (content := self._bytes()) is not None:
            self._in_bytes(told, content)
        else:
            self.is_sure = False

    def _in_mapping(self, told: Write, mapping: Keyed) -> None:
        key = told.values[1]
        if isinstance(key, Ref) and _plain(key.type_name) in _NO_KEYS:
            return
        if told.kind == EventKind.SET_ITEM:
            mapping.put(key, told.values[2])
        else:
            mapping.delete(key)

    def _in_sequence(self, told: Write, sequence: Sequenced) -> None:
        index = index_of(told.values[1])
        if index is None:
            self.is_sure = False
        elif told.kind == EventKind.SET_ITEM:
            sequence.set(index, told.values[2])
        else:
            sequence.delete(index)

    def _slice(self, told: Write, sequence: Sequenced, ref: Ref, others: Others) -> None:
        bounds = sequence.bounds(told.values[1], told.values[2])
        is_set = told.kind == EventKind.SET_SLICE
        items: Sequence[Value] | None = ()
        if is_set and isinstance(told.values[3], Ref) and told.values[3].id == ref.id:
            is_whole = len(sequence.items) == sequence.full_length
            items = list(sequence.items) if is_whole else None
        elif is_set:
            items = _iterated(told.values[3], told.moment, others)
        if bounds is None or items is None:
            self.is_sure = False
        else:
            sequence.splice(*bounds, items)

    def _bytes(self) -> bytearray | None:
        """Return the bytes, if they are all known."""
        part = self.parts.get("bytes")
        value = part.told.items[0] if isinstance(part, Whole) and part.told.items else None
        content = value.content if isinstance(value, Atom) else None
        return bytearray(content) if isinstance(content, bytes) else None

    def _set_bytes(self, content: bytearray) -> None:
        self.parts["bytes"] = Whole(Part("bytes", (Atom(bytes(content)),), len(content)))

    def _in_bytes(self, told: Write, content: bytearray) -> None:
        is_slice = told.kind in (EventKind.SET_SLICE, EventKind.DELETE_SLICE)
        length = len(content)
        view = Sequenced((), length)
        if is_slice:
            bounds = view.bounds(told.values[1], told.values[2])
        else:
            index = index_of(told.values[1])
            bounds = None if index is None else (index + (length if index < 0 else 0), 1)
        is_set = told.kind in (EventKind.SET_ITEM, EventKind.SET_SLICE)
        more = _as_bytes(told.values[-1:]) if is_set else b""
        if bounds is None or more is None:
            self.is_sure = False
        elif is_slice or 0 <= bounds[0] < length:
            content[bounds[0] : sum(bounds)] = more
            self._set_bytes(content)


def _plain(type_name: str) -> str:
    return type_name.removeprefix("builtins.")


def _as_bytes(items: Sequence[Value]) -> bytes | None:
    found = bytearray()
    for item in items:
        match item:
            case Atom(int() as number) if 0 <= number < 256:
                found.append(number)
            case Atom(bytes() as content):
                found += content
            case _:
                return None
    return bytes(found)


def _iterated(value: Value, at: int, others: Others) -> Sequence[Value] | None:
    """Return the items that iterating over a value gives; None: not known."""
    match value:
        case Atom(str() as text):
            return [Atom(character) for character in text]
        case Atom(bytes() as content):
            return [Atom(number) for number in content]
        case Ref():
            shape = others.nested(value, at)
            if shape is None or not shape.is_sure:
                return None
            for kind in ("sequence", "mapping"):
                part = shape.part(kind)
                if part is not None:
                    known = part.items if kind == "sequence" else part.keys
                    return known if part.is_complete else None
    return None
