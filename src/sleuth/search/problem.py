"""Problem: the tree and the root of one search, and what is known about its nodes."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from sleuth.search.question import Hint
from sleuth.tree.node import ExecutionTree, Flags, Key, Masses, Numbers, Small

if TYPE_CHECKING:
    from sleuth.search.shapes import Shapes
    from sleuth.search.space import SearchSpace

Fingerprint: TypeAlias = Callable[[int], Hashable]
Cost: TypeAlias = Callable[[int], float]
Silent: TypeAlias = Callable[[int], bool]
Feeding: TypeAlias = Callable[[int], Sequence[int]]
Late: TypeAlias = Callable[[ExecutionTree], Flags]
Weigh: TypeAlias = Callable[["SearchSpace"], Masses]

MOST_EQUAL = 2_000
"""Nodes that are compared at once to find equal questions."""


@dataclass(frozen=True, slots=True)
class Weighing:
    """Computes the masses of a focus: a node's mass is multiplied by the factor of each hint."""

    hints: tuple[Hint, ...]
    following: tuple[Hint, ...] = ()
    """Hints by wrong values: they order the questions, but don't rank what is found."""

    def __call__(self, space: "SearchSpace") -> Masses:
        """Return the masses that order the questions."""
        return self._weighed(space, (*self.hints, *self.following))

    def ranking(self, space: "SearchSpace") -> Masses:
        """Return the masses that rank candidates."""
        return self._weighed(space, self.hints)

    @staticmethod
    def _weighed(space: "SearchSpace", hints: tuple[Hint, ...]) -> Masses:
        masses = space.tree.mass[space.focus : space.stop].astype(float)
        for hint in hints:
            masses = masses * hint.factors(space.tree)[space.focus : space.stop]
        return masses


@dataclass(frozen=True, eq=False)
class Problem:
    """The tree and the root of one search, and what is known about its nodes."""

    tree: ExecutionTree
    root: int = 0
    is_assumed: bool = True
    """Whether the root is assumed to be wrong because the user saw a symptom."""
    path: tuple[int, ...] = ()
    """The nodes that show the symptom; they are asked about first."""
    is_inside_out: bool = False
    """Whether the innermost node of the path is asked about first."""
    fingerprint: Fingerprint | None = None
    """Returns equal values for equal questions.  None: no two questions are equal."""
    cost: Cost | None = None
    """Returns how hard a node is to judge; called for a few nodes only.  None: nobody is asked who
    would care, so the strategy alone decides the order of the questions."""
    is_silent: Silent | None = None
    """Tells whether a node's question shows nothing to judge; called for a few nodes only."""
    is_late: Late | None = None
    """Tells which nodes are asked about last, whatever their weight."""
    feeding: Feeding | None = None
    """Returns the calls of the generators that a call took values from, given by number."""
    weigh: Weigh | None = None
    """Returns the masses of the nodes of the focus.  None: those of the tree."""
    shape: tuple[str, ...] = ()
    """The transformations that made the tree."""
    shapes: "Shapes | None" = None
    """Makes the same problem with a tree of another shape.  None: the tree has just one."""
    rankings: dict[tuple[int, bytes], Small] = field(default_factory=dict, init=False, repr=False)
    """A cache of the last edge ranking: see `edge_ranking`."""
    _numbers: dict[Key, int | None] = field(default_factory=dict, init=False, repr=False)
    _equals: dict[int, Numbers] = field(default_factory=dict, init=False, repr=False)
    _prints: dict[int, Hashable] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def start(self) -> int:
        """The node where the search begins: the root, or the node below that makes it wrong.

        A node without code of its own is wrong because of a child: its only one, or the one that
        shows the symptom.  That child may be trusted, as a test is: then the bug is in its callees,
        or its inputs were already wrong.
        """
        tree, start = self.tree, self.root
        while self.is_assumed and tree.mass[start] == 0 and tree.end[start] > start + 1:
            child = start + 1
            if tree.end[child] != tree.end[start]:
                child = next((node for node in self.path if tree.parent[node] == start), -1)
            if child < 0 or not tree.is_done[child]:
                break
            if tree.is_trusted[child] and child not in self.path:
                break
            start = child
        return start

    def find(self, key: Key) -> int | None:
        """Return the node with a key; None: the tree has none."""
        if key not in self._numbers:
            self._numbers[key] = self.tree.find(key)
        return self._numbers[key]

    def print_of(self, node: int) -> Hashable:
        """Return the fingerprint of a node's question; equal questions have equal ones."""
        if self.fingerprint is None:
            return node
        if node not in self._prints:
            self._prints[node] = self.fingerprint(node)
        return self._prints[node]

    def equals(self, node: int) -> Numbers:
        """Return the nodes with a question equal to this one's, itself included.

        If the function has very many calls, only the nearest are compared.
        """
        if node not in self._equals:
            routine = self.tree.routine
            same = np.flatnonzero(routine == routine[node])
            start = max(int(np.searchsorted(same, node)) - MOST_EQUAL // 2, 0)
            self._equals[node] = self.alike(node, same[start : start + MOST_EQUAL])
        return self._equals[node]

    def alike(self, node: int, among: Numbers) -> Numbers:
        """Return which of some nodes have a question equal to this one's."""
        mine = self.print_of(node)
        return np.array([each for each in among.tolist() if self.print_of(each) == mine], np.int64)
