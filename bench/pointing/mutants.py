"""Mutants of small programs that print something else, recorded beside the right run."""

import ast
import random
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "bugs"))
from mutations import changes  # noqa: E402 - a script of the folder beside

PROGRAMS = HERE.parent / "questions" / "programs"
_SECONDS = 3
_LONGEST = 200_000


@dataclass(frozen=True, slots=True)
class Mutant:
    """A program with one changed expression, and what shows that it is wrong."""

    program: str
    function: str
    line: int
    was: str
    now: str
    path: str
    """The first wrong value that is seen: `stdout[2]`, or the exception."""
    bad: Path
    good: Path


def mutants(program: str, count: int, seed: int, folder: Path) -> Iterator[Mutant]:
    """Yield mutants of a program that show a wrong value."""
    source = (PROGRAMS / f"{program}.py").read_text()
    right = _ran(PROGRAMS / f"{program}.py")
    good = folder / f"{program}-good.trace"
    if right is None or right[0] or not _recorded(PROGRAMS / f"{program}.py", good):
        return
    places = list(changes(ast.parse(source)))
    random.Random(f"{seed} {program}").shuffle(places)  # noqa: S311 - it has to repeat
    found = 0
    for function, node, now in places:
        lines = source.splitlines(keepends=True)
        line = lines[node.lineno - 1]
        lines[node.lineno - 1] = f"{line[: node.col_offset]}({now}){line[node.end_col_offset :]}"
        file = folder / f"{program}-{found}" / f"{program}.py"
        file.parent.mkdir(exist_ok=True)
        file.write_text("".join(lines))
        path = _shown(_ran(file), right)
        bad = folder / f"{program}-{found}.trace"
        if path and _recorded(file, bad):
            written = lines[node.lineno - 1].strip()
            yield Mutant(program, function, node.lineno, line.strip(), written, path, bad, good)
            found += 1
        if found == count:
            return


def _ran(file: Path) -> tuple[int, str] | None:
    command = [sys.executable, "-I", str(file)]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_SECONDS, check=False, cwd=file.parent
        )
    except subprocess.TimeoutExpired:
        return None
    return done.returncode, done.stdout


def _shown(bad: tuple[int, str] | None, good: tuple[int, str]) -> str:
    """Return the first wrong value that a run shows; empty: none, or a line is only missing."""
    if bad is None or bad == good or len(bad[1]) > _LONGEST:
        return ""
    there, here = good[1].splitlines(), bad[1].splitlines()
    pairs = enumerate(zip(here, there, strict=False))
    first = next((number for number, (one, other) in pairs if one != other), None)
    if first is None and len(here) > len(there):
        first = len(there)
    if first is not None:
        return f"stdout[{first}]"
    return "raised" if bad[0] else ""


def _recorded(file: Path, trace: Path) -> bool:
    command = [sys.executable, "-m", "sleuth", "record", "--quiet", "--output", str(trace)]
    subprocess.run([*command, str(file)], capture_output=True, check=False, cwd=file.parent)
    return trace.exists()
