"""Whatever a trace contains, output has no control characters and fits the width."""

import json
from pathlib import Path

import pytest

from sleuth.search.problem import Problem
from sleuth.search.question import Answer, Diagnosis, Question, Verdict
from sleuth.search.session import Session
from sleuth.trace.path import PathError
from sleuth.trace.reader import Trace
from sleuth.tree.build import tree_of
from sleuth.tree.observe.behaviour import Behaviour
from sleuth.tree.observe.inside import starts
from sleuth.tree.observe.nodes import behaviour_at
from sleuth.views.commands import report
from sleuth.views.drawing.styled import plain, width, wrapped
from sleuth.views.wire.questions import question
from sleuth.views.words.diagnosis import diagnosis_lines
from sleuth.views.words.opened_value import opened_lines
from sleuth.views.words.question import HEIGHT, asked, question_lines
from sleuth.views.words.source import code_lines
from tests.hostile import hostile


@pytest.fixture
def trace(tmp_path: Path) -> Trace:
    return hostile(tmp_path / "hostile.trace")


def is_safe(text: str, *, columns: int = 80) -> bool:
    return text.isprintable() and width(text) <= columns


def test_questions_are_safe(trace: Trace) -> None:
    for call in range(-1, trace.call_count):
        behaviour = behaviour_at(trace, call)
        lines = list(plain(question_lines(trace, behaviour, width=80)))
        assert all(map(is_safe, [*lines, asked(behaviour)]))
        assert len(lines) <= HEIGHT


def test_opened_values_are_safe(trace: Trace) -> None:
    for call in range(trace.call_count):
        behaviour = behaviour_at(trace, call)
        paths = [*starts(trace, behaviour), *(each.path for each in behaviour.changes)]
        for path in [*paths, "given", "changed", "printed", "stderr", "yielded", "used"]:
            assert all(map(is_safe, opened(trace, behaviour, path)))


def opened(trace: Trace, behaviour: Behaviour, path: str) -> list[str]:
    try:
        return list(plain(opened_lines(trace, behaviour, path, width=80)))
    except PathError as error:
        return list(wrapped(str(error), 80)) if str(error).isprintable() else ["\x1b"]


def test_code_is_safe(trace: Trace) -> None:
    for call in trace.calls():
        assert all(map(is_safe, plain(code_lines(trace, call, width=80))))


def session_with(trace: Trace, verdicts: dict[int, Verdict]) -> Session:
    session = Session(Problem(tree_of(trace)))
    while isinstance(pending := session.pending, Question):
        verdict = verdicts.get(pending.about.call, Verdict.RIGHT)
        session = session.given(Answer(pending.about, verdict, note="\x1b", expected="\x1b|`"))
    return session


@pytest.mark.parametrize("guilty", range(6))
@pytest.mark.parametrize("verdict", [Verdict.WRONG, Verdict.UNKNOWN])
def test_diagnoses_and_reports_are_safe(trace: Trace, guilty: int, verdict: Verdict) -> None:
    session = session_with(trace, {0: Verdict.WRONG, guilty: verdict})
    if isinstance(session.pending, Diagnosis):
        lines = diagnosis_lines(trace, session.pending, session, width=80)
        assert all(map(is_safe, plain(lines)))
    for form in ("md", "json", "sarif"):
        text = "\n".join(report.lines(trace, session, form))
        assert all(part.isprintable() for part in text.split("\n"))
        if form != "md":
            json.loads(text)


def test_questions_are_whole_as_json(trace: Trace) -> None:
    tree = tree_of(trace)
    for node in range(len(tree)):
        behaviour = behaviour_at(trace, int(tree.call[node]))
        assert json.dumps(question(trace, behaviour, tree.key(node))).isascii()
