"""The slowdown of a small piece of a program by PySnooper: python snooped.py PROGRAM LOG.

Both times are CPU time inside this process; PySnooper writes its text to the file LOG.
"""

import importlib
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pysnooper

DEPTH = 40
LEAST_SECONDS = 0.05

PIECES: dict[str, Callable[[ModuleType], object]] = {
    "calls": lambda program: program.fib(12),
    "classes": lambda program: [program.Heavy("b", 5.0).step(0.01) for _ in range(100)],
    "loops": lambda program: program.product([[1] * 9] * 9, [[2] * 9] * 9),
    "mergesort": lambda program: program.merge_sort(program.numbers(100)),
    "parser": lambda program: program.Parser(program.document(3)).value(),
    "text": lambda program: program.distance("bridge", "fridges"),
}


def main() -> None:
    """Print the ratio."""
    name, log = sys.argv[1:]
    sys.path.insert(0, str(Path(__file__).parent / "programs"))
    program = importlib.import_module(name)
    piece = PIECES[name]
    plain = _seconds(lambda: piece(program))
    snooped = pysnooper.snoop(log, depth=DEPTH)(piece)
    print(_seconds(lambda: snooped(program)) / plain)


def _seconds(work: Callable[[], object]) -> float:
    """Repeat some work until it is long enough; give the seconds of one turn."""
    turns = 0
    start = time.process_time()
    while True:
        work()
        turns += 1
        spent = time.process_time() - start
        if spent >= LEAST_SECONDS:
            return spent / turns


if __name__ == "__main__":
    main()
