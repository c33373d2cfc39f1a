"""Pointing at wrong values at the prompt."""

from pathlib import Path

import pytest

from sleuth.search.question import Verdict
from sleuth.views.cli import main
from sleuth.views.prompt.inquiry import looked_at
from tests.recorded import recorded

PROGRAM = """
    class Cart:
        def __init__(self):
            self.rate = 20
            self.lines = []
    def add(cart, price):
        cart.lines.append(price * cart.rate)
        return len(cart.lines)
    cart = Cart()
    add(cart, 3)
    print("lines:", len(cart.lines))
    print("sum:", sum(cart.lines))
    """


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    return recorded(tmp_path, PROGRAM).path


def played(trace: Path, capsys: pytest.CaptureFixture[str], *lines: str) -> str:
    answers = trace.with_name("answers.txt")
    answers.write_text("\n".join(lines))
    main(["ask", str(trace), "--answers", str(answers), "--restart", "--transform", "none"])
    shown = capsys.readouterr()
    return shown.out + shown.err


def test_output_of_the_run_is_wrong_whatever_is_asked(
    trace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for path in ("stdout[1]", 'text:"sum: 60"'):
        shown = played(trace, capsys, "j add", f"w {path} = sum: 30")
        assert f"{path} of the whole run is wrong" in shown
        (given,) = looked_at(trace).session.answers
        assert given.answer.about.call == -1
        assert given.answer.path == path
        assert given.answer.expected == "sum: 30"


def test_output_that_does_not_exist_is_reported_with_what_there_is(
    trace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "[0] to [1]" in played(trace, capsys, "j add", "w stdout[7]")
    assert "sum" in played(trace, capsys, "j add", 'w text:"summ: 60"').splitlines()[-1]


@pytest.mark.parametrize(("word", "verdict"), [("b", Verdict.INADMISSIBLE), ("s", Verdict.WRONG)])
def test_a_part_that_the_call_left_alone_was_wrong_before_or_should_have_changed(
    trace: Path, capsys: pytest.CaptureFixture[str], word: str, verdict: Verdict
) -> None:
    shown = played(trace, capsys, "j add", "w cart.rate = 10", word)
    assert "This call did not change cart.rate." in shown
    (given,) = looked_at(trace).session.answers
    assert (given.answer.verdict, given.answer.path) == (verdict, "cart.rate")


def test_another_word_answers_nothing(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = played(trace, capsys, "j add", "w cart.rate = 10", "perhaps")
    assert "Nothing was answered." in " ".join(shown.split())
    assert not looked_at(trace).session.answers


def test_a_part_that_the_call_changed_is_wrong_at_once(
    trace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    played(trace, capsys, "j add", "w cart.lines[0] = 30")
    (given,) = looked_at(trace).session.answers
    assert given.answer.verdict is Verdict.WRONG


def test_a_bad_call_can_name_what_it_was_given(
    trace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    played(trace, capsys, "j add", "i price")
    (given,) = looked_at(trace).session.answers
    assert (given.answer.verdict, given.answer.path) == (Verdict.INADMISSIBLE, "price")
    assert "no cost" in played(trace, capsys, "j add", "i cost")
