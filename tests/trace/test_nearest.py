"""The nearest event of a thread, a call or a site, compared with reading all events."""

from itertools import product

import pytest

from sleuth.trace.events import Event, EventKind
from sleuth.trace.nearest import ANY, Wanted
from sleuth.trace.reader import Trace
from tests.recorded import recorded

PROGRAM = """\
import threading

def leaf(x):
    return x + 1

def give(n):
    for i in range(n):
        yield leaf(i)

def work(n):
    total = 0
    for i in give(n):
        total += i
    return total

others = [threading.Thread(target=work, args=(n,)) for n in (2, 3)]
for other in others:
    other.start()
work(3)
for other in others:
    other.join()
"""


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    return recorded(tmp_path_factory.mktemp("nearest"), PROGRAM)


def _fits(event: Event, wanted: Wanted) -> bool:
    told = (event.thread, event.task, event.call, event.kind, event.number)
    return all(each in (ANY, found) for each, found in zip(wanted, told, strict=True))


def test_the_nearest_event_is_the_one_that_reading_all_finds(trace: Trace) -> None:
    events = list(trace.events(0, trace.event_count - 1))
    threads = [ANY, *{event.thread for event in events}]
    calls = [ANY, *range(trace.call_count)]
    kinds = [ANY, EventKind.TURN, EventKind.RESUME]
    for thread, call, kind in product(threads, calls, kinds):
        wanted = Wanted(thread, ANY, call, kind)
        fitting = [event.moment for event in events if _fits(event, wanted)]
        for moment in range(0, len(events), 5):
            after = next((each for each in fitting if each > moment), None)
            before = next((each for each in reversed(fitting) if each < moment), None)
            assert trace.nearest.after(moment, wanted) == after
            assert trace.nearest.before(moment, wanted) == before


def test_bounds_are_kept(trace: Trace) -> None:
    last = trace.event_count - 1
    assert trace.nearest.after(last, Wanted()) is None
    assert trace.nearest.before(0, Wanted()) is None
    assert trace.nearest.after(3, Wanted(), 3) is None
    assert trace.nearest.before(3, Wanted(), 3) is None
    assert trace.nearest.segment_end(0) == last


def test_what_ran_before_an_event_is_the_top_of_the_stack(trace: Trace) -> None:
    for call in trace.calls():
        beneath = trace.nearest.beneath(call.first)
        if call.ran_elsewhere or call.parent is None:
            assert beneath is None
        else:
            assert beneath == call.parent
