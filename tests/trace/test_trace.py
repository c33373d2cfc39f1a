"""Traces are written, read while they are written, and left as one plain file."""

import stat
import subprocess
import sys
from pathlib import Path

import pytest

import sleuth
from sleuth.trace.events import EventKind, FunctionRow, Outcome, SiteRow
from sleuth.trace.numbers import EnterFlag
from sleuth.trace.reader import Trace
from sleuth.trace.store.encode import Segment
from sleuth.trace.store.writer import Writer
from sleuth.trace.values import ABSENT, Atom, Constant, Cut, Ref

PLACES = [(0, 1, 0, 1, 5), (8, 2, 4, 2, 9)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.trace"


def writer_at(path: Path) -> Writer:
    writer = Writer.create(path, {"language": "python", "argv": ["run.py"], "odd": "\udc80"})
    module = writer.add_module(
        name="run",
        path="/w/run\udc80.py",
        recorded=True,
        reason="it is the program",
        source="x = 'é'\n".encode("latin-1"),
        encoding="latin-1",
    )
    writer.add_functions(
        module,
        [
            FunctionRow(n, f"f{n}", f"C.f{n}", "function", n, n + 1, "ab", ("x",), PLACES)
            for n in (1, 2, 3)
        ],
    )
    writer.add_sites(
        module,
        [SiteRow(1, 1, "for", "i", 2, 0, 2, 4, 0), SiteRow(2, 1, "local", "y", 3, 0, 3, 1, 1)],
    )
    return writer


def test_a_new_trace_is_for_its_owner_only_and_never_overwrites(path: Path) -> None:
    writer_at(path).finish({"how": "exited", "status": 0})
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with pytest.raises(FileExistsError):
        Writer.create(path, {})
    assert list(path.parent.iterdir()) == [path], "nothing stands beside it"


def test_what_was_said_of_modules_functions_and_sites_is_read_back(path: Path) -> None:
    writer = writer_at(path)
    plain = writer.add_module(name="os", path="", recorded=False, reason="stdlib", source=None)
    writer.set_meta("complete", False)
    writer.set_meta("complete", True)
    writer.add_child(17, "fork")
    writer.finish({"how": "killed", "signal": 9})
    trace = sleuth.open(path).trace
    assert dict(trace.meta) == {
        "language": "python",
        "argv": ["run.py"],
        "odd": "\udc80",
        "complete": True,
    }
    assert trace.ending == {"how": "killed", "signal": 9}
    run, other = trace.modules()
    assert (run.name, run.path, run.is_recorded) == ("run", "/w/run\udc80.py", True)
    assert (other.id, other.is_recorded, other.reason) == (plain, False, "stdlib")
    assert dict(trace.sources()) == {"/w/run\udc80.py": "x = 'é'\n"}
    function = trace.function(2)
    assert function is not None
    assert function.qualified_name == "C.f2"
    span = function.span_at(8)
    assert span is not None
    assert span.end_column == 9
    assert function.span_at(None) is None
    site = trace.site(2)
    assert site is not None
    assert (site.kind, site.name, site.loop) == ("local", "y", 1)
    assert trace.function(4) is None
    assert trace.site(0) is None
    assert [(p.pid, p.how) for p in trace.processes] == [(17, "fork")]


def test_calls_that_span_segments_are_whole(path: Path) -> None:
    writer = writer_at(path)
    one, two, three = Segment(), Segment(), Segment()
    one.enter(1, [Atom(1)])
    one.enter(2, [], flags=EnterFlag.DEFERRED, place=8)
    two.resume(1)
    two.suspend(Atom("first"))
    two.enter(3, [])
    two.raises(Ref("ValueError", 5), [Atom("no")])
    two.unwind(Ref("ValueError", 5))
    three.resume(1, Constant("None"))
    three.leave(ABSENT)
    three.leave(Cut("text", 10**6, 7, "abc"))
    for number, segment in enumerate((one, two, three)):
        writer.write_segment(number, segment.data, closed=True)
    writer.finish({"how": "exited", "status": 0})
    trace = Trace(path)
    root, generator, raiser = trace.calls()
    assert [c.outcome for c in (root, generator, raiser)] == [
        Outcome.RETURNED,
        Outcome.RETURNED,
        Outcome.RAISED,
    ]
    assert (root.first, root.last, root.events) == (0, 9, 2)
    assert (generator.first, generator.last, generator.events, generator.place) == (1, 8, 5, 8)
    assert generator.is_resumable
    assert [call.id for call in trace.children(0)] == [1, 2]
    assert [call.id for call in trace.children(None)] == [0]
    assert trace.result(root) == Cut("text", 10**6, 7, "abc")
    assert trace.cut_count == 1
    assert [e.moment for e in trace.events(0, 99, call=1)] == [1, 2, 3, 7, 8]
    assert trace.event(5).kind is EventKind.RAISE


def test_a_trace_is_read_by_another_process_while_it_grows(path: Path) -> None:
    writer = writer_at(path)
    segment = Segment()
    trace = Trace(path)
    assert trace.is_running
    program = (
        "import sleuth, sys; t = sleuth.open(sys.argv[1]).trace; print(t.call_count, t.is_running)"
    )
    for number in range(1, 4):
        segment.enter(1, [Atom(number)])
        writer.write_segment(0, segment.data, closed=False)
        seen = subprocess.run(
            [sys.executable, "-c", program, str(path)], capture_output=True, text=True, check=True
        )
        assert seen.stdout == f"{number} True\n"
        trace = trace.refreshed()
        assert [call.id for call in trace.calls()] == list(range(number))
        assert trace.call(number - 1).outcome is Outcome.UNFINISHED
    segment.leave(Atom(9))
    writer.write_segment(0, segment.data, closed=True)
    following = Segment()
    following.leave(Atom(8))
    writer.write_segment(1, following.data, closed=False)
    assert trace.call_count == 3, "a reader sees what there was until it asks again"
    assert trace.call(1).outcome is Outcome.UNFINISHED
    writer.finish({"how": "exited", "status": 0})
    trace = trace.refreshed()
    outcomes = [call.outcome for call in trace.calls()]
    assert outcomes == [Outcome.UNFINISHED, Outcome.RETURNED, Outcome.RETURNED]
    assert not trace.is_running
    assert list(path.parent.iterdir()) == [path]


def test_what_a_killed_writer_wrote_is_readable(path: Path) -> None:
    program = f"""
import os, signal, sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
import test_trace
from pathlib import Path
writer = test_trace.writer_at(Path({str(path)!r}))
segment = test_trace.Segment()
segment.enter(1, [])
writer.write_segment(0, segment.data, closed=False)
os.kill(os.getpid(), signal.SIGKILL)
"""
    subprocess.run([sys.executable, "-c", program], check=False)
    trace = Trace(path)
    assert (trace.call_count, trace.is_running) == (1, True)


def test_a_malformed_segment_is_refused_and_the_next_one_taken(path: Path) -> None:
    writer = writer_at(path)
    segment = Segment()
    segment.enter(1, [])
    writer.write_segment(0, segment.data, closed=False)
    with pytest.raises(ValueError, match="unknown kind"):
        writer.write_segment(0, segment.data + b"\xff", closed=True)
    with pytest.raises(ValueError, match="out of turn"):
        writer.write_segment(5, b"", closed=True)
    writer.write_segment(0, segment.data * 2, closed=True)
    writer.finish({"how": "exited", "status": 0})
    assert Trace(path).call_count == 2


def test_names_stops_and_children_of_the_stream_are_told(path: Path) -> None:
    writer = writer_at(path)
    segment = Segment()
    segment.thread(3)
    segment.name(1, 3, "worker\x1b")
    segment.name(2, 9, "fetch" * 20)
    segment.at(EventKind.CHILD, 44, Atom("spawn"))
    segment.stopped("the disk is full")
    writer.write_segment(0, segment.data, closed=True)
    writer.add_child(44, "spawn")
    writer.finish({"how": "exited", "status": 0})
    trace = Trace(path)
    assert trace.threads == {3: "worker\x1b"}
    assert trace.tasks == {9: "fetch" * 20}
    assert [(p.pid, p.moment) for p in trace.processes] == [(44, 0)]
    assert [(s.moment, s.reason) for s in trace.stops] == [(1, "the disk is full")]


def test_unknown_calls_and_moments_are_index_errors(path: Path) -> None:
    writer_at(path).finish({"how": "exited", "status": 0})
    trace = Trace(path)
    assert list(trace.calls()) == []
    assert list(trace.events(0, 100)) == []
    for number in (-1, 0, 10**30):
        with pytest.raises(IndexError):
            trace.call(number)
        with pytest.raises(IndexError):
            trace.event(number)


def test_importing_sleuth_loads_next_to_nothing() -> None:
    program = "import sys; old = set(sys.modules); import sleuth; print(set(sys.modules) - old)"
    seen = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert "sqlite3" not in seen.stdout
    assert "zstandard" not in seen.stdout
