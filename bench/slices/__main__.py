"""Slices checked by execution: python -m bench.slices [--seed N] [--mutants N].

Programs are generated, recorded and sliced: the relevant slice of what each prints. Constants on
lines that ran outside the slice are changed, and the program must print the same.
Exit status: 0 no mutant printed something else, 1 some did, 2 nothing could be measured.
"""

import argparse
import random
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.slices.generated import program
from bench.slices.mutants import Checked, checked, ran
from sleuth.trace.reader import Trace
from sleuth.trace.slices.slice import sliced


def main() -> int:
    """Check, print, judge."""
    options = argparse.ArgumentParser(description="Check slices by execution.")
    options.add_argument("--seed", type=int, default=random.randrange(1 << 30))  # noqa: S311
    options.add_argument("--mutants", type=int, default=1_000)
    options.add_argument("--keep", metavar="FOLDER", type=Path, help="write wrong mutants there")
    given = options.parse_args()
    done: list[tuple[int, Checked]] = []
    seed = given.seed
    with tempfile.TemporaryDirectory() as folder:
        while sum(each.tried for _, each in done) < given.mutants:
            found = _checked(Path(folder), seed)
            if found is not None:
                done.append((seed, found))
                _tell(seed, found, given.keep)
            seed += 1
    wrong = sum(len(each.wrong) for _, each in done)
    share = statistics.median(each.share for _, each in done)
    print(
        f"seed {given.seed}: {len(done)} programs, {sum(each.tried for _, each in done)} mutants "
        f"outside the slice, {wrong} printed something else "
        f"({sum(bool(each.wrong) for _, each in done)} programs); "
        f"{sum(each.unended for _, each in done)} did not end and are not counted; "
        f"median share of executed lines in a slice: {share:.0%}"
    )
    return 1 if wrong else 0


def _checked(folder: Path, seed: int) -> Checked | None:
    """Check one program; None: it does not end by itself."""
    source = program(seed)
    if not ran(source).has_ended:
        return None
    (folder / "prog.py").write_text(source)
    trace = folder / f"{seed}.trace"
    command = [sys.executable, "-m", "sleuth", "record", "--output", str(trace), "prog.py"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    opened = Trace(trace)
    lines = sliced(opened, "stdout[0]", opened.call(0), is_relevant=True).lines
    trace.unlink()
    return checked(source, {line for each in lines.values() for line in each})


def _tell(seed: int, found: Checked, keep: Path | None) -> None:
    for line in dict(found.wrong):
        print(f"seed {seed}: a constant on line {line} changes the value", flush=True)
    if keep is not None and found.wrong:
        keep.mkdir(parents=True, exist_ok=True)
        (keep / f"{seed}.py").write_text(program(seed))
        for line, mutant in found.wrong:
            (keep / f"{seed}-{line}.py").write_text(mutant)


if __name__ == "__main__":
    sys.exit(main())
