"""Differences as rows: texts by line, tables by cell, all else by path."""

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sleuth.trace.heap.nested import nested, plain_data
from sleuth.trace.reader import Trace
from sleuth.views.drawing.contrast_rows import CHANGED, EXPECTED, ContrastRows, Names
from sleuth.views.drawing.line_difference import text_rows
from sleuth.views.drawing.picture import Pictures
from sleuth.views.drawing.styled import plain, width
from tests.effort import examples
from tests.recorded import call_of, recorded


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    return recorded(tmp_path_factory.mktemp("any"), "pass\n")


def shown(
    trace: Trace, one: Any, other: Any, *, room: int = 66, start: str = "", names: Names = EXPECTED
) -> list[str]:
    rows = ContrastRows(Pictures(trace), names, room=room)
    return list(plain(rows.rows(plain_data(one), plain_data(other), start=start)))


def test_texts_are_shown_by_line(trace: Trace) -> None:
    one = "a\nb\nthe red fox\nd\nf\n"
    other = "a\nb\nthe big fox\nd\ne\nf\n"
    assert shown(trace, one, other) == [
        "- expected, + returned",
        "line 3 of 6:",
        "- the big fox",
        "+ the red fox",
        "?     ^^^",
        "line 5 of 7 in -:",
        "- e",
    ]


def test_lines_that_begin_like_a_mark_are_quoted(trace: Trace) -> None:
    assert shown(trace, "a\n+milk\n", "a\n-milk\n")[2:4] == ["- '-milk'", "+ '+milk'"]
    assert shown(trace, "a\n+milk\nb", "a\nb")[2:] == ["+ '+milk'"]


def test_spaces_that_differ_are_seen(trace: Trace) -> None:
    assert shown(trace, "a\nb \n", "a\nb\n")[2:4] == ["- 'b'", "+ 'b '"]


def test_long_texts_say_how_many_lines_are_left_out(trace: Trace) -> None:
    rows = shown(trace, "\n".join(map(str, range(90))), "\n".join(map(str, range(100, 190))))
    assert rows[-1] == "... 87 more lines differ"
    assert len(rows) <= 13


def test_rows_are_shown_as_a_table_with_changed_cells_marked(trace: Trace) -> None:
    one = [{"item": "tea", "price": 3}, {"item": "milk", "price": 1}]
    other = [{"item": "tea", "price": 2}, {"item": "milk", "price": 1}]
    assert shown(trace, one, other) == [
        "- expected, + returned",
        "         'item'  'price'",
        "- row 0  'tea'   2",
        "+ row 0  'tea'   3",
        "?                ^",
    ]


def test_a_row_that_was_put_in_does_not_change_those_behind_it(trace: Trace) -> None:
    other = [(number, "x") for number in range(5)]
    rows = shown(trace, [*other[:2], (9, "y"), *other[2:]], other)
    assert rows[2:] == ["+ row 2  9    'y'"]


def test_a_wide_table_keeps_the_cells_that_changed(trace: Trace) -> None:
    one = [tuple(f"value {column}" for column in range(20))] * 2
    changed = list(one[1])
    changed[17] = "another"
    rows = shown(trace, [one[0], tuple(changed)], one)
    assert "columns left out)" in rows[1]
    assert "[17]" in rows[2]
    assert "'value 17'" in rows[3]
    assert "'another'" in rows[4]


def test_all_else_is_shown_by_path(trace: Trace) -> None:
    one = {"a": [1, 2], "c": 1, "t": "x" * 100 + "y"}
    other = {"a": [1, 3], "b": {"k": 2}, "t": "x" * 100 + "z"}
    rows = shown(trace, one, other, start="return")
    assert rows[0] == "return['a'][1]  2, expected 3"
    assert rows[1] == "return['c']     not expected: 1"
    assert re.fullmatch(r"return\['t'\]     returned \.\.\.x+y'", rows[2])
    assert rows[4] == "return['b']     missing: {'k': 2}"


def test_changes_are_told_as_before_and_after(trace: Trace) -> None:
    rows = shown(trace, {"a": 2, "b": 1}, {"a": 1, "c": 1}, names=CHANGED)
    assert rows == ["['a']  2, before 1", "['b']  added 1", "['c']  removed 1"]


def test_single_values_and_equal_ones_have_no_rows(trace: Trace) -> None:
    assert shown(trace, 3, 4) == []
    assert shown(trace, [1, [2]], [1, [2]]) == []


_LINES = st.lists(st.sampled_from(["a", "b", "c", "long line of text"]), max_size=8)


@settings(max_examples=examples(200))
@given(_LINES, _LINES)
def test_the_first_line_shown_is_the_first_that_differs(one: list[str], other: list[str]) -> None:
    texts = "\n".join(one), "\n".join(other)
    rows = list(plain(text_rows(*texts, room=40, most=12)))
    if texts[0] == texts[1]:
        assert rows == []
        return
    mine, its = texts[0].split("\n"), texts[1].split("\n")
    least = min(len(mine), len(its))
    first = next((at for at in range(least) if mine[at] != its[at]), least)
    said = re.match(r"line (\d+) of", rows[0])
    assert said is not None
    assert int(said[1]) == first + 1


@settings(max_examples=examples(60))
@given(st.integers(30, 190), st.integers(0, 3))
def test_rows_fit_into_every_width(trace: Trace, room: int, kind: int) -> None:
    values: list[tuple[Any, Any]] = [
        ("one line\n" + "x" * 300, "one line\n" + "x" * 200 + "y" * 100),
        ([{"name": "a" * 60, "b": 1}], [{"name": "a" * 59 + "b", "b": 1}]),
        ({"key " * 20: [1, 2]}, {"key " * 20: [1, 3]}),
        ({"a": "x" * 300}, {"a": "x" * 299 + "語"}),
    ]
    rows = shown(trace, *values[kind], room=room, start="return")
    assert rows
    assert max(map(width, rows)) <= room


def test_frames_and_arrays_are_tables(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    code = (
        "import numpy as np\nimport pandas as pd\n"
        "def frame(price):\n    return pd.DataFrame({'item': ['tea', 'milk'], 'price': price})\n"
        "def array(last):\n    return np.array([[1, 2], [3, last]])\n"
        "frame([2.5, 1.0])\nframe([2.5, 1.5])\narray(4)\narray(5)\n"
    )
    trace = recorded(tmp_path, code)

    def rows(name: str) -> list[str]:
        calls = [call for call in trace.calls() if _name(trace, call.function) == name]
        sides = [nested(trace.shape, trace.result(call), call.last or 0) for call in calls]
        drawn = ContrastRows(Pictures(trace), EXPECTED, room=60)
        return list(plain(drawn.rows(*sides)))

    assert rows("frame") == [
        "- expected, + returned",
        "         'item'  'price'",
        "- row 1  'milk'  1.5",
        "+ row 1  'milk'  1.0",
        "?                ^^^",
    ]
    assert rows("array")[2:] == ["- row 1  3    5", "+ row 1  3    4", "?             ^"]
    assert call_of(trace, "frame") is not None


def _name(trace: Trace, number: int) -> str:
    function = trace.function(number)
    return function.name if function else ""
