"""Session: answers in, the next question or the diagnosis out.  Blind to who answers.

A session is a list of entries about one case; all else is derived.  It never changes: every method
returns a new one.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from sleuth.errors import UsageError
from sleuth.search import diagnose, edge_ranking, forecast, oracle_pass
from sleuth.search.expansion import fitted
from sleuth.search.hints import Weighing
from sleuth.search.ledger import Ledger, added_up
from sleuth.search.problem import Case
from sleuth.search.question import (
    JUDGEMENTS,
    UNATTENDED,
    USER,
    Alike,
    Answer,
    Change,
    Diagnosis,
    Entry,
    Given,
    Hint,
    Naming,
    Oracle,
    Pending,
    Question,
    Reason,
    Ruling,
    Switch,
    Verdict,
    Word,
)
from sleuth.search.space import SearchSpace, space_of
from sleuth.search.strategies import DEFAULT, STRATEGIES
from sleuth.tree.node import Key, NodeKind, Numbers, Passed
from sleuth.tree.transformations.outline import FORWARD, Wish, Wished

_REPEATED = (*JUDGEMENTS, Verdict.UNKNOWN)
_FEW, _ENOUGH = 32, 2_500
"""Equal questions are looked for among so many nodes, then four times as many, up to these."""


@dataclass(frozen=True, eq=False)
class Session:
    """A list of answers about one tree, and how the next question is chosen."""

    case: Case
    entries: tuple[Entry, ...] = ()
    undone_entries: tuple[tuple[Entry, ...], ...] = ()
    """What `redone` brings back, the next last."""
    strategy: str = DEFAULT
    oracles: tuple[Oracle, ...] = ()
    """They answer in this order."""
    hints: tuple[Hint, ...] = ()
    """They make nodes more or less suspicious."""

    # --- What follows from the answers -----------------------------------------------------------

    @cached_property
    def ledger(self) -> Ledger:
        """The entries, added up."""
        return added_up(self.entries)

    @property
    def answers(self) -> tuple[Given, ...]:
        """The answers that hold, with their numbers."""
        return self.ledger.given

    @property
    def answer_count(self) -> int:
        """How many answers were given, whether they still hold or not."""
        return sum(isinstance(entry, Answer) for entry in self.entries)

    @cached_property
    def space(self) -> SearchSpace:
        """What is still to be searched."""
        return space_of(self.case, self.ledger)

    @cached_property
    def pending(self) -> Pending:
        """What comes next: a question, a diagnosis, a contradiction, or that there is no bug."""
        clash = diagnose.contradiction(self.case, self.ledger, self.space)
        if clash is not None:
            return clash
        if len(self.space.candidates):
            chosen = STRATEGIES[self.strategy].choose(self.space) + self.space.focus
            return self.question(chosen)
        ended = diagnose.concluded(self.case, self.ledger, self.space)
        if isinstance(ended, Diagnosis) and self._is_only_assumed(ended):
            return self.question(ended.node)
        if not isinstance(ended, Diagnosis) or ended.about not in self.ledger.rejected:
            return ended
        weakest = diagnose.weakest(self.case, self.ledger, ended)
        if weakest is None:
            return diagnose.stubborn(ended)
        node = self.case.find(weakest.answer.about)
        return self.question(0 if node is None else node, again=weakest.number)

    @cached_property
    def found(self) -> tuple[Diagnosis, ...]:
        """The diagnoses that were confirmed and still hold, as they were then."""
        diagnoses = []
        for at, entry in enumerate(self.entries):
            if isinstance(entry, Ruling) and entry.word is Word.CONFIRMED:
                before = replace(self, entries=self.entries[:at]).on(self.case)
                node, then = self.case.find(entry.about), before.pending
                if isinstance(then, Diagnosis) and node is not None:
                    # The tree may have had another shape then.
                    keys = map(before.case.tree.key, then.between)
                    between = tuple(filter(None, map(self.case.find, keys)))
                    diagnosis = then.confirmed_as(node, entry.about)
                    diagnoses.append(replace(diagnosis, between=between))
        return tuple(diagnoses)

    def question(self, node: int, *, again: int | None = None) -> Question:
        """Return the question about any node."""
        return Question(self._asked + 1, node, self.case.tree.key(node), self.reason(node), again)

    def reason(self, node: int) -> Reason:
        """Say why a node is asked about and what each answer would exclude."""
        space = self.space
        suspects = int(space.remaining[0])
        inside = space.focus <= node < space.stop
        here = int(space.remaining[node - space.focus]) if inside else 0
        weight = float(space.weight[node - space.focus]) if inside else 0.0
        return Reason(
            strategy=self.strategy,
            suspects=suspects,
            if_right=here,
            if_wrong=suspects - here,
            share=weight / space.total if space.total else 0.0,
            is_on_path=space.is_on_path and node in self.case.path,
        )

    @property
    def expected_questions(self) -> int:
        """About how many more questions there will be, the pending one included."""
        return forecast.expected_questions(self.space)

    @property
    def most_questions(self) -> int | None:
        """How many more there will be at most, if all are answered; None: that is not proven."""
        space = self.space
        if self.strategy != "worst-case" or space.is_on_path or space.judged.skips:
            return None
        if space.has_preferences:
            return None
        return edge_ranking.most_questions(self.space)

    # --- Going on --------------------------------------------------------------------------------

    def given(self, answer: Answer) -> "Session":
        """Take an answer, and repeat it for equal questions as they come up."""
        cases = (each.case for each in (self, self.extended((answer,))))
        if all(case.find(answer.about) is None for case in cases):
            raise UsageError("The answer is about something that is not in this trace.")
        pending = self.pending
        if isinstance(pending, Question) and pending.again and pending.about == answer.about:
            return self.changed(pending.again, answer)
        session = self.extended((answer,))
        return _repeated(_for_all(session, session.answer_count, answer))

    def changed(self, number: int, answer: Answer | None) -> "Session":
        """Replace an earlier answer, or clear it; what follows is derived anew."""
        if not 1 <= number <= self.answer_count:
            raise UsageError(f"There is no answer {number}; there are {self.answer_count}.")
        return _repeated(_for_all(self.extended((Change(number, answer),)), number, answer))

    def confirmed(self, *, node: int | None = None) -> "Session":
        """Say that the pending diagnosis is the bug; the search goes on for another one.

        A node names one of several candidates; None: the best.
        """
        return self._ruled(Word.CONFIRMED, node)

    def rejected(self) -> "Session":
        """Say that the pending diagnosis is not the bug; weak answers are asked again."""
        return self._ruled(Word.REJECTED, None)

    def named(self, about: Key, words: str) -> "Session":
        """Give what a node is an execution of a name; no words: take it back."""
        return self.extended((Naming(about, words),))

    def undone(self) -> "Session":
        """Drop what the user said last, and what followed from it."""
        start = next(
            (at for at in reversed(range(len(self.entries))) if _is_users(self.entries[at])), None
        )
        if start is None:
            raise UsageError("There is nothing to undo.")
        dropped = self.entries[start:]
        session = replace(
            self,
            entries=self.entries[:start],
            undone_entries=(*self.undone_entries, dropped),
        )
        return session.on(self.case)

    def redone(self) -> "Session":
        """Bring back what was undone last."""
        if not self.undone_entries:
            raise UsageError("There is nothing to redo.")
        session = replace(
            self,
            entries=self.entries + self.undone_entries[-1],
            undone_entries=self.undone_entries[:-1],
        )
        return session.on(self.case)

    def using(self, strategy: str) -> "Session":
        """Choose the questions in another way from here on."""
        if strategy not in STRATEGIES:
            known = ", ".join(STRATEGIES)
            raise UsageError(f"There is no strategy {strategy!r}. There are: {known}.")
        return replace(self, strategy=strategy).on(self.case)

    def on(self, case: Case) -> "Session":
        """Keep the answers and look at another tree over the same trace."""
        asking = STRATEGIES[self.strategy].asking
        space = fitted(self._weighed(case), self.ledger, self.entries, asking)
        session = replace(self, case=space.case)
        # They were found out already.
        vars(session).update(ledger=self.ledger, space=space)
        return session

    def shaped(self, names: tuple[str, ...]) -> "Session":
        """Keep the answers and look at the tree that these transformations make."""
        if self.case.reshape is None:
            raise UsageError("This tree has just one shape.")
        return self.on(replace(self.case, shape=names))

    def wished(self, wished: Wished) -> "Session":
        """Fold, unfold, inline or search first a part of the tree; answers stay as they are."""
        if self.case.reshape is None:
            raise UsageError("This tree has just one shape.")
        return self.extended((wished,))

    def helped(self, oracles: tuple[Oracle, ...], hints: tuple[Hint, ...] = ()) -> "Session":
        """Let others answer, and say what is suspicious, from here on: see `settled`."""
        return replace(self, oracles=oracles, hints=hints).on(self.case)

    def switched(self, name: str, *, is_on: bool) -> "Session":
        """Switch an oracle or a hint off, taking back all that it said; or on again."""
        return (
            self
            if is_on == (name not in self.ledger.off)
            else self.extended((Switch(name, is_on),))
        )

    def settled(self) -> "Session":
        """Let the oracles answer what they can."""
        return oracle_pass.settled(self)

    def unattended(self) -> "Session":
        """Go on to the end: what no oracle can answer counts as "don't know"."""
        return oracle_pass.unattended(self)

    # --- Inside ----------------------------------------------------------------------------------

    @cached_property
    def _asked(self) -> int:
        """How many answers the user has given."""
        return sum(answer.by == USER for answer in self.entries if isinstance(answer, Answer))

    def extended(self, entries: Iterable[Entry]) -> "Session":
        """Add entries as they are: nothing is concluded from them yet."""
        added = (self._noted(entry) for entry in entries)
        session = replace(self, entries=(*self.entries, *added), undone_entries=())
        return session.on(self.case)

    def _noted(self, entry: Entry) -> Entry:
        """Note of what is said of a group which calls are none of it: in other shapes they are."""
        match entry:
            case Change(answer=Answer(about=about) as answer):
                return replace(entry, answer=replace(answer, passed=self._passed_in(about)))
            case Answer(about=about):
                return replace(entry, passed=self._passed_in(about))
        return entry

    def _passed_in(self, about: Key) -> Passed | None:
        node = self.case.find(about)
        if node is None or self.case.tree.kind[node] not in (NodeKind.GROUP, NodeKind.MERGED):
            return None
        wishes = (each for each in self.ledger.wishes if each.wish is Wish.INLINE)
        inlined = frozenset(each.routine for each in wishes if each.routine is not None)
        return Passed(FORWARD in self.case.shape, inlined)

    def _weighed(self, case: Case) -> Case:
        """Return the case as the hints see it that are on."""
        hints = tuple(hint for hint in self.hints if hint.name not in self.ledger.off)
        weigh = Weighing(hints) if hints else None
        is_same = case.weigh == weigh or not isinstance(case.weigh, Weighing | None)
        return case if is_same else replace(case, weigh=weigh)

    def _is_only_assumed(self, ended: Diagnosis) -> bool:
        """Tell whether nobody said that it is wrong: it is what a root consists of.

        The user came with a symptom, but if all was right there is no bug in what was recorded.
        """
        is_inside = ended.node == self.case.start != self.case.root
        return is_inside and ended.node not in self.space.judged.verdicts

    def _ruled(self, word: Word, node: int | None) -> "Session":
        pending = self.pending
        if not isinstance(pending, Diagnosis):
            raise UsageError("There is no diagnosis to confirm or reject yet.")
        if node is not None and node not in pending.candidates:
            raise UsageError(f"Node {node} is no candidate of the diagnosis.")
        about = pending.about if node is None else self.case.tree.key(node)
        return self.extended((Ruling(about, word),))


def _is_users(entry: Entry) -> bool:
    match entry:
        case Alike():
            return False
        case Switch(name=name):
            return name != UNATTENDED
        case Answer(by=by):
            return by == USER
    return True


def _for_all(session: Session, number: int, answer: Answer | None) -> Session:
    """Let an answer hold for all equal questions, if it is meant to."""
    if answer is None or not answer.is_for_all or answer.verdict not in _REPEATED:
        return session
    node = session.case.find(answer.about)
    return session if node is None else _alike(session, number, session.case.equals(node))


def _alike(session: Session, number: int, nodes: Numbers) -> Session:
    also = tuple(session.case.tree.key(node) for node in nodes.tolist())
    return session.extended((Alike(number, also),))


def _repeated(session: Session) -> Session:
    """Answer questions that are equal to one that was answered."""
    if session.case.fingerprint is None:
        return session
    looked = 0
    growing: dict[int, int] = {}
    while looked < _ENOUGH:
        question = session.pending
        if not isinstance(question, Question) or question.again is not None:
            break
        known = _equal_answer(session, question)
        if known is None:
            break
        most = growing.get(known.number, _FEW)
        growing[known.number] = 4 * most
        near = _same_routine(session, question.node)[:most]
        looked += len(near)
        session = _alike(session, known.number, session.case.alike(question.node, near))
    return session


def _same_routine(session: Session, node: int) -> Numbers:
    """Return a node and the candidates behind it that are executions of the same code."""
    space, routine = session.space, session.case.tree.routine
    nodes = space.candidates + space.focus
    return np.concatenate(([node], nodes[(nodes > node) & (routine[nodes] == routine[node])]))


def _equal_answer(session: Session, question: Question) -> Given | None:
    case, wanted = session.case, session.case.print_of(question.node)
    for given in session.answers:
        # (An oracle can answer for itself once more.)
        if given.answer.verdict in _REPEATED and given.answer.by == USER:
            node = case.find(given.answer.about)
            if node is not None and case.print_of(node) == wanted:
                return given
    return None
