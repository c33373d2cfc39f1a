"""Which nodes of the tree are opened: those that the answers are about, and where the search is.

The shape of a tree follows from the answers alone, so that undoing one restores it.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from sleuth.search.ledger import Ledger
from sleuth.search.problem import Case
from sleuth.search.question import Alike, Answer, Change, Entry, Ruling, Verdict
from sleuth.search.space import SearchSpace, space_of
from sleuth.tree.node import Key, Passed
from sleuth.tree.transformations.outline import Asking, Outline, Wish, Wished

_SETTLING = (Verdict.RIGHT, Verdict.INADMISSIBLE)
_MOST_STEPS = 200
_DEEPEST = 40


def fitted(case: Case, ledger: Ledger, entries: Sequence[Entry], asking: Asking) -> SearchSpace:
    """Return what is to be searched, in a tree in which all is open that is to be looked into."""
    reshape = case.reshape
    if reshape is None:
        return space_of(case, ledger)
    if not case.shape and not ledger.wishes:
        return space_of(reshape(case, Outline()), ledger)
    spoken = frozenset({case.tree.key(case.root), *_keys(entries)})
    settled = frozenset(_settled(ledger))
    outline = Outline(
        case.shape,
        kept=spoken,
        apart=frozenset(_unfolded(ledger)),
        settled=settled,
        wishes=ledger.wishes,
        groups=_groups(ledger),
        asking=asking,
    )
    plain = reshape(case, outline)
    opened = frozenset(key for key in spoken if plain.find(key) is None)
    opened |= {entry.about for entry in entries if isinstance(entry, Ruling)}
    outline = replace(outline, opened=opened)
    space = space_of(reshape(plain, outline), ledger)
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
        space = space_of(reshape(space.case, outline), ledger)
    return space


def _to_take_apart(space: SearchSpace) -> Iterator[int]:
    """Yield the merged nodes that must say which of them it was: what is guilty, or not known."""
    is_found = space.is_wrong and not len(space.candidates)
    nodes = (*(space.unknown.tolist()), *((space.focus,) if is_found else ()))
    return (node for node in nodes if space.tree.is_merged(node))


def _unfolded(ledger: Ledger) -> Iterator[Key]:
    """Yield what the user took apart; what was folded later is not."""
    found: dict[Key, None] = {}
    for each in ledger.wishes:
        if each.about is not None and each.wish is Wish.UNFOLD:
            found[each.about] = None
        elif each.about is not None and each.wish is Wish.FOLD:
            found.pop(each.about, None)
    yield from found


def _settled(ledger: Ledger) -> Iterator[Key]:
    """Yield what was judged right, or inadmissible."""
    for given in ledger.given:
        if given.answer.verdict in _SETTLING:
            yield from (given.answer.about, *given.also)


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


def _groups(ledger: Ledger) -> tuple[tuple[Key, Passed], ...]:
    """Return the groups that were judged, and what was none of them then."""
    answers = (given.answer for given in ledger.given)
    found = {each.about: each.passed for each in answers if each.passed is not None}
    return tuple(found.items())


def _keys(entries: Iterable[Entry]) -> Iterator[Key]:
    """Yield what was spoken about."""
    for entry in entries:
        match entry:
            case Answer(about=about) | Ruling(about=about) | Wished(about=Key() as about):
                yield about
            case Alike(also=also):
                yield from also
            case Change(answer=Answer(about=about)):
                yield about
