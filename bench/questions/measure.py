"""Measure: how many questions a strategy needs in each shape of one run, by our convention.

The first call, which made all others, is known to be wrong.  The bug is assumed at every position
of the recorded run, in whole sessions: the tree is opened, and transformed again, as answers come.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from bench.questions.corpus import Subject
from bench.questions.narrow import Narrowing
from bench.questions.positions import Positions, positions_of
from bench.questions.shapes import SHAPES
from bench.questions.walk import Lost, Walked, walked
from sleuth.trace.reader import Trace
from sleuth.tree.coverage import coverage
from sleuth.tree.loop_part import outside_loops, part_coverage, part_of
from sleuth.tree.node import Key
from sleuth.tree.transformations.compress import recursive

SEED = 1


@dataclass(frozen=True, slots=True)
class Effort:
    """How exactly is measured: every position of small runs, fewer the larger a run is."""

    small: int
    """Up to so many calls every position is searched for."""
    sample: int
    """Of larger runs so many."""
    large: int
    """Of runs with more than a thousand calls so many."""

    def positions(self, trace: Trace) -> tuple[Positions, bool]:
        """Return where to put the bug, and whether that is everywhere."""
        everywhere = positions_of(trace)
        if trace.call_count <= self.small:
            return everywhere, True
        count = self.sample if trace.call_count <= 1_000 else self.large
        found = everywhere.sampled(count, SEED)
        return found, found is everywhere


@dataclass(frozen=True, slots=True)
class Figures:
    """One strategy in one shape of one run."""

    program: str
    strategy: str
    shape: str
    mean: float
    worst: int
    lines: float
    """The mean size of the diagnosis."""
    calls: int
    positions: int
    """How many were looked at; 0: all."""
    seconds: float
    lost: str = ""
    """Not empty: a search did not find its bug; the figures mean nothing."""


def calls_in(path: Path) -> int:
    """Return how many calls a trace has."""
    return Trace(path).call_count


def measured(
    name: str, path: Path, strategy: str, shapes: Sequence[str], effort: Effort
) -> list[Figures]:
    """Measure one strategy on one run."""
    trace = Trace(path)
    subject = Subject(trace)
    positions, is_all = effort.positions(trace)
    sizes = Sizes(trace)
    known: dict[tuple[str, ...], Figures] = {}
    for shape in shapes:
        names = _effective(subject, SHAPES[shape])
        if names in known:
            continue
        start = time.process_time()
        mean, worst, lines, lost = 0.0, 0, 0.0, ""
        try:
            result = walked(subject.begun(strategy, names), positions, Narrowing(subject))
        except Lost as error:
            lost = str(error)
        else:
            mean, worst = result.mean(positions.weight), result.worst
            lines = sizes.mean(result, positions, has_loops="loops" in names)
        seconds = time.process_time() - start
        looked = 0 if is_all else len(positions)
        row = name, strategy, shape, mean, worst, lines, trace.call_count, looked, seconds, lost
        known[names] = Figures(*row)
    return [replace(known[_effective(subject, SHAPES[each])], shape=each) for each in shapes]


def _effective(subject: Subject, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the transformations without those that do nothing: no recursion, no compression."""
    if recursive(subject.tree).any():
        return names
    return tuple(name for name in names if not name.startswith("compress"))


class Sizes:
    """How many lines a diagnosis shows."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._known: dict[tuple[Key, bool], int] = {}

    def mean(self, found: Walked, positions: Positions, *, has_loops: bool) -> float:
        """Return the mean over all positions."""
        lines = np.array([self._of(key, has_loops=has_loops) for key in found.diagnosis])
        return float(np.average(lines[found.ended], weights=positions.weight))

    def _of(self, key: Key, *, has_loops: bool) -> int:
        if (key, has_loops) not in self._known:
            self._known[key, has_loops] = self._counted(key, has_loops=has_loops)
        return self._known[key, has_loops]

    def _counted(self, key: Key, *, has_loops: bool) -> int:
        trace, part = self._trace, part_of(self._trace, key)
        if part is not None:
            return len(part_coverage(trace, key, part).lines)
        call = trace.call(key.call)
        covered = coverage(trace, call)
        return len((outside_loops(trace, call, covered) if has_loops else covered).lines)
