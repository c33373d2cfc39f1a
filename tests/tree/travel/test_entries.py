"""The event list of a call."""

from pathlib import Path

import pytest

from sleuth.trace.events import Call, Moment
from sleuth.trace.reader import Trace
from sleuth.trace.values import ABSENT, Atom
from sleuth.tree.travel.entries import Entry, Mark, Page, What, opened, page_of, scope_of
from tests.recorded import call_of, recorded

ROOT = Path(__file__).parents[3]
PROGRAM = """\
import math

class Cart:
    def __init__(self, n):
        self.n = n

def weight(x):
    return -x

def f(xs, k):
    n = len(xs)
    cart = Cart(n)
    best = max(xs, key=weight)
    r = math.sqrt(k) + 1
    while n > 0 and k > 0:
        for x in xs:
            more = sorted(xs, reverse=True)
        n -= 1
    print("done")
    return int(r)

f([3, 1, 2], 16)
"""


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    return recorded(tmp_path_factory.mktemp("entries"), PROGRAM)


@pytest.fixture(scope="module")
def sorting(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    source = (ROOT / "examples/merge_sort.py").read_text()
    return recorded(tmp_path_factory.mktemp("sorting"), source, name="merge_sort.py")


def _listed(trace: Trace, call: Call) -> list[Entry]:
    """Return all entries, page by page."""
    scope = scope_of(trace, call)
    page = page_of(trace, scope, scope.first, 7)
    found = [*page.entries]
    while not page.is_last:
        page = page_of(trace, scope, page.after, 7)
        found += page.entries
    return found


def _inside(trace: Trace, page: Page, number: int) -> Page:
    scope = opened(trace, page.scope, page.entries[number])
    assert scope is not None
    return page_of(trace, scope, scope.first, 100)


def test_pages_have_every_event_once(trace: Trace) -> None:
    call = call_of(trace, "f")
    covered = [
        moment
        for entry in _listed(trace, call)
        if entry.what is not What.UNRECORDED
        for moment in range(entry.first, entry.last + 1)
    ]
    assert covered == list(range(call.first, int(call.last or 0) + 1))


def test_calls_and_loops_are_single_entries_that_open(trace: Trace) -> None:
    call = call_of(trace, "f")
    scope = scope_of(trace, call)
    page = page_of(trace, scope, scope.first, 100)
    loops = [at for at, entry in enumerate(page.entries) if entry.what is What.LOOP]
    assert [page.entries[at].turns for at in loops] == [3]
    turns = _inside(trace, page, loops[0])
    numbers = [each.number for each in turns.entries if each.what is What.TURN]
    assert numbers == [1, 2, 3]
    at = next(n for n, each in enumerate(turns.entries) if each.what is What.TURN)
    inner = _inside(trace, turns, at)
    assert [each.turns for each in inner.entries if each.what is What.LOOP] == [3]
    made = next(n for n, each in enumerate(page.entries) if each.what is What.CALL)
    callee = _inside(trace, page, made)
    assert callee.scope.call == page.entries[made].callee
    assert opened(trace, scope, page.entries[0]) is None


def test_calls_that_are_not_recorded_are_listed_with_what_is_known(trace: Trace) -> None:
    call = call_of(trace, "f")
    others = [each.other for each in _listed(trace, call) if each.other is not None]
    known = {other.name: other for other in others}
    assert set(known) == {"len", "max", "math.sqrt", "print", "int"}
    assert known["len"].result == Atom(3)
    assert known["math.sqrt"].given[0].value == Atom(16)
    assert known["math.sqrt"].result == ABSENT
    assert known["int"].result == Atom(5)
    assert [each.name for each in known["max"].given] == ["", "key"]
    assert known["max"].result == ABSENT


def test_what_writes_to_a_path_is_marked_and_differently_where_something_inside_does(
    sorting: Trace,
) -> None:
    sort = call_of(sorting, "sort")
    location = sorting.pointed("a[2]", call=sort).location
    scope = scope_of(sorting, sort)
    page = page_of(sorting, scope, scope.first, 100, location)
    marked = [entry for entry in page.entries if entry.mark is not Mark.NONE]
    assert [(each.what, each.mark) for each in marked] == [(What.LOOP, Mark.BELOW)]
    merge = sorting.call(7)
    scope = scope_of(sorting, merge)
    page = page_of(sorting, scope, scope.first, 100, location)
    inside = [at for at, entry in enumerate(page.entries) if entry.mark is Mark.BELOW]
    assert [page.entries[at].what for at in inside] == [What.LOOP, What.LOOP]
    loop = opened(sorting, scope, page.entries[inside[1]])
    assert loop is not None
    turns = page_of(sorting, loop, loop.first, 100, location)
    turn = opened(sorting, loop, next(e for e in turns.entries if e.mark is Mark.BELOW))
    assert turn is not None
    events = page_of(sorting, turn, turn.first, 100, location)
    assert [each.first for each in events.entries if each.mark is Mark.WROTE] == [116]


def test_a_list_can_begin_at_any_moment(trace: Trace) -> None:
    call = call_of(trace, "f")
    scope = scope_of(trace, call)
    for first in range(call.first, int(call.last or 0) + 1):
        page = page_of(trace, scope, Moment(first), 3)
        assert all(entry.first >= first for entry in page.entries)
