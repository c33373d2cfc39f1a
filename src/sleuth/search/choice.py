"""The choice of the next question: that of the strategy, or one nearly as good that is easier.

A strategy is exact, and knows nothing of persons.  If a person is asked, of the questions within
5 % of the strategy's best, by its own measure, the one is taken that is answered fastest; questions
that show nothing to judge come last.  A call comes before its loops, and a loop before its turns,
unless it is as good as known to be wrong; a loop of a few turns, whose table is read at a glance,
unless it must be wrong.
"""

from typing import NamedTuple

import numpy as np

from sleuth.search.ease import easiest
from sleuth.search.order import around, is_of_few_turns
from sleuth.search.question import Ease
from sleuth.search.space import SearchSpace
from sleuth.search.strategies import Described
from sleuth.tree.node import NodeKind

_MOST_LOOKED = 400
"""Nodes that are looked at for one question, as looking takes time."""
_MOST_MEMBERS = 12
"""Members of a group that are compared, as that takes time, too."""
_SURE = 0.95
"""A call or loop with a larger share of the suspicion is as good as known to be wrong."""
_KNOWN = 1 - 1e-9
"""With a larger share it is known to be wrong, as sums are not exact."""


class Choice(NamedTuple):
    """The node to ask about."""

    node: int
    """Counted from the focus."""
    ease: Ease | None = None
    """How it compares to others; None: it was not compared."""
    is_before_parts: bool = False
    """Whether it comes before its parts: a call before its loops and callees, a loop before its
    turns, or one call before its group."""


def chosen(space: SearchSpace, strategy: Described) -> Choice:
    """Return the next question of a strategy; there must be a candidate."""
    is_silent = space.problem.is_silent
    choice = _preferred(space, strategy)
    if strategy.is_exact or is_silent is None:
        return choice
    for _ in range(_MOST_LOOKED):
        is_all = choice.node in space.silent  # nothing else is left
        if is_all or not is_silent(choice.node + space.focus):
            break
        space = space.without(choice.node)
        choice = _preferred(space, strategy)
    return choice


def _preferred(space: SearchSpace, strategy: Described) -> Choice:
    best = strategy.choose(space)
    if space.problem.cost is None or strategy.is_exact:
        return Choice(best)
    choice = Choice(best)
    if strategy.worth is not None:
        nodes, worth = strategy.worth(space)
        node, ease = easiest(space, best, nodes, worth)
        choice = Choice(node, ease, is_before_parts=ease is None)
    alone = _one_of_equals(space, choice.node)
    if alone != choice.node:
        choice = Choice(alone, is_before_parts=True)
    unsure = (each for each in around(space, choice.node) if _is_unsure(space, each))
    before = next(unsure, None)
    return choice if before is None else Choice(before, is_before_parts=True)


def _is_unsure(space: SearchSpace, node: int) -> bool:
    """Tell whether a call or loop may be right; one of a few turns is sure only if it must be."""
    most = _KNOWN if is_of_few_turns(space, node) else _SURE
    return bool(space.weight[node] <= most * space.total)


def _one_of_equals(space: SearchSpace, node: int) -> int:
    """Return the first open member of a group if the questions about all of them are equal.

    One answer is enough then, and one call is read faster than a list of them.
    """
    tree, number = space.tree, node + space.focus
    if tree.kind[number] != NodeKind.GROUP or space.problem.fingerprint is None:
        return node
    inside = np.arange(number + 1, tree.end[number])
    is_member = (tree.kind[inside] == NodeKind.CALL) & space.is_open[inside - space.focus]
    members = inside[is_member & (tree.kind[tree.parent[inside]] == NodeKind.GROUP)]
    if not 0 < len(members) <= _MOST_MEMBERS or len(np.unique(tree.routine[members])) > 1:
        return node
    is_equal = len({space.problem.print_of(each) for each in members.tolist()}) == 1
    return int(members[0]) - space.focus if is_equal else node
