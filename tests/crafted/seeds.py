"""Sound traces to be mutated, with answers about them."""

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sleuth.search.journal import journal_path
from tests import toy
from tests.crafted.records import Field, joined, parted, read_varint
from tests.crafted.trace_file import TraceFile
from tests.crafted.trial import called
from tests.recorded import recorded

ODD = """
    import array, asyncio, collections, datetime, decimal, threading
    from dataclasses import dataclass

    @dataclass
    class Point:
        x: int
        y: object

    Pair = collections.namedtuple("Pair", "left right")
    TABLE = {("a", 1): [1, 2], ("b", (2, 3)): {4, 5}}
    COUNT = 0

    def forward(*words, **more):
        return build(*words, **more)

    def build(n, deep=()):
        point = Point(n, [])
        for i in range(n):
            point.y.append(Pair(i, {i: str(i) * 50}))
            if i % 2:
                del point.y[0]
            point.y[-1:] = [point, i]
        return point

    def numbers(n):
        got = None
        while n:
            got = yield n, got
            n -= 1

    def closing(k):
        total = 0
        def add(x):
            nonlocal total
            total += x * k
            return total
        return [add(i) for i in range(4)]

    def failing(x):
        global COUNT
        COUNT += 1
        try:
            return 1 / x
        except ZeroDivisionError as error:
            raise ValueError("no", x) from error

    async def later(x):
        await asyncio.sleep(0)
        return TABLE[("a", 1)][x % 2]

    async def both():
        return await asyncio.gather(*(later(x) for x in range(3)))

    def dates():
        day = datetime.date(2024, 2, 29) + datetime.timedelta(1)
        numbers = array.array("d", [1.5, 2.5, float("nan")])
        numbers[1] = 7
        return day, decimal.Decimal("1.10"), numbers, slice(1, 2), 10 ** 60, -0.0, b"x" * 90

    def fact(n):
        return 1 if n < 2 else n * fact(n - 1)

    forward(5, deep=(1, (2, (3,))))
    stream = numbers(3)
    next(stream), stream.send("x")
    closing(3)
    asyncio.run(both())
    dates()
    fact(6)
    worker = threading.Thread(target=build, args=(2,))
    worker.start()
    worker.join()
    print("so far", COUNT)
    failing(0)
    """

ANSWERS = (
    "y\nn\nd\nj 1\nn\no 1\ne\nc\ns\nturns\nx loops,streams\ny\nA y\nt\nu\nU\na\nf x\nw return\nq\n"
)


@dataclass(frozen=True, slots=True)
class Seed:
    """A sound trace as rows, and lines of JSON that stand beside it."""

    name: str
    file: TraceFile
    journal: list[Any]
    memory: list[Any]


def seeds(folder: Path) -> list[Seed]:
    """Record some programs, once."""
    plain = recorded(folder / "odd", ODD, status=1).path
    program = {**toy.ARRAYS, "fact": toy.FACTORIAL["fact"]}
    small = toy.record(folder / "toy.trace", program, [], limit=40)
    return [_seed(plain), _seed(plain, pieces=6), _seed(small)]


def _seed(path: Path, pieces: int = 1) -> Seed:
    folder = path.parent / f"{path.stem}-{pieces}"
    folder.mkdir()
    copy = Path(shutil.copy(path, folder / "it.trace"))
    (folder / "answers.txt").write_text(ANSWERS, encoding="utf-8")
    words = ["ask", str(copy), "--plain", "--answers", str(folder / "answers.txt")]
    called(words, folder)
    file = TraceFile(path)
    if pieces > 1:
        _split(file, pieces)
    lines = [_lines(journal_path(copy)), _lines(folder / "memory.jsonl")]
    return Seed(f"{path.stem} in {pieces}", file, *lines)


def _lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_bytes().splitlines()] if path.exists() else []


def _split(file: TraceFile, pieces: int) -> None:
    """Spread the events over several segments: where types and texts are given in full."""
    (whole,) = file.tables["segments"]
    records = parted(_spelled(whole["data"]))
    size = len(records) // pieces + 1
    rows = []
    for number, start in enumerate(range(0, len(records), size)):
        data = joined(records[start : start + size])
        rows.append(whole | {"number": number, "data": data})
    file.tables["segments"] = rows
    assert file.scan(), "the pieces are sound"


def _spelled(data: bytes) -> bytes:
    """Return the events with all type names and long texts given in full each time."""
    types: list[bytes] = []
    texts: list[bytes] = []
    records = parted(data)
    for record in records:
        for place, field in enumerate(record.fields):
            content = field.content
            if field.kind != "V":
                continue
            if content[0] == 0x08:
                texts.append(content)
            elif content[0] == 0x09:
                content = texts[read_varint(content, 1)[0]]
            elif content[0] == 0x0A:
                length, at = read_varint(content, 1)
                types.append(content[1 : at + length])
            elif content[0] == 0x0B:
                number, at = read_varint(content, 1)
                content = b"\x0a" + types[number] + content[at:]
            record.fields[place] = Field("V", content)
    return joined(records)
