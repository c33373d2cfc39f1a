"""Gates: limits for the figures, by our convention."""

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import log2
from pathlib import Path
from statistics import fmean

from bench.questions.corpus import Subject, recorded_text
from bench.questions.measure import Figures
from bench.questions.positions import positions_of
from bench.questions.shapes import ALL, MEANT_FOR, PLAIN, SHAPES
from bench.questions.walk import walked
from sleuth.search.strategies import DEFAULT
from sleuth.trace.reader import Trace

MOST_MORE = 1.0
"""How many questions more than plain a transformation may cost, in the mean of a program."""
MOST_OF_PLAIN = 0.40
"""The limit for all transformations with the default strategy, as a part of plain top-down."""
MOST_OF_LOG = 1.15
"""The limit for loops of leaf calls, as a multiple of log2 of the positions."""
TURNS = (15, 63, 255)
LOOP = """
def leaf(number):
    return 2 * number

def main():
    for number in range({turns}):
        leaf(number)

main()
"""


def missed(figures: Sequence[Figures], *, is_whole: bool = True) -> Iterator[str]:
    """Yield the missed gates, in words; those for the whole set only if it `is_whole`."""
    known = {(each.program, each.strategy, each.shape): each for each in figures}
    for each in figures:
        if each.lost:
            yield f"{each.program}, {each.strategy}, {each.shape}: a bug was not found"
    for each in figures:
        plain = known.get((each.program, each.strategy, PLAIN))
        if each.strategy not in MEANT_FOR.get(each.shape, ()) or plain is None or each.lost:
            continue
        more = each.mean - plain.mean
        if more > MOST_MORE:
            yield (
                f"{each.shape} under {each.strategy} costs {more:.2f} questions more "
                f"on {each.program}"
            )
    part = part_of_plain(figures, ALL)
    if is_whole and part is not None and part.of_sums > MOST_OF_PLAIN:
        yield f"all with the default strategy: {part.of_sums:.1%} of plain top-down"


@dataclass(frozen=True, slots=True)
class Part:
    """The questions of the default strategy in a shape, as a part of those of plain top-down."""

    of_sums: float
    """The ratio of the sums over all runs: large runs count most."""
    mean: float
    """The mean of the ratios of single runs: each run counts the same."""


def part_of_plain(figures: Sequence[Figures], shape: str) -> Part | None:
    """Return the remaining part of the questions of plain top-down, in both readings."""
    ours = {e.program: e.mean for e in figures if (e.strategy, e.shape) == (DEFAULT, shape)}
    plain = {e.program: e.mean for e in figures if (e.strategy, e.shape) == ("top-down", PLAIN)}
    both = sorted(ours.keys() & plain.keys())
    if not both:
        return None
    return Part(
        of_sums=sum(ours[each] for each in both) / sum(plain[each] for each in both),
        mean=fmean(ours[each] / plain[each] for each in both),
    )


def missed_loops(loops: Sequence[tuple[int, str, float, float]]) -> Iterator[str]:
    """Yield the gates for loops of leaf calls that are missed."""
    for turns, shape, mean, log in loops:
        if mean > MOST_OF_LOG * log:
            yield f"a loop of {turns} leaf calls, {shape}: {mean / log:.2f} x log2 of the positions"


def loops_of_leaf_calls() -> Iterator[tuple[int, str, float, float]]:
    """Yield turns, shape, the mean number of questions, and log2 of the positions."""
    with tempfile.TemporaryDirectory() as folder:
        for turns in TURNS:
            path = recorded_text(LOOP.format(turns=turns), Path(folder), f"loop{turns}")
            trace = Trace(path)
            positions = positions_of(trace)
            for shape in ("balance unrestricted", ALL):
                session = Subject(trace).begun(DEFAULT, SHAPES[shape])
                found = walked(session, positions)
                # As many as the shape tells apart: with loops each turn is one, too.
                count = len(set(found.diagnosis))
                yield turns, shape, found.mean(positions.weight), log2(count)
