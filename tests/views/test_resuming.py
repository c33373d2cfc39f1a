"""Answers are kept, whatever happens to the process, the trace or the source."""

import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sleuth.search.journal import Journal, journal_path
from sleuth.trace.events import FunctionRow
from sleuth.trace.reader import Trace
from sleuth.trace.store.encode import Segment
from sleuth.trace.store.writer import Writer
from sleuth.trace.values import Atom
from sleuth.views.cli import main

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests import toy
from tests.recorded import recorded

pytestmark = pytest.mark.two_versions

PROGRAM: toy.Program = {
    "main": ["push 2", "call outer 1", "return"],
    "outer": ["load a0", "call inner 1", "push 1", "add", "return"],
    "inner": ["load a0", "push 3", "mul", "return"],
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def trace(folder: Path) -> Path:
    return toy.record(folder / "run.trace", PROGRAM, [])


def asked(capsys: pytest.CaptureFixture[str], lines: list[str], *argv: str) -> tuple[int, str, str]:
    Path("answers.txt").write_text("\n".join(lines))
    status = main(["ask", "run.trace", "--strategy", "top-down", "--answers", "answers.txt", *argv])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def test_a_session_goes_on_where_it_was_left_and_says_so(
    capsys: pytest.CaptureFixture[str], trace: Path
) -> None:
    assert asked(capsys, ["n"])[0] == 1
    status, shown, _ = asked(capsys, ["y"])
    assert status == 0
    assert "Continuing with 1 earlier answer; `a` lists them." in shown
    assert "Question 2" in shown
    assert "Question 1" not in shown


def test_what_was_undone_can_be_redone_the_next_time(
    capsys: pytest.CaptureFixture[str], trace: Path
) -> None:
    asked(capsys, ["n", "u"])
    status, shown, _ = asked(capsys, ["U", "y"])
    assert status == 0
    assert "Found, given these answers: outer" in shown


def test_a_confirmed_bug_is_remembered(capsys: pytest.CaptureFixture[str], trace: Path) -> None:
    asked(capsys, ["n", "y", "y"])
    status, shown, _ = asked(capsys, ["n"])
    assert status == 0
    assert "Found before, and confirmed by you: outer(a0=2)" in shown


def test_a_bug_that_was_confirmed_by_mistake_is_taken_back(
    capsys: pytest.CaptureFixture[str], trace: Path
) -> None:
    _, shown, _ = asked(capsys, ["n", "y", "y", "u", "n"])
    assert "Taken back: the bug is not confirmed." in shown
    assert shown.count("Found, given these answers: outer") == 2, "it is asked about again"
    assert "The least certain ones are asked again." in shown


def test_a_bug_that_was_confirmed_by_mistake_is_taken_back_in_a_later_session(
    capsys: pytest.CaptureFixture[str], trace: Path
) -> None:
    asked(capsys, ["n", "y", "y", "n"])
    _, shown, _ = asked(capsys, ["Undo", "a 2 n"])
    assert "Found before, and confirmed by you: outer(a0=2)" in shown
    assert "Found, given these answers: inner" in shown
    assert main(["report", "run.trace"]) == 0
    report = capsys.readouterr().out
    assert "# Sleuth: `inner`" in report
    assert "confirmed" not in report


def test_a_confirmed_bug_is_told_where_nobody_can_type(
    capsys: pytest.CaptureFixture[str], trace: Path
) -> None:
    asked(capsys, ["n", "y", "y"])
    status = main(["ask", "run.trace"])
    shown = capsys.readouterr().out
    assert status == 0
    assert "Found before, and confirmed by you: outer(a0=2)" in shown
    assert "Question 3" not in shown, "nobody asked for another bug"


def test_one_can_begin_anew_and_the_old_answers_are_put_aside(
    capsys: pytest.CaptureFixture[str], trace: Path
) -> None:
    asked(capsys, ["n"])
    _, shown, _ = asked(capsys, ["y"], "--restart")
    assert "The earlier answers are now in " in shown
    assert "Question 1" in shown
    (aside,) = Path().glob("*.jsonl.1")
    assert '"verdict":"wrong"' in aside.read_text()


def test_two_processes_do_not_answer_at_once(
    capsys: pytest.CaptureFixture[str], trace: Path
) -> None:
    with Journal(journal_path(trace), Trace(trace).identity):
        status, _, errors = asked(capsys, ["n"])
        assert status == 2
        assert "Another process is asking about this trace" in errors
        status, _, errors = asked(capsys, ["n"], "--restart")
        assert (status, "Another process" in errors) == (2, True), "nor are they put aside"
        assert journal_path(trace).exists()
    assert main(["report", "run.trace"]) == 0, "looking is always possible"
    assert asked(capsys, ["n", "y"])[0] == 0


def test_an_answer_that_was_not_written_whole_is_left_out_and_told(
    capsys: pytest.CaptureFixture[str], trace: Path
) -> None:
    asked(capsys, ["n"])
    kept = journal_path(trace)
    with kept.open("a") as file:
        file.write('{"type":"answ')
    _, shown, _ = asked(capsys, ["y"])
    assert "The last answer in the file was incomplete and is ignored." in shown
    assert "Continuing with 1 earlier answer" in shown


def test_journals_of_another_trace_and_damaged_ones_are_refused(
    capsys: pytest.CaptureFixture[str], trace: Path
) -> None:
    asked(capsys, ["n"])
    kept = journal_path(trace).read_text()
    trace.unlink()
    toy.record(trace, {"main": ["push 1", "return"]}, [])
    # The toy's runs differ in nothing but their programs: say that it is another one.
    journal_path(trace).write_text(kept.replace(Trace(trace).identity, "0" * 64))
    status, _, errors = asked(capsys, ["n"])
    assert (status, "about another trace" in errors) == (2, True)
    journal_path(trace).write_text("nonsense\n")
    status, _, errors = asked(capsys, ["n"])
    assert (status, "Line 1 of" in errors) == (2, True)
    assert journal_path(trace).read_text() == "nonsense\n"


def test_where_nothing_can_be_kept_nothing_is_asked(
    capsys: pytest.CaptureFixture[str], trace: Path
) -> None:
    journal_path(trace).mkdir()
    status, _, errors = asked(capsys, ["n"])
    assert status == 2
    assert "The answers can't be saved in run.answers.jsonl: Is a directory" in errors


def test_removing_a_trace_removes_its_answers(
    capsys: pytest.CaptureFixture[str], trace: Path
) -> None:
    asked(capsys, ["n"])
    asked(capsys, ["n"], "--restart")
    assert len(list(Path().glob("run.answers.jsonl*"))) == 2
    assert main(["rm", "run.trace"]) == 0
    assert not list(Path().glob("run.answers.jsonl*")), "those put aside, too"


def test_a_source_that_changed_since_is_told(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    recorded(folder, "def f():\n    return 1\n\nf()\n")
    main(["ask", "prog.trace"])
    assert "Changed since" not in capsys.readouterr().out
    (folder / "prog.py").write_text("def f():\n    return 2\n\nf()\n")
    main(["ask", "prog.trace"])
    shown = capsys.readouterr().out
    assert "Changed since it was recorded: prog.py." in shown
    (folder / "prog.py").unlink()
    main(["ask", "prog.trace"])
    assert "Changed since" not in capsys.readouterr().out


def growing(path: Path, *, finished: bool) -> None:
    """A run of which the last calls have not ended."""
    writer = Writer.create(path, {"argv": ["x.toy"], "cwd": "/w", "language": "toy"})
    module = writer.add_module(name="x", path="x", recorded=True, reason="", source=b"a\nb\n")
    writer.add_functions(
        module,
        [
            FunctionRow(1, "main", "main", "function", 1, 1, "a", (), []),
            FunctionRow(2, "part", "part", "function", 2, 2, "b", ("n",), []),
        ],
    )
    segment = Segment()
    segment.enter(1, [])
    for number in range(3):
        segment.enter(2, [Atom(number)])
        segment.leave(Atom(number))
    segment.enter(2, [Atom(9)])
    writer.write_segment(0, segment.data, closed=True)
    if finished:
        writer.finish({"how": "killed", "signal": 9})
    writer.close()


def test_a_run_that_has_not_ended_is_asked_about_as_far_as_it_is_written(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    growing(folder / "run.trace", finished=False)
    status, shown, _ = asked(capsys, ["y", "y", "y", "y"])
    assert status == 1
    assert "The run is still going on, or its recorder was stopped:" in shown
    assert "No bug in what was recorded so far; the run has not ended." in shown
    assert "part(n=9)" not in shown, "it may still go on"


def test_a_call_that_never_ended_can_be_judged_once_the_run_is_over(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    growing(folder / "run.trace", finished=True)
    _, shown, _ = asked(capsys, ["y", "y", "y", "n"])
    assert "Interrupted while it ran; should it still have been running?" in shown
    assert "killed by signal 9" in shown


def test_a_trace_that_was_cut_is_refused_in_words(
    capsys: pytest.CaptureFixture[str], trace: Path
) -> None:
    content = trace.read_bytes()
    for length in (100, len(content) // 2, len(content) - 4096):
        trace.write_bytes(content[:length])
        status, _, errors = asked(capsys, ["n"])
        assert status == 3
        assert errors.startswith("sleuth: ")
        assert "Traceback" not in errors


# --- At a terminal -------------------------------------------------------------------------------


class Terminal:
    """`sleuth ask` at a terminal of its own."""

    def __init__(self, *argv: str, **environment: str) -> None:
        self.shown = ""
        self._ours, theirs = pty.openpty()
        kept = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "sleuth", "ask", "--strategy", "top-down", *argv],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=kept | {"TERM": "xterm"} | environment,
            start_new_session=True,
        )
        os.close(theirs)

    def until(self, words: str, *, times: int = 1) -> str:
        """Read until something is shown so many times."""
        end = time.monotonic() + 30
        while self.shown.count(words) < times:
            ready, _, _ = select.select([self._ours], [], [], 0.1)
            if ready:
                try:
                    self.shown += os.read(self._ours, 4096).decode()
                except OSError:
                    break
            assert time.monotonic() < end, self.shown
        return self.shown

    def type(self, text: str) -> None:
        """Press keys."""
        os.write(self._ours, text.encode())

    def ended(self) -> int:
        """Read the rest, and return the exit status."""
        self.until("\0")
        return self.process.wait(30)

    def close(self) -> None:
        """End it, whatever came of it."""
        self.process.kill()
        self.process.wait()
        os.close(self._ours)


@pytest.fixture
def at_terminal() -> Iterator[Callable[..., Terminal]]:
    """Begin at a terminal; it is closed at the end."""
    begun: list[Terminal] = []

    def begin(*argv: str, **environment: str) -> Terminal:
        begun.append(Terminal(*argv, **environment))
        return begun[-1]

    yield begin
    for terminal in begun:
        terminal.close()


def test_at_a_terminal_lines_are_typed(at_terminal: Callable[..., Terminal], trace: Path) -> None:
    terminal = at_terminal("run.trace")
    assert "\x1b[" in terminal.until("Is that right?")
    terminal.type("n\n")
    terminal.until("Question 2")
    terminal.type("y\n")
    terminal.until("Is this the bug?")
    terminal.type("y\n")
    terminal.until("another bug")
    terminal.type("n\n")
    assert terminal.ended() == 0


@pytest.mark.parametrize(("argv", "environment"), [(["--plain"], {}), ([], {"NO_COLOR": "1"})])
def test_without_colours_nothing_but_text_is_written(
    at_terminal: Callable[..., Terminal], trace: Path, argv: list[str], environment: dict[str, str]
) -> None:
    terminal = at_terminal("run.trace", *argv, **environment)
    terminal.until("Is that right?")
    terminal.type("?\n")
    terminal.until("this help")
    terminal.type("q\n")
    assert terminal.ended() == 1
    assert "\x1b[" not in terminal.shown.replace("\x1b[?2004h", "").replace("\x1b[?2004l", "")


def test_the_end_of_input_leaves_politely(
    at_terminal: Callable[..., Terminal], trace: Path
) -> None:
    terminal = at_terminal("run.trace")
    terminal.until("Is that right?")
    terminal.type("n\n")
    terminal.until("Question 2")
    terminal.until("Is that right?", times=2)
    time.sleep(0.2)  # until it waits for the line
    terminal.type("\x04")
    terminal.until("1 answer kept. Go on: sleuth ask run.trace")
    assert terminal.ended() == 1


def test_an_interrupt_leaves_politely_and_keeps_all(
    at_terminal: Callable[..., Terminal], capsys: pytest.CaptureFixture[str], trace: Path
) -> None:
    terminal = at_terminal("run.trace")
    terminal.until("Is that right?")
    terminal.type("n\n")
    terminal.until("Question 2")
    terminal.until("Is that right?", times=2)
    time.sleep(0.2)
    os.kill(terminal.process.pid, signal.SIGINT)
    terminal.until("1 answer kept.")
    assert terminal.ended() == 1
    assert "Traceback" not in terminal.shown
    assert asked(capsys, ["y"])[0] == 0


def test_a_process_that_is_killed_loses_no_answer(
    at_terminal: Callable[..., Terminal], capsys: pytest.CaptureFixture[str], trace: Path
) -> None:
    terminal = at_terminal("run.trace")
    terminal.until("Is that right?")
    terminal.type("n\n")
    terminal.until("Question 2")
    terminal.process.kill()
    terminal.process.wait()
    assert asked(capsys, ["y"])[0] == 0
