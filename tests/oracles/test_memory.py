"""Answers are remembered for other runs: by code with all it calls, and by behaviour."""

import contextlib
import io
import json
import sys
from pathlib import Path

import pytest

from sleuth.errors import JournalTooNew
from sleuth.opening import Opened
from sleuth.oracles.answer_file import Remembered, read, update
from sleuth.oracles.memory import Memory, Remembering
from sleuth.search.question import Answer, Verdict
from sleuth.trace.reader import Trace
from sleuth.tree.node import Key
from sleuth.views.cli import main

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.recorded import call_of, recorded

pytestmark = pytest.mark.two_versions

PROGRAM = """
    class Item:
        def __init__(self, name, price):
            self.name = name
            self.price = price
    RATE = 2
    def rate(n):
        return n * RATE
    def price(item):
        return rate(item.price)
    def total(items):
        return sum([price(item) for item in items])
    def kinds(names):
        return len(names)
    def key_of(function, n):
        return function(n)
    def put(xs, n):
        xs.append(n + 1)
    def fails(n):
        return [][n]
    def opened(file):
        return file.name
    def main():
        total([Item("tea", 1), Item("cup", 5)])
        kinds({"tea", "cup", "pot"})
        key_of(rate, 3)
        put([1], 2)
        opened(open(__file__))
        try:
            fails(2)
        except IndexError:
            pass
    main()
    """
ELSEWHERE = PROGRAM.replace("return len(names)", "count = len(names)\n        return count")
MOVED = f"\n    # Something new above.\n    import os\n{PROGRAM}"
CALLED = PROGRAM.replace("return n * RATE", "result = n * RATE\n        return result")
STATE = PROGRAM.replace("RATE = 2", "RATE = 3")
FIXED = PROGRAM.replace("xs.append(n + 1)", "xs.append(n)").replace(
    "return rate(item.price)", "return 1"
)
JUDGED = ("rate", "price", "total", "kinds", "key_of", "put", "fails")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Opened]:
    folder = tmp_path_factory.mktemp("memory")
    sources = {
        "first": PROGRAM,
        "again": PROGRAM,
        "elsewhere": ELSEWHERE,
        "moved": MOVED,
        "called": CALLED,
        "state": STATE,
        "fixed": FIXED,
    }
    # In folders of their own, as on the machines of a team.
    return {name: Opened(recorded(folder / name, text)) for name, text in sources.items()}


def answers(run: Opened, names: tuple[str, ...] = JUDGED) -> list[Answer]:
    keys = [run.tree.key(run.node_of(call_of(run.trace, name).id)) for name in names]
    return [Answer(key, Verdict.RIGHT, note="said so") for key in keys]


@pytest.fixture
def memory(runs: dict[str, Opened], tmp_path: Path) -> Path:
    path = tmp_path / "memory.jsonl"
    Remembering(runs["first"].trace, path).keep(answers(runs["first"]))
    return path


def known(run: Opened, path: Path) -> set[str]:
    oracle = Memory(run.trace, path)
    session = run.session(transform=())
    found = set()
    for name in JUDGED:
        answer = oracle.answer(session.question(run.node_of(call_of(run.trace, name).id)))
        if answer is not None:
            assert (answer.by, answer.verdict) == ("memory", Verdict.RIGHT)
            assert answer.note.startswith("said so (you said so on 2")
            found.add(name)
    return found


@pytest.mark.parametrize(
    ("which", "forgotten"),
    [
        ("again", set()),
        ("elsewhere", {"kinds"}),
        ("moved", set()),
        ("called", {"rate", "price", "total", "key_of"}),
        ("state", {"rate", "price", "total", "key_of"}),
    ],
)
def test_an_answer_holds_while_nothing_changes_that_it_depends_on(
    runs: dict[str, Opened], memory: Path, which: str, forgotten: set[str]
) -> None:
    assert known(runs[which], memory) == {*JUDGED} - forgotten


def test_the_same_run_is_not_answered_by_what_was_said_of_it(
    runs: dict[str, Opened], memory: Path
) -> None:
    assert known(runs["first"], memory) == set()


def test_what_is_not_known_whole_is_not_remembered(runs: dict[str, Opened], tmp_path: Path) -> None:
    path = tmp_path / "memory.jsonl"
    Remembering(runs["first"].trace, path).keep(answers(runs["first"], ("opened",)))
    assert not path.exists()


