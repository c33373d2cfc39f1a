"""The choice of the next question: that of the strategy, or one nearly as good that is easier.

A strategy is exact, and knows nothing of persons.  If a person is asked, of the questions within
5 % of the strategy's best, by its own measure, the one is taken that is answered fastest; questions
that show nothing to judge come last.  A call comes before its loops, and a loop before its turns,
unless it is as good as known to be wrong.
"""

from typing import NamedTuple

from sleuth.search.ease import easiest
from sleuth.search.order import around
from sleuth.search.question import Ease
from sleuth.search.space import SearchSpace
from sleuth.search.strategies import Described

_MOST_LOOKED = 400
"""Nodes that are looked at for one question, as looking takes time."""
_SURE = 0.87
"""A call or loop with a larger share of the suspicion is as good as known to be wrong."""


class Choice(NamedTuple):
    """The node to ask about."""

    node: int
    """Counted from the focus."""
    ease: Ease | None = None
    """How it compares to others; None: it was not compared."""
    is_before_parts: bool = False
    """Whether it is a call or a loop that comes before its loops or turns."""


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
        choice = Choice(*easiest(space, best, nodes, worth))
    unsure = (each for each in around(space, choice.node) if _is_unsure(space, each))
    before = next(unsure, None)
    return choice if before is None else Choice(before, is_before_parts=True)


def _is_unsure(space: SearchSpace, node: int) -> bool:
    return bool(space.weight[node] <= _SURE * space.total)
