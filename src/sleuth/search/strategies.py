"""Strategies: each chooses the next node to ask about.

A strategy takes a search space and returns one of its candidates, counted from the focus.  It keeps
no state.  All have one rule for ties: the best score, then the fewest remaining nodes in the
subtree, then the earliest.

Many have a measure of questions, `worth`; `choice.py` uses it to choose among those nearly as good.
"""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from sleuth.search import edge_ranking, weights
from sleuth.search.ease import bits
from sleuth.search.question import Verdict
from sleuth.search.space import SearchSpace
from sleuth.tree.node import Masses, Numbers
from sleuth.tree.transformations.outline import Asking

Strategy: TypeAlias = Callable[[SearchSpace], int]
Worth: TypeAlias = Callable[[SearchSpace], tuple[Numbers, Masses]]
"""Returns nodes that could be asked about, and what each question is worth; at least 0."""
Scores: TypeAlias = npt.NDArray[np.float64] | npt.NDArray[np.int64]

_NOISE = 1e-9
"""Relative difference below which scores are equal, as sums are not exact."""
_JUMP = 3
"""How deep Hat-Delta's heuristics look for the next question."""


def best(space: SearchSpace, among: Numbers, score: Scores, *, heavier: bool = False) -> int:
    """Return the node with the least score; ties by the rule, or to the heavier subtree."""
    tied = _tied(among, score)
    left = space.nodes_left(tied)
    return int(tied[np.argmax(left) if heavier else np.argmin(left)])


def _tied(among: Numbers, score: Scores) -> Numbers:
    noise = _NOISE * max(float(np.abs(score).max()), 1.0)
    tied: Numbers = among[score <= score.min() + noise]
    return tied


def frontier(space: SearchSpace) -> Numbers:
    """Return the candidates that have no candidate above them."""
    nodes = space.candidates
    is_outermost = np.ones(len(nodes), bool)
    # Subtrees are nested or disjoint: one that begins before and ends after a node contains it.
    is_outermost[1:] = nodes[1:] >= np.maximum.accumulate(space.ends[nodes])[:-1]
    return nodes[is_outermost]


def _levels(space: SearchSpace) -> Numbers:
    """Return how many candidates there are from the focus down to each node, itself included."""
    opened = np.zeros(len(space.ends) + 1, np.int64)
    opened[space.candidates] = 1
    opened -= np.bincount(space.ends[space.candidates], minlength=len(opened))
    return np.cumsum(opened[:-1])


def _nearest_half(space: SearchSpace, own: Masses, *, heavier: bool = False) -> int:
    """Return the candidate whose subtree is nearest to half of all mass."""
    weight = space.summed(own)
    nodes = space.candidates
    return best(space, nodes, np.abs(2 * weight[nodes] - weight[0]), heavier=heavier)


def _smaller_part(space: SearchSpace, own: Masses) -> tuple[Numbers, Masses]:
    """Measure questions by what they exclude at least, whatever the answer."""
    weight = space.summed(own)
    inside = weight[space.candidates]
    return space.candidates, np.minimum(inside, weight[0] - inside)


def _of_children(space: SearchSpace, own: Masses) -> tuple[Numbers, Masses]:
    """Measure questions about the children of the focus by their weight."""
    nodes = frontier(space)
    return nodes, space.summed(own)[nodes]


# --- From one end to the other -------------------------------------------------------------------


def single_stepping(space: SearchSpace) -> int:
    """Ask in postorder: the first wrong node is guilty."""
    nodes = space.candidates
    depth = space.tree.depth[space.focus + nodes]
    return int(nodes[np.argmin(space.ends[nodes] - depth)])


def top_down(space: SearchSpace) -> int:
    """Ask the children of the focus in the order they were called."""
    return int(frontier(space)[0])


def heaviest_first(space: SearchSpace) -> int:
    """Ask the child of the focus with the most suspicion in its subtree."""
    nodes = frontier(space)
    return best(space, nodes, -space.weight[nodes])


def zooming(space: SearchSpace) -> int:
    """Ask the children that are calls of the same function first."""
    nodes = frontier(space)
    names = space.tree.routine[space.focus + nodes]
    same = nodes[names == space.tree.routine[space.focus]]
    return int((same if len(same) else nodes)[0])


def more_rules_first(space: SearchSpace) -> int:
    """Ask the child whose subtree has the most functions without an answer."""
    nodes = frontier(space)
    return best(space, nodes, -weights.distinct(space, nodes))


