"""The history of a location: every write, in order."""

from pathlib import Path

import pytest

from sleuth.trace.reader import Trace
from sleuth.trace.values import ABSENT, Atom, Value
from tests.recorded import call_of, recorded

EXAMPLES = Path(__file__).parents[3] / "examples"
PROGRAM = """\
class Cart:
    rate = 1
    def __init__(self):
        self.total = 0
        self.total = 0

def fill(cart, items):
    for item in items:
        cart.total += item
    del cart.total

def counter():
    count = 0
    def step():
        nonlocal count
        count += 1
    step()
    step()
    return count

def many():
    xs = [0] * 3
    for i in range(3000):
        xs[i % 3] = i
        last = i
    return xs, last

GLOBAL = 1
def change():
    global GLOBAL
    GLOBAL = 2

cart = Cart()
fill(cart, [5, 6])
counter()
many()
change()
row = [1, 2, 3]
row[-1] = 9
row.insert(0, 7)
row.append(4)
table = {"a": 1}
table["b"] = 1
table["a"] = 1
del table["a"]
table.update(a=5)
globals()["GLOBAL"] = 3
"""


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    return recorded(tmp_path_factory.mktemp("writes"), PROGRAM)


def _values(trace: Trace, path: str, name: str = "<module>") -> list[tuple[Value, str]]:
    call = call_of(trace, name)
    return [(write.value, write.how) for write in trace.history(path, call=call)]


def test_an_item_of_merge_sort_was_written_four_times(tmp_path: Path) -> None:
    trace = recorded(tmp_path, (EXAMPLES / "merge_sort.py").read_text(), name="merge_sort.py")
    merge = call_of(trace, "merge", 2)
    found = list(trace.history("c[2]", call=merge))
    assert [write.value for write in found] == [Atom(1), Atom(1), Atom(7), Atom(9)]
    assert [write.how for write in found] == ["made", "set", "set", "set"]
    assert [write.line for write in found] == [51, 11, 14, 18]
    assert [write.call for write in found][2:] == [merge.id, merge.id]


def test_writes_of_equal_values_count(trace: Trace) -> None:
    fill = call_of(trace, "fill")
    found = list(trace.history("cart.total", call=fill, at=fill.first))
    assert [write.value for write in found] == [Atom(0), Atom(0), Atom(5), Atom(11), ABSENT]
    assert found[-1].how == "deleted"


def test_a_shared_variable_has_the_writes_of_all_functions(trace: Trace) -> None:
    assert [value for value, _ in _values(trace, "count", "counter")] == [Atom(0), Atom(1), Atom(2)]


def test_arguments_are_the_first_writes(trace: Trace) -> None:
    assert [how for _, how in _values(trace, "items", "fill")] == ["argument"]


def test_a_global_has_the_writes_of_all_functions_and_of_other_code(trace: Trace) -> None:
    found = _values(trace, "GLOBAL")
    assert [value for value, _ in found] == [Atom(1), Atom(2), Atom(3)]


def test_items_move_when_others_are_put_before_them(trace: Trace) -> None:
    assert [value for value, _ in _values(trace, "row[2]")] == [Atom(3), Atom(9), Atom(2)]
    assert [value for value, _ in _values(trace, "row[3]")] == [Atom(9)]


def test_keys_are_followed_through_deletion(trace: Trace) -> None:
    values = [value for value, _ in _values(trace, "table['a']")]
    assert values == [Atom(1), Atom(1), ABSENT, Atom(5)]


def test_all_writes_are_found_in_both_directions(trace: Trace) -> None:
    call = call_of(trace, "many")
    for path, count in (("xs[1]", 1001), ("last", 3000)):
        found = trace.pointed(path, call=call).location
        forward = list(trace.writes(found))
        assert len(forward) == count
        assert list(trace.writes(found, back=True)) == forward[::-1]
        moments = [write.moment for write in forward]
        assert moments == sorted(set(moments))


def test_only_the_asked_moments_are_looked_at(trace: Trace) -> None:
    found = trace.pointed("last", call=call_of(trace, "many")).location
    some = list(trace.writes(found))[10:20]
    assert list(trace.writes(found, some[0].moment, some[-1].moment)) == some
