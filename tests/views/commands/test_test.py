"""`sleuth test`: from a failing test to the guilty call; clear messages if no test fails."""

import json
from pathlib import Path

import pytest

from sleuth.errors import UsageError
from sleuth.views.commands import test
from tests.views.testing.project import make, run

pytestmark = pytest.mark.two_versions


@pytest.mark.slow
def test_the_first_failing_test_is_asked_about_with_what_it_expects(tmp_path: Path) -> None:
    folder = make(tmp_path)
    (folder / "answers").write_text("n\nn\ny\n")
    words = ["--answers", "answers", "tests", "-q", "-k", "fixture or later"]
    ended = run(folder, "sleuth", "test", *words)
    assert ended.returncode == 0, ended.stderr
    asked = ended.stdout.partition("tests/test_all.py::test_fixture: ")[2]
    assert asked.splitlines()[1:5] == [
        "The test failed at tests/test_all.py:20: assert 12 == twelve.total()",
        "  twelve.total() was 11",
        "  expected 12",
        "Tests and fixtures are trusted; --doubt-tests asks about them, too.",
    ]
    first, found = asked.partition("Question 2")[::2]
    assert "Cart.total(self=<Cart #" in first
    assert "  expected  12  (the test)" in first
    assert "Found, given these answers: rebate  shop/cart.py:" in found
    assert "test_later" not in asked, "one test at a time"
    frozen = run(folder, "sleuth", "freeze", "--output", "-")
    assert '"""From a recorded run of tests/test_all.py::test_fixture, by' in frozen.stdout
    _with_json(folder)


def _with_json(folder: Path) -> None:
    """The same trace for a program: what the test expects is filled in."""
    said = json.dumps({"verdict": "wrong"}) + "\n"
    ended = run(folder, "sleuth", "ask", "--restart", "--json", text=said)
    question, _, report = map(json.loads, ended.stdout.splitlines())
    assert question["test"]["check"] == "assert 12 == twelve.total()"
    assert question["test"]["actual"] == "11"
    assert question["test"]["about_this"] is True
    assert question["expected"] == {
        "by": "the test",
        "path": "return",
        "text": "12",
        "differences": [{"path": "", "actual": "11", "expected": "12"}],
        "left_out": 0,
        "unknown": [],
    }
    assert report["answers"][0]["expected"] == question["test"]["expected"] == "12"
    doubted = run(folder, "sleuth", "ask", "--restart", "--json", "--doubt-tests", text="")
    given = json.loads(doubted.stdout.splitlines()[-1])["answers"]
    assert {(each["verdict"], each["by"]) for each in given} == {("doubt-module", "an option")}


@pytest.mark.slow
def test_a_test_that_fails_only_once_is_said_to(tmp_path: Path) -> None:
    code = "from pathlib import Path\ndef test_once():\n    there = Path('there').exists()\n"
    (tmp_path / "test_once.py").write_text(f"{code}    Path('there').touch()\n    assert there\n")
    ended = run(tmp_path, "sleuth", "test", "-q")
    assert ended.returncode == 1
    assert "sleuth: It did not fail again when it was recorded: .sleuth/test_once-" in ended.stderr
    assert "It did not fail again" in ended.stdout, "in the failure's section, too"


@pytest.mark.parametrize(
    ("text", "words", "status"),
    [
        ("def test_good():\n    pass\n", "No test failed", 1),
        ("import nothing_like_this\n", "could not collect all tests", 1),
    ],
)
def test_where_no_test_fails_the_reason_is_said(
    tmp_path: Path, text: str, words: str, status: int
) -> None:
    (tmp_path / "test_it.py").write_text(text)
    (tmp_path / "test_other.py").write_text("def test_right():\n    pass\n")
    ended = run(tmp_path, "sleuth", "test", "-q")
    assert words in ended.stderr
    assert ended.returncode == status


def test_options_of_ours_among_the_words_for_pytest_are_pointed_out(tmp_path: Path) -> None:
    ended = run(tmp_path, "sleuth", "test", "-q", "--unattended")
    assert ended.returncode == 2
    assert "--unattended is an option of sleuth test: write it before" in ended.stderr


def test_without_pytest_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(test, "find_spec", lambda _name: None)
    with pytest.raises(UsageError, match="pip install pytest"):
        test.main([])


@pytest.mark.parametrize(
    ("typed", "ours", "recording", "pytests"),
    [
        (["-k", "a", "--json"], [], [], ["-k", "a", "--json"]),
        (["--json", "tests", "--plain"], ["--json"], [], ["tests", "--plain"]),
        (["--strategy", "top-down", "-x"], ["--strategy", "top-down"], [], ["-x"]),
        (["--include=a", "--plain", "--", "--json"], ["--plain"], ["--include=a"], ["--json"]),
        (["--exclude", "b", "c"], [], ["--exclude", "b"], ["c"]),
        (["--root", "3"], [], [], ["--root", "3"]),
    ],
)
def test_from_the_first_word_on_that_is_not_ours_all_are_pytests(
    typed: list[str], ours: list[str], recording: list[str], pytests: list[str]
) -> None:
    assert test.split(typed) == (ours, recording, pytests)


def test_where_functions_and_their_tests_stand_in_one_file_nothing_is_trusted(
    tmp_path: Path,
) -> None:
    code = "def half(n):\n    return n // 3\n\n\ndef test_half():\n    assert half(6) == 3\n"
    (tmp_path / "test_half.py").write_text(code)
    ended = run(tmp_path, "sleuth", "run", "--quiet", "-m", "pytest", "-q", "-p", "no:sleuth")
    shown = ended.stdout.partition("test_half failed at ")[2]
    assert shown.startswith("test_half.py:6: assert half(6) == 3\n  half(6) was 2\n  expected 3\n")
    assert "trusted" not in shown
    assert "  expected  3  (the test)" in shown
