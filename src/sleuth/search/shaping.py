"""Which nodes of the tree are opened: those that the answers are about, and where the bug is.

The shape of a tree follows from the answers alone, so that undoing one restores it.
"""

from collections.abc import Iterable, Iterator, Sequence

from sleuth.search.case import Case
from sleuth.search.ledger import Ledger
from sleuth.search.question import Alike, Answer, Change, Entry, Ruling
from sleuth.search.space import space_of
from sleuth.tree.node import Key

_MOST_STEPS = 200


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
        wanted = {case.tree.key(space.focus), *map(case.tree.key, space.unknown.tolist())}
        if wanted <= opened:
            break
        opened |= wanted
        case = reshape(case, case.shape, opened)
    return case


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
