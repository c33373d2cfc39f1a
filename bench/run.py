"""The cost of recording: python bench/run.py [--quick] [--python PATH]... [--json FILE].

Runs each program plain, fully recorded and with `--calls-only`, in turns, and takes the minimum of
several repetitions.  Exit status: 0 the limits hold, 1 one is missed, 2 nothing could be measured.
README.md beside this file says what the numbers mean.
"""

import argparse
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import peers
from measure import CommandFailed, Cost, adopt_orphans, run
from report import Recording, Result, Row, table, verdict

HERE = Path(__file__).resolve().parent
PROGRAMS = ("calls", "classes", "loops", "mergesort", "parser", "text")
VERSIONS = ("3.11", "3.12", "3.13")
MODES: dict[str, list[str]] = {"full": [], "calls only": ["--calls-only"]}
QUICK_SIZE, QUICK_CALLS, QUICK_PEERS = "2", "200000", 1
SUMMARY = re.compile(r"^sleuth: ([\d,]+) calls, ([\d,]+) events in ", re.MULTILINE)
TROUBLE = re.compile(r"^sleuth: (?:.*(?:incomplete|stopped early|no module was).*)$", re.MULTILINE)
ASK = (
    "import sys, sleuth.record.launch; print(sys.version.split()[0], sys.implementation.cache_tag)"
)


@dataclass(frozen=True, slots=True)
class Recorded:
    """A recorded run: its cost, and what its trace holds."""

    cost: Cost
    calls: int
    events: int
    size: int


@dataclass(frozen=True, slots=True)
class Bench:
    """One interpreter, and how it is measured."""

    python: str
    version: str
    tag: str
    repetitions: int
    is_quick: bool
    folder: Path
    environment: dict[str, str]

    def plain(self, program: Path, arguments: Sequence[str]) -> Cost:
        """Run a program as it is."""
        return run([self.python, str(program), *arguments], self.environment, self.folder)

    def recorded(self, program: Path, arguments: Sequence[str], options: Sequence[str]) -> Recorded:
        """Record a program into a trace that is removed afterwards."""
        trace = self.folder / "bench.trace"
        ours = [self.python, "-m", "sleuth", "record", "--output", str(trace), *options, "--"]
        try:
            cost = run([*ours, str(program), *arguments], self.environment, self.folder)
            size = trace.stat().st_size
        finally:
            for left in self.folder.glob("bench.trace*"):
                left.unlink()
        summary, trouble = SUMMARY.search(cost.err), TROUBLE.search(cost.err)
        if not summary or trouble:
            raise CommandFailed(f"{program.stem} was not recorded whole:\n{cost.err[-2000:]}")
        calls, events = (int(text.replace(",", "")) for text in summary.groups())
        return Recorded(cost, calls, events, size)


def main() -> int:
    """Measure, print, judge."""
    options = _options()
    adopt_orphans()
    results = []
    try:
        with tempfile.TemporaryDirectory(prefix="sleuth-bench-") as folder:
            for bench in _benches(options, Path(folder)):
                results.append(_measured(bench, options.programs, with_peers=options.peers))
                print(table(results[-1]), end="\n\n", flush=True)
    except CommandFailed as failure:
        print(f"bench: {failure}", file=sys.stderr)
        return 2
    if options.json:
        _write_json(options.json, results, is_quick=options.quick)
    if options.quick:
        print("A quick run: the sizes are too small for a verdict.")
        return 0
    words, is_kept = verdict(results)
    print(words)
    return 0 if is_kept else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure what recording costs.")
    parser.add_argument(
        "--quick", action="store_true", help="small sizes, one repetition, no verdict"
    )
    parser.add_argument(
        "--programs", metavar="NAME", nargs="+", choices=PROGRAMS, default=PROGRAMS,
        help=f"only these of {', '.join(PROGRAMS)}",
    )  # fmt: skip
    parser.add_argument(
        "--python", metavar="PATH", action="append", default=[],
        help="an interpreter that has sleuth; can be repeated (default: this one, and those of "
        f"{', '.join(VERSIONS)} that are found)",
    )  # fmt: skip
    parser.add_argument("--repeat", metavar="N", type=int, default=5, help="repetitions (5)")
    parser.add_argument(
        "--no-peers", dest="peers", action="store_false", help="without viztracer and PySnooper"
    )
    parser.add_argument("--json", metavar="FILE", type=Path, help="write all numbers there too")
    return parser.parse_args()


# --- interpreters ----------------------------------------------------------------------------


def _benches(options: argparse.Namespace, folder: Path) -> list[Bench]:
    """Find the interpreters that have sleuth, one for each version unless they are named."""
    named = options.python or [sys.executable, *_likely()]
    # Rewritten code goes into a cache of our own, so that the user's stays as it is.
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder / "cache")}
    found: dict[str, Bench] = {}
    for path in named:
        asked = _asked(path)
        if asked is None:
            if options.python:
                raise CommandFailed(f"{path} is no interpreter that has sleuth")
            continue
        version, tag = asked
        bench = Bench(
            python=str(Path(path).absolute()),
            version=version,
            tag=tag,
            repetitions=1 if options.quick else options.repeat,
            is_quick=options.quick,
            folder=folder,
            environment=environment,
        )
        found.setdefault(path if options.python else version, bench)
    if not found:
        raise CommandFailed("no interpreter here has sleuth: pip install it, or give --python")
    return list(found.values())


