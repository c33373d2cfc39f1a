"""Expands the tree as far as the search needs, and returns the search space.

Nodes with answers are opened, and those where the search is.  The shape of a tree depends on the
answers alone, so that undoing one restores it.

The walk has one direction, and nothing on it knows what comes before it:

    entries -> ledger -> outline -> tree -> problem -> search space

`expanded` goes along it once for the answers, then again with a wider outline as long as the
search space has nodes that are not opened yet.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from sleuth.search.ledger import Ledger
from sleuth.search.problem import Problem
from sleuth.search.question import Alike, Answer, Change, Entry, Ruling, Verdict
from sleuth.search.space import SearchSpace, space_of
from sleuth.tree.node import ExecutionTree, Key, NodeKind, Passed
from sleuth.tree.transformations.outline import Asking, Outline, Wish, Wished

_SETTLING = (Verdict.RIGHT, Verdict.INADMISSIBLE)
_MOST_STEPS = 200
_DEEPEST = 40


def expanded(
    problem: Problem, ledger: Ledger, entries: Sequence[Entry], asking: Asking
) -> SearchSpace:
    """Expand the tree as far as the search needs, and return the search space."""
    shapes = problem.shapes
    if shapes is None:
        return space_of(problem, ledger)
    if not problem.shape and not ledger.wishes:
        return space_of(shapes.reshaped(problem, Outline()), ledger)
    spoken = frozenset({problem.tree.key(problem.root), *_keys(entries)})
    settled = frozenset(_settled(ledger))
    outline = Outline(
        problem.shape,
        kept=spoken,
        apart=frozenset(_unfolded(ledger)),
        settled=settled,
        wishes=ledger.wishes,
        groups=_groups(ledger),
        asking=asking,
    )
    plain = shapes.reshaped(problem, outline)
    opened = frozenset(key for key in spoken if plain.find(key) is None)
    opened |= {entry.about for entry in entries if isinstance(entry, Ruling)}
    outline = replace(outline, opened=opened)
    space = space_of(shapes.reshaped(plain, outline), ledger)
    for _ in range(_MOST_STEPS):
        nodes = (space.focus, *space.unknown.tolist(), *_heavy_groups(space))
        wider = replace(
            outline,
            opened=outline.opened | set(map(space.tree.key, nodes)),
            apart=outline.apart | set(map(space.tree.key, _to_take_apart(space))),
        )
        if wider == outline:
            break
        outline = wider
        space = space_of(shapes.reshaped(space.problem, outline), ledger)
    return space


def _to_take_apart(space: SearchSpace) -> Iterator[int]:
    """Yield the merged nodes to take apart: the guilty one, and those answered "don't know"."""
    is_found = space.is_wrong and not len(space.candidates)
    nodes = (*(space.unknown.tolist()), *((space.focus,) if is_found else ()))
    return (node for node in nodes if space.tree.is_merged(node))


def _unfolded(ledger: Ledger) -> Iterator[Key]:
    """Yield the nodes that the user unfolded and did not fold again."""
    found: dict[Key, None] = {}
    for each in ledger.wishes:
        if each.about is not None and each.wish is Wish.UNFOLD:
            found[each.about] = None
        elif each.about is not None and each.wish is Wish.FOLD:
            found.pop(each.about, None)
    yield from found


def _settled(ledger: Ledger) -> Iterator[Key]:
    """Yield the keys judged right or inadmissible."""
    for given in ledger.given:
        if given.answer.verdict in _SETTLING:
            yield from (given.answer.about, *given.also)


def _heavy_groups(space: SearchSpace) -> Iterator[int]:
    """Yield the groups, and loops of calls, from the focus down that hold most of the suspicion."""
    tree, at = space.tree, space.focus
    for _ in range(_DEEPEST):
        children = tree.children(at)
        if not len(children):
            return
        weights = space.weight[children - space.focus]
        heaviest = int(np.argmax(weights))
        if 2 * weights[heaviest] < space.total or not weights[heaviest]:
            return
        at = int(children[heaviest])
        if tree.mass[at] == 0 or _is_loop_of_calls(tree, at):
            yield at


def _is_loop_of_calls(tree: ExecutionTree, node: int) -> bool:
    """Tell whether a node is a loop without turns, below which calls can be grouped."""
    if tree.kind[node] != NodeKind.LOOP or tree.kind[tree.parent[node]] == NodeKind.LOOP:
        return False
    kinds = tree.kind[tree.children(node)]
    return not np.isin(kinds, (NodeKind.LOOP, NodeKind.TURN)).any()


def _groups(ledger: Ledger) -> tuple[tuple[Key, Passed], ...]:
    """Return the groups that were judged, and the calls excluded from them then."""
    answers = (given.answer for given in ledger.given)
    found = {each.about: each.passed for each in answers if each.passed is not None}
    return tuple(found.items())


def _keys(entries: Iterable[Entry]) -> Iterator[Key]:
    """Yield the keys that entries are about."""
    for entry in entries:
        match entry:
            case Answer(about=about) | Ruling(about=about) | Wished(about=Key() as about):
                yield about
            case Alike(also=also):
                yield from also
            case Change(answer=Answer(about=about)):
                yield about
