"""The public names; importing them is cheap."""

import subprocess
import sys
from pathlib import Path

import pytest

import sleuth
from sleuth.search.question import Diagnosis, Question, Verdict
from tests import toy

DOCS = Path(__file__).parents[1] / "docs" / "reference" / "api.md"


def test_every_public_name_is_there_and_sorted() -> None:
    assert sleuth.__all__ == sorted(sleuth.__all__)
    for name in sleuth.__all__:
        assert getattr(sleuth, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        getattr(sleuth, "nothing")  # noqa: B009 - mypy knows that it is not there


def test_importing_sleuth_loads_nothing_else() -> None:
    program = (
        "import sys; before = set(sys.modules); import sleuth; "
        "print(*sorted(set(sys.modules) - before))"
    )
    found = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert found.stdout.split() == ["sleuth", "sleuth.errors"]


def test_the_example_in_the_documentation_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(".sleuth").mkdir()
    toy.record(Path(".sleuth/shop.trace"), toy.FACTORIAL, [])
    example = DOCS.read_text().split("```python\n")[1].split("```")[0]
    exec(example, {"my_judgement": lambda trace, call: call.id <= 3})
    assert capsys.readouterr().out.startswith("Call(id=3, ")


def test_a_session_is_resumed_where_it_was_left(tmp_path: Path) -> None:
    path = toy.record(tmp_path / "t.trace", toy.FACTORIAL, [])
    with sleuth.open(path).resumed(strategy="top-down") as (begun, journal):
        assert isinstance(begun.pending, Question)
        answer = sleuth.Answer(begun.pending.about, Verdict.WRONG)
        session = journal.follow(begun, begun.given(answer))
    left = sleuth.open(path).left()
    assert (left.entries, left.strategy) == (session.entries, "top-down")
    with sleuth.open(path).resumed() as (kept, journal):
        assert kept.pending == session.pending
        with pytest.raises(sleuth.JournalInUse), sleuth.open(path).resumed():
            pass
        session = kept
        while isinstance(session.pending, Question):
            right = sleuth.Answer(session.pending.about, Verdict.RIGHT)
            session = journal.follow(session, session.given(right))
        assert isinstance(session.pending, Diagnosis)
    assert sleuth.open(path).left().pending == session.pending
