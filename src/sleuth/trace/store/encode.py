"""Encodes the event stream in plain Python, for tests and for recorders that need no speed.

It follows the tables of docs/reference/trace-format.md, with one method per kind of record.
"""

import struct
from collections.abc import Sequence
from hashlib import blake2b

from sleuth.trace.events import EventKind
from sleuth.trace.numbers import (
    ASKED_DISTANCE,
    Cause,
    Definition,
    EnterFlag,
    OutputFlag,
    SuspendFlag,
)
from sleuth.trace.values import (
    ABSENT,
    PART_KINDS,
    Absent,
    Atom,
    Constant,
    Cut,
    NotKept,
    Part,
    Ref,
    Value,
)

PYTHON_CONSTANTS = (
    *("None", "True", "False", "Ellipsis", "NotImplemented"),
    *("str", "int", "float", "bool", "complex", "bytes", "bytearray"),
    *("list", "tuple", "dict", "set", "frozenset", "type", "object"),
)

_SHORT = 32
"""Texts of at most this many bytes are written in full each time."""


def varint(number: int) -> bytes:
    """Return the number as unsigned LEB128."""
    if not 0 <= number < 1 << 64:
        raise ValueError(f"{number} is no unsigned 64 bit number")
    encoded = bytearray()
    while number > 0x7F:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)


def _counted(content: bytes) -> bytes:
    return varint(len(content)) + content


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


