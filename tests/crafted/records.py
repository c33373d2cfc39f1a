"""The event stream as records whose fields can be changed one by one, and put together again."""

from dataclasses import dataclass, field
from typing import NamedTuple

from sleuth.trace.store.encode import varint

LAYOUTS: dict[int, str] = {
    # v a varint, b a byte, V a value, N a count and as many values, C contents, P a place if the
    # flags before it say so
    0x01: "v",
    0x02: "v",
    0x03: "bvV",
    0x10: "vbvN",
    0x11: "V",
    0x12: "bPV",
    0x13: "vV",
    0x14: "vV",
    0x15: "",
    0x18: "vVN",
    0x19: "vvV",
    0x20: "vV",
    0x21: "vV",
    0x22: "v",
    0x28: "vV",
    0x29: "v",
    0x2A: "vVV",
    0x2B: "vV",
    0x2C: "vVVV",
    0x2D: "vVV",
    0x2E: "vVVVV",
    0x2F: "vVVV",
    0x30: "bPV",
    0x31: "vV",
    0x32: "V",
    0x33: "vbvvC",
    0x34: "vbvvvN",
    0x35: "vbvVV",
    0x40: "vC",
    0x41: "v",
    0x4A: "vVV",
    0x4B: "vV",
    0x4C: "vVVV",
    0x4D: "vVV",
    0x4E: "vVVVV",
    0x4F: "vVVV",
}
_PAIRS = (2, 4, 7)
_BYTES = 6
_HAS_HASH = 8
_ENTER, _PLACED, _STARTED_ELSEWHERE = 0x10, 3, 8
HAS_PLACE = {0x12: 2, 0x30: 4}
"""The flag that says that a place follows, by the kind of record."""


class Field(NamedTuple):
    """One field: what it is, and its bytes."""

    kind: str
    """v, b, V; n: the count of values that follow; x: other bytes."""
    content: bytes

    @property
    def number(self) -> int:
        """Of a varint or a byte: which it is."""
        return read_varint(self.content, 0)[0] if self.kind in "vn" else self.content[0]


@dataclass(slots=True)
class Record:
    """One record of a segment."""

    kind: int
    fields: list[Field] = field(default_factory=list)

    @property
    def data(self) -> bytes:
        """Its bytes."""
        return bytes((self.kind,)) + b"".join(each.content for each in self.fields)

    def copy(self) -> "Record":
        """Return another one that can be changed on its own."""
        return Record(self.kind, list(self.fields))


def read_varint(data: bytes, at: int) -> tuple[int, int]:
    """Return a number and where it ends."""
    number = shift = 0
    while True:
        number |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return number, at


def number_field(number: int, kind: str = "v") -> Field:
    """Make a field of a number."""
    return Field(kind, varint(number))


def joined(records: list[Record]) -> bytes:
    """Return the bytes of a segment."""
    return b"".join(record.data for record in records)


def _more(record: Record) -> int:
    """Return how many numbers follow the field that was read last, by the record's flags."""
    kind, count = record.kind, len(record.fields)
    is_placed = kind == _ENTER and count == _PLACED
    return 2 if is_placed and record.fields[1].number & _STARTED_ELSEWHERE else 0


class _Reader:
    """Takes a segment apart."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def record(self) -> Record:
        found = Record(self.data[self.at])
        self.at += 1
        for kind in LAYOUTS[found.kind]:
            if kind == "P":
                if found.fields[-1].number & HAS_PLACE[found.kind]:
                    found.fields.append(self._field("v"))
            elif kind == "N":
                self._counted(found, 1)
            elif kind == "C":
                self._contents(found)
            else:
                found.fields.append(self._field(kind))
            found.fields += [self._field("v") for _ in range(_more(found))]
        return found

    def _field(self, kind: str) -> Field:
        start = self.at
        if kind == "b":
            self.at += 1
        elif kind in "vn":
            self.at = read_varint(self.data, self.at)[1]
        else:
            self._value()
        return Field(kind, self.data[start : self.at])

    def _counted(self, found: Record, each: int) -> None:
        found.fields.append(self._field("n"))
        found.fields += [self._field("V") for _ in range(each * found.fields[-1].number)]

    def _contents(self, found: Record) -> None:
        part, flags = self._field("b"), self._field("b")
        found.fields += [part, flags, self._field("v")]
        if flags.content[0] & _HAS_HASH:
            found.fields.append(Field("x", self.data[self.at : self.at + 4]))
            self.at += 4
        if part.content[0] == _BYTES:
            found.fields += [self._field("n"), self._field("V")]
        else:
            self._counted(found, 2 if part.content[0] in _PAIRS else 1)

    def _value(self) -> None:
        tag = self.data[self.at]
        self.at += 1
        if tag in (0x01, 0x02, 0x09):
            self._number()
        elif tag in (0x03, 0x06, 0x07, 0x0D):
            self._stretch()
        elif tag in (0x04, 0x05):
            self.at += 8 * (tag - 3)
        elif tag == 0x08:
            self.at += 1
            self._number()
            self.at += 8
            self._stretch()
        elif tag == 0x0A:
            self._stretch()
            self._number()
        elif tag == 0x0B:
            self._number()
            self._number()
        elif tag == 0x0C:
            self._number()
            self.at += 9

    def _stretch(self) -> None:
        length = self._number()
        self.at += length

    def _number(self) -> int:
        number, self.at = read_varint(self.data, self.at)
        return number


def parted(data: bytes) -> list[Record]:
    """Take a sound segment apart into its records."""
    reader, found = _Reader(data), []
    while reader.at < len(data):
        found.append(reader.record())
    return found
