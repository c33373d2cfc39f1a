"""The cost of recording code that is compiled at run time: python bench/compiled.py.

Measures a template engine that compiles the same text again and again, 100,000 `eval` of one text,
100,000 of different texts, and 100,000 different functions by `exec`.  CPU time is that of the
program and the collector together, since a program waits while its code is rewritten; memory is
that of the program.  Exit status: 0 the limits hold, 1 one is missed.
"""

import os
import sys
import tempfile
from pathlib import Path

import measure

HERE = Path(__file__).parent
COUNT = "100000"
LIMITS = {"templates": None, "same": None, "different": 3.0, "functions": 3.0}
MOST_MEMORY = 64 << 20


def cost(kind: str, folder: Path, *, is_recorded: bool) -> measure.Cost:
    """Run the program once."""
    trace = folder / f"{kind}.trace"
    trace.unlink(missing_ok=True)
    recorder = ["-m", "sleuth", "record", "--quiet", "--output", str(trace), "--"]
    words = [str(HERE / "programs" / "compiled.py"), kind, COUNT]
    return measure.run(
        [sys.executable, *(recorder if is_recorded else []), *words], os.environ, folder
    )


def main() -> int:
    """Measure, print, and compare with the limits."""
    measure.adopt_orphans()
    is_missed = False
    with tempfile.TemporaryDirectory() as name:
        for kind, limit in LIMITS.items():
            plain = cost(kind, Path(name), is_recorded=False)
            recorded = cost(kind, Path(name), is_recorded=True)
            own, both = (
                each / plain.cpu for each in (recorded.cpu, recorded.cpu + recorded.other_cpu)
            )
            more = recorded.memory - plain.memory
            told = f" (limit {limit:.0f})" if limit else ""
            print(
                f"{kind}: plain {plain.cpu:.2f} s, program {own:.2f} times, "
                f"with the collector {both:.2f} times{told}; {more >> 20} MB more"
            )
            is_missed |= bool(limit and both > limit) or more > MOST_MEMORY
    return int(is_missed)


if __name__ == "__main__":
    sys.exit(main())
