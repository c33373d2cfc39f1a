"""Diagnoses in words."""

from collections.abc import Mapping
from pathlib import Path

from sleuth.search.problem import Problem
from sleuth.search.question import Answer, Diagnosis, Question, Verdict
from sleuth.search.session import Session
from sleuth.trace.reader import Trace
from sleuth.tree.build import tree_of
from sleuth.views.drawing.styled import plain, width
from sleuth.views.words.diagnosis import diagnosis_lines
from tests import toy
from tests.recorded import PRICES, recorded


def asked(trace: Trace, verdicts: Mapping[str, Verdict]) -> Session:
    """Answer by the function's name; what is not named is right."""
    session = Session(Problem(tree_of(trace)))
    while isinstance(pending := session.pending, Question):
        call = trace.call(pending.about.call)
        function = trace.function(call.function)
        assert function is not None
        verdict = verdicts.get(function.qualified_name, Verdict.RIGHT)
        session = session.given(Answer(pending.about, verdict))
    return session


def told(trace: Trace, session: Session) -> str:
    found = session.pending
    assert isinstance(found, Diagnosis)
    lines = list(plain(diagnosis_lines(trace, found, session, width=80)))
    assert max(map(width, lines)) <= 80
    return "\n".join(lines)


def test_modules_and_classes_are_named_in_the_evidence(tmp_path: Path) -> None:
    trace = recorded(tmp_path, "class Tea:\n    cups = 1\nclass Cup:\n    pass\n")
    text = told(trace, asked(trace, {"<module>": Verdict.WRONG}))
    assert "wrong (you)  module __main__\n" in text
    assert "right (you)  class Tea\n" in text


def test_a_place_far_away_keeps_its_line(tmp_path: Path) -> None:
    folder = tmp_path / ("a" * 60) / "b"
    folder.mkdir(parents=True)
    (folder / "far.py").write_text("def total():\n    return 1\n")
    source = f"import sys\nsys.path.insert(0, {str(folder)!r})\nimport far\nfar.total()\n"
    trace = recorded(tmp_path, source)
    text = told(trace, asked(trace, {"total": Verdict.WRONG}))
    assert text.startswith("Found, given these answers: total  .../b/far.py:1\n")


def test_the_guilty_call_with_its_code_and_the_evidence(tmp_path: Path) -> None:
    trace = recorded(tmp_path, PRICES)
    text = told(trace, asked(trace, {"<module>": Verdict.WRONG, "total": Verdict.WRONG}))
    assert text.startswith("Found, given these answers: total  prog.py:6\n")
    assert "\n  returned  16\n" in text
    assert " 7 *     result = 1\n" in text
    assert "This rests on:\n" in text
    assert "wrong (you)  total(ns=[1, 2, 3]) -> 16\n" in text
    assert "right (you)  price(" in text
    assert "See it again: sleuth show prog.trace --call 1" in text


def test_of_several_candidates_all_are_named(tmp_path: Path) -> None:
    trace = recorded(tmp_path, PRICES)
    verdicts = {"<module>": Verdict.WRONG, "total": Verdict.WRONG, "price": Verdict.UNKNOWN}
    text = told(trace, asked(trace, verdicts))
    assert text.startswith("Best guess: ")
    assert "The answers leave 4 calls that may be the bug." in text
    assert "It may also be:" in text


def test_what_was_not_judged_on_the_way_is_said(tmp_path: Path) -> None:
    trace = recorded(tmp_path, PRICES)
    session = Session(Problem(tree_of(trace)))
    node = session.problem.tree
    numbers = [n for n in range(len(node)) if node.key(n).call == 2]
    session = session.given(Answer(node.key(numbers[0]), Verdict.WRONG))
    text = told(trace, session)
    assert "Not judged, between it and the run:" in text
    assert "If it is right, the run has another bug, too: j " in text


def test_a_file_that_changed_since_is_told(tmp_path: Path) -> None:
    trace = recorded(tmp_path, PRICES)
    (tmp_path / "prog.py").write_text("print('fixed')\n")
    text = told(trace, asked(trace, {"<module>": Verdict.WRONG, "total": Verdict.WRONG}))
    assert "The file has changed since; this is the code that ran." in text


def test_a_diagnosis_that_rests_on_others_says_so(shop: Trace) -> None:
    verdicts = {"<module>": Verdict.WRONG, "threads": Verdict.WRONG, "slow": Verdict.WRONG}
    text = told(shop, asked(shop, verdicts))
    assert text.startswith("Found, given these answers: slow")
    assert "Other tasks changed its data while it ran" in text


def test_another_language_has_diagnoses_too(tmp_path: Path) -> None:
    trace = Trace(toy.record(tmp_path / "fact.trace", toy.FACTORIAL, []))
    text = told(trace, asked(trace, {"main": Verdict.WRONG}))
    assert "Found, given these answers: main  toy.txt:1" in text
    assert " 4 .   store result" in text
