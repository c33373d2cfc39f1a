"""Whole sessions: a program, the lines that a user types, and all that is shown.

Each folder beside this file is one.  `answers.txt` begins with the command, as a comment:

    # sleuth ask shop.py --strategy top-down

or `# sleuth travel ...`.
A second comment `# 120 columns` tells the width of the terminal; else it has 80 columns.
A comment `# run as -m unittest test_prices` tells how the program is started, if not by its name.
A comment `# afterwards sleuth why x.trace 'c[3]' --not` is a command to be run after the questions.
The program is one of examples/, or lies beside the answers, with all else that it needs.
A test that is not there is one of tests/, which pytest runs.
`transcript.txt` is what the terminal shows, and the exit status.
After a change of the wording write the transcripts anew, and read them:

    WRITE_TRANSCRIPTS=1 pytest tests/sessions
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))
from sleuth.views.drawing.styled import width
from tests.ready import ran
from tests.steady import steady

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"
SESSIONS = sorted(path.parent for path in HERE.glob("*/answers.txt"))


def columns_of(answers: Path) -> int:
    """Return the width of the terminal that a session is played on."""
    said = re.match(r"#.*\n# (\d+) columns\n", answers.read_text())
    return int(said[1]) if said else 80


def started_as(answers: Path) -> list[str]:
    """Return how the program is started; empty: by its name."""
    said = re.search(r"^# run as (.*)$", answers.read_text(), re.MULTILINE)
    return shlex.split(said[1]) if said else []


def afterwards(answers: Path) -> list[list[str]]:
    """Return the commands that are run after the questions."""
    said = re.findall(r"^# afterwards sleuth (.*)$", answers.read_text(), re.MULTILINE)
    return [shlex.split(each) for each in said]


def sleuth(folder: Path, *argv: str, columns: int = 80) -> subprocess.CompletedProcess[str]:
    return ran(argv, cwd=folder, env=os.environ | {"COLUMNS": str(columns), "PYTHONHASHSEED": "0"})


def played(answers: Path, folder: Path) -> str:
    """Record the program, play the answers, and return what is shown."""
    first = answers.read_text().partition("\n")[0]
    command, program, *options = shlex.split(first.removeprefix("# sleuth "))
    if program.startswith("test_") and not answers.with_name(program).exists():
        return played_test(answers, folder, program, options)
    if not answers.with_name(program).exists():
        shutil.copy(EXAMPLES / program, folder)
    shutil.copytree(answers.parent, folder, dirs_exist_ok=True)
    name = program.removesuffix(".py")
    started = started_as(answers) or [program]
    recorded = sleuth(folder, "record", "--quiet", "--output", f"{name}.trace", *started)
    typed = (command, f"{name}.trace", *options, "--answers", "answers.txt")
    asked = sleuth(folder, *typed, columns=columns_of(answers))
    shown = (
        f"$ sleuth record --output {name}.trace {' '.join(started)}\n{recorded.stdout}"
        f"$ sleuth {command} {' '.join([f'{name}.trace', *options])} --answers answers.txt\n"
        f"{asked.stdout}{asked.stderr}(exit status {asked.returncode})\n"
    )
    for words in afterwards(answers):
        done = sleuth(folder, *words, columns=columns_of(answers))
        shown += f"$ sleuth {shlex.join(words)}\n{done.stdout}{done.stderr}"
        shown += f"(exit status {done.returncode})\n"
    return shown


def played_test(answers: Path, folder: Path, program: str, options: list[str]) -> str:
    """Record a failing test, play the answers, and return what is shown."""
    shutil.copytree(HERE / "tests", folder, dirs_exist_ok=True)
    shutil.copy(answers, folder)
    name = program.removesuffix(".py")
    command = ("-m", "pytest", "-q", "-p", "no:cacheprovider", program)
    sleuth(folder, "record", "--quiet", "--output", f"{name}.trace", *command)
    typed = ("ask", f"{name}.trace", *options, "--answers", "answers.txt")
    asked = sleuth(folder, *typed, columns=columns_of(answers))
    return (
        f"$ sleuth ask {' '.join([f'{name}.trace', *options])} --answers answers.txt\n"
        f"{asked.stdout}{asked.stderr}(exit status {asked.returncode})\n"
    )


@pytest.mark.sampled
@pytest.mark.parametrize("session", SESSIONS, ids=lambda path: path.name)
def test_a_session_shows_what_it_always_showed(session: Path, tmp_path: Path) -> None:
    shown = played(session / "answers.txt", tmp_path)
    transcript = session / "transcript.txt"
    if os.environ.get("WRITE_TRANSCRIPTS"):
        transcript.write_text(shown)
    assert steady(shown) == steady(transcript.read_text())


@pytest.mark.parametrize("session", SESSIONS, ids=lambda path: path.name)
def test_a_session_fits_on_its_terminal(session: Path) -> None:
    lines = (session / "transcript.txt").read_text().splitlines()
    # What stands behind a prompt is the user's.
    ours = [line.partition("?] ")[0] for line in lines if not line.startswith("$")]
    columns = columns_of(session / "answers.txt")
    assert [line for line in ours if width(line) > columns] == []


def test_every_example_is_found_in_a_session() -> None:
    found = {
        shlex.split((session / "answers.txt").read_text().partition("\n")[0])[3]
        for session in SESSIONS
        if (session / "transcript.txt").read_text().endswith("(exit status 0)\n")
    }
    assert found >= {path.name for path in EXAMPLES.glob("*.py")}
