"""Paths that are looked up in a call at a moment."""

import pytest

from sleuth.errors import UsageError
from sleuth.trace.events import EventKind
from sleuth.trace.history.locations import (
    Ending,
    Global,
    Inside,
    Pointed,
    Variable,
    pointed,
    program_call,
)
from sleuth.trace.history.output import Printed
from sleuth.trace.path import PathError
from sleuth.trace.reader import Trace
from sleuth.trace.values import Atom
from sleuth.tree.pointing import usual_call
from tests.recorded import call_of, recorded

PROGRAM = """\
class Cart:
    def __init__(self):
        self.lines = [3, 4]

def total(cart, rate):
    result = sum(cart.lines)
    result = result * rate
    return result

def counter():
    count = 0
    def step():
        nonlocal count
        count += 1
        return count
    step()
    return step()

def broken():
    raise ValueError("no")

shop = Cart()
bill = total(shop, 2)
print("bill", bill)
counter()
try:
    broken()
except ValueError:
    print("caught", end="")
"""


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    return recorded(tmp_path_factory.mktemp("cart"), PROGRAM, name="cart.py")


def _at(trace: Trace, path: str, name: str = "") -> Pointed:
    return pointed(trace, path, call_of(trace, name) if name else program_call(trace))


def test_a_name_is_a_variable_of_the_call(trace: Trace) -> None:
    found = _at(trace, "result", "total")
    assert (found.location, found.value) == (Variable(found.call.id, "result"), Atom(14))


def test_a_name_of_the_module_is_a_global(trace: Trace) -> None:
    for name in ("", "broken"):
        location = _at(trace, "shop", name).location
        assert isinstance(location, Global)
        assert location.name == "shop"
    assert _at(trace, "bill").value == Atom(14)
    assert _at(trace, "global:__main__.bill").location == _at(trace, "bill").location


def test_a_step_leads_into_an_object(trace: Trace) -> None:
    found = _at(trace, "cart.lines[-1]", "total")
    assert isinstance(found.location, Inside)
    assert (found.location.kind, found.location.key, found.value) == ("sequence", Atom(1), Atom(4))
    attribute = _at(trace, "cart.lines", "total").location
    assert isinstance(attribute, Inside)
    assert attribute.key == Atom("lines")


def test_a_shared_variable_is_its_cell(trace: Trace) -> None:
    inner, outer = _at(trace, "count", "counter.<locals>.step"), _at(trace, "count", "counter")
    assert isinstance(inner.location, Inside)
    assert inner.location == outer.location
    assert inner.location.kind == "cell"


def test_results_have_locations(trace: Trace) -> None:
    total, broken = call_of(trace, "total"), call_of(trace, "broken")
    assert _at(trace, "return", "total").location == Ending(total.id, "return")
    assert _at(trace, "raised", "broken").location == Ending(broken.id, "raised")
    with pytest.raises(PathError, match="raised nothing: it returned"):
        _at(trace, "raised", "total")
    with pytest.raises(PathError, match="returned nothing: it raised an exception"):
        _at(trace, "return", "broken")


def test_a_printed_line_has_the_events_that_wrote_it(trace: Trace) -> None:
    line = _at(trace, "stdout[0]").location
    assert isinstance(line, Printed)
    assert (line.stream, line.line, line.text) == (1, 0, "bill 14")
    assert all(trace.event(each).kind is EventKind.OUTPUT for each in line.moments)
    assert _at(trace, 'text:"l 14"').location == line
    assert _at(trace, "text:l 14").location == line
    assert _at(trace, "stdout[-1]").value == Atom("caught")


def test_the_moment_decides_the_value(trace: Trace) -> None:
    call = call_of(trace, "total")
    values = {
        pointed(trace, "result", call, each.moment).value
        for each in trace.events(call.first, call.last or 0, call=call.id)
        if each.kind is EventKind.BIND and each.moment > call.first + 1
    }
    assert Atom(7) in values


@pytest.mark.parametrize(
    ("path", "name", "sentence"),
    [
        ("resutl", "total", "There is no resutl here. Did you mean result"),
        ("cart.linse", "total", "cart has no attribute linse. Did you mean lines"),
        ("cart.lines[7]", "total", r"There is no cart.lines\[7\]; there is \[0\] to \[1\]"),
        ("stdout[9]", "", r"There is no stdout\[9\]; there is \[0\] to \[1\]"),
        ("stdout", "", "needs the number of a line"),
        ("text:'D3'", "", "No line of the output contains 'D3'. The last lines are 'bill 14'"),
        ("rate.x", "total", "rate is 2: it has no parts"),
    ],
)
def test_a_path_that_leads_nowhere_says_what_there_is(
    trace: Trace, path: str, name: str, sentence: str
) -> None:
    with pytest.raises(PathError, match=sentence):
        _at(trace, path, name)


def test_a_variable_that_is_not_set_yet_says_so(trace: Trace) -> None:
    call = call_of(trace, "total")
    with pytest.raises(PathError, match=r"There is no result yet at moment .* it is 14"):
        pointed(trace, "result", call, call.first)


def test_a_moment_outside_the_trace_or_the_call_is_named(trace: Trace) -> None:
    call = call_of(trace, "total")
    with pytest.raises(UsageError, match="There is no moment 99999: they go from 0"):
        pointed(trace, "result", call, 99999)
    with pytest.raises(PathError, match="did not run at moment"):
        pointed(trace, "result", call, 0)


def test_the_usual_call_is_that_of_the_program(trace: Trace) -> None:
    function = trace.function(usual_call(trace).function)
    assert function is not None
    assert function.kind == "module body"
