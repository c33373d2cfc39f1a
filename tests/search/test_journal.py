"""A journal restores a session, whatever happened to its writer."""

import json
import signal
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st

from sleuth.errors import (
    JournalDamaged,
    JournalError,
    JournalForeign,
    JournalInUse,
    JournalTooNew,
)
from sleuth.search.journal import Journal, journal_path, read, replayed
from sleuth.search.problem import Problem
from sleuth.search.question import Alike, Answer, Diagnosis, Entry, Verdict
from sleuth.search.session import Session
from sleuth.search.strategies import STRATEGIES
from tests.effort import examples
from tests.trees import tree_of

TREE = tree_of([-1, 0, 1, 1, 0, 4, 4, 0], routines=[0, 1, 2, 0, 1, 2, 0, 1])
NODES = st.integers(0, len(TREE) - 1)
TEXT = st.text(max_size=8)
ANSWERS = st.builds(
    Answer,
    NODES.map(TREE.key),
    st.sampled_from(Verdict),
    by=st.sampled_from(["user", "memory"]),
    path=TEXT,
    expected=TEXT,
    note=TEXT,
    is_for_all=st.booleans(),
    confidence=st.floats(0, 1),
)


def fresh() -> Session:
    return Session(Problem(TREE, fingerprint=lambda node: node % 3))


def state(session: Session) -> tuple[object, ...]:
    return (
        session.entries,
        session.undone_entries,
        session.strategy,
        session.problem.root,
        session.pending,
    )


@drawn(data=st.data())
@settings(max_examples=examples(80))
def test_a_session_comes_back_as_it_was_left(data: st.DataObject) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "t.answers.jsonl"
        with Journal(path, "id") as journal:
            session = fresh()
            for _ in range(data.draw(st.integers(0, 10))):
                session = journal.follow(session, step(session, data))
                assert state(replayed(fresh(), read(path, "id"))) == state(session)
        with Journal(path, "id") as journal:
            assert journal.torn == ""
            assert state(replayed(fresh(), journal.lines)) == state(session)


def is_users(entry: Entry) -> bool:
    return not isinstance(entry, Alike) and (not isinstance(entry, Answer) or entry.by == "user")


def step(session: Session, data: st.DataObject) -> Session:
    """Take any step that is possible."""
    able = ["give", "use", "root"]
    able += ["undo"] if any(map(is_users, session.entries)) else []
    able += ["redo"] if session.undone_entries else []
    able += ["change"] if any(isinstance(each, Answer) for each in session.entries) else []
    able += ["confirm", "reject"] if isinstance(session.pending, Diagnosis) else []
    match data.draw(st.sampled_from(able)):
        case "give":
            return session.given(data.draw(ANSWERS))
        case "use":
            return session.using(data.draw(st.sampled_from(list(STRATEGIES))))
        case "root":
            return session.on(
                Problem(TREE, root=data.draw(NODES), fingerprint=session.problem.fingerprint)
            )
        case "undo":
            by_user = any(
                not isinstance(each, Answer) or each.by == "user" for each in session.entries
            )
            return session.undone() if by_user else session
        case "redo":
            return session.redone()
        case "change":
            count = sum(isinstance(each, Answer) for each in session.entries)
            answer = data.draw(st.none() | ANSWERS)
            return session.changed(data.draw(st.integers(1, count)), answer)
        case "confirm":
            return session.confirmed()
    return session.rejected()


def some(path: Path) -> list[bytes]:
    """Write a journal with two answers; return its lines."""
    with Journal(path, "id") as journal:
        session = journal.follow(fresh(), fresh().given(Answer(TREE.key(1), Verdict.RIGHT)))
        journal.follow(session, session.given(Answer(TREE.key(5), Verdict.WRONG, note="ä\n")))
    return path.read_bytes().splitlines(keepends=True)


def test_each_prefix_is_read_and_a_torn_line_told(tmp_path: Path) -> None:
    path = tmp_path / "t.answers.jsonl"
    lines = some(path)
    whole = b"".join(lines)
    for size in range(len(whole) + 1):
        path.write_bytes(whole[:size])
        with Journal(path, "id") as journal:
            complete = max(whole[:size].count(b"\n") - 1, 0)
            assert len(journal.lines) == complete
            assert (journal.torn == "") == (size == 0 or whole[size - 1 : size] == b"\n")
            session = replayed(fresh(), journal.lines)
            journal.follow(session, session.given(Answer(TREE.key(7), Verdict.RIGHT)))
        assert len(read(path, "id")) > complete


