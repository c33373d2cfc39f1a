"""The time to find out which lines calls ran: python bench/lines.py.

Measures the CPU time for one call with a million events of its own, and for a million small calls.
Exit status: 0 the limits hold, 1 one is missed.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from sleuth.trace.flow.lines import Lines
from sleuth.trace.reader import Trace

LONG = """
def work():
    total = 0
    for number in range(350_000):
        if number % 2:
            total += number
        else:
            total -= 1
    return total
work()
"""
SMALL = """
def near(number):
    if number % 3:
        found = number + 1
    else:
        found = number - 1
    return found
total = 0
for number in range(1_000_000):
    total += near(number)
"""


def recorded(folder: Path, source: str) -> Trace:
    """Record a program."""
    (folder / "prog.py").write_text(source)
    path = folder / "prog.trace"
    path.unlink(missing_ok=True)
    command = [sys.executable, "-m", "sleuth", "record", "--quiet", "--output", str(path)]
    subprocess.run([*command, "prog.py"], cwd=folder, check=True)
    return Trace(path)


def timed(work: Callable[[], object]) -> float:
    """Return the CPU seconds that something takes."""
    start = time.process_time()
    work()
    return time.process_time() - start


def main() -> int:
    """Measure, print, and compare with the limits."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        trace = recorded(folder, LONG)
        call = max(trace.calls(), key=lambda each: each.events)
        one = timed(lambda: Lines(trace).of(call))
        print(f"lines of one call of {call.events:,} events: {one:.2f} s (limit 0.5)")
        small = recorded(folder, SMALL)
        many = timed(lambda: sum(1 for _ in Lines(small).all()))
        print(f"lines of {small.call_count:,} calls: {many:.1f} s (limit 60)")
    return int(one > 0.5 or many > 60)


if __name__ == "__main__":
    sys.exit(main())
