"""Answers that an older Sleuth has kept about an older trace: they still count, or it is said."""

import json
from pathlib import Path
from typing import Any

import pytest

from sleuth.opening import Opened
from sleuth.search.journal import journal_path
from sleuth.trace.reader import Trace
from sleuth.views.cli import main

OLDER = Path(__file__).parents[1] / "trace" / "older"
"""A trace of version 2, and what was answered about it by the Sleuth that wrote it."""
NOT_THERE = "about turns or groups that this tree does not have."
TURN_2, TURN_3 = range(17, 19), range(19, 20)
"""The calls in turns of the loop in `Cart.apply`, which is call 12."""


def answer(verdict: str, *about: int) -> dict[str, Any]:
    return {"type": "answer", "about": list(about), "verdict": verdict, "by": "user"}


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    copy = tmp_path / "shop.trace"
    copy.write_bytes((OLDER / "version-2.trace").read_bytes())
    journal_path(copy).write_bytes((OLDER / "version-2.answers.jsonl").read_bytes())
    return copy


def rewritten(trace: Path, *lines: dict[str, Any]) -> None:
    """Put other answers behind the head of the journal and the shape of the tree."""
    kept = journal_path(trace)
    head = kept.read_text().splitlines()[:2]
    kept.write_text("\n".join([*head, *map(json.dumps, lines), ""]))


def shown(trace: Path, capsys: pytest.CaptureFixture[str], *typed: str) -> str:
    played = trace.with_name("answers.txt")
    played.write_text("\n".join([*typed, "q"]))
    main(["ask", str(trace), "--answers", str(played)])
    return " ".join(capsys.readouterr().out.split())


def suspects(trace: Path) -> set[int]:
    """Return the calls that may still be guilty."""
    space = Opened(Trace(trace)).left().space
    return set(space.tree.call[space.candidates + space.focus].tolist())


def test_answers_about_calls_and_turns_count_as_they_did(
    trace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = shown(trace, capsys, "a")
    assert "Continuing with 3 earlier answers" in found
    assert NOT_THERE not in found
    assert "Question 4, about 1 more, 26 of 29 calls and turns ruled out discount_of" in found
    assert "1 wrong Cart.apply(" in found
    assert "2 right turns 2 to 3 of 3 in Cart.apply" in found
    assert "3 right turn 1 of 3 in Cart.apply" in found


def test_the_bug_is_found_with_them(trace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = shown(trace, capsys, "y", "y", "y")
    assert "Is this the bug?" in found
    assert "1. wrong (you) Cart.apply(" in found


def test_an_answer_about_turns_that_are_no_more_counts_for_their_calls_and_that_is_said(
    trace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rewritten(trace, answer("wrong", 12, 63, 92), answer("right", 12, 79, 90))
    assert suspects(trace).isdisjoint({*TURN_2, *TURN_3})
    found = shown(trace, capsys, "a")
    assert f"1 of them is {NOT_THERE} Such answers count for the calls in them." in found
    assert "2 right (not in this tree)" in found


def test_an_answer_about_a_group_that_is_no_more_narrows_the_search_and_that_is_said(
    trace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rewritten(trace, answer("wrong", 12, 80, 90))
    assert suspects(trace) <= {12, *TURN_2, *TURN_3}
    assert f"1 of them is {NOT_THERE} Such answers count" in shown(trace, capsys)


def test_answers_without_effect_are_reported(
    trace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rewritten(
        trace,
        answer("wrong", 12, 63, 92),
        answer("unknown", 12, 68, 77),
        answer("skip", 12, 79, 90),
    )
    found = shown(trace, capsys)
    assert f"2 of them are {NOT_THERE} Such answers have no effect;" in found
    assert "counts for the calls" not in found
