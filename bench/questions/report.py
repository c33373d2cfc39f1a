"""The tables, as Markdown."""

from collections.abc import Iterable, Iterator, Sequence
from statistics import fmean

from bench.questions import published
from bench.questions.gates import MOST_MORE, MOST_OF_LOG, MOST_OF_PLAIN, part_of_plain
from bench.questions.measure import Figures
from bench.questions.papers import OF_BALANCING, OF_LOOPS, PaperFigures
from bench.questions.shapes import ALL, MEANT_FOR, OF_SESSIONS, PLAIN, SHAPES
from sleuth.search.strategies import DEFAULT

TOP_DOWN = "top-down"


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """Yield the lines of a table; all columns but the first stand to the right."""
    yield "| " + " | ".join(head) + " |"
    yield "|---|" + "---:|" * (len(head) - 1)
    for row in rows:
        yield "| " + " | ".join(map(str, row)) + " |"
    yield ""


def fewer(before: float, after: float) -> float:
    """Return how many questions less, in percent."""
    return 100 * (before - after) / before if before else 0.0


class Ours:
    """The tables of our convention."""

    def __init__(self, figures: Sequence[Figures]) -> None:
        self._known = {(e.program, e.strategy, e.shape): e for e in figures}
        self._figures = figures
        self._programs = sorted({e.program for e in figures})

    def _full(self, strategy: str) -> list[str]:
        """Return the programs that have all shapes."""
        return [
            name
            for name in self._programs
            if all(
                (e := self._known.get((name, strategy, shape))) is not None and not e.lost
                for shape in SHAPES
            )
        ]

    def headline(self) -> Iterator[str]:
        """Yield the mean over the programs, of the strategies that are measured on all."""
        yield "## In short"
        yield ""
        plain = self._mean(TOP_DOWN, PLAIN)
        rows = []
        for strategy in (TOP_DOWN, DEFAULT):
            means = [self._mean(strategy, shape) for shape in SHAPES]
            if None not in means and plain:
                cells = [f"{mean:.1f} ({100 * mean / plain:.0f} %)" for mean in means if mean]
                rows.append([strategy, *cells])
        yield "Questions, the mean over all runs; in brackets as a part of plain top-down."
        yield ""
        yield from table(["strategy", *SHAPES], rows)
        sizes = [self._mean(DEFAULT, shape, "lines") for shape in SHAPES]
        if None not in sizes:
            yield (
                "Lines in the diagnosis: "
                + ", ".join(
                    f"{shape} {size:.2f}" for shape, size in zip(SHAPES, sizes, strict=True)
                )
                + "."
            )
            yield ""

    def _mean(self, strategy: str, shape: str, column: str = "mean") -> float | None:
        names = set(self._full(strategy)) & set(self._full(TOP_DOWN))
        rows = [self._known[name, strategy, shape] for name in sorted(names)]
        return fmean(getattr(row, column) for row in rows) if rows else None

    def programs(self, strategy: str) -> Iterator[str]:
        """Yield the table of one strategy, program by program."""
        yield f"### {strategy}"
        yield ""
        rows = []
        for name in self._programs:
            cells = [self._known.get((name, strategy, shape)) for shape in SHAPES]
            if any(cells):
                first = next(filter(None, cells))
                counts = sorted({each.positions for each in cells if each})
                sample = ", ".join(f"~{count}" if count else "all" for count in counts)
                rows.append([name, first.calls, sample, *map(_cell, cells)])
        yield from table(["program", "calls", "positions", *SHAPES], rows)

    def matrices(self) -> Iterator[str]:
        """Yield the mean of every strategy in every shape, by how exactly runs were measured."""
        strategies = list(dict.fromkeys(e.strategy for e in self._figures))
        runs: dict[tuple[int, ...], list[str]] = {}
        for name in self._programs:
            found = [self._known.get((name, each, PLAIN)) for each in strategies]
            if None not in found:
                runs.setdefault(tuple(e.positions for e in found if e), []).append(name)
        for counts, names in sorted(runs.items()):
            calls = [self._known[name, strategies[0], PLAIN].calls for name in names]
            where = f"{max(counts)} positions (or more)" if max(counts) else "every position"
            yield f"The mean over {len(names)} runs of {min(calls)} to {max(calls)} calls, with the"
            yield f"bug at {where}: mean questions (worst)."
            yield ""
            rows = ([each, *self._means(each, names)] for each in strategies)
            yield from table(["strategy", *SHAPES], rows)

    def _means(self, strategy: str, names: Sequence[str]) -> Iterator[str]:
        for shape in SHAPES:
            found = [self._known[name, strategy, shape] for name in names]
            found = [each for each in found if not each.lost]
            mean = fmean(each.mean for each in found)
            yield f"{mean:.2f} ({max(each.worst for each in found)})"


def _cell(each: Figures | None) -> str:
    if each is None:
        return ""
    start = "~" if each.positions else ""
    return "LOST" if each.lost else f"{start}{each.mean:.2f} ({each.worst}; {each.lines:.1f})"


