"""Counts questions: python -m bench.questions [--quick] [--programs NAME...] [--output FILE].

Records the programs and packages, searches for a bug at every position with every strategy in every
shape of the tree, and writes the tables.  Exit status: 0 the gates are kept, 1 one is missed.
README.md beside this file says what the figures mean.
"""

import argparse
import json
import multiprocessing
import os
import re
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
from bench.questions.measure import Effort, Figures, Measuring
from bench.questions.papers import PaperFigures
from bench.questions.shapes import PLAIN, SHAPES
from sleuth.search.strategies import DEFAULT, STRATEGIES
from sleuth.tree.transformations import DEFAULT_SHAPE

HERE = Path(__file__).resolve().parent
MAIN = ("top-down", DEFAULT)
"""Measured at every position of all runs; the others of small ones."""
FEW_CALLS, SAMPLE = 150, 64
QUICK = ("num_reader", "cues", "integral", "chess", "matrix", "merge_sort")
ABOUT = """\
Written by `make questions`. [README.md](README.md) says what the figures mean, and why they differ
from the papers'.

- {main}: the bug is at {here}.
- The other strategies: it is at {there}.
- By the papers' convention it is at {nodes}.
- {named}

The shape "default" is what a session has unless it is told otherwise: {shape}."""
_Row = TypeVar("_Row")


@dataclass(frozen=True, slots=True)
class Plan:
    """The runs, strategies and shapes to be measured."""

    programs: tuple[str, ...]
    strategies: tuple[str, ...]
    main: Effort
    others: Effort
    nodes: int | None
    """The most positions of the bug, by the papers' convention; None: all."""
    jobs: int

    @property
    def is_whole(self) -> bool:
        """Whether all runs are measured."""
        return set(self.programs) == {*PROGRAMS, *PACKAGES}


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
    missed = [*gates.missed(figures, is_whole=plan.is_whole), *gates.missed_loops(loops)]
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
    main = " and ".join(MAIN)
    options.add_argument(
        "--every",
        type=int,
        metavar="CALLS",
        help=f"{main}: every position of runs of up to so many calls (all runs)",
    )
    options.add_argument(
        "--positions",
        type=int,
        default=SAMPLE,
        help="then so many positions of larger runs; 0: none (%(default)s)",
    )
    options.add_argument(
        "--others",
        type=int,
        metavar="CALLS",
        default=FEW_CALLS,
        help="other strategies: every position of runs of up to so many calls (%(default)s)",
    )
    options.add_argument(
        "--nodes", type=int, help="as in the papers: so many nodes of larger trees (every node)"
    )
    options.add_argument(
        "--first",
        type=int,
        metavar="TURNS",
        default=0,
        help="of loops of up to so many turns the first wrong turn is named, as with `first 3`",
    )
    options.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    options.add_argument("--keep", type=Path, help="keep traces and figures there, and use them")
    options.add_argument("--output", type=Path, default=HERE / "results.md")
    return options.parse_args()


def _plan(given: argparse.Namespace) -> Plan:
    every = QUICK if given.quick else (*PROGRAMS, *PACKAGES)
    return Plan(
        programs=tuple(given.programs or every),
        strategies=tuple(given.strategies or STRATEGIES),
        main=Effort(given.every, given.positions, given.first),
        others=Effort(given.others, 0, given.first),
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
    """Measure by our convention, the small runs first."""
    runs = sorted((measure.calls_in(path), name, path) for name, path in traces)
    efforts = {each: plan.main if each in MAIN else plan.others for each in plan.strategies}
    tasks = [
        partial(_ours, kept, name, path, strategy, effort)
        for calls, name, path in runs
        for strategy, effort in efforts.items()
        if effort.covers(calls)
    ]
    return _all(tasks, plan.jobs)


def _ours(kept: Path, name: str, path: Path, strategy: str, effort: Effort) -> list[Figures]:
    measuring = Measuring(name, path, strategy, effort)
    wanted = None if effort.is_everywhere(measure.calls_in(path)) else effort.sample
    found = []
    for shape in SHAPES:
        names = "+".join(measuring.names(shape)) or PLAIN
        start = f"{name}-{strategy}" + (f"-first{effort.named}" if effort.named else "")
        known = _known(kept, start, wanted, names)
        if not known.exists():
            known.write_text(json.dumps(asdict(measuring.measured(shape))))
        found.append(Figures(**{**json.loads(known.read_text()), "shape": shape}))
    return found


def _known(kept: Path, start: str, wanted: int | None, names: str) -> Path:
    """Return where figures are kept: the most exact ones, if they are as exact as is wanted."""
    everywhere = kept / f"{start}-all-{names}.json"
    if wanted is None or everywhere.exists():
        return everywhere
    pattern = re.compile(re.escape(start) + r"-(\d+)-" + re.escape(names) + r"\.json")
    matches = map(pattern.fullmatch, (path.name for path in kept.glob(f"{start}-*.json")))
    count = max(*(int(match[1]) for match in matches if match), wanted, 0)
    return kept / f"{start}-{count}-{names}.json"


def _by_papers(kept: Path, most: int | None, name: str, path: Path) -> list[PaperFigures]:
    known = kept / f"{name}-papers-{most or 'all'}.json"
    if known.exists():
        rows = json.loads(known.read_text())
        return [PaperFigures(**{**each, "made": papers.Made(**each["made"])}) for each in rows]
    found = papers.measured(name, path, most)
    known.write_text(json.dumps([asdict(each) for each in found]))
    return found


def _all(tasks: Sequence[Callable[[], list[_Row]]], jobs: int) -> list[_Row]:
    """Do all tasks, some in parallel, and show the progress."""
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
        *_about(plan).splitlines(),
        "",
        *ours.headline(),
        *report.verdict(figures, loops, missed, is_whole=plan.is_whole),
        "",
        *report.balancing(by_papers),
        "## Table 1 of Loops (papers' convention)",
        "",
        *report.expansion(by_papers, "heaviest-first"),
        *report.expansion(by_papers, "hirunkitti"),
        "## Our convention, program by program",
        "",
        "Mean questions (worst; mean lines of the diagnosis); ~: at a sample of so many positions.",
        "",
    ]
    for strategy in (each for each in MAIN if each in plan.strategies):
        lines += ours.programs(strategy)
    lines += ["## Every strategy", ""]
    return [*lines, *ours.matrices()]


def _about(plan: Plan) -> str:
    return ABOUT.format(
        main=" and ".join(MAIN).capitalize(),
        here=_where(plan.main),
        there=_where(plan.others),
        nodes=f"{plan.nodes} nodes of a tree at most" if plan.nodes else "every node of each tree",
        named=_named(plan.main),
        shape=", ".join(DEFAULT_SHAPE),
    )


def _named(effort: Effort) -> str:
    if not effort.named:
        return 'All answers are "right" or "wrong".'
    return (
        f"Of loops of up to {effort.named} turns the first wrong turn is named, as with `first 3`."
    )


def _where(effort: Effort) -> str:
    if effort.every is None:
        return "every position of all runs"
    beyond = f"{effort.sample} positions of larger ones" if effort.sample else "larger are left out"
    return f"every position of runs of up to {effort.every} calls, {beyond}"


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
