"""Damages a sound trace as no recorder would: its events, index, tables and answers."""

import json
import struct
from collections.abc import Callable
from random import Random
from typing import Any

import zstandard

from sleuth.trace.store.encode import varint
from tests.crafted.records import HAS_PLACE, LAYOUTS, Field, Record, joined, number_field, parted
from tests.crafted.trace_file import BLOBS, Packed, Row, TraceFile

NUMBERS = (
    *(0, 1, 2, 3, 7, 63, 64, 127, 128, 255, 256, 1000, 65535, 65536, 10**6),
    *((1 << 31) - 1, 1 << 31, (1 << 32) - 2, (1 << 32) - 1, 1 << 32, 1 << 48, (1 << 53) + 1),
    *((1 << 62), (1 << 63) - 1, 1 << 63, (1 << 64) - 2, (1 << 64) - 1),
)
TYPES = (
    *("list", "tuple", "dict", "set", "frozenset", "bytearray", "str", "int", "float", "type"),
    *("builtins.tuple", "builtins.list", "collections.deque", "decimal.Decimal", "slice", "range"),
    *("datetime.datetime", "datetime.date", "datetime.timedelta", "uuid.UUID", "re.Pattern"),
    *("numpy.ndarray", "pandas.DataFrame", "array.array", "fractions.Fraction", "function"),
    *("pathlib.PosixPath", "enum.Enum", "ValueError", "", ".", "a..b", "\x1b[2J", "x" * 5000),
)
TEXTS: tuple[str, ...] = (
    "",
    "value",
    "(1, 2)",
    "(99999999999999,)",
    "(3, 4",
    "shape",
    "dtype",
    "column 0",
)
TEXTS += ("nan", "1e999", "least", "hash", "made from", "_fields", "\ud800", "\x00", "x" * 3000)
_MOST_NUMBER = (1 << 64) - 1
ODD_JSON: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2, 1.5, 1e308, float("nan"), float("inf"), -0.0),
    *(1 << 31, 1 << 32, -(1 << 31), 1 << 53, 1 << 63, 1 << 64, -(1 << 63), 10**400, 10**4000),
    *("", "x", "\ud800", "\x1b[31m", "0", "<module>", "module body", "generator", "x" * 4000),
    *([], [[]], [1], ["x"], [None], {}, {"x": 1}, [0, 0, 0, 0], [0, 0, 0, 0, 0]),
)