class Segment:
    """Collects records; `data` is the segment so far."""

    def __init__(self, constants: Sequence[str] = PYTHON_CONSTANTS) -> None:
        self._constants = {name: number for number, name in enumerate(constants)}
        self._parts = bytearray()
        self._types: dict[str, int] = {}
        self._texts: dict[bytes, int] = {}

    @property
    def data(self) -> bytes:
        """The bytes of all records so far."""
        return bytes(self._parts)

    def thread(self, number: int) -> None:
        """The following records belong to that thread."""
        self._parts += bytes((Definition.THREAD,)) + varint(number)

    def task(self, number: int) -> None:
        """The current thread now runs that task (0: none)."""
        self._parts += bytes((Definition.TASK,)) + varint(number)

    def name(self, what: int, number: int, text: str) -> None:
        """Give a thread (what=1) or task (what=2) its name."""
        self._parts += bytes((Definition.NAME, what)) + varint(number) + self._value(Atom(text))

    def enter(
        self,
        function: int,
        arguments: Sequence[Value],
        *,
        flags: int = 0,
        place: int | None = None,
        starter: tuple[int, int] | None = None,
    ) -> None:
        """A call begins; `starter`: the call that started it in another thread, and when."""
        flags |= 0 if starter is None else EnterFlag.ELSEWHERE
        self._parts += bytes((EventKind.ENTER,)) + varint(function) + bytes((flags,))
        self._parts += _place(place) + b"".join(map(varint, starter or ()))
        self._parts += self._counted_values(arguments)

    def leave(self, value: Value) -> None:
        """The current call returns."""
        self._event(EventKind.RETURN, value)

    def suspend(self, value: Value, *, waits: bool = False, place: int | None = None) -> None:
        """The current call gives a value or waits, and may be resumed."""
        flags = SuspendFlag.WAITS * waits | SuspendFlag.HAS_PLACE * (place is not None)
        self._parts += bytes((EventKind.SUSPEND, flags))
        self._parts += (b"" if place is None else _place(place)) + self._value(value)

    def resume(self, call: int, value: Value = ABSENT) -> None:
        """A suspended call runs on."""
        self._parts += bytes((EventKind.RESUME,)) + varint(call) + self._value(value)

    def unwind(self, value: Value, *, place: int | None = None) -> None:
        """An exception leaves the current call."""
        self._parts += bytes((EventKind.UNWIND,)) + _place(place) + self._value(value)

    def lost(self) -> None:
        """The current call ended unseen."""
        self._event(EventKind.LOST)

    def raises(self, value: Value, arguments: Sequence[Value], *, place: int | None = None) -> None:
        """An exception begins in the current call."""
        self._parts += bytes((EventKind.RAISE,)) + _place(place) + self._value(value)
        self._parts += self._counted_values(arguments)

    def catch(self, site: int, value: Value, *, place: int | None = None) -> None:
        """An exception arrives at a handler."""
        self._parts += bytes((EventKind.CATCH,)) + varint(site) + _place(place) + self._value(value)

    def at(self, kind: EventKind, number: int, *values: Value, asked: bool = False) -> None:
        """Write any kind of record that is a site (stream, process id) and values: loop to child.

        asked: the store is a request; other records have its effect.
        """
        self._parts += bytes((kind + ASKED_DISTANCE * asked,)) + varint(number)
        for value in values:
            self._parts += self._value(value)

    def output(self, stream: int, text: str, *, place: int | None = None) -> None:
        """The current call, or unrecorded code that it called, writes to a stream."""
        self._parts += bytes((EventKind.OUTPUT, stream | OutputFlag.HAS_PLACE))
        self._parts += _place(place) + self._value(Atom(text))

    def stopped(self, reason: str) -> None:
        """Recording stops here."""
        self._event(EventKind.STOPPED, Atom(reason))

    def contents(self, identity: int, part: Part, *, has_more: bool = False) -> None:
        """One part of an object's contents, when it is first seen."""
        self._parts += bytes((Definition.CONTENTS,)) + varint(identity)
        self._parts += self._part(part, has_more=has_more)

    def unsure(self, identity: int) -> None:
        """The contents of the object may have changed from here on."""
        self._parts += bytes((Definition.UNSURE,)) + varint(identity)

    def changed(
        self, identity: int, part: Part, *, place: int | None = None, since: int | None = None
    ) -> None:
        """Unrecorded code has changed the object: at a place, or some time before."""
        self._change(EventKind.CHANGED, identity, place, since)
        self._parts += varint(since or 0) + self._part(part)

    def spliced(
        self,
        identity: int,
        start: int,
        removed: int,
        items: Sequence[Value],
        *,
        place: int | None = None,
    ) -> None:
        """Some items of a sequence were replaced by others."""
        self._change(EventKind.SPLICED, identity, place, None)
        self._parts += varint(start) + varint(removed) + self._counted_values(items)

    def put(self, identity: int, key: Value, value: Value, *, place: int | None = None) -> None:
        """An item of a mapping, or an attribute, was set."""
        self._change(EventKind.PUT, identity, place, None)
        self._parts += self._value(key) + self._value(value)

    def _change(self, kind: EventKind, identity: int, place: int | None, since: int | None) -> None:
        cause = Cause.CALL if since is None else Cause.LATER
        self._parts += bytes((kind,)) + varint(identity) + bytes((cause,)) + _place(place)

    def _part(self, part: Part, *, has_more: bool = False) -> bytes:
        flags = (not part.is_complete) | has_more << 1 | (part.digest is not None) << 3
        head = bytes((PART_KINDS.index(part.kind), flags)) + varint(part.full_length)
        head += b"" if part.digest is None else part.digest.to_bytes(4, "little")
        if part.kind == "bytes":
            return head + varint(part.full_length) + self._value(part.items[0])
        if not part.keys:
            return head + self._counted_values(part.items)
        pairs = [each for pair in part.pairs for each in pair]
        return head + varint(len(part.keys)) + b"".join(map(self._value, pairs))

    def _event(self, kind: EventKind, *values: Value) -> None:
        self._parts.append(kind)
        for value in values:
            self._parts += self._value(value)

    def _counted_values(self, values: Sequence[Value]) -> bytes:
        return varint(len(values)) + b"".join(map(self._value, values))

    def _value(self, value: Value) -> bytes:
        match value:
            case Absent():
                return b"\x00"
            case Constant(name):
                return b"\x01" + varint(self._constants[name])
            case Atom(content):
                return self._atom(content)
            case Ref(type_name, identity):
                if type_name in self._types:
                    return b"\x0b" + varint(self._types[type_name]) + varint(identity)
                self._types[type_name] = len(self._types)
                return b"\x0a" + _counted(_utf8(type_name)) + varint(identity)
            case Cut("integer", bits, digest, _, is_negative):
                return b"\x0c" + varint(bits) + struct.pack("<BQ", is_negative, digest)
            case Cut(_, length, digest, kept):
                content = kept if isinstance(kept, bytes) else _utf8(kept or "")
                return self._long(
                    content, length, digest, is_bytes=isinstance(kept, bytes), is_cut=True
                )
            case NotKept(reason):
                return b"\x0d" + _counted(_utf8(reason))
        raise AssertionError(value)

    def _atom(self, content: complex | str | bytes) -> bytes:
        match content:
            case int() if 0 <= content < 64:
                return bytes((0x40 + content,))
            case int() if -(1 << 63) <= content < 1 << 63:
                return b"\x02" + varint((content << 1) ^ (content >> 63))
            case int():
                size = content.bit_length() // 8 + 1
                return b"\x03" + _counted(content.to_bytes(size, "little", signed=True))
            case float():
                return b"\x04" + struct.pack("<d", content)
            case complex():
                return b"\x05" + struct.pack("<dd", content.real, content.imag)
            case str():
                plain = _utf8(content)
                if len(plain) <= _SHORT:
                    return b"\x06" + _counted(plain)
                return self._long(plain, len(content), _digest(plain))
            case _:
                if len(content) <= _SHORT:
                    return b"\x07" + _counted(content)
                return self._long(content, len(content), _digest(content), is_bytes=True)

    def _long(
        self, kept: bytes, length: int, digest: int, *, is_bytes: bool = False, is_cut: bool = False
    ) -> bytes:
        flags = is_bytes | is_cut << 1
        fields = bytes((flags,)) + varint(length) + struct.pack("<Q", digest) + _counted(kept)
        if fields in self._texts:
            return b"\x09" + varint(self._texts[fields])
        self._texts[fields] = len(self._texts)
        return b"\x08" + fields


def _place(place: int | None) -> bytes:
    return varint(0 if place is None else place + 1)


def _digest(content: bytes) -> int:
    return int.from_bytes(blake2b(content, digest_size=8).digest(), "little")
