"""The programs in examples/: each gives the same output every time and names its bug at the end."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
PROGRAMS = sorted(EXAMPLES.glob("*.py"))


def outcome(program: Path) -> tuple[int, str, str]:
    ended = subprocess.run(
        [sys.executable, "-B", program.name],
        cwd=EXAMPLES,
        capture_output=True,
        text=True,
        check=False,
    )
    return ended.returncode, ended.stdout, ended.stderr


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_an_example_does_the_same_every_time(program: Path) -> None:
    first = outcome(program)
    assert first == outcome(program)
    assert first[1]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_an_example_names_its_mistake_at_the_bottom_and_nowhere_else(program: Path) -> None:
    head, mistake, _ = program.read_text().partition("# The mistake: ")
    assert mistake
    assert "mistake:" not in head


def test_every_example_is_in_the_table() -> None:
    table = (EXAMPLES / "README.md").read_text()
    assert all(f"`{program.name}`" in table for program in PROGRAMS)
