"""`sleuth run` records, then asks; the program is not disturbed, and its exit status is printed."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.ready import ran

pytestmark = pytest.mark.two_versions

BUG = "def half(n):\n    return n // 3\n\nprint(half(8))\n"


def run(folder: Path, *argv: str, text: str = "") -> subprocess.CompletedProcess[str]:
    return ran(["run", *argv], cwd=folder, text=text)


@pytest.mark.parametrize("code", ["", "raise SystemExit(7)", "1 / 0"])
def test_the_program_runs_and_then_the_first_question_is_asked(tmp_path: Path, code: str) -> None:
    (tmp_path / "prog.py").write_text(BUG + code)
    status = {"": 0, "1 / 0": 1}.get(code, 7)
    ended = run(tmp_path, "prog.py")
    assert ended.returncode == 1, "as that of sleuth ask"
    assert ended.stdout.startswith("2\nprog.py: 2 calls, exited")
    assert "Question 1, " in ended.stdout
    assert f"sleuth: the program ended with status {status}\n" in ended.stderr


def test_the_program_gets_its_words_and_its_input(tmp_path: Path) -> None:
    (tmp_path / "prog.py").write_text("import sys\nprint(sys.argv, sys.stdin.read())\n")
    ended = run(tmp_path, "--quiet", "prog.py", "--json", "-x", text="hello")
    assert ended.stdout.startswith("['prog.py', '--json', '-x'] hello\n")
    assert ended.stderr == ""


def test_a_trace_can_be_named(tmp_path: Path) -> None:
    for argv in (["--output", "a.trace"], ["--output=b.trace"]):
        assert run(tmp_path, *argv, "-c", "print(1)").returncode == 1
    assert sorted(path.name for path in tmp_path.glob("*.trace")) == ["a.trace", "b.trace"]


def test_of_a_program_that_is_killed_all_is_asked_that_was_recorded(tmp_path: Path) -> None:
    ended = run(tmp_path, "-c", "import os\nprint(1, flush=True)\nos.kill(os.getpid(), 9)")
    assert "sleuth: the program was killed by SIGKILL" in ended.stderr
    assert "killed by signal 9" in ended.stdout
    assert "Question 1, " in ended.stdout


@pytest.mark.parametrize(
    "argv", [["nothing.py"], [], ["--bogus", "x.py"], ["--max-size", "?", "x"]]
)
def test_what_can_not_be_run_is_said_once(tmp_path: Path, argv: list[str]) -> None:
    ended = run(tmp_path, *argv)
    assert ended.returncode == 2
    assert ended.stdout == ""
    assert ended.stderr.count("sleuth: ") + ended.stderr.count("usage: ") == 1
    assert "sleuth record" not in ended.stderr


def test_what_the_terminal_can_not_show_stops_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    (tmp_path / "prog.py").write_text("def f(x):\n    return x\n\nf('\u8a9e')\n", encoding="utf-8")
    ended = run(tmp_path, "prog.py")
    assert "Traceback" not in ended.stderr
    assert "f(x='\\u8a9e')" in ended.stdout


def test_an_interrupt_is_the_programs(tmp_path: Path) -> None:
    code = (
        "import time\n"
        "try:\n"
        "    print('ready', flush=True)\n"
        "    time.sleep(60)\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted')\n"
    )
    (tmp_path / "prog.py").write_text(code)
    process = subprocess.Popen(
        [sys.executable, "-m", "sleuth", "run", "prog.py"],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.2)
    os.killpg(process.pid, signal.SIGINT)
    shown, _ = process.communicate(timeout=60)
    assert shown.startswith("interrupted\n")
    assert "Question 1, " in shown
    assert process.returncode == 1


def test_help_needs_no_program(tmp_path: Path) -> None:
    ended = run(tmp_path, "--help")
    assert ended.returncode == 0
    assert "sleuth run [options]" in ended.stdout