def along_path(space: SearchSpace) -> int:
    """Ask in the middle of the deepest path."""
    nodes = space.candidates
    deepest = nodes[np.argmax(_levels(space)[nodes])]
    path = nodes[(nodes <= deepest) & (space.ends[nodes] > deepest)]
    return int(path[len(path) // 2])


# --- Divide and query ----------------------------------------------------------------------------


def shapiro(space: SearchSpace) -> int:
    """Ask the heaviest subtree that is not above half."""
    nodes = space.candidates
    weight = space.weight[nodes]
    light = 2 * weight <= space.total
    if not light.any():
        return best(space, nodes, weight)
    return best(space, nodes[light], -weight[light])


def hirunkitti(space: SearchSpace) -> int:
    """Ask the subtree nearest to half."""
    return _nearest_half(space, space.own)


def optimal(space: SearchSpace) -> int:
    """Ask the node with as much weight strictly below as outside."""
    nodes = space.candidates
    undefined = space.total - (space.own[0] if space.is_wrong else 0.0)
    return best(space, nodes, np.abs(2 * space.weight[nodes] - space.own[nodes] - undefined))


def divide_by_rules(space: SearchSpace) -> int:
    """Ask the subtree nearest to half of the functions without an answer."""
    return _nearest_half(space, weights.one_of_each(space))


def divide_by_yes(space: SearchSpace) -> int:
    """Ask the subtree nearest to half, where each right call makes its function weigh less."""
    return _nearest_half(space, weights.fewer_rights(space))


def dynamic_weighting(space: SearchSpace) -> int:
    """Ask the subtree nearest to half, weighted by callees, recursion and answers so far."""
    return _nearest_half(space, weights.learned(space))


# --- By the answers so far -----------------------------------------------------------------------


def less_yes_first(space: SearchSpace) -> int:
    """Ask the heaviest child, where each right call makes its function weigh less."""
    nodes = frontier(space)
    return best(space, nodes, -space.summed(weights.fewer_rights(space))[nodes])


def _jumping(space: SearchSpace, of_routine: Masses) -> int:
    """Return the node near the focus with the least score; ties to the most suspicion in it."""
    levels = _levels(space)[space.candidates]
    nodes = space.candidates[levels <= _JUMP]
    tied = _tied(nodes, of_routine[weights.routines(space)[nodes]])
    return best(space, tied, -space.weight[tied])


def fewest_right(space: SearchSpace) -> int:
    """Ask, near the focus, about the function with the fewest right calls."""
    return _jumping(space, weights.told(space, Verdict.RIGHT))


def most_wrong(space: SearchSpace) -> int:
    """Ask, near the focus, about the function with the most wrong calls."""
    return _jumping(space, -weights.told(space, Verdict.WRONG))


def highest_ratio(space: SearchSpace) -> int:
    """Ask, near the focus, about the function with the largest share of wrong calls."""
    right, wrong = (weights.told(space, each) for each in (Verdict.RIGHT, Verdict.WRONG))
    known = np.maximum(right + wrong, 1.0)
    return _jumping(space, -np.where(right + wrong > 0, wrong / known, 0.5))


# --- The best ------------------------------------------------------------------------------------


def worst_case(space: SearchSpace) -> int:
    """Ask the question that minimises the number of questions in the worst case."""
    nodes = space.in_any_order
    return best(space, nodes, -edge_ranking.labels(space)[nodes].astype(np.int64))


def bisection(space: SearchSpace) -> int:
    """Ask the subtree nearest to half of the suspicion."""
    return _nearest_half(space, space.own)


# --- What a question is worth, by the measure of its strategy ------------------------------------


def _information(space: SearchSpace) -> tuple[Numbers, Masses]:
    nodes = space.candidates
    return nodes, bits(space.weight[nodes] / (space.total or 1.0))


def _half(space: SearchSpace) -> tuple[Numbers, Masses]:
    return _smaller_part(space, space.own)


def _half_of_rules(space: SearchSpace) -> tuple[Numbers, Masses]:
    return _smaller_part(space, weights.one_of_each(space))


def _half_without_yes(space: SearchSpace) -> tuple[Numbers, Masses]:
    return _smaller_part(space, weights.fewer_rights(space))


def _half_as_learned(space: SearchSpace) -> tuple[Numbers, Masses]:
    return _smaller_part(space, weights.learned(space))


def _light(space: SearchSpace) -> tuple[Numbers, Masses]:
    nodes = space.candidates
    weight = space.weight[nodes]
    is_light = 2 * weight <= space.total
    return (nodes[is_light], weight[is_light]) if is_light.any() else (nodes, space.total - weight)


def _below_and_outside(space: SearchSpace) -> tuple[Numbers, Masses]:
    nodes = space.candidates
    weight, own = space.weight[nodes], space.own[nodes]
    outside = space.total - (space.own[0] if space.is_wrong else 0.0) - weight
    return nodes, np.maximum(np.minimum(weight - own, outside) + own / 2, 0.0)


def _heavy(space: SearchSpace) -> tuple[Numbers, Masses]:
    return _of_children(space, space.own)


def _heavy_without_yes(space: SearchSpace) -> tuple[Numbers, Masses]:
    return _of_children(space, weights.fewer_rights(space))


def _rules(space: SearchSpace) -> tuple[Numbers, Masses]:
    nodes = frontier(space)
    return nodes, weights.distinct(space, nodes).astype(float)


class Described(NamedTuple):
    """A strategy and when to use it."""

    choose: Strategy
    when: str
    asking: Asking = Asking.DIVIDING
    worth: Worth | None = None
    """Its measure of questions.  None: it goes by their order, so none is nearly as good."""
    is_exact: bool = False
    """Whether it keeps its own order of questions, whatever they look like to a person."""


DEFAULT = "bisection"

STRATEGIES: dict[str, Described] = {
    DEFAULT: Described(
        bisection,
        "The default: halves the suspicion, and of nearly equal questions takes the easiest.",
        worth=_information,
    ),
    "worst-case": Described(
        worst_case,
        "When you want to know how many questions are left at most: the fewest possible.",
        is_exact=True,
    ),
    "path": Described(
        along_path, "For exceptions and deep recursion: halves the deepest chain of calls."
    ),
    "top-down": Described(
        top_down,
        "To follow the program from the outside in: each question continues the last.",
        Asking.TOP_DOWN,
    ),
    "heaviest-first": Described(
        heaviest_first,
        "From the outside in, but the largest part of the program first.",
        Asking.TOP_DOWN,
        worth=_heavy,
    ),
    "zooming": Described(
        zooming,
        "For recursive functions: stays with calls of the function that was wrong.",
        Asking.TOP_DOWN,
    ),
    "more-rules-first": Described(
        more_rules_first,
        "From the outside in, where most functions not yet asked about run.",
        Asking.TOP_DOWN,
        worth=_rules,
    ),
    "less-yes-first": Described(
        less_yes_first,
        "From the outside in, avoiding functions that were right so far.",
        Asking.TOP_DOWN,
        worth=_heavy_without_yes,
    ),
    "single-stepping": Described(
        single_stepping, "Small questions from the inside out: for short runs, or to check all."
    ),
    "shapiro": Described(
        shapiro,
        "Divide and query as first published: the heaviest part of at most half.",
        worth=_light,
    ),
    "hirunkitti": Described(hirunkitti, "Divide and query: the part nearest to half.", worth=_half),
    "optimal": Described(
        optimal,
        "Divide and query of Insa and Silva: as much below the question as outside.",
        worth=_below_and_outside,
    ),
    "divide-by-rules": Described(
        divide_by_rules,
        "When few functions are called very often: halves functions, not calls.",
        worth=_half_of_rules,
    ),
    "divide-by-yes": Described(
        divide_by_yes,
        "When functions that were right once tend to be right again.",
        worth=_half_without_yes,
    ),
    "dynamic-weighting": Described(
        dynamic_weighting,
        "Learns from each answer which functions are suspicious, then halves.",
        worth=_half_as_learned,
    ),
    "hat-delta-fewest-right": Described(
        fewest_right,
        "Stays near, and asks about the functions that were right least often.",
        Asking.TOP_DOWN,
    ),
    "hat-delta-most-wrong": Described(
        most_wrong,
        "Stays near, and asks about the functions that were wrong most often.",
        Asking.TOP_DOWN,
    ),
    "hat-delta-ratio": Described(
        highest_ratio,
        "Stays near, and asks about the functions most often wrong for their calls.",
        Asking.TOP_DOWN,
    ),
}
