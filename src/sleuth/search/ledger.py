"""Ledger: the entries of a session added up, to answers that hold and rulings on diagnoses."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sleuth.search.question import (
    USER,
    Alike,
    Answer,
    Change,
    Entry,
    Given,
    Labelling,
    Naming,
    Ruling,
    Switch,
    Word,
)
from sleuth.tree.node import Key
from sleuth.tree.transformations.outline import Wish, Wished


@dataclass(frozen=True, slots=True)
class Ledger:
    """The sum of a session's entries."""

    given: tuple[Given, ...]
    """The answers that hold, in order."""
    confirmed: tuple[Key, ...]
    """The nodes confirmed to be the bug."""
    rejected: frozenset[Key]
    """The nodes that the user rejected as diagnoses."""
    asked_again: frozenset[int]
    """The answers asked again since the last rejection."""
    off: frozenset[str] = frozenset()
    """Oracles that are switched off."""
    taken_back: frozenset[tuple[str, Key]] = frozenset()
    """Oracle and key of answers that the user withdrew; the oracle does not repeat them."""
    wishes: tuple[Wished, ...] = ()
    """The user's wishes to fold, inline or search first."""
    names: tuple[tuple[Key, str], ...] = ()
    """The user's own names for nodes, in order."""
    labels: tuple[tuple[str, str], ...] = ()
    """The user's labels, in order: a class and its paths as typed."""

    @property
    def pointed(self) -> tuple[Answer, ...]:
        """The answers with which the user pointed at a wrong value, in order."""
        answers = (each.answer for each in self.given)
        return tuple(each for each in answers if each.path and each.by == USER)


def added_up(entries: Sequence[Entry]) -> Ledger:
    """Add up entries."""
    answers: dict[int, Answer | None] = {}
    also: dict[int, dict[Key, None]] = {}
    confirmed: dict[Key, None] = {}
    rejected: set[Key] = set()
    asked_again: set[int] = set()
    off: set[str] = set()
    taken_back: set[tuple[str, Key]] = set()
    for entry in entries:
        match entry:
            case Answer():
                answers[len(answers) + 1] = entry
            case Alike(number, keys):
                also.setdefault(number, {}).update(dict.fromkeys(keys))
            case Change(number, answer):
                was = answers[number]
                if was is not None and was.by != USER:
                    taken_back.add((was.by, was.about))
                answers[number] = answer
                asked_again.add(number)
            case Switch(name, True):
                off.discard(name)
            case Switch(name, False):
                off.add(name)
                answers.update(_without(answers, name))
            case Ruling(about, Word.CONFIRMED):
                confirmed[about] = None
            case Ruling(about):
                rejected.add(about)
                asked_again.clear()
    holding = tuple(
        Given(number, answer, tuple(also.get(number, ())))
        for number, answer in answers.items()
        if answer is not None
    )
    return Ledger(
        holding,
        tuple(confirmed),
        frozenset(rejected),
        frozenset(asked_again),
        frozenset(off),
        frozenset(taken_back),
        tuple(_wishes(entries)),
        tuple((entry.about, entry.words) for entry in entries if isinstance(entry, Naming)),
        tuple((entry.class_name, entry.paths) for entry in entries if isinstance(entry, Labelling)),
    )


def _wishes(entries: Sequence[Entry]) -> list[Wished]:
    """Return the wishes that hold."""
    found: list[Wished] = []
    for entry in entries:
        if isinstance(entry, Wished):
            found = [] if entry.wish is Wish.PLAIN else [*found, entry]
    return found


def _without(answers: Mapping[int, Answer | None], name: str) -> dict[int, None]:
    """Return the answers of an oracle, each mapped to None."""
    return {number: None for number, each in answers.items() if each and each.by == name}
