"""Values are shown in one line, safely, and say when there was more."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sleuth.trace.values import ABSENT, Atom, Constant, Cut, NotKept, Ref, Value, escaped, shown


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (ABSENT, ""),
        (Constant("None"), "None"),
        (Atom(-5), "-5"),
        (Atom(0.1), "0.1"),
        (Atom(float("nan")), "nan"),
        (Atom(2j), "2j"),
        (Atom("a'b\n"), '"a\'b\\n"'),
        (Atom(b"\xff"), "b'\\xff'"),
        (Atom("x" * 100), "'" + "x" * 60 + "'... <100 characters>"),
        (Atom(10**70), "1" + "0" * 59 + "... <71 digits>"),
        (Ref("shop.Cart", 7), "<shop.Cart #7>"),
        (Cut("text", 5000, 1, "ab"), "'ab'... <cut: 5,000 characters>"),
        (Cut("bytes", 5000, 1, b"ab"), "b'ab'... <cut: 5,000 bytes>"),
        (
            Cut("integer", 90000, 1, None, is_negative=True),
            "<negative integer of 90,000 bits, cut>",
        ),
        (NotKept("it was \x1b"), "<not recorded: it was \\x1b>"),
    ],
)
def test_a_value_is_shown_as_it_is_known(value: Value, text: str) -> None:
    assert shown(value) == text


def test_an_integer_too_long_for_decimal_is_shown_in_base_16() -> None:
    assert shown(Atom(1 << 100_000)).endswith("... <100,001 bits>")


def test_a_reference_is_shortened_but_keeps_its_type() -> None:
    value = Ref("a.long.module.Cart", 17503950241282)
    assert shown(value, width=24) == "<Cart #17503950241282>"
    assert shown(value, width=12) == "<Cart>"


@given(st.text())
def test_what_is_escaped_is_printable(text: str) -> None:
    assert escaped(text).isprintable()


def test_numbers_that_are_equal_are_not_the_same_value() -> None:
    assert Atom(1) != Atom(1.0)
    assert Atom(0.0) != Atom(-0.0)
    assert Atom(float("nan")) == Atom(float("nan"))
