"""The cost of reading a trace: python bench/reading.py [--calls N].

Records a program of ten million events in which a few objects change all the time, and measures the
time to find out what a call changed.  Exit status: 0 the limit holds, 1 it is missed.
"""

import argparse
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from sleuth.trace.reader import Trace

HERE = Path(__file__).resolve().parent
LIMIT = 0.05
"""The limit, in seconds for one call."""


def main() -> int:
    """Measure, print, judge."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--calls", type=int, default=200, help="how many calls to look at")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "hot.trace"
        subprocess.run(
            [sys.executable, "-m", "sleuth", "record", "--quiet", "--output", path,
             HERE / "programs" / "hot_objects.py"],
            check=True,
        )  # fmt: skip
        trace = Trace(path)
        dice = random.Random(1)  # noqa: S311 - the same calls each time
        chosen = {*trace.child_ids(0), *dice.sample(range(trace.call_count), given.calls)}
        times = sorted((_time(trace, number), number) for number in chosen)
    print(f"{trace.event_count:,} events: what a call changed, for {len(times)} calls, CPU")
    median, (slowest, number) = times[len(times) // 2][0], times[-1]
    print(f"  median {1000 * median:.1f} ms, slowest {1000 * slowest:.1f} ms (call {number})")
    is_kept = slowest <= LIMIT
    print(f"limit: {1000 * LIMIT:.0f} ms for any call\n{'KEPT' if is_kept else 'MISSED'}")
    return not is_kept


def _time(trace: Trace, number: int) -> float:
    start = time.process_time()
    trace.changed(trace.call(number))
    return time.process_time() - start


if __name__ == "__main__":
    sys.exit(main())
