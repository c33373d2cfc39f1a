"""Moves over the events of a run."""

from itertools import pairwise

import pytest

from sleuth.trace.events import CallId, Moment
from sleuth.trace.history.cursor import Cursor, NoMove
from sleuth.trace.reader import Trace
from sleuth.trace.values import Atom
from tests.recorded import call_of, recorded

PROGRAM = """\
import threading

def leaf(x):
    y = x + 1
    return y

def work(n):
    total = 0
    for i in range(n):
        total += leaf(i)
    return total

def squares(n):
    for i in range(n):
        yield leaf(i)

other = threading.Thread(target=work, args=(3,))
other.start()
work(4)
other.join()
sum(squares(3))
"""


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    return recorded(tmp_path_factory.mktemp("moves"), PROGRAM)


def _first(trace: Trace) -> Cursor:
    return Cursor(trace, CallId(0), Moment(0))


def _all(start: Cursor) -> list[Cursor]:
    found = [start]
    while True:
        try:
            found.append(found[-1].into())
        except NoMove:
            return found


def test_stepping_visits_every_event_of_its_thread_once(trace: Trace) -> None:
    here = trace.event(0)
    wanted = [
        event.moment
        for event in trace.events(0, trace.event_count - 1)
        if (event.thread, event.task) == (here.thread, here.task)
    ]
    assert [each.to for each in _all(_first(trace))] == wanted


def test_forward_then_back_is_exact(trace: Trace) -> None:
    path = _all(_first(trace))
    for one, two in pairwise(path):
        assert two.back_into().to == one.to
    for each in path:
        try:
            after = each.over()
        except NoMove:
            continue
        if after.call == each.call:
            assert after.back_over().to == each.to


def test_over_stays_in_the_call(trace: Trace) -> None:
    call = call_of(trace, "work")
    at = Cursor(trace, call.id, call.first)
    seen = [at.to]
    while at.to != call.last:
        at = at.over()
        seen.append(at.to)
        assert at.call == call.id
    assert seen == [each.moment for each in trace.events(call.first, seen[-1], call=call.id)]


def test_no_move_leaves_the_trace_or_the_thread(trace: Trace) -> None:
    moves = ("into", "back_into", "over", "back_over", "out", "back_out", "start", "end", "up")
    for each in _all(_first(trace)):
        thread = trace.event(each.to).thread
        for move in moves:
            try:
                found = getattr(each, move)()
            except NoMove:
                continue
            assert 0 <= found.to < trace.event_count
            assert trace.event(found.to).thread == thread


def test_the_writes_of_a_path_are_reached_in_both_directions(trace: Trace) -> None:
    call = call_of(trace, "work")
    at = Cursor(trace, call.id, call.first).end()
    values = []
    while True:
        try:
            at, write = at.written("total", back=True)
        except NoMove:
            break
        values.append(write.value)
    assert values[-1] == Atom(0)
    assert len(values) > 3
    assert at.written("total", back=False)[1].value == values[-2]


def test_callers_are_selected_at_the_same_moment(trace: Trace) -> None:
    leaf = call_of(trace, "leaf")
    at = Cursor(trace, leaf.id, leaf.first)
    assert at.up().call == leaf.parent
    assert at.up().down() == at
    with pytest.raises(NoMove, match="runs at this moment"):
        at.down()