class Mutator:
    """Makes a crafted trace from a sound one; `done` lists the changes."""

    def __init__(self, chance: Random) -> None:
        self.chance = chance
        self.done: list[str] = []

    def crafted(self, sound: TraceFile) -> TraceFile:
        """Return a changed copy."""
        made = sound.copy()
        for _ in range(self.chance.choice((1, 1, 1, 2, 3, 5))):
            change = self.chance.choice(_CHANGES)
            self.done.append(change.__name__.strip("_"))
            change(self, made)
        return made

    # --- Events -----------------------------------------------------------------------------

    def events(self, made: TraceFile) -> None:
        """Change records; mostly with an index that fits them."""
        rows = [row for row in made.tables["segments"] if isinstance(row["data"], bytes)]
        if not rows:
            return
        row = self.chance.choice(rows)
        try:
            records = parted(row["data"])
        except (IndexError, KeyError):
            return
        for _ in range(self.chance.choice((1, 1, 2, 5, 20))):
            change = self.chance.choice(_RECORD_CHANGES)
            self.done.append(change.__name__.strip("_"))
            if records:
                change(self, records)
        row["data"] = joined(records)[: 1 << 20]
        if self.chance.random() < 0.9:
            self.done.append("scanned" if made.scan() else "index of before")

    def number(self) -> int:
        """Return a number near the limits of its range."""
        return self.chance.choice(NUMBERS)

    def value(self) -> bytes:
        """Return an encoded value, mostly a well-formed one."""
        chance = self.chance
        text = chance.choice(TEXTS).encode("utf-8", "surrogatepass")
        name = chance.choice(TYPES).encode()
        counted = varint(len(text)) + text
        wide = chance.randbytes(chance.choice((1, 9, 300, 2000)))
        return chance.choice(
            (
                b"\x00",
                b"\x01" + varint(chance.choice((0, 1, 5, 17, self.number()))),
                b"\x02" + varint(self.number()),
                b"\x03" + varint(len(wide)) + wide,
                b"\x04" + struct.pack("<d", chance.choice((float("nan"), float("inf"), -0.0, 1e9))),
                b"\x05" + struct.pack("<dd", float("nan"), float("-inf")),
                b"\x06" + counted,
                b"\x07" + counted,
                b"\x08"
                + bytes((chance.randrange(8),))
                + varint(self.number())
                + bytes(8)
                + counted,
                b"\x09" + varint(chance.choice((0, 1, self.number()))),
                *(b"\x0a" + varint(len(name)) + name + varint(self.identity()) for _ in range(3)),
                b"\x0b" + varint(chance.choice((0, 1, 2))) + varint(self.identity()),
                b"\x0c" + varint(self.number()) + bytes((chance.randrange(3),)) + bytes(8),
                b"\x0d" + counted,
                bytes((chance.choice((0x40, 0x7F, 0x41, 0x0E, 0x80, 0xFF)),)),
            )
        )

    def identity(self) -> int:
        """Return an object id, mostly that of an existing object."""
        some: list[int] = [*range(2, 40, 2), 3, 5, 1, 0, self.number()]
        return self.chance.choice(some)

    # --- Index and tables -------------------------------------------------------------------

    def word(self) -> int:
        """Return a number of 32 bits for a packed column."""
        return self.number() & 0xFFFFFFFF

    def cell(self, row: Row, name: str) -> None:
        """Put something odd into a cell."""
        odd: tuple[Any, ...] = (
            None,
            -1,
            "x",
            "",
            1.5,
            float("inf"),
            b"",
            b"\xff",
            *NUMBERS[:-3],
            -(1 << 63),
        )
        old = row.get(name)
        if isinstance(old, int):
            odd += (old + 1, old - 1, old * 2, old, str(old))
        row[name] = self.chance.choice(odd)


def _field(mutator: Mutator, records: list[Record]) -> None:
    record = mutator.chance.choice(records)
    if not record.fields:
        return
    at = mutator.chance.randrange(len(record.fields))
    kind = record.fields[at].kind
    content = record.fields[at].content
    if kind in "vn":
        number = record.fields[at].number
        near = (min(number + 1, _MOST_NUMBER), max(number - 1, 0))
        content = varint(mutator.chance.choice((mutator.number(), *near)))
    elif kind == "b":
        content = bytes((mutator.chance.choice((0, 1, 2, 3, 4, 5, 6, 7, 8, 15, 255)),))
    elif kind == "V":
        content = mutator.value()
    record.fields[at] = Field(kind, content)


def _kind(mutator: Mutator, records: list[Record]) -> None:
    mutator.chance.choice(records).kind = mutator.chance.choice((*LAYOUTS, 0, 0xFF))


def _drop(mutator: Mutator, records: list[Record]) -> None:
    start = mutator.chance.randrange(len(records))
    del records[start : start + mutator.chance.choice((1, 1, 5, 50))]


def _again(mutator: Mutator, records: list[Record]) -> None:
    record = mutator.chance.choice(records)
    times = mutator.chance.choice((1, 1, 2, 10, 1000, 5000))
    at = mutator.chance.randrange(len(records) + 1)
    records[at:at] = [record.copy() for _ in range(times)]


def _swap(mutator: Mutator, records: list[Record]) -> None:
    first, second = (mutator.chance.randrange(len(records)) for _ in range(2))
    records[first], records[second] = records[second], records[first]