def balancing(figures: Sequence[PaperFigures]) -> Iterator[str]:
    """Yield Table 1 of Balancing with our programs."""
    known = {(e.program, e.shape): e for e in figures if e.strategy == TOP_DOWN}
    rows, chains, any_, theirs = [], [], [], []
    for name in sorted({e.program for e in figures}):
        plain, made, free = (known[name, shape] for shape in OF_BALANCING)
        chains.append(fewer(plain.mean, made.mean))
        any_.append(fewer(plain.mean, free.mean))
        row = published.BALANCING.get(name)
        theirs += [fewer(row.before, row.after)] if row else []
        rows.append([
            name, plain.made.nodes,
            f"{made.made.projections}/{made.made.collapses}",
            f"{made.made.projected}/{made.made.collapsed}",
            f"{made.made.milliseconds:.0f}",
            f"{plain.mean:.2f}", f"{made.mean:.2f}", f"{chains[-1]:.1f}",
            f"{free.mean:.2f}", f"{any_[-1]:.1f}",
            f"{row.nodes}: {row.before:.2f} → {row.after:.2f}" if row else "",
        ])  # fmt: skip
    yield "## Table 1 of Balancing (papers' convention, top-down)"
    yield ""
    head = ["program", "nodes", "Pr./Co.", "nodes in them", "time, ms", "quest.", "balanced",
            "% fewer", "unrestricted", "% fewer", "published"]  # fmt: skip
    yield from table(head, rows)
    yield (
        f"**Mean: {fmean(chains):.1f} % fewer with chains, {fmean(any_):.1f} % unrestricted; "
        f"published {published.FEWER_BALANCED} % and {published.FEWER_UNRESTRICTED:.0f} %** "
        f"({fmean(theirs):.1f} % in the published rows of the programs that have the same name)."
        if theirs
        else ""
    )
    yield ""


def expansion(figures: Sequence[PaperFigures], strategy: str) -> Iterator[str]:
    """Yield Table 1 of Loops with our programs."""
    known = {(e.program, e.shape): e for e in figures if e.strategy == strategy}
    rows, both, better = [], [], []
    for name in sorted({e.program for e in figures}):
        plain, loops, always, optimised = (known[name, shape] for shape in OF_LOOPS)
        both.append(fewer(plain.mean, optimised.mean))
        better.append(fewer(always.mean, optimised.mean))
        row = published.LOOPS.get(name)
        compressing = optimised.made.milliseconds - loops.made.milliseconds
        rows.append([
            name, *(each.made.nodes for each in (plain, loops, always, optimised)),
            loops.made.loops, f"{loops.made.milliseconds:.0f}", f"{max(compressing, 0):.0f}",
            *(f"{each.mean:.2f}" for each in (plain, loops, always, optimised)),
            f"{both[-1]:.1f}", f"{better[-1]:.1f}",
            f"{row.plain:.2f} {row.loops:.2f} {row.always:.2f} {row.optimised:.2f}" if row else "",
        ])  # fmt: skip
    yield f"### {strategy}"
    yield ""
    head = ["program", "nodes", "loops", "compressed", "optimised", "expanded", "time, ms",
            "compr., ms", "quest.", "loops", "compressed", "optimised", "% fewer",
            "% by optimising", "published"]  # fmt: skip
    yield from table(head, rows)
    yield (
        f"**Mean: {fmean(both):.1f} % fewer with loops and optimised compression; optimised "
        f"against always {fmean(better):.1f} %; published {published.FEWER_LOOPS} % and "
        f"{published.FEWER_OPTIMISED} %.**"
    )
    yield ""


def verdict(
    figures: Sequence[Figures],
    loops: Sequence[tuple[int, str, float, float]],
    missed: Sequence[str],
    *,
    is_whole: bool,
) -> Iterator[str]:
    """Yield what the gates say."""
    yield "## Gates (our convention)"
    yield ""
    meant = "; ".join(f"{shape}: {', '.join(names)}" for shape, names in MEANT_FOR.items())
    yield f"- No transformation costs more than {MOST_MORE:.0f} question over plain, in the mean"
    yield f"  of any run, under the strategies it is meant for ({meant})."
    part = part_of_plain(figures, ALL)
    if part is not None:
        yield f"- {ALL.capitalize()} with {DEFAULT}: {part.of_sums:.1%} of plain top-down over the"
        limit = f"limit {MOST_OF_PLAIN:.0%}" if is_whole else "no gate: it is not the whole set"
        yield f"  set ({limit}). That is the ratio of the sums; the mean of the"
        yield f"  ratios of single runs is {part.mean:.1%}, which is no gate."
    part = part_of_plain(figures, OF_SESSIONS)
    if part is not None:
        yield f"- The shape that a session has by default, with {DEFAULT} (no gate):"
        yield f"  {part.of_sums:.1%} by the sums, {part.mean:.1%} as the mean of the runs."
    yield f"- Loops of leaf calls: at most {MOST_OF_LOG} x log2 of the positions:"
    yield ""
    yield from table(
        ["leaf calls", "shape", "questions", "x log2"],
        [(turns, shape, f"{mean:.2f}", f"{mean / log:.3f}") for turns, shape, mean, log in loops],
    )
    yield "**All kept.**" if not missed else "**Missed:**"
    yield ""
    yield from (f"- {each}" for each in missed)