def _likely() -> list[str]:
    """List the other interpreters that may have sleuth: `make` puts them into .venv-VERSION."""
    folders = [HERE.parent / f".venv-{version}" / "bin" for version in VERSIONS]
    on_path = [Path(each) for each in os.get_exec_path()]
    return [
        str(folder / f"python{version}")
        for version in VERSIONS
        for folder in (*folders, *on_path)
        if os.access(folder / f"python{version}", os.X_OK)
    ]


def _asked(path: str) -> tuple[str, str] | None:
    """Return an interpreter's version and tag; nothing if Sleuth is not installed there."""
    try:
        done = subprocess.run([path, "-c", ASK], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    version, tag = done.stdout.split()
    return version, tag


# --- measuring -------------------------------------------------------------------------------


def _measured(bench: Bench, programs: Sequence[str], *, with_peers: bool) -> Result:
    result = Result(bench.version)
    for name in programs:
        _say(f"{bench.version}: {name}")
        result.rows.append(_row(bench, name))
    if with_peers:
        _compare(bench, result)
    _say(f"{bench.version}: memory on many calls")
    result.growth = _growth(bench)
    result.object_growth, result.live_objects = _object_growth(bench)
    return result


def _row(bench: Bench, name: str) -> Row:
    """Measure one program; the modes take turns, so that a busy machine slows all of them alike."""
    program = HERE / "programs" / f"{name}.py"
    arguments = [QUICK_SIZE] if bench.is_quick else []
    plain: list[Cost] = []
    recorded: dict[str, list[Recorded]] = {mode: [] for mode in MODES}
    for _ in range(bench.repetitions):
        plain.append(bench.plain(program, arguments))
        for mode, options in MODES.items():
            recorded[mode].append(bench.recorded(program, arguments, options))
            if recorded[mode][-1].cost.out != plain[-1].out:
                raise CommandFailed(f"{name} prints something else when it is recorded ({mode})")
    return Row(
        program=name,
        plain_cpu=min(cost.cpu for cost in plain),
        full=_compared(plain, recorded["full"]),
        calls_only=_compared(plain, recorded["calls only"]),
    )


def _compared(plain: Sequence[Cost], runs: Sequence[Recorded]) -> Recording:
    cpu = min(each.cost.cpu for each in runs)
    plain_cpu = min(cost.cpu for cost in plain)
    first = runs[0]
    return Recording(
        cpu=cpu / plain_cpu,
        wall=min(each.cost.wall for each in runs) / min(cost.wall for cost in plain),
        collector=min(each.cost.other_cpu for each in runs),
        calls=first.calls,
        events=first.events,
        ns_each=(cpu - plain_cpu) * 1e9 / first.events,
        bytes_each=first.size / first.events,
        memory=max(each.cost.memory for each in runs) - max(cost.memory for cost in plain),
    )


def _growth(bench: Bench) -> dict[str, int]:
    program = HERE / "programs" / "ten_million.py"
    arguments = [QUICK_CALLS] if bench.is_quick else []
    plain = bench.plain(program, arguments).memory
    return {
        mode: bench.recorded(program, arguments, options).cost.memory - plain
        for mode, options in MODES.items()
    }


def _object_growth(bench: Bench) -> tuple[int, int]:
    """Return how much the memory grows, and how many objects are alive then."""
    program = HERE / "programs" / "many_objects.py"
    count = int(QUICK_CALLS) if bench.is_quick else 10_000_000
    plain = bench.plain(program, [str(count)]).memory
    return bench.recorded(program, [str(count)], []).cost.memory - plain, count // 10


def _compare(bench: Bench, result: Result) -> None:
    """Add what other tools cost, as far as they can be installed."""
    _say(f"{bench.version}: installing viztracer and PySnooper")
    where, missing = peers.installed(bench.python, bench.tag)
    result.notes += [f"{name} is left out: {why}" for name, why in missing.items()]
    environment = {**bench.environment, "PYTHONPATH": str(where)}
    size = QUICK_PEERS if bench.is_quick else peers.SIZE
    for index, row in enumerate(result.rows):
        program = HERE / "programs" / f"{row.program}.py"
        _say(f"{bench.version}: {row.program} with other tools")
        try:
            if "viztracer" not in missing:
                row = replace(row, viztracer=peers.viztracer_ratio(  # noqa: PLW2901
                    bench.python, program, environment, bench.folder, size))  # fmt: skip
            if "PySnooper" not in missing:
                row = replace(row, pysnooper=peers.pysnooper_ratio(  # noqa: PLW2901
                    bench.python, program, environment, bench.folder))  # fmt: skip
        except CommandFailed as failure:
            result.notes.append(f"left out: {failure}")
        result.rows[index] = row


# --- telling ---------------------------------------------------------------------------------


def _say(what: str) -> None:
    """Show what is being measured, on a terminal."""
    if sys.stderr.isatty():
        print(f"\r\033[K{what} ...", end="\r", file=sys.stderr, flush=True)


def _write_json(path: Path, results: Sequence[Result], *, is_quick: bool) -> None:
    everything = {
        "when": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "machine": platform.machine(),
        "system": platform.platform(),
        "cores": os.cpu_count(),
        "quick": is_quick,
        "results": [asdict(result) for result in results],
    }
    path.write_text(json.dumps(everything, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