def _insert(mutator: Mutator, records: list[Record]) -> None:
    """Insert a record with the right kinds of fields."""
    made = Record(mutator.chance.choice(tuple(LAYOUTS)))
    for kind in LAYOUTS[made.kind]:
        if kind == "v":
            small = mutator.chance.choice((0, 1, 2, 3, 5, 8, mutator.number()))
            made.fields.append(number_field(small))
        elif kind == "b":
            made.fields.append(Field("b", bytes((mutator.chance.choice((0, 1, 2, 4)),))))
        elif kind == "V":
            made.fields.append(Field("V", mutator.value()))
        elif kind == "P":
            if made.fields[-1].number & HAS_PLACE[made.kind]:
                made.fields.append(number_field(mutator.number()))
        else:
            made.fields += _contents(mutator) if kind == "C" else _values(mutator, 1)
    records.insert(mutator.chance.randrange(len(records) + 1), made)


def _values(mutator: Mutator, each: int) -> list[Field]:
    count = mutator.chance.choice((0, 1, 2, 3, 30, 700))
    return [
        number_field(count, "n"),
        *(Field("V", mutator.value()) for _ in range(each * count)),
    ]


def _contents(mutator: Mutator) -> list[Field]:
    part = mutator.chance.choice((1, 1, 2, 3, 4, 5, 6, 7, 8))
    flags = mutator.chance.choice((0, 0, 1, 2, 4, 5))
    head = [Field("b", bytes((part,))), Field("b", bytes((flags,)))]
    head.append(number_field(mutator.chance.choice((0, 1, 2, 3, mutator.number()))))
    if part == 6:
        return [*head, number_field(mutator.number(), "n"), Field("V", mutator.value())]
    return head + _values(mutator, 2 if part in (2, 4, 7) else 1)


def _ring(mutator: Mutator, records: list[Record]) -> None:
    """Make objects contain each other as items, keys and members, in cycles and deeply nested."""
    length = mutator.chance.choice((1, 2, 3, 50, 2000))
    part = mutator.chance.choice((1, 1, 2, 3, 4, 5))
    name = mutator.chance.choice(TYPES[:8]).encode()
    first = mutator.chance.choice((2, 4, 100_000))
    is_open = mutator.chance.random() < 0.4
    made = []
    for number in range(length):
        inner = first + 2 * ((number + 1) % (length + is_open))
        value = b"\x0a" + varint(len(name)) + name + varint(inner)
        key = value if part != 4 else b"\x06\x01a"
        content = [Field("b", bytes((part, 0))), number_field(1), number_field(1, "n")]
        content += [Field("V", key)] if part in (1, 3, 5) else [Field("V", key), Field("V", value)]
        made.append(Record(0x40, [number_field(first + 2 * number), *content]))
    at = mutator.chance.randrange(len(records) + 1)
    records[at:at] = made
    for record in mutator.chance.sample(records, min(len(records), 5)):
        for place, each in enumerate(record.fields):
            if each.kind == "V":
                value = b"\x0a" + varint(len(name)) + name + varint(first)
                record.fields[place] = Field("V", value)


def _calls(mutator: Mutator, records: list[Record]) -> None:
    """Make many calls: deep, side by side, deferred, resumed, in many threads."""
    chance = mutator.chance
    times = chance.choice((10, 300, 3000, 20_000))
    function = chance.choice((1, 2, 3, mutator.number()))
    enter = Record(0x10, [number_field(function), Field("b", b"\0"), number_field(0)])
    enter.fields.append(number_field(0, "n"))
    leave = Record(0x11, [Field("V", b"\x40")])
    shapes: dict[str, list[Record]] = {
        "deep": [enter] * times,
        "flat": [enter, leave] * times,
        "lost": [Record(0x15)] * times,
        "resumed": [Record(0x13, [number_field(chance.randrange(9)), Field("V", b"\0")])] * times,
        "threads": [Record(0x01, [number_field(n)]) for n in range(times)],
        "turns": [Record(0x21, [number_field(chance.randrange(30)), Field("V", b"\x41")])] * times,
        "deep and back": [enter] * times + [leave] * times,
    }
    name = chance.choice(tuple(shapes))
    mutator.done.append(name)
    at = chance.randrange(len(records) + 1)
    records[at:at] = [record.copy() for record in shapes[name]]


