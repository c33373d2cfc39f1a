"""Shapes: the problems of searching one run, one for each shape of its tree."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple, TypeAlias

from sleuth.search.problem import Feeding, Late, Problem
from sleuth.tree.flat import FlatTree
from sleuth.tree.node import NodeKind
from sleuth.tree.transformations.outline import Outline

_MOST_PROBLEMS = 16

Shape: TypeAlias = Callable[[Outline], FlatTree]
"""Returns the tree of a run in the shape of an outline."""


class Looks(NamedTuple):
    """How questions look to a person."""

    cost: Callable[[FlatTree, int], float]
    """Returns how hard a node of a tree is to judge."""
    is_silent: Callable[[FlatTree, int], bool]
    """Tells whether the question about a node of a tree shows nothing to judge."""
    is_late: Late
    """Tells which nodes of a tree are asked about last."""
    feeding: Feeding | None = None
    """Returns the calls of the generators that a call took values from: whoever judges the call may
    mean these values."""


class Shapes:
    """Makes the problems of one run, with a cache: each keeps what was found out about nodes."""

    def __init__(
        self,
        tree: Shape,
        *,
        symptom: Sequence[int] = (),
        is_inside_out: bool = False,
        fingerprint: Callable[[int], Hashable] | None = None,
        looks: Looks | None = None,
    ) -> None:
        self._tree = tree
        self._symptom = symptom
        """The calls that show the symptom."""
        self._is_inside_out = is_inside_out
        """Whether the innermost of them is asked about first."""
        self._fingerprint = fingerprint
        """Returns equal values for calls, given by number, that do the same."""
        self._looks = looks
        """How questions look to a person."""
        self._problems: dict[tuple[int, int, tuple[str, ...]], Problem] = {}
        """Problems by tree, root and shape."""

    def problem(self, root: int = 0) -> Problem:
        """Return the problem of searching below a node of the tree as recorded."""
        return self._made(self._tree(Outline()), root, ())

    def reshaped(self, problem: Problem, outline: Outline) -> Problem:
        """Return a problem with the same root in a tree of another shape."""
        tree, shape = self._tree(outline), outline.names
        if tree is problem.tree and shape == problem.shape:
            return problem
        key = problem.tree.key(problem.root)
        root = tree.find(key)
        if root is None:  # a turn, and the new tree has no turns: take its call
            root = tree.holder(key.call)
        known = (id(tree), root or 0, shape)
        if known not in self._problems:
            if len(self._problems) >= _MOST_PROBLEMS:
                del self._problems[next(iter(self._problems))]
            self._problems[known] = self._made(tree, root or 0, shape)
        found = self._problems[known]
        if (found.is_assumed, found.weigh) != (problem.is_assumed, problem.weigh):
            return replace(found, is_assumed=problem.is_assumed, weigh=problem.weigh)
        return found

    def _made(self, tree: FlatTree, root: int, shape: tuple[str, ...]) -> Problem:
        looks = self._looks
        return Problem(
            tree,
            root=root,
            path=tuple(dict.fromkeys(filter(None, map(tree.holder, self._symptom)))),
            is_inside_out=self._is_inside_out,
            fingerprint=None if self._fingerprint is None else partial(self._print_of, tree),
            cost=None if looks is None else partial(looks.cost, tree),
            is_silent=None if looks is None else partial(looks.is_silent, tree),
            is_late=None if looks is None else looks.is_late,
            feeding=None if looks is None else looks.feeding,
            shape=shape,
            shapes=self,
        )

    def _print_of(self, tree: FlatTree, node: int) -> Hashable:
        if self._fingerprint is None or tree.kind[node] not in (NodeKind.RUN, NodeKind.CALL):
            return tree.key(node)  # turns that look equal can work on different variables
        call = int(tree.call[node])
        return self._fingerprint(call) if call >= 0 else "the whole run"
