"""A diagnosis names the constants and tables that the guilty code read."""

from pathlib import Path

import pytest

from sleuth.views.cli import main
from tests.recorded import recorded

INTRO = "It may also be "


def found(folder: Path, capsys: pytest.CaptureFixture[str], source: str, *lines: str) -> list[str]:
    """Return what the diagnosis says of values that were read."""
    trace = recorded(folder, source).path
    answers = folder / "answers.txt"
    answers.write_text("\n".join(lines))
    capsys.readouterr()
    main(["ask", str(trace), "--answers", str(answers)])
    said = capsys.readouterr().out
    assert "Found, given these answers" in said
    return said.partition(INTRO)[2].partition("\n\n")[0].splitlines()


MACHINE = """
    from enum import Enum
    class State(Enum):
        NEW = "new"
        PAID = "paid"
    NEXT = {
        (State.NEW, "pay"): State.PAID,
        (State.PAID, "pack"): State.NEW,
    }
    def fire(state, event):
        target = NEXT{read}
        return target
    fire(State.PAID, "pack")
"""


@pytest.mark.parametrize("read", [".get((state, event))", "[state, event]"])
def test_the_entry_that_was_looked_up_is_shown_with_its_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], read: str
) -> None:
    said = found(tmp_path, capsys, MACHINE.replace("{read}", read), "j 2", "n")
    assert said == [
        "this value, which it read, that is wrong:",
        "  NEXT[State.PAID, 'pack'] = State.NEW  (prog.py:8)",
    ]


def test_a_table_that_was_read_as_a_whole_is_shown_as_a_whole(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = """
        RATES = [1, 2]
        LIMIT = 3
        def total():
            return sum(RATES) + RATES[0] - LIMIT
        total()
    """
    said = found(tmp_path, capsys, source, "n")
    assert said[1:] == ["  RATES = [1, 2]  (prog.py:2)", "  LIMIT = 3  (prog.py:3)"]


def test_the_line_of_an_entry_is_that_of_its_last_write(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = """
        NAMES = {
            "a": "x",
            "b": "y",
        }
        NAMES["a"] = "z"
        def name(of):
            found = NAMES[of]
            return found
        name("a")
    """
    said = found(tmp_path, capsys, source, "n")
    assert said[1:] == ["  NAMES['a'] = 'z'  (prog.py:6)"]


def test_what_the_program_set_while_it_ran_is_no_constant(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = """
        def begin():
            global STATE
            STATE = 5
        def use():
            return STATE
        begin()
        use()
    """
    assert found(tmp_path, capsys, source, "j 2", "n") == []


CART = """
    class Base:
        LIMIT = 5
    class Cart(Base):
        RATE = 0.5
        NAMES = {
            "a": 1,
            "b": 2,
        }
        def __init__(self):
            self.n = 3
        def total(self):
            return self.n * self.RATE + self.NAMES["b"] + self.LIMIT
    {before}
    Cart().total()
"""


@pytest.mark.parametrize(
    ("before", "rate"),
    [("", "0.5  (prog.py:5)"), ("Cart.RATE = 2", "2  (prog.py:14)")],
)
def test_attributes_of_classes_are_shown_with_the_line_that_set_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], before: str, rate: str
) -> None:
    said = found(tmp_path, capsys, CART.replace("{before}", before), "j Cart.total", "n")
    assert {*said[1:]} == {
        f"  self.RATE = {rate}",
        "  self.NAMES['b'] = 2  (prog.py:8)",
        "  self.LIMIT = 5  (prog.py:3)",
    }
