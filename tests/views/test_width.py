"""Laws of the width: from 40 to 200 columns every line fits, and what tells things apart stays."""

import io
import os
import pty
import struct
import sys
from fcntl import ioctl
from pathlib import Path
from termios import TIOCSWINSZ

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sleuth.search.problem import Problem
from sleuth.search.question import Answer, Diagnosis, Question, Verdict
from sleuth.search.session import Session
from sleuth.trace.reader import Trace
from sleuth.tree.build import tree_of
from sleuth.tree.observe.calls import behaviour_of
from sleuth.views.cli import COMMANDS, main
from sleuth.views.drawing.calls import call_texts
from sleuth.views.drawing.places import shortened
from sleuth.views.drawing.screen import Screen, terminal_width
from sleuth.views.drawing.styled import hanging, plain, width, windows
from sleuth.views.prompt import messages
from sleuth.views.prompt.first_screen import introduction
from sleuth.views.prompt.grammar import help_lines
from sleuth.views.prompt.inquiry import looked_at
from sleuth.views.words.diagnosis import diagnosis_lines
from sleuth.views.words.expected import Expected, written_data
from sleuth.views.words.opened_value import opened_lines
from sleuth.views.words.question import question_lines
from tests.effort import examples
from tests.recorded import call_of, calls_of, recorded

WIDTHS = st.integers(40, 200)
TEXTS = st.text(st.sampled_from("ab日\u0301🙂 \\'\n\x1b,[]"), max_size=300)
NAMES = st.text("abc_", min_size=1, max_size=9)
PLACES = st.tuples(st.lists(NAMES, max_size=5), st.integers(1, 9_999))


