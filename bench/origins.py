"""The cost of an origin: python bench/origins.py [--calls N] [--trace FILE].

Records a program of ten million events in which a few objects change all the time, and measures the
time to find the operations that made what calls were given, returned and set.  Exit status: 0 the
limit holds, 1 it is missed.
"""

import argparse
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from sleuth.trace.events import Call
from sleuth.trace.path import PathError
from sleuth.trace.reader import Trace

HERE = Path(__file__).resolve().parent
LIMIT = 0.05
"""The limit, in seconds for one origin."""


def main() -> int:
    """Measure, print, judge."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--calls", type=int, default=100, help="how many calls to look at")
    options.add_argument("--trace", type=Path, help="a trace that was recorded before")
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = given.trace or Path(folder) / "hot.trace"
        if given.trace is None:
            subprocess.run(
                [sys.executable, "-m", "sleuth", "record", "--quiet", "--output", path,
                 HERE / "programs" / "hot_objects.py"],
                check=True,
            )  # fmt: skip
        trace = Trace(path)
        dice = random.Random(1)  # noqa: S311 - the same calls each time
        count = min(given.calls, trace.call_count)
        chosen = {*trace.child_ids(0)} if trace.call_count < count else set()
        chosen |= {0, *dice.sample(range(trace.call_count), count)}
        first = max(seconds for seconds, *_ in _times(trace, trace.call(0)))
        times = sorted(each for number in chosen for each in _times(trace, trace.call(number)))
    known = sum(is_known for _, is_known, _, _ in times)
    print(f"{trace.event_count:,} events: {len(times)} origins, {known} of them known, CPU")
    median, (slowest, _, number, name) = times[len(times) // 2][0], times[-1]
    print(f"  the first, which reads the index: {1000 * first:.1f} ms")
    print(
        f"  median {1000 * median:.1f} ms, slowest {1000 * slowest:.1f} ms ({name}, call {number})"
    )
    is_kept = slowest <= LIMIT
    print(f"limit: {1000 * LIMIT:.0f} ms for any origin\n{'KEPT' if is_kept else 'MISSED'}")
    return not is_kept


def _times(trace: Trace, call: Call) -> Iterator[tuple[float, bool, int, str]]:
    known = trace.variables(call, call.last or trace.event_count)
    inside = [f"account.{part}" for part in ("total", "seen[7]", "by[3]", "rare")]
    for name in ("return", *known, *(inside if "account" in known else ())):
        start = time.process_time()
        try:
            found = trace.why(name, call=call)
        except PathError:
            continue
        yield time.process_time() - start, found.is_known, call.id, name


if __name__ == "__main__":
    sys.exit(main())
