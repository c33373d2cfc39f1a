"""The speed of slices: python -m bench.slices.speed [--statements N].

A program of nested calls, lists, tables and objects is recorded with a tenth of the statement
instances and with all; the time is the CPU time of the graph and of the relevant slice.
Exit status: 0 the limits hold, 1 one is missed.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from sleuth.trace.reader import Trace
from sleuth.trace.slices.slice import sliced

LIMIT = 3.0
"""Seconds for a million statement instances."""
GROWTH = 15.0
"""Ten times the statements may take this many times the time."""
PROGRAM = """\
class Account:
    def __init__(self):
        self.total = 0
        self.rows = []
    def add(self, amount):
        self.total += amount
        if amount % 7 == 0:
            self.rows.append(amount)
        return self.total
def main(turns):
    accounts = [Account() for _ in range(10)]
    table = {{}}
    last = 0
    for n in range(turns):
        account = accounts[n % 10]
        last = account.add(n % 13)
        table[n % 100] = last
    return last
print(main({turns}))
"""
STATEMENTS = 7
"""Statement instances of a turn."""


def main() -> int:
    """Measure, print, judge."""
    options = argparse.ArgumentParser(description="Measure the speed of slices.")
    options.add_argument("--statements", type=int, default=1_000_000)
    given = options.parse_args()
    small, large = (_seconds(given.statements // part) for part in (10, 1))
    is_kept = large <= LIMIT * given.statements / 1e6 and large <= GROWTH * small
    print(
        f"{given.statements:,} statement instances: {large:.2f} s of CPU time (limit {LIMIT:g} s "
        f"a million), {large / small:.1f} times a tenth of them (limit {GROWTH:g}): "
        f"{'KEPT' if is_kept else 'MISSED'}"
    )
    return 0 if is_kept else 1


def _seconds(statements: int) -> float:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "prog.py").write_text(PROGRAM.format(turns=statements // STATEMENTS))
        command = [sys.executable, "-m", "sleuth", "record", "--output", "x.trace", "prog.py"]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
        trace = Trace(folder / "x.trace")
        start = time.process_time()
        sliced(trace, "stdout[0]", trace.call(0), is_relevant=True)
        return time.process_time() - start


if __name__ == "__main__":
    sys.exit(main())
