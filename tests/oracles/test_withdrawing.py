"""Wrong answers of oracles can be withdrawn, switched off or undone; later sessions know it."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sleuth.views.cli import main

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.recorded import recorded

pytestmark = pytest.mark.two_versions

PROGRAM = Path(__file__).parents[2] / "examples" / "merge_sort.py"
WRONG = """
from sleuth.spec import model

@model("distribute", total=True)
def distribute(b):
    b[0] = 99

@model("merge", total=True)
def merge(a, left_a, right_a, b, left_b, right_b, c, left_c):
    found = sorted(a[left_a:right_a] + b[left_b:right_b])
    c[left_c:left_c + len(found)] = found
"""
WHERE = "distribute(a=[4, 9, 1, 7]"

Ask = Callable[..., str]


@pytest.fixture
def ask(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Ask:
    trace = recorded(tmp_path, PROGRAM.read_text("utf-8")).path
    (tmp_path / "wrong_spec.py").write_text(WRONG)
    (typed := tmp_path / "typed.txt").write_text("")

    def asked(
        *lines: str, by: tuple[str, ...] = ("--spec", str(tmp_path / "wrong_spec.py"))
    ) -> str:
        typed.write_text("\n".join(lines) + "\n")
        main(["ask", str(trace), "--transform", "none", "--answers", str(typed), *by])
        return capsys.readouterr().out

    return asked


def listed(shown: str) -> list[tuple[int, str]]:
    """Return the numbers and verdicts of the answers that the last `a` listed."""
    rows = shown.rpartition("?] a\n")[2].splitlines()
    found = [row.split() for row in rows if row.endswith("(specification)")]
    return [(int(words[0]), words[1]) for words in found]


def test_one_wrong_answer_is_taken_back_and_stays_so(ask: Ask) -> None:
    shown = ask("a")
    assert "given before" not in shown
    assert f"This rests on:\n    1. wrong (your specification)  {WHERE}" in shown
    assert listed(shown) == [(1, "wrong")]
    kept = [(2, "right"), (3, "right"), (4, "wrong")]
    assert listed(ask("a 1 -", "a")) == kept, "it does not repeat what was taken back"
    again = ask("a")
    assert "Continuing with 3 earlier answers" in again
    assert listed(again) == kept, "nor in the next session"
    assert "This rests on:\n    4. wrong (your specification)" in again


def test_saying_otherwise_leads_on_to_the_right_call(ask: Ask) -> None:
    ask("a 1 y", "a 4 y")
    found = ask("q")
    assert "Found, given these answers: merge " in found
    assert "wrong (your specification)  merge(a=[4, 9, 0, 0]" in found


def test_switched_off_in_the_middle_all_it_said_is_gone_until_that_is_undone(ask: Ask) -> None:
    off = ask("O specification", "a", "O")
    assert "There are no answers yet." in off
    assert "  specification     off  " in off
    without = ask("a", by=())
    assert "Found" not in without
    assert "There are no answers yet." in without
    undone = ask("u", "a", by=())
    assert listed(undone) == [(1, "wrong")]
    assert "Continuing with 1 earlier answer" in ask("q", by=())
