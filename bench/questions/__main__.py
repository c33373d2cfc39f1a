"""How many questions: python -m bench.questions [--quick] [--programs NAME...] [--output FILE].

Records the programs and packages, searches for a bug at every position with every strategy in every
shape of the tree, and writes the tables.  Exit status: 0 the gates are kept, 1 one is missed.
README.md beside this file says what the figures mean.
"""

import argparse
import json
import multiprocessing
import os
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

from bench.questions import gates, measure, papers, report
from bench.questions.corpus import PACKAGES, PROGRAMS, recorded
from bench.questions.measure import Effort, Figures
from bench.questions.papers import PaperFigures
from bench.questions.shapes import SHAPES
from sleuth.search.strategies import DEFAULT, STRATEGIES
from sleuth.tree.transformations import DEFAULT_SHAPE

HERE = Path(__file__).resolve().parent
MAIN = ("top-down", DEFAULT)
"""Measured on all runs; the others on small ones."""
FEW_CALLS = 80
QUICK = ("num_reader", "cues", "integral", "chess", "matrix", "merge_sort")
ABOUT = """\
Written by `make questions`. [README.md](README.md) says what the figures mean, and why they differ
from the papers'. The bug is at every position of runs of up to {0.small} calls, at {0.sample}
positions of larger ones, at {0.large} beyond 1,000 calls (`--positions {0.sample}`); by the papers'
convention at {1} nodes at most (`--nodes {1}`). The shape "default" is what a session has unless
it is told otherwise: {2}."""
_Row = TypeVar("_Row")


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be measured."""

    programs: tuple[str, ...]
    strategies: tuple[str, ...]
    main: Effort
    others: Effort
    nodes: int
    """Where the bug is at most, by the papers' convention."""
    jobs: int


def main() -> int:
    """Measure, write, judge."""
    given = _arguments()
    plan = _plan(given)
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        kept = given.keep or Path(folder)
        traces = _recorded(plan, kept)
        figures = _figures(plan, kept, traces)
        by_papers = _all(
            [partial(_by_papers, kept, plan.nodes, *each) for each in traces], plan.jobs
        )
    loops = list(gates.loops_of_leaf_calls())
    missed = [*gates.missed(figures), *gates.missed_loops(loops)]
    text = "\n".join(_text(plan, figures, by_papers, loops, missed))
    given.output.write_text(text + "\n", encoding="utf-8")
    _say(f"{time.monotonic() - start:.0f} s; written to {given.output}")
    for each in missed:
        _say(f"missed: {each}")
    _say("gates: " + ("missed" if missed else "kept"))
    return bool(missed)


def _arguments() -> argparse.Namespace:
    options = argparse.ArgumentParser(prog="python -m bench.questions", description=__doc__)
    options.add_argument("--quick", action="store_true", help="a few small programs")
    options.add_argument("--programs", nargs="+", choices=(*PROGRAMS, *PACKAGES), metavar="NAME")
    options.add_argument("--strategies", nargs="+", choices=tuple(STRATEGIES), metavar="NAME")
    options.add_argument("--positions", type=int, default=24, help="sampled of larger runs")
    options.add_argument("--nodes", type=int, default=papers.MANY, help="sampled as in the papers")
    options.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options.add_argument("--keep", type=Path, help="keep traces and figures there, and use them")
    options.add_argument("--output", type=Path, default=HERE / "results.md")
    return options.parse_args()


def _plan(given: argparse.Namespace) -> Plan:
    count = given.positions
    every = QUICK if given.quick else (*PROGRAMS, *PACKAGES)
    return Plan(
        programs=tuple(given.programs or every),
        strategies=tuple(given.strategies or STRATEGIES),
        main=Effort(small=64, sample=count, large=max(count // 2, 1)),
        others=Effort(small=0, sample=count, large=count),
        nodes=given.nodes,
        jobs=given.jobs,
    )


def _recorded(plan: Plan, folder: Path) -> list[tuple[str, Path]]:
    folder.mkdir(parents=True, exist_ok=True)
    found = []
    for name in plan.programs:
        _say(f"recording {name}")
        found.append((name, recorded(name, folder)))
    return found


def _figures(plan: Plan, kept: Path, traces: Sequence[tuple[str, Path]]) -> list[Figures]:
    """Measure by our convention: some strategies on all runs, the others on small ones."""
    tasks = [
        partial(_ours, kept, name, path, strategy, plan.main if strategy in MAIN else plan.others)
        for name, path in traces
        for strategy in plan.strategies
        if strategy in MAIN or measure.calls_in(path) <= FEW_CALLS
    ]
    return _all(tasks, plan.jobs)


def _ours(kept: Path, name: str, path: Path, strategy: str, effort: Effort) -> list[Figures]:
    known = kept / f"{name}-{strategy}-{effort.sample}.json"
    if known.exists():
        return [Figures(**each) for each in json.loads(known.read_text())]
    found = measure.measured(name, path, strategy, tuple(SHAPES), effort)
    known.write_text(json.dumps([asdict(each) for each in found]))
    return found


def _by_papers(kept: Path, most: int, name: str, path: Path) -> list[PaperFigures]:
    known = kept / f"{name}-papers-{most}.json"
    if known.exists():
        rows = json.loads(known.read_text())
        return [PaperFigures(**{**each, "made": papers.Made(**each["made"])}) for each in rows]
    found = papers.measured(name, path, most)
    known.write_text(json.dumps([asdict(each) for each in found]))
    return found


def _all(tasks: Sequence[Callable[[], list[_Row]]], jobs: int) -> list[_Row]:
    """Do all tasks, some at once; say how far it is."""
    found: list[_Row] = []
    with multiprocessing.Pool(jobs) as pool:
        for count, rows in enumerate(pool.imap(_done, tasks, chunksize=1), 1):
            found += rows
            _say(f"{count} of {len(tasks)}")
    return found


def _done(task: Callable[[], list[_Row]]) -> list[_Row]:
    return task()


def _text(
    plan: Plan,
    figures: Sequence[Figures],
    by_papers: Sequence[PaperFigures],
    loops: Sequence[tuple[int, str, float, float]],
    missed: Sequence[str],
) -> list[str]:
    ours = report.Ours(figures)
    lines = [
        "# How many questions",
        "",
        *ABOUT.format(plan.main, plan.nodes, ", ".join(DEFAULT_SHAPE)).splitlines(),
        "",
        *ours.headline(),
        *report.verdict(figures, loops, missed),
        "",
        *report.balancing(by_papers),
        "## Table 1 of Loops (papers' convention)",
        "",
        *report.expansion(by_papers, "heaviest-first"),
        *report.expansion(by_papers, "hirunkitti"),
        "## Our convention, program by program",
        "",
        "Mean questions (worst; mean lines of the diagnosis).",
        "",
    ]
    for strategy in (each for each in MAIN if each in plan.strategies):
        lines += ours.programs(strategy)
    return [*lines, *ours.matrix(FEW_CALLS)]


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