def group(run: Opened, first: str, last: str) -> Key:
    """Return the key of a group of calls that main made."""
    calls = [call_of(run.trace, name) for name in (first, last)]
    assert calls[1].last is not None
    return Key(call_of(run.trace, "main").id, calls[0].first, calls[1].last)


def test_if_a_group_of_calls_is_right_each_of_them_is_remembered(
    runs: dict[str, Opened], tmp_path: Path
) -> None:
    path = tmp_path / "memory.jsonl"
    about = group(runs["first"], "total", "key_of")
    remembering = Remembering(runs["first"].trace, path)
    remembering.keep([Answer(about, Verdict.WRONG)])
    assert not path.exists()
    remembering.keep([Answer(about, Verdict.RIGHT, note="said so")])
    assert known(runs["again"], path) == {"total", "kinds", "key_of"}


def test_only_calls_of_remembered_functions_are_worth_asking(
    runs: dict[str, Opened], memory: Path
) -> None:
    tree, trace = runs["again"].tree, runs["again"].trace
    oracle = Memory(trace, memory)
    import numpy as np  # noqa: PLC0415

    nodes = oracle.may_answer(tree, np.arange(len(tree)))
    names = {trace.function(int(tree.routine[node])).name for node in nodes.tolist()}  # type: ignore[union-attr]
    assert names == {*JUDGED}


# --- The file ------------------------------------------------------------------------------------


def line(name: str, verdict: str = "right", *, run: str = "1", **more: str) -> Remembered:
    return Remembered("m", name, "c", "b", verdict, run=run, **more)


def test_the_file_is_sorted_and_holds_no_values(memory: Path) -> None:
    lines = [json.loads(each) for each in memory.read_text().splitlines()]
    assert lines[0] == {"sleuth": "memory", "version": 1}
    names = [each["function"] for each in lines[1:]]
    assert names == sorted(names)
    assert not any("tea" in text for text in memory.read_text().splitlines())


