"""A damaged trace is refused with a message, or answers as the undamaged one; never wrongly."""

import random
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sleuth.errors import (
    SleuthError,
    TraceDamaged,
    TraceError,
    TraceMissing,
    TraceTooNew,
    TraceTooOld,
)
from sleuth.trace.reader import Trace
from sleuth.trace.store.check import check
from sleuth.trace.store.encode import Segment
from sleuth.trace.store.schema import OLDEST_READABLE, SCHEMA_VERSION
from sleuth.trace.store.writer import Writer
from sleuth.trace.values import Atom, Ref
from tests.effort import share

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests import toy

Answers = list[Callable[[Trace], Any]]

QUESTIONS: dict[str, Callable[[Trace], Any]] = {
    "meta": lambda t: (dict(t.meta), t.ending, t.call_count, t.event_count, t.cut_count),
    "names": lambda t: (t.threads, t.tasks, t.processes, t.stops),
    "modules": lambda t: t.modules(),
    "sources": lambda t: dict(t.sources()),
    "functions": lambda t: [t.function(number) for number in range(4)],
    "sites": lambda t: [t.site(number) for number in range(8)],
    "calls": lambda t: list(t.calls()),
    "children": lambda t: [list(t.child_ids(c)) for c in [None, *range(t.call_count)]],
    "events": lambda t: list(t.events(0, t.event_count)),
    "one": lambda t: (t.call(1), t.event(7)),
    "shapes": lambda t: [t.shape(Ref("array", 2), at) for at in range(t.event_count + 1)],
    "variables": lambda t: [t.variables(t.call(0), at) for at in range(t.event_count + 1)],
    "changed": lambda t: [t.changed(call) for call in t.calls()],
}


def answers(path: Path) -> dict[str, Any]:
    """Ask everything; a refusal is an answer too."""
    try:
        trace = Trace(path)
    except SleuthError as error:
        return {"open": error}
    found: dict[str, Any] = {}
    for name, question in QUESTIONS.items():
        try:
            found[name] = question(trace)
        except SleuthError as error:
            found[name] = error
    return found


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("whole") / "fact.trace"
    return toy.record(path, {**toy.ARRAYS, "fact": toy.FACTORIAL["fact"]}, [], limit=40)


def assert_never_wrong(path: Path, right: dict[str, Any]) -> bool:
    """Return whether something was refused."""
    found = answers(path)
    refused = False
    for name, answer in found.items():
        if isinstance(answer, SleuthError):
            refused = True
            assert str(answer).count(".") >= 1
        else:
            assert answer == right[name], name
    try:
        check(path)
    except SleuthError:
        refused = True
    return refused


