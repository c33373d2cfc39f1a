"""The growth of the cost of recording: python bench/growth.py [--python PATH]... [--parts NAME...].

Each part of programs/parts.py is run plain and recorded, in turns, with 1,000, 10,000 and 100,000
steps, and the CPU time of the program's process is compared.  Ten times the steps may take about
ten times the time, no more.
Exit status: 0 the limit holds, 1 it is missed, 2 nothing could be measured.
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path

from measure import CommandFailed, adopt_orphans, run
from programs.parts import PARTS

PROGRAM = Path(__file__).resolve().parent / "programs" / "parts.py"
STEPS = (1_000, 10_000, 100_000)
LIMIT = 20.0
"""The limit for the growth from 10,000 to 100,000 steps, each minus the time of 1,000 steps.

Linear time gives 11, quadratic time 121.
"""
LEAST = 0.05
"""Seconds; shorter times count as this one, since they can't be measured well."""
REPEAT = 3


def main() -> int:
    """Measure, print, judge."""
    options = argparse.ArgumentParser(description="Measure how the cost of recording grows.")
    options.add_argument("--python", metavar="PATH", action="append", default=[])
    options.add_argument("--parts", metavar="NAME", nargs="+", choices=PARTS, default=list(PARTS))
    given = options.parse_args()
    adopt_orphans()
    missed = []
    try:
        for python in given.python or [sys.executable]:
            print(f"{python}: CPU seconds, plain and recorded, with {_steps()} steps")
            missed += [f"{part} ({python})" for part in given.parts if not _is_kept(python, part)]
    except CommandFailed as failure:
        print(f"bench: {failure}", file=sys.stderr)
        return 2
    print(f"MISSED: {', '.join(missed)}" if missed else f"KEPT: growth of at most {LIMIT:g}")
    return 1 if missed else 0


def _steps() -> str:
    return ", ".join(f"{steps:,}" for steps in STEPS)


def _is_kept(python: str, part: str) -> bool:
    plain, recorded = _times(python, part)
    growth, own = _growth(recorded), _growth(plain)
    # Where plain Python takes more than linear time, recording may, too.
    is_kept = growth <= max(LIMIT, 2 * own)
    columns = "  ".join(f"{a:6.2f} {b:6.2f}" for a, b in zip(plain, recorded, strict=True))
    print(f"  {part:26} {columns}  growth {growth:5.1f}{'' if is_kept else '  MISSED'}", flush=True)
    return is_kept


def _growth(times: list[float]) -> float:
    first, middle, last = times
    return (last - first) / max(middle - first, LEAST)


def _times(python: str, part: str) -> tuple[list[float], list[float]]:
    """Give the times for each number of steps, plain and recorded."""
    plain, recorded = [], []
    for steps in STEPS:
        both = [_once(python, part, steps) for _ in range(REPEAT)]
        plain.append(min(each for each, _ in both))
        recorded.append(min(each for _, each in both))
    return plain, recorded


def _once(python: str, part: str, steps: int) -> tuple[float, float]:
    words = [str(PROGRAM), part, str(steps)]
    with tempfile.TemporaryDirectory(prefix="sleuth-bench-") as folder:
        here = Path(folder)
        ours = ["-m", "sleuth", "record", "--quiet", "--output", str(here / "trace"), "--"]
        plain = run([python, *words], os.environ, here)
        return plain.cpu, run([python, *ours, *words], os.environ, here).cpu


if __name__ == "__main__":
    sys.exit(main())
