"""Colours and moving only where they are wanted."""

import io

import pytest

from sleuth.views.screen import screen_of


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("environment", "plain", "colour", "moves"),
    [
        ({}, False, True, True),
        ({"NO_COLOR": "1"}, False, False, True),
        ({"NO_COLOR": ""}, False, True, True),
        ({"TERM": "dumb"}, False, False, False),
        ({}, True, False, False),
    ],
)
def test_the_environment_decides(
    environment: dict[str, str], *, plain: bool, colour: bool, moves: bool
) -> None:
    screen = screen_of(Terminal(), environment, plain=plain)
    assert (screen.has_colour, screen.can_move) == (colour, moves)
    assert screen.styled("x", "bold") == ("\x1b[1mx\x1b[0m" if colour else "x")


def test_a_file_gets_no_colours() -> None:
    assert not screen_of(io.StringIO(), {}, plain=False).has_colour