_RECORD_CHANGES: tuple[Callable[[Mutator, list[Record]], None], ...] = (
    *(_field, _field, _field, _field, _kind, _drop, _again, _swap, _insert, _insert, _insert),
    *(_ring, _ring, _calls),
)


# --- The index of a segment ----------------------------------------------------------------------


def _words(mutator: Mutator, made: TraceFile) -> None:
    """Change numbers in packed calls, ends and states."""
    name = mutator.chance.choice(("block", "block", "block", "ends", "state"))
    rows = [row for row in made.tables["segments"] if isinstance(row[name], bytes) and row[name]]
    if not rows:
        return
    row = mutator.chance.choice(rows)
    content = bytearray(row[name])
    for _ in range(mutator.chance.choice((1, 1, 3, 30))):
        at = mutator.chance.randrange(len(content)) // 4 * 4
        if len(content) - at >= 4:
            struct.pack_into("<I", content, at, mutator.word())
    if mutator.chance.random() < 0.3:
        at = mutator.chance.randrange(len(content))
        content[at] = mutator.chance.randrange(256)
    if mutator.chance.random() < 0.1:
        content = content[: mutator.chance.randrange(len(content) + 1)]
    if mutator.chance.random() < 0.1:
        content *= 2
    row[name] = bytes(content)


def _numbers(mutator: Mutator, made: TraceFile) -> None:
    """Replace the index of objects or variables of a segment."""
    row = mutator.chance.choice(made.tables["segments"] or [{}])
    name = mutator.chance.choice(("bound", "objects"))
    some = (b"", b"\x80", b"\x00\x00", b"\x01" * 5000, varint((1 << 64) - 1), b"\xff" * 9)
    row[name] = mutator.chance.choice((*some, bytes(mutator.chance.randbytes(40))))


def _small(mutator: Mutator, made: TraceFile) -> None:
    """Change small columns of any table."""
    tables = [name for name, rows in made.tables.items() if rows]
    name = mutator.chance.choice((*tables, "segments"))
    row = mutator.chance.choice(made.tables[name] or [{}])
    columns = [each for each in row if each not in BLOBS and not each.endswith("crc")]
    if columns:
        mutator.cell(row, mutator.chance.choice(columns))
        row["is_crafted"] = True


def _rows(mutator: Mutator, made: TraceFile) -> None:
    """Drop a row, repeat one under a new number, or renumber one."""
    name = mutator.chance.choice([name for name, rows in made.tables.items() if rows])
    rows = made.tables[name]
    match mutator.chance.randrange(3):
        case 0:
            del rows[mutator.chance.randrange(len(rows))]
        case 1:
            more = dict(mutator.chance.choice(rows))
            key = next(iter(more))
            last = rows[-1][key]
            more[key] = (last if isinstance(last, int) else 0) + 1
            rows.append(more)
        case _:
            mutator.chance.choice(rows)[next(iter(rows[0]))] = mutator.number() % (1 << 63)


def _blob(mutator: Mutator, made: TraceFile) -> None:
    """Replace a blob by other bytes or none; some unpack to very many bytes."""
    blobs = [*(("segments", blob) for blob in BLOBS)]
    blobs += [(table, "data") for table in ("functions", "sites", "sources")]
    name, column = mutator.chance.choice(blobs)
    rows = made.tables[name]
    if not rows:
        return
    row = mutator.chance.choice(rows)
    size = mutator.chance.choice((0, 1, 41, 42, 4096, 1 << 20, 8 << 20, 40 << 20))
    byte = mutator.chance.choice((b"\0", b"\1", b"\x15", b"\x41", b"[", b"\xff", b"\x22\x01"))
    plain = (byte * size)[:size]
    packer = zstandard.ZstdCompressor(write_content_size=mutator.chance.random() < 0.5)
    choices: tuple[Any, ...] = (
        Packed(packer.compress(plain)),
        Packed(packer.compress(plain)),
        Packed(plain[:1000]),
        Packed(packer.compress(b"x" * 50) * 3),
        plain[: 1 << 20],
    )
    row[column] = mutator.chance.choice(choices)


