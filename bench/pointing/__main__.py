"""Questions with and without pointing: python -m bench.pointing [--seed N] [--programs NAME ...].

Mutants of the programs of `bench/questions` are debugged by somebody who knows the right run, in
two ways: by bisection, and after pointing at the first wrong value that is seen.
Exit status: 0 pointing takes at most half of the questions in the mean, 1 it takes more.
"""

import argparse
import statistics
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from bench.pointing.mutants import PROGRAMS, Mutant, mutants
from bench.pointing.truth import Truth
from sleuth.opening import Opened, opened
from sleuth.oracles.value import Value
from sleuth.search.question import Answer, Diagnosis, Question, Verdict
from sleuth.search.session import Session
from sleuth.tree.transformations import DEFAULT_SHAPE

_MOST_CALLS = 700
_MOST = 200
_HALF = 0.5
_SHAPES = {"calls": (), "default": DEFAULT_SHAPE}


class Row(NamedTuple):
    """The questions for one mutant in one shape of the tree."""

    without: int
    pointing: int
    is_found: bool
    """Whether both searches named the mutated function."""


def main() -> int:
    """Measure, print, judge."""
    made = argparse.ArgumentParser(description="Count questions with and without pointing.")
    made.add_argument("--seed", type=int, default=1)
    made.add_argument("--each", type=int, default=4, help="mutants of each program")
    every = sorted(file.stem for file in PROGRAMS.glob("*.py"))
    made.add_argument("--programs", nargs="+", default=every, metavar="NAME")
    options = made.parse_args()
    rows: dict[str, list[Row]] = {name: [] for name in _SHAPES}
    with tempfile.TemporaryDirectory() as folder:
        for program in options.programs:
            for mutant in mutants(program, options.each, options.seed, Path(folder)):
                for shape, found in measured(mutant).items():
                    rows[shape].append(found)
                    tell = f"{found.without:3} -> {found.pointing:3}"
                    print(f"{program:18} {shape:8} {tell}  {mutant.was}", flush=True)
    ratios = [told(shape, found) for shape, found in rows.items()]
    return 0 if max(ratios) <= _HALF else 1


def measured(mutant: Mutant) -> dict[str, Row]:
    """Debug a mutant in each shape, with and without pointing."""
    run = opened(mutant.bad)
    if run.trace.call_count > _MOST_CALLS:
        return {}
    truth = Truth(run, mutant)
    rows = {}
    for name, shape in _SHAPES.items():
        session = run.session(transform=shape)
        without, is_found = played(session, truth)
        pointing, is_found_too = played(pointed(run, session, mutant), truth)
        rows[name] = Row(without, pointing, is_found and is_found_too)
    return rows


def pointed(run: Opened, session: Session, mutant: Mutant) -> Session:
    """Return the session after the user pointed at the first wrong value."""
    about = session.problem.tree.key(session.problem.root)
    said = Answer(about, Verdict.WRONG, path=mutant.path)
    return session.helped((), (Value(run.trace),)).given(said)


def played(session: Session, truth: Truth) -> tuple[int, bool]:
    """Answer all questions; return how many there were, and whether the mutant was named."""
    for count in range(_MOST):
        pending = session.pending
        if not isinstance(pending, Question):
            return count, isinstance(pending, Diagnosis) and truth.is_found(pending.about)
        is_wrong = truth.is_wrong(session.problem.tree, pending.node)
        verdict = Verdict.WRONG if is_wrong else Verdict.RIGHT
        session = session.given(Answer(pending.about, verdict))
    return _MOST, False


def told(shape: str, rows: list[Row]) -> float:
    """Print the means, and return the ratio."""
    good = [row for row in rows if row.is_found]
    if not good:
        return 0.0
    without, pointing = (statistics.mean(row[place] for row in good) for place in (0, 1))
    worse = sum(row.pointing > row.without + 1 for row in good)
    print(
        f"{shape}: {len(good)} of {len(rows)} mutants found in both ways; {without:.2f} questions "
        f"by bisection, {pointing:.2f} with pointing ({pointing / without:.0%}); more than one "
        f"question worse: {worse}"
    )
    return pointing / without


if __name__ == "__main__":
    sys.exit(main())
