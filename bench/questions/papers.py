"""Measures numbers of questions as the papers do, so that the figures can be compared.

The bug is put at every node of each tree, new ones included; the root is asked about; all nodes
weigh the same; and the tree is transformed once, before the first question.
"""

import time
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from bench.questions.corpus import Subject
from bench.questions.shapes import ALSO_PUBLISHED, PLAIN, SHAPES
from bench.questions.walk import walked
from sleuth.search.problem import Problem
from sleuth.search.session import Session
from sleuth.search.strategies import STRATEGIES
from sleuth.trace.reader import Trace
from sleuth.tree.flat import FlatTree
from sleuth.tree.node import Masses, NodeKind, Numbers
from sleuth.tree.transformations import Shaper
from sleuth.tree.transformations.outline import Asking, Outline

OF_BALANCING = (PLAIN, "balance", "balance unrestricted")
OF_LOOPS = (PLAIN, "loops", "loops + compress", "loops + optimised compress")
COMPARED = (("top-down", OF_BALANCING), ("heaviest-first", OF_LOOPS), ("hirunkitti", OF_LOOPS))
"""Strategies and shapes of the papers' tables; "top-down" in Loops means heaviest first."""

_MOST_STEPS = 40


@dataclass(frozen=True, slots=True, eq=False)
class Nodes:
    """Nodes of a tree as places for the bug."""

    numbers: Numbers

    @property
    def weight(self) -> Masses:
        """All weigh the same."""
        return np.ones(len(self.numbers))

    def __len__(self) -> int:
        return len(self.numbers)

    def taken(self, places: Numbers) -> "Nodes":
        """Return some of them."""
        return Nodes(self.numbers[places])

    def owners(self, _tree: FlatTree) -> Numbers:
        """Return the nodes themselves."""
        return self.numbers


@dataclass(frozen=True, slots=True)
class Made:
    """A tree after its transformations."""

    nodes: int
    projections: int
    projected: int
    """The number of nodes in the outermost projections, including those nested in them."""
    collapses: int
    collapsed: int
    loops: int
    milliseconds: float


def transformed(subject: Subject, shape: str, asking: Asking) -> tuple[FlatTree, Made]:
    """Transform a whole tree at once."""
    shaper = Shaper(subject.trace, subject.tree)
    start = time.process_time()
    outline = Outline((SHAPES | ALSO_PUBLISHED)[shape], asking=asking)
    tree = shaper.tree(outline)
    for _ in range(_MOST_STEPS if outline.names else 0):
        opened = frozenset(map(tree.key, range(len(tree))))
        if opened <= outline.opened:
            break
        outline = replace(outline, opened=outline.opened | opened)
        tree = shaper.tree(outline)
    return tree, _counted(tree, 1000 * (time.process_time() - start))


def _counted(tree: FlatTree, milliseconds: float) -> Made:
    is_group = tree.kind == NodeKind.GROUP
    in_group = is_group[np.maximum(tree.parent, 0)] & ~is_group
    is_merged = tree.kind == NodeKind.MERGED
    return Made(
        nodes=len(tree) - 1,
        projections=int(is_group.sum()),
        projected=int(in_group.sum()),
        collapses=int(is_merged.sum()),
        collapsed=int(is_merged[tree.merged.owner].sum()),
        # Intervals of turns have no code of their own.
        loops=int(((tree.kind == NodeKind.LOOP) & (tree.mass > 0)).sum()),
        milliseconds=milliseconds,
    )


@dataclass(frozen=True, slots=True)
class PaperFigures:
    """One strategy in one shape of one run, by the papers' convention."""

    program: str
    strategy: str
    shape: str
    mean: float
    made: Made


def measured(name: str, path: Path, most: int | None) -> list[PaperFigures]:
    """Measure one run, with the bug at no more than `most` nodes; None: at every node."""
    subject = Subject(Trace(path))
    found = []
    for strategy, shapes in COMPARED:
        for shape in shapes:
            tree, made = transformed(subject, shape, STRATEGIES[strategy].asking)
            found.append(PaperFigures(name, strategy, shape, questions(tree, strategy, most), made))
    return found


def questions(tree: FlatTree, strategy: str, most: int | None = None) -> float:
    """Return the mean number of questions in a tree as it is."""
    root = tree.find_call(0) or 0
    tree = replace(tree, mass=np.ones(len(tree)))
    numbers = np.arange(root, int(tree.end[root]))
    if most is not None and len(numbers) > most:
        numbers = numbers[np.linspace(0, len(numbers) - 1, most).astype(np.int64)]
    problem = Problem(tree, root=root, is_assumed=False)
    places = Nodes(numbers)
    return walked(Session(problem, strategy=strategy), places).mean(places.weight)
