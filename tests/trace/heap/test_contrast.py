"""The first difference of two values is the first there is, and equal values have none."""

from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sleuth.trace.heap.contrast import Contrast, contrast, is_same
from sleuth.trace.heap.nested import Nested, NestedPart, nested, plain_data
from sleuth.trace.values import Atom, Cut, NotKept
from tests.effort import examples
from tests.recorded import call_of, recorded

_ATOMS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from([0.0, 1.0, 2.5]),
    st.sampled_from(["", "a", "b", "a\nb"]),
)
_KEYS = st.sampled_from(["k", "l", "m", 1, 2])
_DATA = st.recursive(
    _ATOMS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.tuples(inner, inner),
        st.dictionaries(_KEYS, inner, max_size=4),
        st.sets(st.integers(0, 4), max_size=4),
    ),
    max_leaves=12,
)


def first_difference(one: Any, other: Any) -> tuple[Any, ...] | None:
    """Return the steps to the first difference by Python's own equality; None: they are equal."""
    if one == other:
        return None
    if type(one) is not type(other):
        return ()
    if isinstance(one, list | tuple):
        for index, (mine, its) in enumerate(zip(one, other, strict=False)):
            if mine != its:
                return index, *(first_difference(mine, its) or ())
        return (min(len(one), len(other)),)
    if isinstance(one, dict):
        for key in one:
            if key not in other:
                return (f"[{key!r}]",)
            if one[key] != other[key]:
                return f"[{key!r}]", *(first_difference(one[key], other[key]) or ())
        return (f"[{next(key for key in other if key not in one)!r}]",)
    return ()


def compared(one: Any, other: Any) -> Contrast:
    return contrast(plain_data(one), plain_data(other))


@settings(max_examples=examples(400))
@given(_DATA, _DATA)
def test_the_first_difference_is_the_first_there_is(one: Any, other: Any) -> None:
    found = compared(one, other)
    steps = found.differing[0].steps if found.differing else None
    assert steps == first_difference(one, other)
    assert not found.unknown


@settings(max_examples=examples(200))
@given(_DATA, st.data())
def test_one_changed_item_is_the_first_difference(data: Any, draw: st.DataObject) -> None:
    """Random pairs are seldom alike: here they differ in one place only."""
    whole = [data, {"k": data}, data]
    changed = deepcopy(whole)
    place = draw.draw(st.integers(0, 2))
    changed[place] = {"k": ["new", data]} if place == 1 else ["new", data]
    found = compared(whole, changed)
    assert found.differing[0].steps == first_difference(whole, changed)
    assert found.differing[0].steps[0] == place


@settings(max_examples=examples(100))
@given(_DATA)
def test_equal_values_have_no_difference(data: Any) -> None:
    assert is_same(plain_data(data), plain_data(deepcopy(data)))


def test_numbers_of_different_types_are_equal_as_in_python() -> None:
    assert not compared([1, True, 0.0, {1: "a"}], [1.0, 1, False, {True: "a"}]).count
    assert [each.path for each in compared([1, "1"], [1, 1]).differing] == ["[1]"]


def test_a_list_is_no_tuple() -> None:
    assert [each.path for each in compared([[1]], [(1,)]).differing] == ["[0]"]


def test_items_and_keys_that_only_one_side_has_are_told() -> None:
    found = compared({"a": 1, "b": [1, 2]}, {"b": [1], "c": 3}).differing
    assert [(each.path, each.one is None, each.other is None) for each in found] == [
        ("['a']", False, True),
        ("['b'][1]", False, True),
        ("['c']", True, False),
    ]


def test_values_that_were_cut_are_not_taken_as_equal() -> None:
    long = Nested(Cut("text", 5_000, 7, "x" * 1_000))
    assert contrast(long, Nested(Cut("text", 5_000, 7, "x" * 1_000))).unknown == ()
    found = contrast(long, plain_data("x" * 5_000))
    assert (found.count, found.unknown) == (0, ("is not recorded beyond character 1,000",))
    assert contrast(long, plain_data("x" * 4_999)).count == 1
    assert contrast(long, plain_data("x" * 999 + "y" * 4_001)).count == 1
    hidden = contrast(Nested(NotKept("hidden")), plain_data(3))
    assert (hidden.count, hidden.unknown) == (0, ("is not recorded",))


@pytest.mark.parametrize("digests", [(None, None), (5, 6), (5, 5)])
def test_items_that_were_not_kept_are_named(digests: tuple[int | None, int | None]) -> None:
    sides = [
        Nested(
            None,
            type_name="list",
            parts=(
                NestedPart("sequence", (plain_data(1),), 300, is_complete=False, digest=digest),
            ),
        )
        for digest in digests
    ]
    found = contrast(*sides)
    assert not found.count
    unknown = ("is not recorded beyond item 1",)
    assert found.unknown == (() if digests == (5, 5) else unknown)


def test_recorded_values_are_compared_with_written_ones(tmp_path: Path) -> None:
    data = {"rows": [(1, "a"), (2, "b")], "set": {1, 2}, "text": "x\ny", 3: None, "f": 2.5}
    trace = recorded(tmp_path, f"def give():\n    return {data!r}\ngive()\n")
    call = call_of(trace, "give")
    value = nested(trace.shape, trace.result(call), call.last or 0)
    assert is_same(value, plain_data(data))
    found = contrast(value, plain_data({**data, "rows": [(1, "a"), (2, "c")], "set": {2, 3}}))
    assert [each.path for each in found.differing] == ["['rows'][1][1]", "['set']", "['set']"]


def test_objects_are_compared_by_what_they_contain(tmp_path: Path) -> None:
    code = (
        "from decimal import Decimal\n"
        "class Point:\n"
        "    def __init__(self, x, y):\n"
        "        self.x, self.y = x, y\n"
        "    def __eq__(self, other):\n"
        "        raise SystemExit('the program was run')\n"
        "def give():\n"
        "    return [Point(1, 2), Point(3, 4), Decimal('1.50')]\n"
        "def other():\n"
        "    return [Point(1, 2), Point(3, 5), Decimal('1.5')]\n"
        "give()\nother()\n"
    )
    trace = recorded(tmp_path, code)
    sides = []
    for name in ("give", "other"):
        call = call_of(trace, name)
        sides.append(nested(trace.shape, trace.result(call), call.last or 0))
    found = contrast(*sides)
    assert [each.path for each in found.differing] == ["[1].y"]
    assert found.differing[0].one is not None
    assert found.differing[0].one.value == Atom(4)