# --- The terminal --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "columns"), [("120", 120), ("7", 40), ("999", 200), ("0", 80), ("wide", 80), ("", 80)]
)
def test_the_variable_columns_counts(
    said: str, columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", said)
    assert terminal_width(io.StringIO()) == columns


def test_the_width_is_read_again_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w") as terminal, os.fdopen(ours, "rb"):
        monkeypatch.setattr(sys, "stdout", terminal)
        screen = Screen(has_colour=False, can_move=True)
        found = []
        for columns in (100, 57):
            ioctl(terminal, TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
            found.append(screen.width)
        assert found == [100, 57]


@given(TEXTS, WIDTHS)
def test_whatever_is_written_fits(text: str, columns: int) -> None:
    rows = hanging(text, columns, further=12)
    assert all(width(row) <= columns for row in rows)


# --- What tells things apart ---------------------------------------------------------------------


@given(PLACES, PLACES, WIDTHS)
@example((["a", "b", "x"], 3), (["c", "b", "x"], 3), 40)
@example((["x"], 3), (["a" * 9] * 5, 3), 40)
def test_two_places_stay_different(
    one: tuple[list[str], int], two: tuple[list[str], int], columns: int
) -> None:
    first, second = ("/".join([*folders, "views.py"]) for folders, _ in (one, two))
    known = [first, second]
    places = [f"{file}:{line}" for file, (_, line) in zip(known, (one, two), strict=True)]
    short = [shortened(place, columns // 2, known) for place in places]
    assert (short[0] == short[1]) is (places[0] == places[1])
    for place, (_, number) in zip(short, (one, two), strict=True):
        assert place.endswith(f"views.py:{number}")


def test_a_place_loses_folders_but_not_its_line() -> None:
    place = "a/long/way/to/some/file.py:123"
    assert shortened(place, 20) == ".../some/file.py:123"
    assert shortened(place, 20, ["a/long/road/to/some/file.py"]) == ".../way/.../file.py:123"
    assert shortened(place, 30) == place


@given(TEXTS, TEXTS, TEXTS, WIDTHS)
def test_two_texts_are_shown_where_they_differ(
    start: str, one: str, two: str, columns: int
) -> None:
    first, second = windows(start + one, start + two, (columns, columns))
    assert max(width(first), width(second)) <= columns
    assert (first == second) is (start + one == start + two)


CALLS = """
    class Box:
        def __init__(self):
            self.items = list(range(50))
        def put(self, {names}):
            return [{names}]
    box = Box()
    {calls}
"""


@pytest.mark.slow
@settings(max_examples=examples(6))
@given(
    st.lists(
        st.integers(10**6, 10**9) | st.text("ab", min_size=40, max_size=80), min_size=5, max_size=5
    ),
    st.integers(0, 4),
    st.integers(0, 99),
)
def test_the_argument_that_differs_stays_visible(
    tmp_path_factory: pytest.TempPathFactory, values: list[object], place: int, other: int
) -> None:
    changed = [f"{each}{other}" if at == place else each for at, each in enumerate(values)]
    names = [f"argument_{at}" for at in range(5)]
    calls = "; ".join(f"box.put({', '.join(map(repr, given))})" for given in (values, changed))
    source = CALLS.format(names=", ".join(names), calls=calls)
    trace = recorded(tmp_path_factory.mktemp("calls"), source)
    puts = calls_of(trace, "Box.put")
    for columns in range(40, 201):
        first, second = call_texts(trace, puts, columns)
        assert max(width(first), width(second)) <= columns
        assert first != second
        assert f"{names[place]}=" in first
        assert f"{names[place]}=" in second


# --- Whole views ---------------------------------------------------------------------------------


def test_questions_and_opened_values_fit(shop: Trace) -> None:
    for call in shop.calls():
        behaviour = behaviour_of(shop, call)
        for columns in range(40, 201, 7):
            lines = question_lines(shop, behaviour, width=columns)
            for seen in behaviour.given:
                lines += opened_lines(shop, behaviour, seen.path, width=columns)
            assert max(map(width, plain(lines))) <= columns


def test_diagnoses_fit(shop: Trace) -> None:
    session = Session(Problem(tree_of(shop)))
    while isinstance(pending := session.pending, Question):
        session = session.given(Answer(pending.about, Verdict.WRONG))
    assert isinstance(pending, Diagnosis)
    for columns in range(40, 201):
        lines = diagnosis_lines(shop, pending, session, width=columns)
        assert max(map(width, plain(lines))) <= columns


@pytest.mark.slow
def test_introductions_and_lists_fit(
    shop: Trace, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    inquiry = looked_at(shop.path)
    screen = Screen(has_colour=False, can_move=False)
    for columns in range(40, 201, 5):
        monkeypatch.setenv("COLUMNS", str(columns))
        screen.write(introduction(inquiry, columns))
        screen.write(messages.strategies(columns))
        screen.write(messages.transformations(columns))
        screen.write([*help_lines(columns), *help_lines(columns, "tree")])
        for words in (["show"], ["show", "--call", "3"], ["show", "--events"], ["suspects"]):
            main([words[0], str(shop.path), *words[1:]])
        assert max(map(width, capsys.readouterr().out.splitlines())) <= columns


@pytest.mark.parametrize("columns", [40, 61, 80, 200])
@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_help_fits(
    command: str,
    columns: int,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    assert main([*command.split(), "--help"]) == 0
    assert max(map(width, capsys.readouterr().out.splitlines())) <= columns


def test_a_long_result_is_shown_where_it_differs_from_the_expected_one(tmp_path: Path) -> None:
    trace = recorded(tmp_path, "def many(n):\n    return list(range(n))\nmany(90)\n")
    behaviour = behaviour_of(trace, call_of(trace, "many"))
    written = str([*range(70), 7, *range(71, 90)])
    expected = Expected(written, "you", data=written_data(written))
    lines = question_lines(trace, behaviour, width=80, expected=expected)
    text = "\n".join(plain(lines))
    assert "68, 69, 70, 71" in text
    assert "68, 69, 7, 71" in text
    assert "return[70]  70, expected 7" in text
