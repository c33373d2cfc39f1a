"""Measures how many questions a strategy needs in each shape of one run, by our convention.

The first call, which made all others, is known to be wrong.  The bug is assumed at every position
of the recorded run, in whole sessions: the tree is opened, and transformed again, as answers come.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from bench.questions.corpus import Subject
from bench.questions.narrow import Narrowing
from bench.questions.positions import Positions, positions_of
from bench.questions.shapes import SHAPES
from bench.questions.walk import Lost, Walked, walked
from sleuth.search.question import Answer, Question, Verdict
from sleuth.trace.reader import Trace
from sleuth.tree.coverage import coverage
from sleuth.tree.loops.parts import outside_loops, part_coverage, part_of
from sleuth.tree.loops.turns import parted, turns_of
from sleuth.tree.node import Key
from sleuth.tree.transformations.compress import recursive

SEED = 1


@dataclass(frozen=True, slots=True)
class Effort:
    """How many positions of the bug are measured."""

    every: int | None
    """Runs of up to this many calls are measured at every position; None: all runs."""
    sample: int
    """Larger runs are measured at this many positions; 0: not at all."""
    named: int = 0
    """Of loops of up to so many turns the first wrong turn is named; 0: none is."""

    def covers(self, calls: int) -> bool:
        """Tell whether a run of so many calls is measured."""
        return self.is_everywhere(calls) or self.sample > 0

    def is_everywhere(self, calls: int) -> bool:
        """Tell whether it is measured at every position."""
        return self.every is None or calls <= self.every

    def positions(self, trace: Trace) -> tuple[Positions, bool]:
        """Return where to put the bug, and whether that is everywhere."""
        everywhere = positions_of(trace)
        if self.is_everywhere(trace.call_count):
            return everywhere, True
        found = everywhere.sampled(self.sample, SEED)
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
    """How many positions were measured; 0: all."""
    seconds: float
    lost: str = ""
    """Not empty: a search did not find its bug; the figures mean nothing."""


def calls_in(path: Path) -> int:
    """Return how many calls a trace has."""
    return Trace(path).call_count


class Measuring:
    """Measures one strategy on one run."""

    def __init__(self, name: str, path: Path, strategy: str, effort: Effort) -> None:
        self._name = name
        self._strategy = strategy
        self._trace = Trace(path)
        self._subject = Subject(self._trace)
        self._positions, self._is_all = effort.positions(self._trace)
        self._sizes = Sizes(self._trace)
        self._naming = None if not effort.named else partial(named, self._trace, effort.named)

    def names(self, shape: str) -> tuple[str, ...]:
        """Return the transformations of a shape that do something: no recursion, no compression."""
        if recursive(self._subject.tree).any():
            return SHAPES[shape]
        return tuple(name for name in SHAPES[shape] if not name.startswith("compress"))

    def measured(self, shape: str) -> Figures:
        """Measure one shape."""
        names, positions = self.names(shape), self._positions
        start = time.process_time()
        mean, worst, lines, lost = 0.0, 0, 0.0, ""
        try:
            begun = self._subject.begun(self._strategy, names)
            result = walked(begun, positions, Narrowing(self._subject), naming=self._naming)
        except Lost as error:
            lost = str(error)
        else:
            mean, worst = result.mean(positions.weight), result.worst
            lines = self._sizes.mean(result, positions, has_loops="loops" in names)
        seconds = time.process_time() - start
        looked = 0 if self._is_all else len(positions)
        found = mean, worst, lines, self._trace.call_count, looked, seconds, lost
        return Figures(self._name, self._strategy, shape, *found)


def named(trace: Trace, most: int, question: Question) -> Iterator[tuple[Answer, ...]]:
    """Yield the answers `first 1`, `first 2` ... to a question about a loop of a few turns."""
    part = part_of(trace, question.about)
    turns = None if part is None or not part.is_loop else turns_of(trace, question.about)
    if turns is None or not 1 < len(turns.starts) <= most:
        return
    for turn in range(1, len(turns.starts) + 1):
        before, wrong = parted(turns, turn)
        right = () if before is None else (Answer(before, Verdict.RIGHT),)
        yield (Answer(wrong, Verdict.WRONG), *right)


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
            is_one = part.is_loop and part.count == 1
            return len(part_coverage(trace, key, part, is_one=is_one).lines)
        call = trace.call(key.call)
        covered = coverage(trace, call)
        return len((outside_loops(trace, call, covered) if has_loops else covered).lines)
