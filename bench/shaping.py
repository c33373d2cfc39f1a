"""The cost of shaping the tree: python bench/shaping.py [--quick].

Records loops of a million turns.  Measures the time from the verdict "wrong" on a call to the text
of the first question about the turns of its loop, and the time to balance trees of a million nodes.
CPU time, the least of some runs, since other processes can only make it longer.  Exit status: 0 the
limits hold, 1 one is missed.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from search import QUICK_SIZE, SIZE, tree_with

import sleuth
from sleuth.search.question import Answer, Question, Verdict
from sleuth.tree.flat import FlatTree
from sleuth.tree.observe.nodes import behaviour_for
from sleuth.tree.transformations.balance import Balancing
from sleuth.tree.transformations.outline import Outline
from sleuth.views.words.question import question_lines

HERE = Path(__file__).resolve().parent
LOOP, FILLING, BALANCE = 0.1, 0.4, 2.0
"""The limits, in seconds: opening a loop, one that fills a list, and balancing a tree."""
ROUNDS = 5


def main() -> int:
    """Measure, print, judge."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--quick", action="store_true", help="small trees: does it work?")
    size = QUICK_SIZE if options.parse_args().quick else SIZE
    missed = []
    for what, seconds, limit in (*_loops(size), *_balancing(size)):
        is_slow = seconds > limit
        print(f"  {what:52} {1000 * seconds:6.0f} ms{'   TOO SLOW' if is_slow else ''}")
        if is_slow:
            missed.append(what)
    limits = f"a loop {LOOP} s, filling a list {FILLING} s, balancing {BALANCE} s"
    print(f"limits: {limits}:", "missed" if missed else "kept")
    return bool(missed)


def _loops(size: int) -> Iterator[tuple[str, float, float]]:
    with tempfile.TemporaryDirectory() as folder:
        path = _recorded(Path(folder), "turns", size)
        for name, limit in (("add_up", LOOP), ("collect", FILLING)):
            took = min(_opening(path, name, ("loops",)) for _ in range(ROUNDS))
            yield f"opening a loop of {size:,} turns: {name}", took, limit
        path = _recorded(Path(folder), "chain", size // 2)
        took = min(_opening(path, "advance", ("balance-chains",)) for _ in range(ROUNDS))
        yield f"balancing a chain of {size // 2:,} calls", took, BALANCE


def _recorded(folder: Path, name: str, size: int) -> Path:
    path = folder / f"{name}.trace"
    ours = [sys.executable, "-m", "sleuth", "record", "--quiet", "--output", str(path)]
    subprocess.run([*ours, str(HERE / "programs" / f"{name}.py"), str(size)], check=True)
    return path


def _opening(path: Path, name: str, shape: tuple[str, ...]) -> float:
    """Return the time from judging a call to the text of the first question about its parts."""
    opened = sleuth.open(path)
    trace, tree = opened.trace, opened.tree
    children = tree.children(1).tolist()
    functions = {node: trace.function(int(tree.routine[node])) for node in children}
    node = next(each for each, function in functions.items() if function and function.name == name)
    session = opened.session()
    if shape == ("loops",):
        session = session.shaped(shape)  # the call alone is opened then

    # Who judges the call was asked about it.
    question_lines(trace, behaviour_for(trace, tree.key(node)), width=80)

    def work() -> None:
        judged = session.shaped(shape).given(Answer(tree.key(node), Verdict.WRONG))
        question = judged.pending
        if not isinstance(question, Question) or question.about.call != tree.call[node]:
            raise SystemExit("the loop is not asked about")
        question_lines(trace, behaviour_for(trace, question.about), width=80)

    return _timed(work)


def _balancing(size: int) -> Iterator[tuple[str, float, float]]:
    numbers = np.arange(-1, size - 1)
    shapes = {
        "one call that made all": np.minimum(numbers, 0),
        "calls that made a thousand each": np.where(numbers < 0, -1, numbers // 1000),
    }
    for name, parents in shapes.items():
        tree = tree_with(parents)
        wide = np.flatnonzero(np.bincount(tree.parent[1:], minlength=len(tree)) >= 8)
        opened = frozenset(tree.key(node) for node in wide.tolist())
        took = min(_balanced(tree, opened) for _ in range(ROUNDS))
        yield f"balancing {size:,} nodes: {name}", took, BALANCE


def _balanced(tree: FlatTree, opened: frozenset) -> float:
    outline = Outline(("balance",), opened=opened)
    return _timed(lambda: Balancing()(tree, outline))


def _timed(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


if __name__ == "__main__":
    sys.exit(main())
