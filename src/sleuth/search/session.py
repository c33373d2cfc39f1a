"""Session: takes answers and returns the next question or the diagnosis.

A session is a list of entries about one problem; all else is derived.  It is immutable: every
method returns a new one.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from sleuth.errors import UsageError
from sleuth.search import choice, diagnose, edge_ranking, forecast, oracle_pass
from sleuth.search.expansion import expanded
from sleuth.search.ledger import Ledger, added_up
from sleuth.search.problem import Problem, Weighing
from sleuth.search.question import (
    JUDGEMENTS,
    UNATTENDED,
    USER,
    Alike,
    Answer,
    Change,
    Diagnosis,
    Entry,
    Follower,
    Given,
    Hint,
    Labelling,
    Naming,
    Oracle,
    Pending,
    Question,
    Reason,
    Ruling,
    Sources,
    Switch,
    Verdict,
    Word,
)
from sleuth.search.space import SearchSpace
from sleuth.search.strategies import DEFAULT, STRATEGIES
from sleuth.tree.node import Key, NodeKind, Numbers, Passed
from sleuth.tree.transformations.outline import FORWARD, Wish, Wished

_REPEATED = (*JUDGEMENTS, Verdict.UNKNOWN)
_FEW, _ENOUGH = 32, 2_500
"""Nodes among which equal questions are searched: at first, and at most (four times each)."""


@dataclass(frozen=True, eq=False)
class Session:
    """A list of answers about one tree, and how the next question is chosen."""

    given_problem: Problem
    """The problem with the tree of the session before; `problem` has the tree of this one."""
    entries: tuple[Entry, ...] = ()
    undone_entries: tuple[tuple[Entry, ...], ...] = ()
    """The entries that `redone` brings back, the next one last."""
    strategy: str = DEFAULT
    oracles: tuple[Oracle, ...] = ()
    """The oracles, in the order in which they are asked."""
    hints: tuple[Hint | Follower, ...] = ()
    """The hints, which make nodes more or less suspicious."""
    hinted_by: Sources = ()
    """The hints that the session was last used with, and the files that each rests on."""

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
        """The number of answers given, including those that no longer hold."""
        return sum(isinstance(entry, Answer) for entry in self.entries)

    @cached_property
    def space(self) -> SearchSpace:
        """The search space, in a tree that is expanded as far as the search needs."""
        asking = STRATEGIES[self.strategy].asking
        problem = self._weighed(self.given_problem)
        return expanded(problem, self.ledger, self.entries, asking)

    @property
    def problem(self) -> Problem:
        """The tree that is searched, and its root."""
        return self.space.problem

    @cached_property
    def pending(self) -> Pending:
        """What comes next: a question, a diagnosis, a contradiction, or NoBug."""
        clash = diagnose.contradiction(self.problem, self.ledger, self.space)
        if clash is not None:
            return clash
        if len(self.space.candidates):
            return self.question(self._choice.node + self.space.focus)
        ended = diagnose.concluded(self.problem, self.ledger, self.space)
        if isinstance(ended, Diagnosis) and self._is_only_assumed(ended):
            return self.question(ended.node)
        feeding = diagnose.feeding(self.problem, self.space, ended)
        if feeding is not None:
            return self.question(feeding)
        if not isinstance(ended, Diagnosis) or ended.about not in self.ledger.rejected:
            return ended
        weakest = diagnose.weakest(self.problem, self.ledger, ended)
        if weakest is None:
            return diagnose.stubborn(ended)
        node = self.problem.find(weakest.answer.about)
        return self.question(0 if node is None else node, again=weakest.number)

    @cached_property
    def _choice(self) -> choice.Choice:
        """What the strategy asks next, and how easy that is; there must be a candidate."""
        return choice.chosen(self.space, STRATEGIES[self.strategy])

    @cached_property
    def found(self) -> tuple[Diagnosis, ...]:
        """The confirmed diagnoses that still hold, as they were when confirmed."""
        diagnoses = []
        for at, entry in enumerate(self.entries):
            if isinstance(entry, Ruling) and entry.word is Word.CONFIRMED:
                before = replace(self.on(self.problem), entries=self.entries[:at])
                node, then = self.problem.find(entry.about), before.pending
                if isinstance(then, Diagnosis) and node is not None:
                    # The tree may have had another shape then.
                    keys = map(before.problem.tree.key, then.between)
                    between = tuple(filter(None, map(self.problem.find, keys)))
                    diagnosis = then.confirmed_as(node, entry.about)
                    diagnoses.append(replace(diagnosis, between=between))
        return tuple(diagnoses)

    def question(self, node: int, *, again: int | None = None) -> Question:
        """Return the question about any node."""
        return Question(
            self._asked + 1, node, self.problem.tree.key(node), self.reason(node), again
        )

    def reason(self, node: int) -> Reason:
        """Return why a node is asked about, and what each answer would exclude."""
        space = self.space
        suspects = int(space.remaining[0])
        inside = space.focus <= node < space.stop
        here = int(space.remaining[node - space.focus]) if inside else 0
        weight = float(space.weight[node - space.focus]) if inside else 0.0
        chosen = self._choice if len(space.candidates) else None
        if chosen is not None and chosen.node + space.focus != node:
            chosen = None
        return Reason(
            strategy=self.strategy,
            suspects=suspects,
            if_right=here,
            if_wrong=suspects - here,
            share=weight / space.total if space.total else 0.0,
            is_on_path=space.is_on_path and node in self.problem.path,
            ease=None if chosen is None else chosen.ease,
            is_before_parts=chosen is not None and chosen.is_before_parts,
        )

    @property
    def expected_questions(self) -> int:
        """The expected number of further questions, the pending one included."""
        return forecast.expected_questions(self.space, STRATEGIES[self.strategy].choose)

    @property
    def most_questions(self) -> int | None:
        """The most further questions, if all are answered; None: no bound is proven."""
        space = self.space
        if self.strategy != "worst-case" or space.is_on_path or space.judged.skips:
            return None
        if space.has_preferences:
            return None
        return edge_ranking.most_questions(self.space)

    # --- Going on --------------------------------------------------------------------------------

    def given(self, answer: Answer) -> "Session":
        """Take an answer, and repeat it for equal questions as they come up."""
        problems = (each.problem for each in (self, self.extended((answer,))))
        if all(problem.find(answer.about) is None for problem in problems):
            raise UsageError("The answer is about something that is not in this trace.")
        pending = self.pending
        if isinstance(pending, Question) and pending.again and pending.about == answer.about:
            return self.changed(pending.again, answer)
        session = self.extended((answer,))
        return _repeated(_for_all(session, session.answer_count, answer))

    def changed(self, number: int, answer: Answer | None) -> "Session":
        """Replace an earlier answer, or remove it."""
        if not 1 <= number <= self.answer_count:
            raise UsageError(f"There is no answer {number}; there are {self.answer_count}.")
        return _repeated(_for_all(self.extended((Change(number, answer),)), number, answer))

    def confirmed(self, *, node: int | None = None) -> "Session":
        """Confirm the pending diagnosis; the search goes on for another bug.

        `node` chooses one of several candidates; None: the best.
        """
        return self._ruled(Word.CONFIRMED, node)

    def rejected(self) -> "Session":
        """Reject the pending diagnosis; the least sure answers are asked again."""
        return self._ruled(Word.REJECTED, None)

    def named(self, about: Key, words: str) -> "Session":
        """Give a node a name; empty words remove it."""
        return self.extended((Naming(about, words),))

    def labelled(self, class_name: str, paths: str) -> "Session":
        """Label the objects of a class; no paths remove the label."""
        return self.extended((Labelling(class_name, paths),))

    def undone(self) -> "Session":
        """Drop the user's last entry, and the entries that followed from it."""
        start = next(
            (at for at in reversed(range(len(self.entries))) if _is_users(self.entries[at])), None
        )
        if start is None:
            raise UsageError("There is nothing to undo.")
        dropped = self.entries[start:]
        return replace(
            self.on(self.problem),
            entries=self.entries[:start],
            undone_entries=(*self.undone_entries, dropped),
        )

    def redone(self) -> "Session":
        """Bring back the entries that were undone last."""
        if not self.undone_entries:
            raise UsageError("There is nothing to redo.")
        return replace(
            self.on(self.problem),
            entries=self.entries + self.undone_entries[-1],
            undone_entries=self.undone_entries[:-1],
        )

    def using(self, strategy: str) -> "Session":
        """Use another strategy from here on."""
        if strategy not in STRATEGIES:
            known = ", ".join(STRATEGIES)
            raise UsageError(f"There is no strategy {strategy!r}. There are: {known}.")
        return replace(self.on(self.problem), strategy=strategy)

    def on(self, problem: Problem) -> "Session":
        """Keep the answers, and search another tree over the same trace."""
        return replace(self, given_problem=problem)

    def shaped(self, names: tuple[str, ...]) -> "Session":
        """Keep the answers, and search the tree that these transformations make."""
        if self.problem.shapes is None:
            raise UsageError("This tree has just one shape.")
        return self.on(replace(self.problem, shape=names))

    def wished(self, wished: Wished) -> "Session":
        """Fold, unfold, inline or search first a part of the tree; answers stay as they are."""
        if self.problem.shapes is None:
            raise UsageError("This tree has just one shape.")
        return self.extended((wished,))

    def helped(
        self, oracles: tuple[Oracle, ...], hints: tuple[Hint | Follower, ...] = ()
    ) -> "Session":
        """Use these oracles and hints from here on: see `settled`."""
        return replace(self.on(self.problem), oracles=oracles, hints=hints)

    def without_followers(self) -> "Session":
        """Drop the hints that only order the questions of a user."""
        hints = tuple(each for each in self.hints if not isinstance(each, Follower))
        return self if hints == self.hints else replace(self.on(self.problem), hints=hints)

    def hinted(self, sources: Sources) -> "Session":
        """Note which hints there are, so that a later reader can use the same ones."""
        return replace(self.on(self.problem), hinted_by=sources)

    def switched(self, name: str, *, is_on: bool) -> "Session":
        """Switch an oracle or a hint off, which withdraws its answers, or on again."""
        return (
            self
            if is_on == (name not in self.ledger.off)
            else self.extended((Switch(name, is_on),))
        )

    def settled(self) -> "Session":
        """Let the oracles answer what they can."""
        return oracle_pass.settled(self)

    def unattended(self) -> "Session":
        """Finish the session: what no oracle can answer counts as "don't know"."""
        return oracle_pass.unattended(self)

    # --- Inside ----------------------------------------------------------------------------------

    @cached_property
    def _asked(self) -> int:
        """The number of the user's answers."""
        return sum(answer.by == USER for answer in self.entries if isinstance(answer, Answer))

    def extended(self, entries: Iterable[Entry]) -> "Session":
        """Add entries as they are, without drawing conclusions."""
        added = (self._noted(entry) for entry in entries)
        entries = (*self.entries, *added)
        return replace(self.on(self.problem), entries=entries, undone_entries=())

    def _noted(self, entry: Entry) -> Entry:
        """Attach the exclusions in force to an answer about a group: other shapes have others."""
        match entry:
            case Change(answer=Answer(about=about) as answer):
                return replace(entry, answer=replace(answer, passed=self._passed_in(about)))
            case Answer(about=about):
                return replace(entry, passed=self._passed_in(about))
        return entry

    def _passed_in(self, about: Key) -> Passed | None:
        node = self.problem.find(about)
        if node is None or self.problem.tree.kind[node] not in (NodeKind.GROUP, NodeKind.MERGED):
            return None
        wishes = (each for each in self.ledger.wishes if each.wish is Wish.INLINE)
        inlined = frozenset(each.routine for each in wishes if each.routine is not None)
        return Passed(FORWARD in self.problem.shape, inlined)

    def _weighed(self, problem: Problem) -> Problem:
        """Return the problem with the masses of the hints that are on."""
        following = tuple(hint for hint in self.active_hints if hint not in self.hints)
        hints = tuple(hint for hint in self.active_hints if hint in self.hints)
        weigh = Weighing(hints, following) if self.active_hints else None
        is_same = problem.weigh == weigh or not isinstance(problem.weigh, Weighing | None)
        return problem if is_same else replace(problem, weigh=weigh)

    @cached_property
    def active_hints(self) -> tuple[Hint, ...]:
        """The hints that are on, as the values that were called wrong make them."""
        on = (hint for hint in self.hints if hint.name not in self.ledger.off)
        found = (
            each.following(self.ledger.pointed) if isinstance(each, Follower) else each
            for each in on
        )
        return tuple(each for each in found if each is not None)

    def _is_only_assumed(self, ended: Diagnosis) -> bool:
        """Tell whether a diagnosis rests on the assumption alone that the root is wrong.

        If all answers were "right", there is no bug in the recorded run.
        """
        is_inside = ended.node == self.problem.start != self.problem.root
        return is_inside and ended.node not in self.space.judged.verdicts

    def _ruled(self, word: Word, node: int | None) -> "Session":
        pending = self.pending
        if not isinstance(pending, Diagnosis):
            raise UsageError("There is no diagnosis to confirm or reject yet.")
        if node is not None and node not in pending.candidates:
            raise UsageError(f"Node {node} is no candidate of the diagnosis.")
        about = pending.about if node is None else self.problem.tree.key(node)
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
    """Extend an answer to all equal questions, if it is for all."""
    if answer is None or not answer.is_for_all or answer.verdict not in _REPEATED:
        return session
    node = session.problem.find(answer.about)
    return session if node is None else _alike(session, number, session.problem.equals(node))


def _alike(session: Session, number: int, nodes: Numbers) -> Session:
    also = tuple(session.problem.tree.key(node) for node in nodes.tolist())
    return session.extended((Alike(number, also),))


def _repeated(session: Session) -> Session:
    """Answer the pending questions that are equal to an answered one."""
    if session.problem.fingerprint is None:
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
        session = _alike(session, known.number, session.problem.alike(question.node, near))
    return session


def _same_routine(session: Session, node: int) -> Numbers:
    """Return a node and the later candidates of the same routine."""
    space, routine = session.space, session.problem.tree.routine
    nodes = space.candidates + space.focus
    return np.concatenate(([node], nodes[(nodes > node) & (routine[nodes] == routine[node])]))


def _equal_answer(session: Session, question: Question) -> Given | None:
    problem, wanted = session.problem, session.problem.print_of(question.node)
    for given in session.answers:
        # (An oracle can answer the equal question itself.)
        if given.answer.verdict in _REPEATED and given.answer.by == USER:
            node = problem.find(given.answer.about)
            if node is not None and problem.print_of(node) == wanted:
                return given
    return None
