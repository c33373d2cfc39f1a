"""Which nodes of the tree are opened: those that the answers are about, and where the search is.

The shape of a tree follows from the answers alone, so that undoing one restores it.
"""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from sleuth.search.case import Case
from sleuth.search.ledger import Ledger
from sleuth.search.question import Alike, Answer, Change, Entry, Ruling
from sleuth.search.space import SearchSpace, space_of
from sleuth.tree.node import Key

_MOST_STEPS = 200
_DEEPEST = 40


def fitted(case: Case, ledger: Ledger, entries: Sequence[Entry]) -> Case:
    """Return the case with a tree in which all is open that is to be looked into."""
    reshape = case.reshape
    if reshape is None:
        return case
    keys = {case.tree.key(case.root), *_keys(entries)} if case.shape else set()
    plain = reshape(case, case.shape, frozenset())
    opened = frozenset(key for key in keys if plain.find(key) is None)
    opened |= {entry.about for entry in entries if case.shape and isinstance(entry, Ruling)}
    case = reshape(case, case.shape, opened)
    for _ in range(_MOST_STEPS if case.shape else 0):
        space = space_of(case, ledger)
        nodes = (space.focus, *space.unknown.tolist(), *_heavy_groups(space))
        wanted = set(map(case.tree.key, nodes))
        if wanted <= opened:
            break
        opened |= wanted
        case = reshape(case, case.shape, opened)
    return case


def _heavy_groups(space: SearchSpace) -> Iterator[int]:
    """Yield the groups, from the focus down, that hold most of what is suspected."""
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
        if tree.mass[at] == 0:
            yield at


def _keys(entries: Iterable[Entry]) -> Iterator[Key]:
    """Yield what was spoken about."""
    for entry in entries:
        match entry:
            case Answer(about=about) | Ruling(about=about):
                yield about
            case Alike(also=also):
                yield from also
            case Change(answer=Answer(about=about)):
                yield about
