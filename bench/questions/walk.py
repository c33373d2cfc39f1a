"""Walks the decision tree of a strategy: all searches at once.

The next question depends only on the answers, and the answers depend on the position of the bug.
So the searches for all positions share their beginnings.  A state is a list of answers and the
positions that are left; each question splits these positions, and each state is visited once.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np

from sleuth.search.question import Answer, Diagnosis, Pending, Question, Verdict
from sleuth.search.session import Session
from sleuth.tree.flat import FlatTree
from sleuth.tree.node import Flags, Key, Masses, Numbers


class Places(Protocol):
    """Possible positions of a bug."""

    @property
    def weight(self) -> Masses:
        """How likely each is."""

    def __len__(self) -> int: ...

    def taken(self, places: Numbers) -> "Places":
        """Return some of them."""

    def owners(self, tree: FlatTree) -> Numbers:
        """Return the node that owns each."""


Wrong: TypeAlias = Callable[[Session, Key], Session]
"""Returns the session to go on with after a node was judged wrong."""


Naming: TypeAlias = Callable[[Question], Iterable[tuple[Answer, ...]]]
"""Yields the answers that name each turn of a loop as the first wrong one: that turn is wrong, and
those before it are right."""


class Lost(Exception):
    """A search ended at another position than that of its bug."""


@dataclass(frozen=True, slots=True, eq=False)
class Walked:
    """The results of all searches, by position."""

    questions: Numbers
    diagnosis: tuple[Key, ...]
    """The nodes that were found guilty, one for each end of the walk."""
    ended: Numbers
    """The index of the guilty node that each position led to."""
    states: int

    def mean(self, weight: Masses) -> float:
        """Return the mean number of questions."""
        return float(np.average(self.questions, weights=weight))

    @property
    def worst(self) -> int:
        """The most questions."""
        return int(self.questions.max())


def walked(
    session: Session,
    places: Places,
    after_wrong: Wrong | None = None,
    *,
    naming: Naming | None = None,
) -> Walked:
    """Search for the bug at every place.

    `naming`: how the first wrong turn of a loop is named; None: all answers are "right" or "wrong".
    """
    questions = np.zeros(len(places), np.int64)
    ended = np.full(len(places), -1, np.int64)
    found: list[Key] = []
    waiting = [(session, np.arange(len(places)), 0)]
    states = 0
    while waiting:
        session, left, asked = waiting.pop()
        states += 1
        tree = _flat(session)
        owners = places.taken(left).owners(tree)
        pending = session.pending
        if not isinstance(pending, Question):
            questions[left], ended[left] = asked, len(found)
            found.append(_named(pending, owners))
            continue
        is_inside = (owners >= pending.node) & (owners < tree.end[pending.node])
        for answers in naming(pending) if naming is not None else ():
            named = session.extended(answers)
            these = is_inside & _is_below(named, answers[0].about, places.taken(left))
            if these.any():
                waiting.append((named, left[these], asked + 1))
                left, is_inside = left[~these], is_inside[~these]
        for verdict, these in ((Verdict.RIGHT, ~is_inside), (Verdict.WRONG, is_inside)):
            if these.any():
                if verdict is Verdict.WRONG and after_wrong is not None:
                    answered = after_wrong(session, pending.about)
                else:
                    answered = session.extended((Answer(pending.about, verdict),))
                waiting.append((answered, left[these], asked + 1))
    return Walked(questions, tuple(found), ended, states)


def _is_below(session: Session, about: Key, places: Places) -> Flags:
    """Tell which places are in a node."""
    tree, node = _flat(session), session.problem.find(about)
    owners = places.owners(tree)
    if node is None:
        return np.zeros(len(owners), bool)
    found: Flags = (owners >= node) & (owners < tree.end[node])
    return found


def _flat(session: Session) -> FlatTree:
    tree = session.problem.tree
    if not isinstance(tree, FlatTree):
        raise TypeError("only flat trees are searched here")
    return tree


def _named(pending: Pending, owners: Numbers) -> Key:
    """Return the node that was found guilty; it must own all positions that led there."""
    if not isinstance(pending, Diagnosis) or not (owners == pending.node).all():
        raise Lost(f"{pending} for a bug in {np.unique(owners).tolist()}")
    return pending.about
