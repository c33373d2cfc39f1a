"""Traces from other people can be opened safely: a bad one is refused with a message."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest
import zstandard

sys.path.insert(0, str(Path(__file__).parents[2]))
from sleuth.errors import TraceDamaged
from sleuth.trace.reader import Trace
from sleuth.trace.store.check import check
from sleuth.trace.store.chunks import BadChunk, pack, unpack
from tests.crafted.fuzz import cases
from tests.crafted.records import Field, Record, joined, number_field, parted
from tests.crafted.seeds import Seed, seeds
from tests.crafted.trace_file import Packed, TraceFile
from tests.crafted.trial import tried

pytestmark = pytest.mark.any_version
BATCHES, BATCH, COMMANDS = 15, 20, 7


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> list[Seed]:
    return seeds(tmp_path_factory.mktemp("sound"))


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(BATCHES))
def test_three_hundred_crafted_traces_are_refused_in_words_or_answered(
    sound: list[Seed], batch: int, tmp_path: Path
) -> None:
    names = [f"steady-{number}" for number in range(batch * BATCH, (batch + 1) * BATCH)]
    problems = [
        each for case in cases(sound, names, tmp_path, commands=COMMANDS) for each in case.problems
    ]
    assert not problems, "\n\n".join(problems[:5])


@pytest.mark.slow
def test_the_traces_to_start_from_are_sound(sound: list[Seed], tmp_path: Path) -> None:
    for number, seed in enumerate(sound):
        folder = tmp_path / str(number) / ".sleuth"
        folder.mkdir(parents=True)
        seed.file.copy().write(folder / "it.trace")
        assert check(folder / "it.trace").problems == ()
        ended = list(tried(folder / "it.trace", Random(1)))
        assert not [each for each in ended if each.problem or each.status == 3]


def _events(file: TraceFile) -> list[Record]:
    return parted(file.tables["segments"][0]["data"])


def _with_events(file: TraceFile, records: list[Record]) -> None:
    file.tables["segments"][0]["data"] = joined(records)
    assert file.scan()


def _greatest_function(file: TraceFile) -> None:
    records = _events(file)
    first = next(record for record in records if record.kind == 0x10)
    first.fields[0] = number_field((1 << 31) - 2)
    _with_events(file, records)


def _greatest_site(file: TraceFile) -> None:
    records = _events(file)
    for record in records:
        if record.kind in (0x20, 0x21, 0x22, 0x28):
            record.fields[0] = number_field((1 << 31) - 1)
    _with_events(file, records)


def _greatest_object(file: TraceFile) -> None:
    records = _events(file)
    value = Field("V", b"\x0a\x04list" + number_field((1 << 40) + 2).content)
    for record in records:
        record.fields = [value if each.kind == "V" else each for each in record.fields]
    _with_events(file, records)


def _many_calls(file: TraceFile) -> None:
    call = Record(0x10, [number_field(3_000), Field("b", b"\0"), number_field(0), number_field(0)])
    _with_events(file, [call] * 180_000)


def _many_values(file: TraceFile) -> None:
    many = [Field("V", b"\x41")] * 1_000_000
    head = [number_field(2), Field("b", b"\1\0"), number_field(len(many)), number_field(len(many))]
    records = _events(file)
    _with_events(file, [Record(0x40, [*head, *many]), *records[: len(records) // 50]])


def _large_blob(column: str) -> Callable[[TraceFile], None]:
    def change(file: TraceFile) -> None:
        packed = zstandard.ZstdCompressor(level=19).compress(bytes(200 << 20))
        file.tables["segments"][0][column] = Packed(packed)

    return change


def _brackets(file: TraceFile) -> None:
    text = b"[" + b",".join([b"[]"] * 5_000_000) + b"]"
    file.tables["functions"][0]["data"] = text


def _many_segments(file: TraceFile) -> None:
    row = file.tables["segments"][0]
    arms = b"\x22\x01" * 400_000
    file.tables["segments"] = [row | {"number": n, "data": arms} for n in range(40)]
    assert file.scan()


WORST: dict[str, Callable[[TraceFile], None]] = {
    "the greatest function": _greatest_function,
    "the greatest site": _greatest_site,
    "the greatest object": _greatest_object,
    "many calls": _many_calls,
    "many values": _many_values,
    "large data": _large_blob("data"),
    "large packed calls": _large_blob("block"),
    "a large index": _large_blob("objects"),
    "brackets": _brackets,
    "many segments": _many_segments,
}


@pytest.mark.slow
@pytest.mark.parametrize("change", WORST.values(), ids=WORST)
def test_a_small_file_takes_little_memory(
    change: Callable[[TraceFile], None], sound: list[Seed], tmp_path: Path
) -> None:
    file, path = sound[0].file.copy(), tmp_path / "it.trace"
    change(file)
    file.write(path)
    assert path.stat().st_size < 1 << 20
    for words in (["show"], ["ask", "--unattended"], ["show", "--call", "0"], ["doctor"]):
        command = [sys.executable, "-m", "sleuth", words[0], str(path), *words[1:]]
        status, peak = _ran(command, tmp_path / "errors.txt")
        errors = (tmp_path / "errors.txt").read_text(encoding="utf-8")
        assert status in (0, 1, 2, 3), errors
        assert "Traceback" not in errors, errors
        assert peak < 256 << 20, words


_MEASURE = """
import os, sys
process = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, used = os.wait4(process, 0)
os.write(3, b"%d %d" % (os.waitstatus_to_exitcode(status), used.ru_maxrss))
"""


def _ran(command: list[str], errors: Path) -> tuple[int, int]:
    """Return the status of a command, and how many bytes of memory it had at most.

    A small process starts it: at first, a child counts the memory of its parent.
    """
    figures = errors.with_name("figures.txt")
    writing = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    files = [
        (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
        (os.POSIX_SPAWN_OPEN, 2, str(errors), writing, 0o600),
        (os.POSIX_SPAWN_OPEN, 3, str(figures), writing, 0o600),
    ]
    measured = [sys.executable, "-c", _MEASURE, *command]
    process = os.posix_spawn(sys.executable, measured, os.environ, file_actions=files)
    os.waitpid(process, 0)
    status, peak = map(int, figures.read_text().split())
    return status, peak * 1024


def test_an_index_that_does_not_fit_its_events_is_refused(
    sound: list[Seed], tmp_path: Path
) -> None:
    file = sound[0].file.copy()
    row = file.tables["segments"][0]
    row["block"] = row["block"][:-1] + b"\x55"
    file.write(tmp_path / "it.trace")
    trace = Trace(tmp_path / "it.trace")
    with pytest.raises(TraceDamaged, match="index"):
        trace.event(0)


def test_what_unpacks_to_far_more_than_it_takes_is_padded_and_read_again() -> None:
    for plain in (b"", b"x", bytes(1 << 20), bytes(5 << 20), bytes(100 << 20)):
        packed, crc = pack(plain)
        assert unpack(packed, crc) == plain
        assert len(packed) < len(plain) // 32 + 100


def test_a_blob_that_claims_too_much_or_does_not_say_is_refused() -> None:
    large = Packed(zstandard.ZstdCompressor().compress(bytes(5 << 20)))
    silent = Packed(zstandard.ZstdCompressor(write_content_size=False).compress(b"x" * 99))
    for blob in (large, silent, Packed(b""), Packed(b"x" * 99)):
        with pytest.raises(BadChunk):
            unpack(blob.data, blob.crc)
