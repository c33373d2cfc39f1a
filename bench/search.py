"""The cost of asking: python bench/search.py [--quick] [--json FILE].

Records a program of a million calls and measures how long its trace takes to open and each strategy
to choose a question, there and in trees of other shapes.  Exit status: 0 the limits hold, 1 one is
missed.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

import sleuth
from sleuth.search.problem import Problem
from sleuth.search.question import Answer, Question, Verdict
from sleuth.search.session import Session
from sleuth.search.strategies import STRATEGIES
from sleuth.trace.reader import Trace
from sleuth.tree.build import preordered, tree_of
from sleuth.tree.flat import FlatTree
from sleuth.tree.node import NodeKind

HERE = Path(__file__).resolve().parent
OPENING, FIRST, FURTHER = 2.0, 2.0, 0.1
"""The limits, in seconds: opening, a first question (edge ranking), each further one."""
QUESTIONS = 6
CALLS, QUICK = 590_000, 5_000
SIZE, QUICK_SIZE = 1_000_000, 50_000


def main() -> int:
    """Measure, print, judge."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--quick", action="store_true", help="small trees: does it work?")
    options.add_argument("--json", type=Path, help="write the figures there")
    given = options.parse_args()
    figures: dict[str, dict[str, float]] = {}
    missed = []
    for name, problem, opening in _problems(is_quick=given.quick):
        print(
            f"{name}: {len(problem.tree):,} nodes"
            + (f", opened in {opening:.2f} s" if opening else "")
        )
        if opening > OPENING:
            missed.append(f"{name} took {opening:.2f} s to open")
        figures[name] = {"opening": opening}
        for strategy in STRATEGIES:
            first, worst = _asked(problem, strategy)
            figures[name][strategy] = worst
            is_slow = worst > FURTHER or first > FIRST
            print(f"  {strategy:24} first {1000 * first:6.0f} ms   then {1000 * worst:6.0f} ms"
                  f"{'   TOO SLOW' if is_slow else ''}")  # fmt: skip
            if is_slow:
                missed.append(f"{strategy} on {name}: {first:.2f} s, then {worst:.3f} s")
    if given.json:
        given.json.write_text(json.dumps(figures, indent=1))
    for each in missed:
        print("missed:", each)
    print("limits:", f"opening {OPENING} s, a further question {FURTHER} s:",
          "missed" if missed else "kept")  # fmt: skip
    return bool(missed)


def _problems(*, is_quick: bool) -> Iterator[tuple[str, Problem, float]]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "million.trace"
        program = [str(HERE / "programs" / "million.py"), str(QUICK if is_quick else CALLS)]
        ours = [sys.executable, "-m", "sleuth", "record", "--quiet", "--output", str(path)]
        subprocess.run([*ours, *program], check=True)
        opening = _timed(lambda: tree_of(Trace(path)))
        yield "recorded", sleuth.open(path).problem(), opening
    for name, parents in _shapes(QUICK_SIZE if is_quick else SIZE):
        yield name, Problem(tree_with(parents)), 0.0


def _shapes(size: int) -> Iterator[tuple[str, np.ndarray]]:
    numbers = np.arange(-1, size - 1)
    random = np.random.default_rng(1)
    yield "wide", np.minimum(numbers, 0)
    yield "deep", numbers
    yield "binary", np.where(numbers < 0, -1, numbers // 2)
    yield "random", np.array([-1, *(random.random(size - 1) * np.arange(1, size)).astype(int)])
    yield "loops", np.where(numbers < 0, -1, numbers // 1000 * 1000)


def tree_with(parents: np.ndarray) -> FlatTree:
    """Return a tree with these parents, each before its children."""
    parents = parents.astype(np.int32)
    numbers, end, depth = preordered(parents)
    place = np.argsort(numbers)
    size = len(parents)
    above = np.where(parents < 0, -1, numbers[parents])[place].astype(np.int32)
    ids = np.arange(size, dtype=np.int64)
    return FlatTree(
        parent=above, end=end[place], depth=depth[place],
        kind=np.full(size, NodeKind.CALL, np.uint8), call=ids, first=ids, last=ids,
        routine=(ids * 7 % 101).astype(np.int32), module=np.zeros(size, np.int32),
        outcome=np.ones(size, np.uint8), thread=np.zeros(size, np.int32), mass=np.ones(size),
        is_done=np.ones(size, bool), is_trusted=np.zeros(size, bool),
    )  # fmt: skip


def _asked(problem: Problem, strategy: str) -> tuple[float, float]:
    """Return the time of the first question and the longest of the further ones."""
    took = []
    # Answers that keep the tree large: these are the slow questions.
    problem.rankings.clear()
    session = Session(problem, strategy=strategy)
    for _ in range(QUESTIONS):
        # Measured twice, since other processes may disturb it; only the ranking is made once.
        again = session.extended(())
        took.append(_timed(lambda session=session: session.pending))
        if len(took) > 1:
            took[-1] = min(took[-1], _timed(lambda again=again: again.pending))
        question = session.pending
        if not isinstance(question, Question):
            break
        size = problem.tree.end[question.node] - question.node
        is_small = 2 * size < len(problem.tree)
        verdict = Verdict.RIGHT if is_small else Verdict.WRONG
        session = session.extended((Answer(question.about, verdict),))
    return took[0], max(took[1:], default=0.0)


def _timed(work: Callable[[], object]) -> float:
    """Return the CPU time of some work; other processes have little influence on it."""
    start = time.process_time()
    work()
    return time.process_time() - start


if __name__ == "__main__":
    sys.exit(main())