@pytest.mark.slow
def test_a_thousand_flipped_bits_never_give_a_wrong_answer(whole: Path, tmp_path: Path) -> None:
    right, plain = answers(whole), whole.read_bytes()
    assert all(not isinstance(answer, SleuthError) for answer in right.values())
    chance = random.Random(1)
    path = tmp_path / "flipped.trace"
    refused = 0
    for _ in range(share(1000, 200)):
        damaged = bytearray(plain)
        bit = chance.randrange(len(plain) * 8)
        damaged[bit // 8] ^= 1 << bit % 8
        path.write_bytes(damaged)
        refused += assert_never_wrong(path, right)
        assert path.read_bytes() == damaged, "reading changes nothing"
    assert refused > share(50, 10)


def test_a_file_cut_anywhere_is_refused_or_right(whole: Path, tmp_path: Path) -> None:
    right, plain = answers(whole), whole.read_bytes()
    path = tmp_path / "cut.trace"
    for step in range(100):
        path.write_bytes(plain[: len(plain) * step // 100])
        assert assert_never_wrong(path, right)


def test_every_changed_cell_is_noticed(whole: Path, tmp_path: Path) -> None:
    right, path = answers(whole), tmp_path / "changed.trace"
    with sqlite3.connect(whole) as source:
        cells = [
            (table, column)
            for (table,) in source.execute("SELECT name FROM sqlite_schema")
            for _, column, *_ in source.execute(f"PRAGMA table_info({table})")
        ]
    source.close()
    for table, column in cells:
        for change in ("1 + ", "'x' || ", "x'00' || ", "NULL || "):
            path.write_bytes(whole.read_bytes())
            connection = sqlite3.connect(path)
            try:
                connection.execute(f"UPDATE {table} SET {column} = {change} {column}")
                connection.commit()
            except sqlite3.Error:
                continue
            finally:
                connection.close()
            found = answers(path)
            wrong = [
                n for n, a in found.items() if not isinstance(a, SleuthError) and a != right[n]
            ]
            assert not wrong, (table, column, change)


def test_a_missing_row_is_noticed(whole: Path, tmp_path: Path) -> None:
    path = tmp_path / "fewer.trace"
    for table in ("meta", "modules", "functions", "sites", "segments", "constants", "sources"):
        path.write_bytes(whole.read_bytes())
        connection = sqlite3.connect(path)
        connection.execute(f"DELETE FROM {table} WHERE rowid = (SELECT max(rowid) FROM {table})")
        connection.commit()
        connection.close()
        with pytest.raises(TraceDamaged, match=table):
            Trace(path)


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE VIEW v AS SELECT 1",
        "CREATE TRIGGER t AFTER INSERT ON meta BEGIN SELECT 1; END",
        "CREATE TABLE more (x)",
        "CREATE INDEX i ON meta (key)",
        "DROP TABLE processes",
    ],
)
def test_a_file_with_other_tables_is_refused(whole: Path, tmp_path: Path, sql: str) -> None:
    path = tmp_path / "odd.trace"
    path.write_bytes(whole.read_bytes())
    connection = sqlite3.connect(path)
    connection.execute(sql)
    connection.close()
    with pytest.raises(TraceDamaged, match="tables"):
        Trace(path)


def test_what_is_no_trace_is_refused_in_words(whole: Path, tmp_path: Path) -> None:
    path = tmp_path / "thing"
    with pytest.raises(TraceMissing, match="sleuth list"):
        Trace(path)
    for content in (b"", b"hello", b"SQLite format 3\0", bytes(5000)):
        path.write_bytes(content)
        with pytest.raises(TraceError, match="not a Sleuth trace"):
            Trace(path)
    other = sqlite3.connect(tmp_path / "other.db")
    other.execute("CREATE TABLE a (b)")
    other.close()
    with pytest.raises(TraceError, match="not a Sleuth trace"):
        Trace(tmp_path / "other.db")
    with pytest.raises(TraceError, match="can't be read"):
        Trace(tmp_path)


def test_a_newer_trace_says_so(whole: Path, tmp_path: Path) -> None:
    path = tmp_path / "newer.trace"
    path.write_bytes(whole.read_bytes())
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
    connection.close()
    with pytest.raises(TraceTooNew, match="newer Sleuth"):
        Trace(path)


def test_an_older_trace_says_so(whole: Path, tmp_path: Path) -> None:
    path = tmp_path / "older.trace"
    path.write_bytes(whole.read_bytes())
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {OLDEST_READABLE - 1}")
    connection.close()
    with pytest.raises(TraceTooOld, match="Record the program again"):
        Trace(path)


def test_a_running_trace_without_its_log_is_readable(tmp_path: Path) -> None:
    writer = Writer.create(tmp_path / "run.trace", {})
    segment = Segment()
    segment.enter(1, [Atom(1)])
    writer.write_segment(0, segment.data, closed=True)
    alone = tmp_path / "alone.trace"
    alone.write_bytes((tmp_path / "run.trace").read_bytes())
    writer.close()
    found = answers(alone)
    assert "open" in found or found["calls"] == []


def test_the_doctor_finds_what_a_recorder_did_wrong(tmp_path: Path) -> None:
    path = tmp_path / "wrong.trace"
    writer = Writer.create(path, {"complete": False, "stopped": "too long"})
    segment = Segment()
    segment.leave(Atom(1))
    segment.enter(7, [Atom(1)])
    segment.catch(8, Atom(1))
    writer.write_segment(0, segment.data, closed=True)
    writer.finish({"how": "vanished"})
    report = check(path)
    assert report.problems == (
        "Function 7 is called, but nothing is said of it.",
        "Site 8 occurs in events, but nothing is said of it.",
        "Calls that end but never began: 1.",
    )


def test_the_doctor_says_what_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "gaps.trace"
    writer = Writer.create(path, {"complete": False, "stopped": "too long", "mode": "calls"})
    writer.add_module(name="os", path="", recorded=False, reason="stdlib", source=None)
    writer.add_child(5, "fork")
    writer.finish({"how": "killed", "signal": 9})
    report = check(path)
    assert not report.problems
    text = "\n".join(report.gaps)
    for words in (
        "signal 9",
        "too long",
        "not complete",
        "Only calls",
        "unrecorded: 1",
        "process 5",
    ):
        assert words in text


def test_a_log_cut_anywhere_gives_an_earlier_state(tmp_path: Path) -> None:
    writer = Writer.create(tmp_path / "run.trace", {})
    for number in range(10):
        segment = Segment()
        segment.enter(1, [Atom("x" * 100 * number)])
        writer.write_segment(number, segment.data, closed=True)
    path, log = tmp_path / "copy.trace", tmp_path / "copy.trace-wal"
    plain = (tmp_path / "run.trace").read_bytes()
    whole = (tmp_path / "run.trace-wal").read_bytes()
    writer.close()
    seen = set()
    for step in range(31):
        path.write_bytes(plain)
        log.write_bytes(whole[: len(whole) * step // 30])
        try:
            calls = list(Trace(path).calls())
        except SleuthError:
            continue
        assert [call.id for call in calls] == list(range(len(calls)))
        seen.add(len(calls))
        (tmp_path / "copy.trace-shm").unlink(missing_ok=True)
    assert len(seen) > 3
    assert max(seen) == 10
