"""The first screen says what is known to be wrong; a first success ends without a warning."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[3]))
from sleuth.views.cli import main
from tests.recorded import recorded

pytestmark = pytest.mark.two_versions

SOURCE = """\
def half(n):
    return n // 2 + 1
def total(ns):
    return half(ns[0]) + half(ns[1])
def main():
    print("one")
    print("two")
    print("three")
    print("total", total([2, 4]))
main()
"""
BETWEEN = "Not judged, between it and the run:"


def shown(
    folder: Path, capsys: pytest.CaptureFixture[str], source: str, *lines: str, status: int = 0
) -> str:
    trace = recorded(folder, source, status=status).path
    answers = folder / "answers.txt"
    answers.write_text("\n".join(lines))
    capsys.readouterr()
    main(["ask", str(trace), "--strategy", "top-down", "--answers", str(answers)])
    return capsys.readouterr().out


def test_the_last_lines_of_the_output_are_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = shown(tmp_path, capsys, SOURCE).partition("Question 1")[0]
    assert "The end of its output:\n  two\n  three\n  total 5\n" in said


def test_a_call_that_shows_all_that_the_run_shows_is_as_wrong_as_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = shown(tmp_path, capsys, SOURCE, "j total", "n", "j half#1", "n")
    assert "Found, given these answers: half" in found
    assert BETWEEN not in found


def test_a_call_that_shows_less_than_the_run_may_have_been_right(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    more = SOURCE + 'print("and more")\n'
    found = shown(tmp_path, capsys, more, "j total", "n", "j half#1", "n")
    assert BETWEEN in found
    assert "main() -> None" in found.partition(BETWEEN)[2]


def test_a_call_that_the_uncaught_exception_left_is_as_wrong_as_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    crash = "def inner(n):\n    return 1 // n\ndef outer(n):\n    return inner(n)\nouter(0)\n"
    found = shown(tmp_path, capsys, crash, "j inner", "n", status=1)
    assert "Found, given these answers: inner" in found
    assert BETWEEN not in found


def test_a_call_that_caught_the_exception_may_have_been_right(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    caught = """
def inner(n):
    return 1 // n
def outer(n):
    try:
        return inner(n)
    except ZeroDivisionError:
        return 0
outer(0)
raise SystemExit(1)
"""
    found = shown(tmp_path, capsys, caught, "j inner", "n", status=1)
    assert "outer(n=0) -> 0" in found.partition(BETWEEN)[2]
