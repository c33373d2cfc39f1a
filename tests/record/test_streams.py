"""A program whose standard streams are closed runs as it does without Sleuth."""

import subprocess
import sys

import pytest

PROGRAM = """
import os, sys
told = [None if each is None else each.fileno() for each in (sys.stdin, sys.stdout, sys.stderr)]
def opened(): return os.open("said", os.O_CREAT | os.O_WRONLY)
first, second = opened(), opened()
told += [first, second, sorted(map(int, os.listdir("/proc/self/fd")))]
print("words")
with open("told", "w") as file: print(told, file=file)
os.close(first)
sys.exit(5)
"""
CLOSED = ["<&-", ">&-", "2>&-", "<&- >&-", ">&- 2>&-", "<&- 2>&-", "<&- >&- 2>&-"]


def told(folder, environment, words, closed):
    """Run a command with some streams closed: its status, output, errors, and what it told."""
    process = subprocess.run(
        ["sh", "-c", f'exec "$@" {closed}', "sh", sys.executable, *words],
        cwd=folder,
        env=environment,
        input="",
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    file = folder / "told"
    text = file.read_text() if file.exists() else ""
    file.unlink(missing_ok=True)
    return process.returncode, process.stdout, process.stderr, text


@pytest.mark.parametrize("closed", CLOSED)
@pytest.mark.parametrize("how", ["script", "module", "command"])
def test_a_program_with_closed_streams_runs_as_it_does_plain(tmp_path, environment, closed, how):
    (tmp_path / "prog.py").write_text(PROGRAM)
    (tmp_path / "said").write_text("")
    words = {"script": ["prog.py"], "module": ["-m", "prog"], "command": ["-c", PROGRAM]}[how]
    trace = tmp_path / "a.trace"
    recording = ["-m", "sleuth", "record", "--quiet", "--output", str(trace), "--"]
    plain = told(tmp_path, environment, words, closed)
    recorded = told(tmp_path, environment, [*recording, *words], closed)
    assert plain[0] == 5
    assert recorded == plain
    assert trace.exists()


@pytest.mark.parametrize("closed", CLOSED)
def test_a_missing_program_is_reported_on_stderr_if_it_is_open(tmp_path, environment, closed):
    words = ["-m", "sleuth", "record", "absent.py"]
    status, output, errors, _ = told(tmp_path, environment, words, closed)
    assert status == 2
    assert output == ""
    assert errors == (
        ""
        if "2>" in closed
        else "sleuth: there is no program 'absent.py' here; for a module write -m absent.py\n"
    )


@pytest.mark.two_versions
@pytest.mark.parametrize("command", ["show", "list", "doctor", "ask", "--help"])
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_no_command_stumbles_over_closed_streams(tmp_path, environment, closed, command):
    words = ["-m", "sleuth", command]
    _, _, errors, _ = told(tmp_path, environment, words, closed)
    assert "Traceback" not in errors
