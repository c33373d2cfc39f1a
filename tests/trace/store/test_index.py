"""Indexes of segments: every write is found through the stamps, sums are those of all calls."""

import sqlite3
import sys
from pathlib import Path
from typing import Any

from hypothesis import given, settings

from sleuth import _core
from sleuth.trace.events import EventKind, SiteRow
from sleuth.trace.heap.causes import Causes, Part
from sleuth.trace.reader import Trace
from sleuth.trace.store import database, schema, sums
from sleuth.trace.store.check import check
from sleuth.trace.store.encode import Segment
from sleuth.trace.store.writer import Writer
from sleuth.trace.values import Atom, Constant, Ref, Value

sys.path.insert(0, str(Path(__file__).parents[3]))
from tests.effort import examples
from tests.trace import heap_model, test_stream

CONTENTS: tuple[complex | str | bytes, ...] = (
    *(0, 1, 2, -1, 1.0, 2.5, 1 << 70, 3j),
    *("a", "b", "x", "y", "é" * 40, b"a"),
)
KEYS: tuple[Value, ...] = (
    *map(Atom, CONTENTS),
    *map(Constant, ("None", "True", "False")),
)


@given(heap_model.models())
@settings(max_examples=examples(50))
def test_every_write_is_found_by_the_part_that_it_sets(
    tmp_path_factory: Any, model: heap_model.Model
) -> None:
    path = tmp_path_factory.mktemp("stamps") / "model.trace"
    trace = model.write(path)
    index, heap = trace._index, trace._heap
    causes = Causes(heap, 0, trace.event_count)
    parts = [Part("sequence", Atom(index)) for index in range(4)]
    parts += [Part("mapping", key) for key in {*KEYS, *map(Atom, heap_model.NAMES)}]
    parts += [Part("attributes", Atom(name)) for name in heap_model.NAMES]
    for number in model.told:
        ref = model.ref(number)
        shape = trace.shape(ref, trace.event_count)
        has = {part.kind for part in shape.parts} if shape else set()
        for row in index.about(ref.id):
            for write in heap.told_in(row, ref.id, 0, trace.event_count):
                for part in parts:
                    if part.kind in has and causes._is_about(write, part, ref):
                        sites = attribute_sites(part.key)
                        assert row in index.writing(ref.id, part.key, sites), (write, part)


def attribute_sites(key: Value) -> list[int]:
    return [1 + slot for slot, name in enumerate(heap_model.NAMES) if Atom(name) == key]


def written(path: Path, segments: list[Segment]) -> Trace:
    writer = Writer.create(path, {"identity": "numbered"})
    module = writer.add_module(name="m", path="m.py", recorded=True, reason="", source=None)
    named = (1, "item", ""), (2, "attribute", "n")
    sites = [SiteRow(site, 1, kind, name, 1, 0, 1, 1, 0) for site, kind, name in named]
    writer.add_sites(module, sites)
    for number, segment in enumerate(segments):
        writer.write_segment(number, segment.data, closed=True)
    writer.finish({"how": "exited", "status": 0})
    return Trace(path)


def storing(*keys: Value) -> Segment:
    segment = Segment()
    for key in keys:
        segment.at(EventKind.SET_ITEM, 1, Ref("dict", 8), key, Atom(1))
    return segment


def numbers(trace: Trace, key: Value, sites: tuple[int, ...] = ()) -> list[int]:
    return [row.number for row in trace._index.writing(8, key, sites)]


def test_segments_that_write_other_parts_of_an_object_are_left_out(tmp_path: Path) -> None:
    named = Segment()
    named.at(EventKind.SET_ATTRIBUTE, 2, Ref("dict", 8), Atom(1))
    whole = Segment()
    whole.spliced(8, 0, 0, [Atom(1)])
    some = [storing(Atom("x")), storing(Atom("y"), Atom(5)), named, storing(Constant("None"))]
    trace = written(tmp_path / "t.trace", [*some, whole])
    assert numbers(trace, Atom("x")) == [0, 3, 4]
    assert numbers(trace, Atom(5.0)) == [1, 3, 4]
    assert numbers(trace, Atom("n"), (2,)) == [2, 3, 4]
    assert numbers(trace, Constant("None")) == [0, 1, 2, 3, 4], "anything may be the same key"


def test_a_segment_with_very_many_parts_may_have_written_any_of_its_objects(
    tmp_path: Path,
) -> None:
    many = storing(*(Atom(number) for number in range(3000)))
    trace = written(tmp_path / "t.trace", [storing(Atom("x")), many, Segment()])
    assert numbers(trace, Atom("x")) == [0, 1]
    assert numbers(trace, Atom(2999)) == [1]
    _, (parts,) = trace._segments.fetch(1, "parts")
    assert parts == b"\0"


@given(test_stream.models)
def test_sums_of_segments_are_those_of_all_calls(model: test_stream.Model) -> None:
    scanner = _core.Scanner()
    below: dict[tuple[int | None, int], int] = {}
    for segment in model.segments:
        first = scanner.next_call
        *_, packed, _ = scanner.scan(segment.data, True)
        told = sums.unpacked(packed, first)
        for each in told.going_on:
            call = model.calls[each.call]
            assert (call["parent"], call["function"]) == (each.parent, each.function)
        for host, counts in told.below.items():
            for function, count in counts.items():
                below[host, function] = below.get((host, function), 0) + count
    assert sum(below.values()) == len(model.calls)
    wanted: dict[tuple[int | None, int], int] = {}
    begins = segment_starts(model)
    for number, call in enumerate(model.calls):
        start = max(first for first in begins if first <= number)
        host = call["parent"]
        while host is not None and host >= start:
            host = model.calls[host]["parent"]
        key = host, call["function"]
        wanted[key] = wanted.get(key, 0) + 1
    assert below == wanted


def segment_starts(model: test_stream.Model) -> list[int]:
    scanner = _core.Scanner()
    starts = []
    for segment in model.segments:
        starts.append(scanner.next_call)
        scanner.scan(segment.data, True)
    return starts


def test_a_file_of_the_version_before_is_read_without_stamps_and_sums(tmp_path: Path) -> None:
    trace = written(tmp_path / "new.trace", [storing(Atom("x")), storing(Atom("y"))])
    old = older(trace.path, tmp_path / "old.trace")
    assert [row.sums_crc for row in old._segments.rows] == [None, None]
    assert old._segments.sums(old._segments.rows[0]) is None
    assert numbers(old, Atom("x")) == [0, 1], "which of them wrote it is not known"
    assert list(old.events(0, 2)) == list(trace.events(0, 2))
    assert not check(old.path).problems


def older(path: Path, to: Path) -> Trace:
    """Write the same trace as version 2 would."""
    source = sqlite3.connect(path)
    target = sqlite3.connect(to, isolation_level=None)
    target.execute(f"PRAGMA application_id = {schema.APPLICATION_ID}")
    target.execute("PRAGMA user_version = 2")
    tables = schema.tables_of(2)
    for name, sql in tables.items():
        target.execute(sql)
        columns = [row[1] for row in target.execute(f"PRAGMA table_info({name})")]
        at = columns.index("crc")
        for row in source.execute(f"SELECT {', '.join(columns)} FROM {name}").fetchall():
            small = row[:at]
            whole = (*small, schema.checksum(*small), *row[at + 1 :])
            target.execute(f"INSERT INTO {name} VALUES ({', '.join('?' * len(whole))})", whole)
    source.close()
    target.close()
    database.check_header(to)
    return Trace(to)
