"""The comparison of a model's result with the recorded one."""

import enum
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sleuth.spec.build import record_type
from sleuth.spec.compare import same

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(PLAIN)
def test_a_value_is_the_same_as_itself(value: Any) -> None:
    assert same(value, value)


@given(PLAIN, PLAIN)
def test_values_that_differ_are_not_the_same_but_for_noise(left: Any, right: Any) -> None:
    if left == right:
        assert same(left, right) or isinstance(left, bool) or isinstance(right, bool)
    assert same(left, right) == same(right, left)


@dataclass
class Item:
    name: str


class Colour(enum.Enum):
    RED = "r"


@dataclass(slots=True)
class Slotted:
    name: str


@pytest.mark.parametrize(
    ("model", "name", "attributes"),
    [
        (Item("tea"), "shop.Item", {"name": "tea"}),
        (Slotted("tea"), "shop.Slotted", {"name": "tea"}),
        (SimpleNamespace(name="tea"), "shop.Item", {"name": "tea"}),
        (Colour.RED, "shop.Colour", {"name": "RED", "value": "r"}),
    ],
)
def test_objects_are_compared_by_class_and_attributes(
    model: object, name: str, attributes: dict[str, object]
) -> None:
    assert same(model, record_type(name)(**attributes))
    assert not same(model, record_type("shop.Other")(**attributes)) or type(model) is type(
        SimpleNamespace()
    )
    assert not same(model, record_type(name)(**attributes, more=1))


def test_noise_of_floats_is_none_but_lists_are_no_tuples() -> None:
    assert same(0.1 + 0.2, 0.3)
    assert same([float("nan")], [float("nan")])
    assert not same([1], (1,))
    assert not same(1.0, 1.1)


def test_what_contains_itself_can_be_compared() -> None:
    left: list[Any] = [1]
    left.append(left)
    right: list[Any] = [1]
    right.append(right)
    assert same(left, right)
