"""Where a value came from."""

from pathlib import Path

from sleuth.trace.origin.origins import chain
from sleuth.trace.values import Atom
from tests.recorded import call_of, recorded


def test_a_sum_is_the_origin_and_its_copies_are_listed(tmp_path: Path) -> None:
    trace = recorded(tmp_path, "a = 5\nc = a\ne = c + 2\nprint(e)\n")
    found = trace.why("e")
    assert (found.text, found.line, found.value) == ("c + 2", 3, Atom(7))
    first, second = found.inputs
    assert (first.text, first.line, first.value) == ("5", 1, Atom(5))
    assert [each.line for each in first.through] == [3, 2, 2, 1]
    assert second.value == Atom(2)


def test_an_attribute_leads_to_the_call_that_set_it(tmp_path: Path) -> None:
    source = """\
class Box:
    def __init__(self, n):
        self.n = n
    def grow(self):
        self.n += 1
b = Box(10)
o = Box(30)
o.grow()
b.grow()
"""
    trace = recorded(tmp_path, source)
    found = trace.why("b.n")
    assert (found.line, found.value, found.function) == (5, Atom(11), "Box.grow")
    before = found.inputs[0]
    assert (before.text, before.line, before.value) == ("10", 6, Atom(10))
    pointed = trace.pointed("b.n")
    calls = [call for call, _ in chain(trace, pointed.location, pointed.at)]
    assert set(calls) == {call_of(trace, "Box.grow", 1).id}


def test_an_item_is_followed_through_an_alias_and_a_mapping(tmp_path: Path) -> None:
    source = "xs = [1, 2, 3]\nys = xs\nys[1] = 50\nk = 1\nd = {'a': xs[k]}\nd['b'] = 4\n"
    found = recorded(tmp_path, source).why("d['a']")
    assert (found.text, found.line, found.value) == ("50", 3, Atom(50))


def test_an_item_of_a_generator_leads_to_its_yield(tmp_path: Path) -> None:
    source = """\
def gen(step):
    v = 0
    for _ in range(3):
        v += step
        yield v
for g in gen(5):
    acc = g
"""
    trace = recorded(tmp_path, source)
    found = trace.why("acc")
    assert (found.text, found.value) == ("v += step", Atom(15))
    assert [each.value for each in found.inputs] == [Atom(10), Atom(5)]


def test_a_read_before_a_change_on_the_same_line_is_not_mixed_up_with_it(tmp_path: Path) -> None:
    source = "xs = [3, 1]\nn = 0\nprint(xs[0], xs.sort())\ny = 2\n"
    trace = recorded(tmp_path, source)
    found = trace.why("stdout[0]")
    values = [each.value for each in found.inputs if each.path == "xs[0]"]
    assert values == [Atom(3)]


def test_a_variable_shared_with_a_closure_has_its_value_or_says_what_is_missing(
    tmp_path: Path,
) -> None:
    source = """\
def make(start):
    count = start
    def step(by):
        nonlocal count
        count += by
        return count
    return step
s = make(10)
s(2)
r = s(3)
"""
    trace = recorded(tmp_path, source)
    found = trace.why("r")
    assert found.value == Atom(15)
    assert found.text == "count += by" or found.unknown is not None


def test_defaults_and_collected_arguments_lead_to_where_they_are_written(tmp_path: Path) -> None:
    source = "def f(*xs, k=4):\n    return xs[0] + k\nr = f(1)\n"
    trace = recorded(tmp_path, source)
    first, second = trace.why("r").inputs
    assert (first.value, first.line, first.unknown) == (Atom(1), 3, None)
    assert (second.text, second.value, second.line) == ("4", Atom(4), 1)
    assert second.unknown is None
