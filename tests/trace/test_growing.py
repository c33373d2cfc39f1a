"""Readers of a growing trace: each has the trace as it was when it was opened."""

from pathlib import Path

import sleuth
from sleuth.search.question import Answer, Question, Verdict
from sleuth.trace.reader import Trace
from sleuth.trace.store.encode import Segment
from sleuth.trace.values import Atom
from tests.trace.test_trace import writer_at


def calls_in(segment: Segment, numbers: range) -> Segment:
    for number in numbers:
        segment.enter(1, [Atom(number)])
        segment.leave(Atom(number))
    return segment


def asked(session: sleuth.Session) -> list[object]:
    """Return what is asked about if all is right."""
    found: list[object] = []
    while isinstance(session.pending, Question):
        found.append(session.pending.about)
        session = session.given(Answer(session.pending.about, Verdict.RIGHT))
    return found


def test_two_sessions_over_a_trace_that_grows_do_not_see_each_other(tmp_path: Path) -> None:
    path = tmp_path / "t.trace"
    writer = writer_at(path)
    segment = calls_in(Segment(), range(3))
    writer.write_segment(0, segment.data, closed=False)
    first = sleuth.open(path)
    before = asked(first.session(strategy="top-down", transform=()))
    writer.write_segment(0, calls_in(segment, range(3, 8)).data, closed=True)
    writer.finish({"how": "exited", "status": 0})
    second = sleuth.open(path)
    after = asked(second.session(strategy="top-down", transform=()))
    assert (len(before), len(after)) == (3, 8)
    assert asked(first.session(strategy="top-down", transform=())) == before
    assert [call.id for call in first.trace.calls()] == [0, 1, 2]
    assert first.trace.is_running


def test_a_trace_that_has_grown_has_another_version(tmp_path: Path) -> None:
    path = tmp_path / "t.trace"
    writer = writer_at(path)
    segment = calls_in(Segment(), range(2))
    writer.write_segment(0, segment.data, closed=True)
    trace = Trace(path)
    assert trace.refreshed().version == trace.version
    writer.finish({"how": "exited", "status": 0})
    assert trace.refreshed().version > trace.version
