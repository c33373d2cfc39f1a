"""Values are compared as Python does it, or it is not known."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sleuth.trace.query.compare import compared, is_true
from sleuth.trace.values import ABSENT, Atom, Constant, Cut, NotKept, Ref, Value

pytestmark = pytest.mark.any_version
PLAIN = st.one_of(st.integers(), st.floats(), st.text(), st.binary(), st.booleans(), st.none())
CUT = Cut("text", 500, 7, "abc")
ORDER = Ref("shop.Order", 4)


def made(content: object) -> Value:
    if content is None or isinstance(content, bool):
        return Constant(str(content))
    assert isinstance(content, int | float | str | bytes)
    return Atom(content)


@given(PLAIN, PLAIN)
def test_plain_values_are_compared_as_python_does(left: object, right: object) -> None:
    assert compared(made(left), "==", made(right)) is (left == right)
    assert compared(made(left), "!=", made(right)) is (left != right)
    try:
        expected = left < right  # type: ignore[operator]
    except TypeError:
        expected = False
    assert compared(made(left), "<", made(right)) is expected


@pytest.mark.parametrize(
    ("left", "sign", "right", "expected"),
    [
        (ABSENT, "==", ABSENT, False),
        (ABSENT, "!=", Atom(1), False),
        (NotKept("secret"), "==", Atom(1), None),
        (CUT, "==", Atom("abc"), False),
        (CUT, "==", Atom("abc" + "x" * 497), None),
        (CUT, "==", Atom("xbc" + "x" * 497), False),
        (CUT, "<", Atom("b"), True),
        (CUT, ">", Atom("abcd"), None),
        (CUT, "==", Atom(3), False),
        (Cut("integer", 90_000, 7, None, is_negative=True), "<", Atom(0), True),
        (Cut("integer", 90_000, 7, None), "<", Atom(0), False),
        (ORDER, "==", ORDER, True),
        (ORDER, "==", Ref("shop.Order", 6), None),
        (ORDER, "is", Ref("shop.Order", 6), False),
        (ORDER, "is", Constant("None"), False),
        (ORDER, "==", Constant("None"), False),
        (ORDER, "==", Atom(3), None),
        (ORDER, "<", Atom(3), None),
        (Ref("list", 8), "==", Atom(3), False),
        (Ref("shop.Order", 5), "is", Ref("shop.Order", 5), None),
        (Constant("None"), "is", Constant("None"), True),
        (Atom(1), "is not", Constant("None"), True),
    ],
)
def test_other_values(left: Value, sign: str, right: Value, expected: object) -> None:
    assert compared(left, sign, right) is expected


def test_what_counts_as_true() -> None:
    values: list[Value] = [Atom(0), Atom("a"), Constant("None"), CUT, ABSENT, ORDER, NotKept("")]
    assert [is_true(each) for each in values] == [False, True, False, True, False, None, None]
