"""`sleuth ask`, from the command line to what is shown; on traces of a toy language."""

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sleuth.trace.store.writer import Writer
from sleuth.views.cli import main

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests import toy

pytestmark = pytest.mark.two_versions


def triangle(name: str, least: int) -> list[str]:
    """Return a procedure that sums up from 0; the sum of nothing should be 0."""
    inner = ["load a0", "load a0", "push -1", "add", f"call {name} 1", "jump 10"]
    return ["load a0", "jumpz 8", *inner, f"push {least}", "return", "add", "return"]


SUMS: toy.Program = {
    "main": [
        *("push 3", "call good 1", "push 3", "call bad 1", "add", "store sum"),
        *("load sum", "call twice 1", "print", "push 0", "return"),
    ],
    "good": triangle("good", 0),
    "bad": triangle("bad", 1),
    "twice": ["load a0", "push 2", "mul", "return"],
}
FOUND = ["y", "n", "n", "n", "n"]
"""Leads to bad(0), from the outside in."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    (tmp_path / ".sleuth").mkdir()
    return tmp_path


@pytest.fixture
def trace(folder: Path) -> Path:
    return toy.record(folder / ".sleuth" / "sums.trace", SUMS, [])


class Asked:
    """What came of a command."""

    def __init__(self, capsys: pytest.CaptureFixture[str], *argv: str) -> None:
        capsys.readouterr()
        self.status = main(list(argv))
        captured = capsys.readouterr()
        self.shown, self.errors = captured.out, captured.err


def played(capsys: pytest.CaptureFixture[str], lines: list[str], *argv: str) -> Asked:
    """Play lines as if they were typed."""
    Path("answers.txt").write_text("\n".join(lines))
    strategy = [] if "--strategy" in argv else ["--strategy", "top-down"]
    return Asked(capsys, "ask", *strategy, *argv, "--answers", "answers.txt")


# --- Without anybody -----------------------------------------------------------------------------


def test_without_a_terminal_the_first_question_is_shown_and_how_to_answer_it(
    capsys: pytest.CaptureFixture[str], trace: Path
) -> None:
    for argv in (["ask"], []):
        asked = Asked(capsys, *argv)
        assert asked.status == 1
        assert "Question 1, " in asked.shown
        assert "Is that right? [y n w d i ?]" in asked.shown
        assert "--answers FILE" in asked.shown


def test_bare_sleuth_is_the_help_when_there_is_no_trace(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    asked = Asked(capsys)
    assert asked.status == 0
    assert "sleuth run PROGRAM.py" in asked.shown
    assert Asked(capsys, "ask").status == 3


def test_what_is_no_trace_is_unreadable(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    Path("bad.trace").write_bytes(b"nothing")
    assert Asked(capsys, "ask", "bad.trace").status == 3


# --- Answers from a file -------------------------------------------------------------------------


def test_answers_from_a_file_lead_to_the_guilty_call(
    capsys: pytest.CaptureFixture[str], trace: Path
) -> None:
    asked = played(capsys, [*FOUND, "y"])
    assert asked.status == 0
    assert "Found, given these answers: bad" in asked.shown
    assert "bad(a0=0)" in asked.shown


def test_a_diagnosis_that_nobody_confirmed_is_found_all_the_same(
    capsys: pytest.CaptureFixture[str], trace: Path
) -> None:
    assert played(capsys, FOUND).status == 0


def test_running_out_of_answers_ends_without_and_keeps_them(
    capsys: pytest.CaptureFixture[str], trace: Path
) -> None:
    asked = played(capsys, FOUND[:2])
    assert asked.status == 1
    assert "2 answers kept. Go on: sleuth ask sums.trace" in asked.shown


def test_lines_too_many_are_mentioned(capsys: pytest.CaptureFixture[str], trace: Path) -> None:
    asked = played(capsys, [*FOUND, "y", "n", "y", "y"])
    assert asked.status == 0
    assert "(2 more lines of answers.txt not needed)" in asked.shown


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("z", "answers.txt, line 2: 'z' is not an answer."),
        ("w nowhere", "There is no nowhere here."),
        ("w a[", "is not closed"),
        ("o nowhere", "There is no nowhere here."),
        ("j 99", "There is no call 99: they go from 0 to 9."),
        ("j bed", "Did you mean bad?"),
        ("j bad", "bad was called 4 times. Give the number of one:"),
        ("g top", ""),
        ("g bottom-up", "There is no strategy bottom-up."),
        ("g topdown", "Did you mean top-down?"),
        ("g zzz", "List them: sleuth strategies. The answers up to there are kept."),
        ("a 7", "There is no answer 7."),
        ("a 1 q", "can't replace an answer"),
        ("U", "There is nothing to redo."),
        ("A q", "A takes an answer"),
    ],
)
def test_a_line_that_does_not_fit_is_named_and_what_was_before_is_kept(
    capsys: pytest.CaptureFixture[str], trace: Path, line: str, words: str
) -> None:
    asked = played(capsys, ["n", line])
    assert asked.status == (2 if words else 1)
    assert words in asked.errors
    if words:
        assert "The answers up to there are kept." in asked.errors
    assert "Continuing with 1 earlier answer" in Asked(capsys, "ask").shown


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (["--strategy", "bisect"], ""),
        (["--strategy", "bisectoin"], "Did you mean bisection?"),
        (["--root", "77"], "There is no call 77"),
        (["--root", "good"], "good was called 4 times"),
        (["--answers", "nothing.txt"], "nothing.txt can't be read"),
        (["--json", "--answers", "answers.txt"], "can't be combined"),
    ],
)
def test_what_the_command_line_asks_for_must_be_there(
    capsys: pytest.CaptureFixture[str], trace: Path, argv: list[str], words: str
) -> None:
    asked = Asked(capsys, "ask", *argv)
    assert asked.status == (2 if words else 1)
    assert words in asked.errors


# --- What can be typed ---------------------------------------------------------------------------


def test_undo_and_redo_go_as_far_as_one_likes(
    capsys: pytest.CaptureFixture[str], trace: Path
) -> None:
    asked = played(capsys, [*FOUND, "u", "u", "u", "u", "U", "U", "U", "U", "y"])
    assert asked.status == 0
    assert asked.shown.count("Found, given these answers: bad") == 2


def test_answers_can_be_listed_changed_and_cleared(
    capsys: pytest.CaptureFixture[str], trace: Path
) -> None:
    asked = played(capsys, ["n 6", "n", "a", "a 2", "y", "a 2 -", "a", "q"])
    assert asked.status == 1
    assert "should be: 6" in asked.shown
    assert "   2  wrong" in asked.shown
    assert asked.shown.rindex("   2  wrong") < asked.shown.rindex("   1  wrong")


def test_a_root_is_taken_to_be_wrong(capsys: pytest.CaptureFixture[str], trace: Path) -> None:
    asked = played(capsys, ["y", "y", "y"], "--root", "5", "--transform", "none")
    assert "Assuming that this is wrong: bad(a0=3) -> 7" in asked.shown
    assert "of 3 calls ruled out" in asked.shown
    assert "twice" not in asked.shown


@pytest.mark.parametrize(
    ("line", "path", "expected"),
    [
        ("wrong return", "return", ""),
        ("Wrong return = 7", "return", "7"),
        ("wrong 6", "", "6"),
        ("wrong 6.5", "", "6.5"),
        ("wrong None", "", "None"),
        ("NO 6", "", "6"),
    ],
)
def test_wrong_takes_a_part_or_the_value_that_it_should_have_been(
    capsys: pytest.CaptureFixture[str], trace: Path, line: str, path: str, expected: str
) -> None:
    played(capsys, [line])
    main(["report", "--format", "json"])
    given = json.loads(capsys.readouterr().out)["answers"][0]
    assert given["verdict"] == "wrong"
    assert (given["path"] or "", given["expected"] or "") == (path, expected)


def test_wrong_reports_a_path_that_leads_nowhere(
    capsys: pytest.CaptureFixture[str], trace: Path
) -> None:
    assert "line 1" in played(capsys, ["wrong a0.size"]).errors


def test_any_call_can_be_judged_now(capsys: pytest.CaptureFixture[str], trace: Path) -> None:
    asked = played(capsys, ["j twice", "y", "j 8", "n"])
    assert asked.status == 0
    assert asked.shown.index("twice(a0=13)") < asked.shown.index("bad(a0=0)")


def test_calls_are_found_by_text(capsys: pytest.CaptureFixture[str], trace: Path) -> None:
    asked = played(capsys, ["f a0=13", "f twice", "f xyzzy"])
    assert asked.shown.count("twice(a0=13) -> 26") >= 2
    assert "Judge one of them: j 9" in asked.shown
    assert "No call found with xyzzy." in asked.shown


def test_help_explanation_code_and_strategies_are_shown_on_the_way(
    capsys: pytest.CaptureFixture[str], trace: Path
) -> None:
    asked = played(capsys, ["?", "e", "c", "g", "g heaviest", "s", "d"])
    assert "  u                 undo the last answer" in asked.shown
    assert "y or i   rules out" in asked.shown
    assert "ran in this call" in asked.shown
    assert "* top-down" in asked.shown
    assert "Questions are now chosen by heaviest-first." in asked.shown
    assert max(map(len, asked.shown.splitlines())) <= 80


def test_a_contradiction_is_shown_and_asked_about(
    capsys: pytest.CaptureFixture[str], trace: Path
) -> None:
    asked = played(capsys, ["n", "j 8", "y", "j 8", "n", "3", "q"])
    assert "The same call was judged in two ways:" in asked.shown
    assert "Which one is not true? [2 3 u a q ?] 3" in asked.shown
    assert "Answer 3 is taken back" in asked.shown


def test_a_rejected_diagnosis_asks_the_weakest_answers_again(
    capsys: pytest.CaptureFixture[str], trace: Path
) -> None:
    asked = played(capsys, [*FOUND, "n"])
    assert "The least certain ones are asked again." in asked.shown
    assert "before (answer " in asked.shown


def test_with_dont_knows_the_diagnosis_is_a_set_of_which_one_can_be_confirmed(
    capsys: pytest.CaptureFixture[str], trace: Path
) -> None:
    asked = played(capsys, ["y", "n", "d", "n", "n"])
    assert asked.status == 0
    asked = played(capsys, ["y", "n", "d", "y"], "--restart")
    assert asked.status == 1, "two are left"
    assert "Best guess: bad" in asked.shown
    assert "It may also be:" in asked.shown
    assert played(capsys, ["y 3"]).status == 2
    assert played(capsys, ["y 6"]).status == 0
    assert "confirmed by you: bad(a0=2)" in played(capsys, ["n"]).shown


def test_after_a_confirmed_bug_another_one_can_be_looked_for(
    capsys: pytest.CaptureFixture[str], trace: Path
) -> None:
    asked = played(capsys, [*FOUND, "y", "y"] + ["y"] * 9)
    assert "No other bug in what was recorded" in asked.shown


def test_if_all_was_right_there_is_no_bug_in_what_was_recorded(
    capsys: pytest.CaptureFixture[str], trace: Path
) -> None:
    asked = played(capsys, ["y"] * 12)
    assert asked.status == 1
    assert "No bug in what was recorded" in asked.shown


def test_trusted_functions_are_not_asked_about(
    capsys: pytest.CaptureFixture[str], trace: Path
) -> None:
    asked = played(capsys, ["j 1", "t", "j 9", "t", "n", "n", "n", "n"])
    assert asked.shown.count("good(a0=") <= 2


# --- For programs --------------------------------------------------------------------------------


def documents(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    answers: list[Any],
    *argv: str,
) -> tuple[int, list[dict[str, Any]]]:
    lines = [each if isinstance(each, str) else json.dumps(each) for each in answers]
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(lines) + "\n"))
    asked = Asked(capsys, "ask", "--json", *argv)
    assert asked.errors == ""
    return asked.status, [json.loads(line) for line in asked.shown.splitlines()]


def test_json_goes_in_and_out_a_line_each(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, trace: Path
) -> None:
    words = {"n": "wrong", "y": "right"}
    status, out = documents(
        capsys,
        monkeypatch,
        [{"verdict": words[each], "note": "so"} for each in FOUND],
        "--strategy",
        "top-down",
    )
    assert status == 0
    *questions, report = out
    assert {each["type"] for each in questions} == {"question"}
    assert [*questions[0]] == [
        *("type", "id", "node", "kind", "function", "known_as", "module", "file", "line"),
        *("inputs", "outcome", "changes", "used", "output", "plain", "cached", "folded"),
    ]
    assert report["type"] == "report"
    assert report["diagnosis"]["function"] == "bad"
    assert report["diagnosis"]["certain"] is True
    assert [each["verdict"] for each in report["answers"]] == ["right", *["wrong"] * 4]


def test_json_without_answers_ends_with_a_report_without_a_diagnosis(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, trace: Path
) -> None:
    status, out = documents(capsys, monkeypatch, [])
    assert (status, [each["type"] for each in out]) == (1, ["question", "report"])
    assert out[-1]["diagnosis"] is None


def test_json_that_is_no_answer_is_told_and_the_question_stands(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, trace: Path
) -> None:
    bad: list[Any] = [
        "{",
        "[1]",
        {"verdict": "rigth"},
        {"verdict": 3},
        {"id": "1:2-3", "verdict": "right"},
        {"id": "x", "verdict": "right"},
        {"verdict": "wrong", "path": "nowhere"},
        {"verdict": "undo"},
    ]
    status, out = documents(capsys, monkeypatch, [*bad, {"verdict": "right"}])
    assert status == 1
    assert [each["type"] for each in out] == [
        "question",
        *["error"] * len(bad),
        "question",
        "report",
    ]
    assert "Did you mean right?" in out[3]["message"]


def test_json_answers_can_be_undone_and_given_again_by_id(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, trace: Path
) -> None:
    _, (first, *_) = documents(capsys, monkeypatch, [])
    answers: list[Any] = [
        {"id": first["id"], "verdict": "right"},
        {"verdict": "undo"},
        {"verdict": "redo"},
        {"id": first["id"], "verdict": "wrong"},
    ]
    _, out = documents(capsys, monkeypatch, answers)
    assert out[0] == out[2] == first
    assert [each["verdict"] for each in out[-1]["answers"]] == ["wrong"]


def test_json_tells_contradictions(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, trace: Path
) -> None:
    _, (first, *_) = documents(capsys, monkeypatch, [])
    answers: list[Any] = [
        {"id": first["id"], "verdict": "trust-function"},
        {"id": first["id"], "verdict": "wrong"},
    ]
    _, out = documents(capsys, monkeypatch, answers)
    assert out[-1]["type"] == "report"


def test_input_that_is_no_text_or_closed_stops_nobody(trace: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "sleuth", "ask", "--json"],
        input=b'\xff\xfe\n{"verdict":"right"}\n',
        capture_output=True,
        check=False,
    )
    types = [json.loads(line)["type"] for line in ended.stdout.splitlines()]
    assert types == ["question", "error", "question", "report"]
    closed = subprocess.run(
        f"{sys.executable} -m sleuth ask <&-", shell=True, capture_output=True, check=False
    )
    assert (closed.returncode, closed.stderr) == (1, b"")


def test_a_trace_without_calls_is_said_and_asks_nothing(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    writer = Writer.create(folder / "none.trace", {"argv": ["x"], "cwd": "/"})
    writer.finish({"how": "exited", "status": 0})
    asked = played(capsys, ["y"], "none.trace")
    assert asked.status == 1
    assert "No calls were recorded. See why: sleuth show --modules" in asked.shown
    assert "[" not in asked.shown


def test_how_to_go_on_can_be_typed_where_the_trace_is_elsewhere(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    (folder / "my traces").mkdir()
    toy.record(folder / "my traces" / "sums.trace", SUMS, [])
    asked = played(capsys, ["y"], "my traces/sums.trace")
    assert "Go on: sleuth ask 'my traces/sums.trace'" in asked.shown


SAME: toy.Program = {
    "main": [*["push 2", "call twice 1", "store x"] * 5, "push 9", "call twice 1", "return"],
    "twice": ["load a0", "push 2", "mul", "return"],
}


@pytest.mark.parametrize("lines", [["A", "y"], ["A y"], ["y"]])
def test_equal_questions_are_asked_once_and_can_be_answered_at_once(
    capsys: pytest.CaptureFixture[str], folder: Path, lines: list[str]
) -> None:
    toy.record(folder / "same.trace", SAME, [])
    asked = played(capsys, [*lines, "q"], "same.trace", "--transform", "none")
    assert asked.shown.count("twice(a0=2)\n") <= 1
    assert asked.shown.count("twice(a0=9)") == 1, "that is another question"
    assert "(4 equal questions answered in the same way)" in asked.shown
    if lines == ["A", "y"]:
        assert "The next answer holds for all 5 equal calls." in asked.shown


def test_what_is_to_hold_for_all_can_be_taken_back(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    toy.record(folder / "same.trace", SAME, [])
    asked = played(capsys, ["A", "A", "j 6", "A", "q"], "same.trace")
    assert "The next answer holds for this question only." in asked.shown
    assert "The next answer holds for this call only: no other call is equal to it." in asked.shown
