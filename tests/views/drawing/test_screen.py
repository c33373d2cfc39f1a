"""Colours and cursor movements are used only where they are wanted."""

import io

import pytest

from sleuth.views.drawing.screen import Screen, screen_of
from sleuth.views.drawing.styled import line


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
    assert ("\x1b" in screen.prompt("x")) is colour


def test_a_file_gets_no_colours() -> None:
    assert not screen_of(io.StringIO(), {}, plain=False).has_colour


def test_no_value_steers_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    for colour in (False, True):
        Screen(has_colour=colour, can_move=False).write(["a\x1b[2Jb", line("\x07")])
        assert capsys.readouterr().out == "a\\x1b[2Jb\n\\x07\n"