def test_answers_of_a_run_follow_what_its_session_says_now(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    update(path, [line("f"), line("g")], run="1")
    update(path, [line("g", run="2"), line("h", run="2")], run="2")
    assert [(each.function, each.run) for each in read(path)[0]] == [
        ("f", "1"),
        ("g", "1"),
        ("h", "2"),
    ]
    update(path, [line("g", "wrong", run="2")], run="2")  # h was taken back, g is seen otherwise
    assert [(each.function, each.verdict) for each in read(path)[0]] == [
        ("f", "right"),
        ("g", "wrong"),
    ]


def test_a_merged_file_is_read_and_what_is_no_answer_is_told(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    update(path, [line("f")], run="1")
    header, first = path.read_text().splitlines()
    path.write_text(f'{header}\n<<<<<<< mine\n{first}\n=======\n{first}\n>>>>>>>\n{{"a": 1}}')
    found, problems = read(path)
    assert [each.function for each in found] == ["f"]
    assert len(problems) == 4
    assert problems[0] == "line 2 of m.jsonl is not a remembered answer"


def test_contradicting_lines_are_no_answer(runs: dict[str, Opened], memory: Path) -> None:
    first, *_ = [each for each in read(memory)[0] if each.function == "put"]
    other = json.loads(memory.read_text().splitlines()[-1]) | {
        "function": "put", "code": first.code, "behaviour": first.behaviour,
        "module": first.module, "verdict": "wrong",
    }  # fmt: skip
    memory.write_text(memory.read_text() + json.dumps(other) + "\n")
    run = runs["again"]
    oracle = Memory(run.trace, memory)
    node = run.node_of(call_of(run.trace, "put").id)
    assert oracle.answer(run.session(transform=()).question(node)) is None
    assert "two different answers about" in " ".join(oracle.remarks)


def test_a_file_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    path.write_text('{"sleuth": "memory", "version": 99}\n')
    with pytest.raises(JournalTooNew, match="newer Sleuth"):
        read(path)


# --- In sessions ---------------------------------------------------------------------------------


def carried(*words: str) -> tuple[int, str]:
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        status = main([*words])
    return status, out.getvalue()


def test_a_session_is_answered_by_an_earlier_one_and_it_can_be_switched_off(
    runs: dict[str, Opened], tmp_path: Path
) -> None:
    kept = str(tmp_path / "team.jsonl")
    first, again = str(runs["first"].trace.path), str(runs["again"].trace.path)
    played = tmp_path / "answers.txt"
    played.write_text("j put\nw xs = [1, 2]\n")
    assert carried("ask", first, "--answers", str(played), "--memory", kept)[0] == 0
    status, out = carried("ask", again, "--unattended", "--json", "--memory", kept)
    report = json.loads(out)
    assert (status, report["diagnosis"]["function"]) == (0, "put")
    assert [each["by"] for each in report["answers"]] == ["memory"]
    assert report["answers"][0]["expected"] == "[1, 2]"
    off = carried("ask", again, "--unattended", "--json", "--memory", kept, "--without", "memory")
    assert {each["by"] for each in json.loads(off[1])["answers"]} == {"unattended"}


def test_replaying_says_which_answers_still_apply(runs: dict[str, Opened], tmp_path: Path) -> None:
    old, new = runs["first"], runs["fixed"]
    path = tmp_path / "old.trace"
    path.write_bytes(old.trace.path.read_bytes())
    opened = Opened(Trace(path))
    with opened.resumed() as (begun, journal):
        session = begun
        for answer in answers(old, ("kinds", "price", "fails", "opened", "rate")):
            session = journal.follow(session, session.given(answer))
        key = old.tree.key(old.node_of(call_of(old.trace, "put").id))
        wrong = Answer(key, Verdict.WRONG, expected="[1, 2]")
        session = journal.follow(session, session.given(wrong))
        machine = Answer(answers(old, ("total",))[0].about, Verdict.RIGHT, by="custom")
        session = journal.follow(session, session.given(machine))
    status, out = carried("replay", str(path), "--recorded", str(new.trace.path))
    words = " ".join(out.split())
    assert status == 1
    assert words.startswith("2 of 7 answers still apply.")
    assert "price now gives 1; you judged the old result right" in words
    assert "total now gives 2; your own oracle judged the old result right" in words
    assert "opened can't be found again" in words
    assert "rate is no longer called with these inputs" in words
    assert "put now leaves xs = [1, 2], as you expected" in words
    # What still applies is remembered for the code as it is now.
    assert known(new, tmp_path / "memory.jsonl") == {"kinds", "fails"}
    _, out = carried("replay", str(path), "--recorded", str(old.trace.path), "--json")
    document = json.loads(out)
    assert document["applies"] == 6
    assert [each["by"] for each in document["answers"]] == ["user"] * 6 + ["custom"]
    assert {each["function"]: each["state"] for each in document["answers"]}["put"] == "applies"


def test_replaying_looks_for_all_calls_of_a_group_and_says_what_is_left_out(
    runs: dict[str, Opened], tmp_path: Path
) -> None:
    old, new = runs["first"], runs["fixed"]
    path = tmp_path / "old.trace"
    path.write_bytes(old.trace.path.read_bytes())
    with Opened(Trace(path)).resumed() as (begun, journal):
        session = begun
        for answer in (
            Answer(group(old, "kinds", "key_of"), Verdict.RIGHT),
            Answer(group(old, "total", "kinds"), Verdict.RIGHT),
            Answer(group(old, "put", "fails"), Verdict.WRONG),
        ):
            session = journal.follow(session, session.given(answer))
    status, out = carried("replay", str(path), "--recorded", str(new.trace.path))
    assert status == 1
    assert out.startswith("1 of 2 answers still apply.\n1 other answer is about")
    assert "total now gives 2; you judged the old result right" in out
    # What still applies is remembered for the code as it is now, call by call.
    kept, _ = read(tmp_path / "memory.jsonl")
    assert [each.function for each in kept] == ["key_of", "kinds"]


def test_replaying_records_the_same_command_again(
    runs: dict[str, Opened], tmp_path: Path, capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    trace = recorded(tmp_path / "run", "def f(n):\n    return n\nprint(f(1))\n")
    opened = Opened(trace)
    with opened.resumed() as (begun, journal):
        key = opened.tree.key(opened.node_of(call_of(trace, "f").id))
        journal.follow(begun, begun.given(Answer(key, Verdict.WRONG, expected="2")))
    (tmp_path / "run" / "prog.py").write_text("def f(n):\n    return n + 1\nprint(f(1))\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert main(["replay", str(trace.path)]) == 0
    shown = capfd.readouterr().out
    assert shown.startswith("2\n0 of 1 answer still applies.\n")
    assert "f now gives 2, as you expected" in shown


def test_without_answers_there_is_nothing_to_replay(
    runs: dict[str, Opened], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "other.trace"
    path.write_bytes(runs["first"].trace.path.read_bytes())
    assert main(["replay", str(path)]) == 2
    assert "no answers about this run yet" in capsys.readouterr().err