def _bomb(mutator: Mutator, made: TraceFile) -> None:
    """Write JSON that is very long when unpacked, or deeply nested."""
    item = mutator.chance.choice(("[]", "{}", "0", '""', "[[],[]]", '{"a":[]}', "[0,0,0,0,0]"))
    times = mutator.chance.choice((10, 1000, 300_000, 2_000_000))
    texts = (
        "[" + ",".join([item] * times) + "]",
        "[" * times,
        "[" * 900 + "]" * 900,
        '{"a":' * 900 + "1" + "}" * 900,
        "1" * 4000,
        "[" + "9" * 4299 + "]",
        "NaN",
        '"\\ud800"',
        "\xff",
        "",
    )
    text = mutator.chance.choice(texts)
    table, column = mutator.chance.choice(
        (
            *(("functions", "data"), ("sites", "data"), ("segments", "notes"), ("meta", "value")),
            *(("modules", "about"), ("processes", "about"), ("constants", "name")),
            *(("totals", "counts"), ("meta", "key")),
        )
    )
    rows = made.tables[table]
    if rows:
        row = mutator.chance.choice(rows)
        is_blob = column in ("data", "notes")
        row[column] = text.encode("latin-1") if is_blob else text[:200_000]
        row["is_crafted"] = True
        row["noted"] = row.get("noted", 0) or 1
        if table != "segments":
            del row["noted"]


# --- JSON in tables ------------------------------------------------------------------------------


def _json(mutator: Mutator, made: TraceFile) -> None:
    """Replace one item of a JSON document."""
    places = (
        *(("functions", "data"), ("functions", "data"), ("sites", "data"), ("sites", "data")),
        *(("segments", "notes"), ("meta", "value"), ("meta", "value"), ("modules", "about")),
        *(("processes", "about"), ("constants", "name"), ("totals", "counts"), ("meta", "key")),
    )
    table, column = mutator.chance.choice(places)
    rows = made.tables[table]
    if not rows:
        return
    row = mutator.chance.choice(rows)
    try:
        document = json.loads(row[column])
    except (ValueError, TypeError, RecursionError):
        return
    changed = replaced(mutator.chance, document)
    text = json.dumps(changed)
    mutator.done.append(f"{table}.{column}")
    row[column] = text.encode() if column in ("data", "notes") else text
    row["is_crafted"] = True


def replaced(chance: Random, document: Any) -> Any:
    """Return a document with one item, at any depth, replaced."""
    children = list(document.items() if isinstance(document, dict) else ())
    if isinstance(document, list):
        children = list(enumerate(document))
    if not children or chance.random() < 0.15:
        return chance.choice(ODD_JSON)
    key, inner = chance.choice(children)
    copy = dict(document) if isinstance(document, dict) else list(document)
    match chance.randrange(12):
        case 0:
            del copy[key]
        case 1 if isinstance(copy, list):
            copy.insert(key, inner)
        case 2 if isinstance(copy, dict):
            copy[chance.choice(("", "x", "test", "path"))] = inner
        case _:
            copy[key] = replaced(chance, inner)
    return copy


_CHANGES: tuple[Callable[[Mutator, TraceFile], None], ...] = (
    *(Mutator.events,) * 10,
    *(_words, _words, _words, _numbers, _small, _small, _small, _rows, _blob, _blob, _bomb),
    *(_json,) * 6,
)


def lines(chance: Random, sound: list[Any]) -> bytes:
    """Return the lines of a journal or a memory file, some of them changed."""
    made = []
    for line in sound:
        changed = line if chance.random() < 0.6 else replaced(chance, line)
        made.append(json.dumps(changed).encode())
        if chance.random() < 0.03:
            made.append(chance.choice((b"", b"[" * 100_000, b"\xff\xfe", b"{}", b"NaN", b'""')))
        if chance.random() < 0.03:
            made += [made[-1]] * chance.choice((1, 50))
    return b"\n".join(made) + chance.choice((b"\n", b"\n", b'\n{"type"'))
