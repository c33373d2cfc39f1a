"""The order of questions: a call comes before its loops, and a loop before its turns."""

from collections.abc import Iterator

import numpy as np

from sleuth.search.space import SearchSpace
from sleuth.tree.node import NodeKind

_PARTS = (NodeKind.LOOP, NodeKind.TURN)
_FEW_CALLS = 12
"""Calls made by a loop on one line that are read at a glance."""


def around(space: SearchSpace, node: int) -> Iterator[int]:
    """Yield the call and the loop that a loop or turns are a part of, the call first.

    What happened in a loop of the focus itself comes after that loop, too, if its turns are few.
    Only those are meant that can be asked about next.  Nodes are counted from the focus.
    """
    yield from (each for each in _loops_of_focus(space, node) if each in space.candidates)
    tree, number = space.tree, node + space.focus
    call, found = int(tree.call[number]), []
    while number > space.focus and tree.kind[number] in _PARTS and tree.call[number] == call:
        if _is_whole_loop(space, number):
            found.append(number - space.focus)
        number = int(tree.parent[number])
    if number > space.focus and number == tree.find_call(call):
        found.append(number - space.focus)
    yield from (each for each in reversed(found) if each != node and each in space.candidates)


def _loops_of_focus(space: SearchSpace, node: int) -> list[int]:
    """Return the loops of the focus's own call that a node is in, if they have few turns."""
    tree, start, number = space.tree, space.focus + 1, node + space.focus
    is_own = tree.call[start:number] == tree.call[space.focus]
    is_around = is_own & (tree.end[start:number] > number)
    loops = np.flatnonzero(is_around & (tree.kind[start:number] == NodeKind.LOOP)) + 1
    return [each for each in loops.tolist() if is_of_few_turns(space, each)]


def _is_whole_loop(space: SearchSpace, number: int) -> bool:
    """Tell whether a node is a whole loop, and not an interval of turns.

    An interval is below its loop, and has no code of its own if its turns are nodes.  A loop may be
    below another one that has a single turn.
    """
    tree = space.tree
    if tree.kind[number] != NodeKind.LOOP or tree.kind[tree.parent[number]] != NodeKind.LOOP:
        return bool(tree.kind[number] == NodeKind.LOOP)
    has_turns = np.isin(tree.kind[tree.children(number)], _PARTS).any()
    return bool(has_turns and tree.mass[number] > 0)


def is_of_few_turns(space: SearchSpace, node: int) -> bool:
    """Tell whether a node is a loop of so few turns that they are judged at a glance.

    Such a loop has no intervals of turns.  One without nodes for turns has the calls made in them.
    """
    tree, number = space.tree, node + space.focus
    if not _is_whole_loop(space, number):
        return False
    kinds = tree.kind[tree.children(number)]
    if (kinds == NodeKind.LOOP).any():
        return False
    return bool((kinds == NodeKind.TURN).any() or 0 < _made_in(space, number) <= _FEW_CALLS)


def _made_in(space: SearchSpace, number: int) -> int:
    """Return how many calls a loop made, in groups or not."""
    tree = space.tree
    inside = np.arange(number + 1, tree.end[number])
    above = tree.parent[inside]
    is_own = (above == number) | (tree.kind[above] == NodeKind.GROUP)
    return int(np.count_nonzero(is_own & (tree.kind[inside] == NodeKind.CALL)))
