"""Laws of text on a terminal: no control characters, no line too wide."""

import re

from hypothesis import given
from hypothesis import strategies as st

from sleuth.views.drawing.styled import (
    Piece,
    Role,
    coloured,
    cut,
    fitted,
    line,
    padded,
    plain,
    width,
    wrapped,
)

TEXTS = st.text(
    st.one_of(
        st.characters(),
        st.sampled_from("\x1b\x07\r\n\t\x9b\u202e\u200b\u0301日本語e🙂\ud800[31m\\'\""),
    ),
    max_size=60,
)
ROLES = st.sampled_from(Role)
LINES = st.lists(st.builds(Piece, TEXTS, ROLES), max_size=6).map(tuple)


@given(LINES)
def test_plain_lines_hold_nothing_but_what_can_be_printed(pieces: tuple[Piece, ...]) -> None:
    (text,) = plain([pieces])
    assert text.isprintable()


@given(LINES)
def test_without_its_own_colours_a_line_is_the_plain_one(pieces: tuple[Piece, ...]) -> None:
    (colours,), (text,) = coloured([pieces]), plain([pieces])
    assert re.sub(r"\x1b\[[0-9;]*m", "", colours).rstrip() == text


@given(TEXTS, st.integers(0, 90))
def test_a_fitted_text_is_no_wider_than_its_room(text: str, room: int) -> None:
    assert width(fitted(text, room)) <= room


@given(LINES, st.integers(0, 90))
def test_a_cut_line_is_no_wider_than_its_room(pieces: tuple[Piece, ...], room: int) -> None:
    assert all(width(text) <= room for text in plain([cut(pieces, room)]))


@given(TEXTS, st.integers(8, 90))
def test_a_wrapped_text_is_no_wider_than_its_room(text: str, room: int) -> None:
    assert all(width(part) <= room for part in wrapped(text, room))


def test_wide_signs_take_two_columns_and_marks_none() -> None:
    assert [width(text) for text in ("abc", "日本", "e\u0301", "")] == [3, 4, 1, 0]
    assert fitted("日本語日本語", 9) == "日本語..."
    assert fitted("{1, 2, ... 3 more}", 13) == "{1, 2, ..."
    assert padded("日本", 6) == "日本  "


def test_parts_of_a_line_can_be_plain_text() -> None:
    assert list(plain([line("a", Piece("b", Role.DIM))])) == ["ab"]
