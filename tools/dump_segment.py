"""Print the records of a segment, one per line: offset, kind, fields and values.

    python tools/dump_segment.py shop.trace          all segments of a trace
    python tools/dump_segment.py shop.trace 3        the segment with that number
    python tools/dump_segment.py --raw segment.bin   bytes that a debugger has written to a file

It follows the tables of docs/reference/trace-format.md and shares no code with the core.  So it
shows the real bytes when the core's reader and writer disagree.
"""

import argparse
import struct
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

NUMBER, BYTE, VALUE, FLAGS = "n", "b", "v", "f"
RECORDS = {
    0x01: ("thread", "n"), 0x02: ("task", "n"), 0x03: ("name", "bnv"),
    0x10: ("enter", "nfnS*"), 0x11: ("return", "v"), 0x12: ("suspend", "fPv"),
    0x13: ("resume", "nv"), 0x14: ("unwind", "nv"), 0x15: ("lost", ""),
    0x18: ("raise", "nv*"), 0x19: ("catch", "nnv"),
    0x20: ("loop", "nv"), 0x21: ("turn", "nv"), 0x22: ("arm", "n"),
    0x28: ("bind", "nv"), 0x29: ("unbind", "n"),
    0x2A: ("set_attribute", "nvv"), 0x2B: ("delete_attribute", "nv"),
    0x2C: ("set_item", "nvvv"), 0x2D: ("delete_item", "nvv"),
    0x2E: ("set_slice", "nvvvv"), 0x2F: ("delete_slice", "nvvv"),
    0x30: ("output", "fQv"), 0x31: ("child", "nv"), 0x32: ("stopped", "v"),
    0x33: ("changed", "nbnnC"), 0x34: ("spliced", "nbnnn*"), 0x35: ("put", "nbnvv"),
    0x40: ("contents", "nC"), 0x41: ("unsure", "n"),
}  # fmt: skip
"""Kind -> name and fields: n varint, b byte, v value, * a count and so many values, C contents;
f a byte of flags; S two varints if flag 8 is set; P a varint if flag 2 is, Q if flag 4 is."""
WITH_FLAG = {"S": (8, 2), "P": (2, 1), "Q": (4, 1)}
"""Fields that are only there if a flag is set: which, and how many numbers they are."""
ASKED = range(0x4A, 0x50)
PARTS = ("", "sequence", "mapping", "set", "attributes", "cell", "bytes", "summary", "value")
PAIRED = ("mapping", "attributes", "summary")
HAS_DIGEST = 8


class Damaged(Exception):
    """The bytes are no records."""


