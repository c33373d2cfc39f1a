"""The two sides of a check: the tested value and the expected one."""

import pytest

from sleuth.trace.events import CallId, Moment
from sleuth.tree.failing.operands import Side, told_apart


def side(text: str, *, is_literal: bool = False, call: int | None = None) -> Side:
    return Side(text, None, Moment(0), is_literal, None if call is None else CallId(call))


@pytest.mark.parametrize(
    ("left", "right", "actual"),
    [
        (side("total"), side("3", is_literal=True), "total"),
        (side("3", is_literal=True), side("total"), "total"),
        (side("expected"), side("result"), "result"),
        (side("result"), side("self.wanted"), "result"),
        (side("other"), side("f()", call=1), "f()"),
        (side("expect(2)", call=1), side("got", call=2), "got"),
        (side("a"), side("b"), "a"),
    ],
)
def test_a_literal_or_what_is_called_expected_is_what_was_expected(
    left: Side, right: Side, actual: str
) -> None:
    tested, other = told_apart([left, right])
    assert tested is not None
    assert other is not None
    assert tested.text == actual
