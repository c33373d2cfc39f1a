"""Programs that hung and were stopped: the calls that were running are asked about first."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))
from sleuth.trace.reader import Trace
from sleuth.views.cli import main

pytestmark = pytest.mark.two_versions

ENDLESS = """\
import os, signal, sys
def step(state):
    return state * 3 + 1 if state % 2 else state // 2
def settle(state, limit):
    turns = 0
    while state != limit:
        state = step(state)
        turns += 1
        if turns == 50:
            {stop}
    return turns
def prepare(n):
    return n + 2
def work(n):
    start = prepare(n)
    return settle(start, 0)
def main():
    print(work(5))
main()
"""
WAITING = """\
import os, queue, signal, threading, time
def stopped():
    time.sleep(0.2)
    os.kill(os.getpid(), signal.SIGINT)
def produce(waiting, items):
    waiting.queue.extend(items[1:])
def consume(waiting, count):
    return [waiting.get() for _ in range(count)]
def main():
    waiting = queue.Queue()
    produce(waiting, [1, 2, 3])
    threading.Thread(target=stopped, daemon=True).start()
    print(consume(waiting, 3))
main()
"""
SETTLING = ENDLESS.format(stop="pass").rpartition("main()")[0]
INTERRUPTED = "Interrupted while it ran; should it still have been running?"


def stopped_by(name: str) -> str:
    return f"os.kill(os.getpid(), signal.{name})"


def recorded(folder: Path, source: str) -> Path:
    (folder / "prog.py").write_text(source)
    words = [sys.executable, "-m", "sleuth", "record", "--output", "prog.trace", "prog.py"]
    subprocess.run(words, cwd=folder, capture_output=True, check=False, stdin=subprocess.DEVNULL)
    trace = folder / "prog.trace"
    while Trace(trace).is_running:  # the collector of a killed program goes on alone
        time.sleep(0.05)
    return trace


def asked(capsys: pytest.CaptureFixture[str], trace: Path, *lines: str) -> str:
    answers = trace.with_name("answers.txt")
    answers.write_text("\n".join(lines))
    main(["ask", str(trace), "--answers", str(answers)])
    return capsys.readouterr().out


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGKILL"])
def test_the_innermost_running_call_comes_first_with_the_last_turns_of_its_loop(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = recorded(tmp_path, ENDLESS.format(stop=stopped_by(name)))
    shown = asked(capsys, trace, "i", "n", "y")
    assert "The program was interrupted while it ran; starting with the innermost" in shown
    first, second, third = shown.split("\nQuestion ")[1:]
    assert "settle(state=7, limit=0)" in first
    assert "  ended     interrupted while it ran" in first
    assert "turns 47 to 50 of 50 in settle" in first
    assert f"{INTERRUPTED} [y n w d i ?] i" in first
    assert "work(n=5)" in second
    assert f"{INTERRUPTED} [y n w d i ?] n" in second
    assert "prepare(n=5)" in third, "what ended by itself is asked about as ever"
    assert "Is that right? [" in third
    assert "Found, given these answers: work  prog.py:14" in shown


def test_a_running_call_that_is_wrong_is_searched(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = recorded(tmp_path, ENDLESS.format(stop=stopped_by("SIGINT")))
    shown = asked(capsys, trace, "n", "first 17", "y")
    assert "Found, given these answers: settle  prog.py:6" in shown


def test_an_interruption_that_the_program_caught_is_one_all_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = ENDLESS.format(stop=stopped_by("SIGINT")).rpartition("main()")[0]
    caught = f"{source}try:\n    main()\nexcept KeyboardInterrupt:\n    sys.exit(1)\n"
    shown = asked(capsys, recorded(tmp_path, caught), "n")
    assert "turns 47 to 50 of 50 in settle" in shown
    assert INTERRUPTED in shown


def test_the_library_call_that_waits_is_trusted_and_waiting_can_be_right(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = asked(capsys, recorded(tmp_path, WAITING), "y", "n", "j produce", "n")
    first, second, *_ = shown.split("\nQuestion ")[1:]
    assert "consume(" in first
    assert f"{INTERRUPTED} [y n w d i ?] y" in first
    assert "main()" in second
    assert "Found, given these answers: produce" in shown


def test_a_crash_is_no_interruption(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace = recorded(tmp_path, ENDLESS.format(stop="os.abort()"))
    assert "nterrupted" not in asked(capsys, trace, "n")


@pytest.mark.slow
def test_a_test_that_hangs_and_is_interrupted_is_the_one_that_is_asked_about(
    tmp_path: Path,
) -> None:
    # Without a call in the loop it is always the loop that is interrupted.
    program = SETTLING.replace("state = step(state)", "state = state * 3 % 1000 or 7")
    (tmp_path / "settling.py").write_text(program)
    (tmp_path / "test_settling.py").write_text(
        "from pathlib import Path\n"
        "from settling import prepare, work\n"
        "def test_prepare():\n    assert prepare(1) == 3\n"
        "def test_work():\n    Path('began').touch()\n    assert work(5) == 3\n"
    )
    (tmp_path / "answers.txt").write_text("i\nn\ny\n")
    process = subprocess.Popen(
        [sys.executable, "-m", "sleuth", "test", "--answers", "answers.txt", "-q"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        stdin=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
    )
    while not (tmp_path / "began").exists() and process.poll() is None:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)  # as Ctrl-C does
    shown = process.communicate(timeout=300)[0]
    assert "sleuth: running the test that was interrupted again, recorded" in shown
    assert "The test was interrupted while it ran, at test_settling.py:7;" in shown
    assert INTERRUPTED in shown
    assert "Found, given these answers: work" in shown