class Reader:
    """Reads one record after the other."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0
        self.flags = 0
        self.types: list[str] = []
        self.texts: list[str] = []
        self.values: dict[int, Callable[[], str]] = {
            0x00: lambda: "-",
            0x01: lambda: f"constant {self.number()}",
            0x02: self.small,
            0x03: lambda: str(int.from_bytes(self.stretch(), "little", signed=True)),
            0x04: lambda: repr(struct.unpack("<d", self.take(8))[0]),
            0x05: lambda: repr(complex(*struct.unpack("<dd", self.take(16)))),
            0x06: lambda: repr(self.text()),
            0x07: lambda: repr(self.stretch()),
            0x08: self.new_text,
            0x09: lambda: self.known(self.texts, "text"),
            0x0A: self.new_type,
            0x0B: lambda: f"<{self.known(self.types, 'type')} #{self.number()}>",
            0x0C: lambda: f"<integer of {self.number()} bits, cut {self.take(9).hex()}>",
            0x0D: lambda: f"<not kept: {self.text()}>",
        }

    def records(self) -> Iterator[tuple[int, str]]:
        """Yield where each record begins, and what it says."""
        while self.at < len(self.data):
            start = self.at
            yield start, self.record()

    def record(self) -> str:
        """Read a record."""
        kind = self.take(1)[0]
        asked = kind in ASKED
        known = RECORDS.get(kind - 0x20 if asked else kind)
        if known is None:
            raise Damaged(f"0x{kind:02X} is no kind of record")
        name, fields = known
        words = [name + (" (asked)" if asked else "")]
        for field in fields:
            words += self.field(field)
        return " ".join(words)

    def field(self, field: str) -> list[str]:
        """Read a field of a record, of which there can be several."""
        if field == NUMBER:
            return [str(self.number())]
        if field in (BYTE, FLAGS):
            self.flags = self.take(1)[0]
            return [f"0x{self.flags:02X}"]
        if field in WITH_FLAG:
            flag, count = WITH_FLAG[field]
            return [str(self.number()) for _ in range(count)] if self.flags & flag else []
        if field == VALUE:
            return [self.value()]
        return self.contents() if field == "C" else self.counted()

    def counted(self, each: int = 1) -> list[str]:
        """Read a count, and so many values."""
        count = self.number()
        return [f"{count}:", *(self.value() for _ in range(count * each))]

    def contents(self) -> list[str]:
        """Read what an object contains."""
        part, flags = self.take(2)
        name = PARTS[part] if part < len(PARTS) else f"part {part}"
        words = [name, f"flags {flags}", f"of {self.number()}"]
        if flags & HAS_DIGEST:
            words.append(f"digest {self.take(4).hex()}")
        return words + self.counted(2 if name in PAIRED else 1)

    def value(self) -> str:
        """Read a value."""
        tag = self.take(1)[0]
        if 0x40 <= tag <= 0x7F:
            return str(tag - 0x40)
        if tag not in self.values:
            raise Damaged(f"0x{tag:02X} is no tag of a value")
        return self.values[tag]()

    def small(self) -> str:
        """Read an integer of 64 bits."""
        number = self.number()
        return str(number >> 1 ^ -(number & 1))

    def new_text(self) -> str:
        """Read a long text or long bytes."""
        flags, length, _ = self.take(1)[0], self.number(), self.take(8)
        kept = self.stretch()
        found = repr(kept if flags & 1 else kept.decode("utf-8", "surrogatepass"))
        self.texts.append(f"{found[:60]}... ({length:,}{', cut' if flags & 2 else ''})")
        return f"text {len(self.texts) - 1} = {self.texts[-1]}"

    def new_type(self) -> str:
        """Read an object of a type that was not yet named here."""
        self.types.append(self.text())
        return f"<{self.types[-1]} (type {len(self.types) - 1}) #{self.number()}>"

    def known(self, table: list[str], what: str) -> str:
        """Look up what was defined before."""
        number = self.number()
        if number >= len(table):
            raise Damaged(f"{what} {number} is used before it is given")
        return table[number]

    def text(self) -> str:
        """Read a length and UTF-8."""
        return self.stretch().decode("utf-8", "surrogatepass")

    def stretch(self) -> bytes:
        """Read a length and so many bytes."""
        return self.take(self.number())

    def number(self) -> int:
        """Read a varint."""
        found = shift = 0
        while True:
            byte = self.take(1)[0]
            found |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return found

    def take(self, size: int) -> bytes:
        """Read so many bytes."""
        if self.at + size > len(self.data):
            raise Damaged(f"the bytes end inside a record; it needs {size:,} more")
        self.at += size
        return self.data[self.at - size : self.at]


def dump(data: bytes) -> bool:
    """Print a segment; False: it is damaged."""
    reader = Reader(data)
    start = 0
    try:
        for start, words in reader.records():
            print(f"{start:7}  {words}".encode("utf-8", "backslashreplace").decode())
    except (Damaged, UnicodeDecodeError) as error:
        print(f"{start:7}  {data[start : start + 64].hex(' ')}")
        print(f"damaged: the record at {start} can't be read: {error}")
        return False
    return True


def segments(path: Path, number: int | None) -> Iterator[tuple[int, bytes]]:
    """Yield the segments of a trace."""
    from sleuth.trace.reader import Trace  # noqa: PLC0415 - raw bytes need no Sleuth at all

    held = Trace(path)._segments  # noqa: SLF001 - looking inside is the job
    for row in held.rows:
        if number is None or row.number == number:
            yield row.number, held.segment(row).data


def main() -> int:
    """Read the words, print what was asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("file", type=Path)
    parser.add_argument("number", type=int, nargs="?")
    parser.add_argument("--raw", action="store_true", help="the file is a segment's bytes")
    words = parser.parse_args()
    if words.raw:
        return 0 if dump(words.file.read_bytes()) else 1
    is_sound = True
    for number, data in segments(words.file, words.number):
        print(f"segment {number}, {len(data):,} bytes")
        is_sound &= dump(data)
    return 0 if is_sound else 1


if __name__ == "__main__":
    sys.exit(main())
