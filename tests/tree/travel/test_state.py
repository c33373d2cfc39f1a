"""The state of a call at two moments."""

from pathlib import Path

import pytest

from sleuth.trace.events import CallId, Moment
from sleuth.trace.reader import Trace
from sleuth.trace.values import ABSENT, Atom, Ref
from sleuth.tree.travel.state import Changed, parts_between, state_between
from tests.recorded import call_of, recorded

ROOT = Path(__file__).parents[3]
PROGRAM = """\
COUNT = 0
SHARED = []

class Cart:
    rate = 1

    def __init__(self):
        self.lines = []

def make(start):
    total = start
    def add(cart, x):
        nonlocal total
        global COUNT
        total += x
        COUNT += 1
        Cart.rate = 2
        cart.lines.append(x)
        SHARED.append(x)
        new = x * 2
        return new
    return add

cart = Cart()
make(10)(cart, 5)
"""


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    return recorded(tmp_path_factory.mktemp("state"), PROGRAM)


def test_what_changed_and_what_changed_below_is_told_apart(trace: Trace) -> None:
    call = call_of(trace, "make.<locals>.add")
    found = state_between(trace, call, call.first, Moment(call.last or 0))
    variables = {each.path: each for each in found.variables}
    assert variables["cart"].changed is Changed.BELOW
    assert variables["x"].changed is Changed.NO
    assert (variables["new"].old, variables["new"].new) == (ABSENT, Atom(10))
    assert [(each.path, each.old, each.new) for each in found.closure] == [
        ("total", Atom(10), Atom(15))
    ]
    known = {each.path: each.changed for each in found.globals}
    assert known["COUNT"] is Changed.YES
    assert known["SHARED"] is Changed.BELOW
    assert {each.path: (each.old, each.new) for each in found.classes} == {
        "Cart.rate": (Atom(1), Atom(2))
    }
    assert found.is_whole


def test_parts_of_an_object_are_compared_likewise(trace: Trace) -> None:
    call = call_of(trace, "make.<locals>.add")
    cart = trace.arguments(call)[0]
    assert isinstance(cart, Ref)
    rows, _ = parts_between(trace, "cart", cart, call.first, Moment(call.last or 0))
    assert [(row.path, row.changed) for row in rows] == [("cart.lines", Changed.BELOW)]
    lines = rows[0].new
    assert isinstance(lines, Ref)
    rows, _ = parts_between(trace, rows[0].path, lines, call.first, Moment(call.last or 0))
    assert [(row.path, row.old, row.new) for row in rows] == [("cart.lines[0]", ABSENT, Atom(5))]


def test_the_call_of_the_figure_in_the_paper_has_the_same_marks(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    source = (ROOT / "examples/merge_sort.py").read_text()
    trace = recorded(tmp_path_factory.mktemp("sorting"), source, name="merge_sort.py")
    call = trace.call(CallId(7))
    end = Moment(call.last or 0)
    found = state_between(trace, call, call.first, end)
    changed = {each.path: each.changed for each in found.variables}
    assert {name for name, how in changed.items() if how is Changed.YES} == {
        "left_a",
        "left_b",
        "left_c",
    }
    assert {name for name, how in changed.items() if how is Changed.BELOW} == {"c"}
    held = next(each.new for each in found.variables if each.path == "c")
    assert isinstance(held, Ref)
    rows, _ = parts_between(trace, "c", held, call.first, end)
    marks = [row.changed for row in rows]
    assert marks == [Changed.YES, Changed.YES, Changed.YES, Changed.NO]