def test_answers_are_in_the_file_as_soon_as_they_are_given(tmp_path: Path) -> None:
    path = tmp_path / "t.answers.jsonl"
    program = f"""
import os, signal
from pathlib import Path
from sleuth.search.journal import Journal
from tests.search.test_journal import fresh, TREE, Answer, Verdict
journal = Journal(Path({str(path)!r}), "id")
journal.follow(fresh(), fresh().given(Answer(TREE.key(1), Verdict.RIGHT)))
os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run(
        [sys.executable, "-c", program], check=False, env={"PYTHONPATH": ":".join(sys.path)}
    )
    assert done.returncode == -signal.SIGKILL
    with Journal(path, "id") as journal:
        assert [line["type"] for line in journal.lines] == ["answer", "alike"]


def test_two_processes_cant_add_to_one_journal(tmp_path: Path) -> None:
    path = tmp_path / "t.answers.jsonl"
    with Journal(path, "id"):
        with pytest.raises(JournalInUse, match="Another process is asking"):
            Journal(path, "id")
        assert read(path, "id") == []
    Journal(path, "id").close()


def test_a_journal_of_another_trace_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "t.answers.jsonl"
    content = b"".join(some(path))
    with pytest.raises(JournalForeign, match="another trace"):
        Journal(path, "other")
    assert path.read_bytes() == content
    Journal(path, "id").close()


def test_a_journal_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.answers.jsonl"
    path.write_text('{"sleuth":"answers","version":2,"trace":"id"}\n{"type":"new"}\n')
    with pytest.raises(JournalTooNew, match="newer"):
        Journal(path, "id")


@pytest.mark.parametrize(
    "line",
    [
        "nonsense",
        "[]",
        "null",
        '{"type":"answer"}',
        '{"type":"answer","about":[1,2],"verdict":"right","by":"user"}',
        '{"type":"answer","about":[1,2,"x"],"verdict":"right","by":"user"}',
        '{"type":"answer","about":[1,2,3],"verdict":"perhaps","by":"user"}',
        '{"type":"answer","about":[1,2,3],"verdict":"right","by":"user","path":3}',
        '{"type":"change","number":0,"answer":null}',
        '{"type":"ruling","about":[1,2,3],"word":"maybe"}',
        '{"type":"strategy","name":"luck"}',
        '{"type":"alike","number":1,"also":[[1,2]]}',
        '{"type":"dance"}',
    ],
)
def test_a_line_that_is_none_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "t.answers.jsonl"
    lines = some(path)
    path.write_bytes(lines[0] + line.encode() + b"\n" + lines[1])
    with pytest.raises(JournalDamaged, match="Line 2 of "):
        Journal(path, "id")
    assert path.read_bytes().startswith(lines[0])


def test_another_file_of_that_name_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "t.answers.jsonl"
    path.write_text("my notes")
    with pytest.raises(JournalDamaged, match="Line 1 of "):
        Journal(path, "id")
    assert path.read_text() == "my notes"


def test_a_place_where_nothing_can_be_kept_is_named(tmp_path: Path) -> None:
    with pytest.raises(JournalError, match=r"can't be saved in .*: No such file"):
        Journal(tmp_path / "missing" / "t.answers.jsonl", "id")


def test_the_journal_stands_next_to_the_trace() -> None:
    assert journal_path(Path("a/run.trace")) == Path("a/run.answers.jsonl")
    assert journal_path(Path("a/run.1")) == Path("a/run.1.answers.jsonl")


def test_lines_are_plain_json(tmp_path: Path) -> None:
    path = tmp_path / "t.answers.jsonl"
    header, first, *_ = map(json.loads, some(path))
    assert header == {"sleuth": "answers", "version": 1, "trace": "id"}
    key = list(TREE.key(1))
    assert first == {"type": "answer", "about": key, "verdict": "right", "by": "user"}


def test_switching_an_oracle_is_kept(tmp_path: Path) -> None:
    before = fresh()
    after = before.given(Answer(TREE.key(1), Verdict.WRONG, by="other"))
    after = after.switched("other", is_on=False)
    path = tmp_path / "x.answers.jsonl"
    with Journal(path, "t") as journal:
        journal.follow(before, after)
    again = replayed(before, read(path, "t"))
    assert again.entries == after.entries
    assert again.ledger.off == {"other"}
    assert not again.answers
