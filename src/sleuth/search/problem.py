"""Case: what is searched, and what is known of it from outside."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from sleuth.tree.node import ExecutionTree, Key, Masses, Numbers, Small
from sleuth.tree.transformations.outline import Outline

if TYPE_CHECKING:
    from sleuth.search.space import SearchSpace

Fingerprint: TypeAlias = Callable[[int], Hashable]
Cost: TypeAlias = Callable[[int], float]
Weigh: TypeAlias = Callable[["SearchSpace"], Masses]
Reshape: TypeAlias = Callable[["Case", Outline], "Case"]
"""Gives the same case with a tree of another shape."""

MOST_EQUAL = 2_000
"""Of how many nodes it is found out at once whether their questions are equal."""


@dataclass(frozen=True, eq=False)
class Case:
    """A tree, where to search, and how somebody else sees its nodes."""

    tree: ExecutionTree
    root: int = 0
    is_assumed: bool = True
    """Whether the root is assumed to be wrong: the user came with a symptom."""
    path: tuple[int, ...] = ()
    """Nodes on which the symptom shows: they are asked about first."""
    fingerprint: Fingerprint | None = None
    """Equal values: the same question.  None: no two questions are equal."""
    cost: Cost | None = None
    """How hard a node is to judge; asked for a few nodes only."""
    weigh: Weigh | None = None
    """Own masses of the nodes of the focus, where they are not the tree's."""
    shape: tuple[str, ...] = ()
    """The transformations that made the tree."""
    reshape: Reshape | None = None
    """None: the tree has just one shape."""
    rankings: dict[tuple[int, bytes], Small] = field(default_factory=dict, init=False, repr=False)
    """The last edge ranking: see `ranking`."""
    _numbers: dict[Key, int | None] = field(default_factory=dict, init=False, repr=False)
    _equals: dict[int, Numbers] = field(default_factory=dict, init=False, repr=False)
    _prints: dict[int, Hashable] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def start(self) -> int:
        """Where the search begins: the root, or what makes it wrong.

        A node without code of its own is wrong because of a child: the only one, or the one on
        which the symptom shows.  That may be one that is trusted, as a test is: then the bug is in
        what it called, or it was given what was wrong already.
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
        """Return the node that is about this; None: the tree has none."""
        if key not in self._numbers:
            self._numbers[key] = self.tree.find(key)
        return self._numbers[key]

    def print_of(self, node: int) -> Hashable:
        """Return what stands for a node's question: equal ones are the same."""
        if self.fingerprint is None:
            return node
        if node not in self._prints:
            self._prints[node] = self.fingerprint(node)
        return self._prints[node]

    def equals(self, node: int) -> Numbers:
        """Return the nodes with a question equal to this one's, itself included.

        With very many calls of the function only the nearest are looked at.
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
