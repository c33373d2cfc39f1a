"""The inquiry into one trace: its tree, its session, and the journal that saves each answer."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import IntEnum
from pathlib import Path
from typing import Any

import numpy as np

from sleuth import opening
from sleuth.errors import SleuthError, UsageError
from sleuth.opening import Opened
from sleuth.oracles import memory, table
from sleuth.oracles.table import Helpers, Settings
from sleuth.search.journal import Journal
from sleuth.search.question import (
    UNATTENDED,
    USER,
    Alike,
    Answer,
    Diagnosis,
    Entry,
    Question,
    Ruling,
    Verdict,
    Word,
)
from sleuth.search.session import Session
from sleuth.trace.labels import Label, label
from sleuth.trace.reader import Trace
from sleuth.trace.values import escaped
from sleuth.tree.failing.test import Failure
from sleuth.tree.node import ExecutionTree, Key, NodeKind
from sleuth.tree.observe.behaviour import Behaviour
from sleuth.tree.observe.group import group_of
from sleuth.tree.observe.inside import starts
from sleuth.tree.observe.nodes import behaviour_for, behaviour_in
from sleuth.tree.transformations import DEFAULT_SHAPE, changed
from sleuth.tree.transformations.outline import Wish, Wished
from sleuth.views.project import labelled
from sleuth.views.prompt import pointing
from sleuth.views.wire import questions
from sleuth.views.words.expected import Expected, by_test, expectation, expected_of
from sleuth.views.words.loop_names import LoopNames, loop_names, named

OPTION = "an option"
"""The author of answers that options of the command line give."""
_TRUST = (Verdict.TRUST_FUNCTION, Verdict.TRUST_MODULE)
_MANY = 300_000
"""Traces with more calls take a moment to open."""


class Ended(IntEnum):
    """How an inquiry ended, as an exit status."""

    FOUND = 0
    WITHOUT = 1


@dataclass(slots=True)
class Inquiry:
    """The model behind the views: looks up behaviours, takes answers, and saves them."""

    trace: Trace
    session: Session
    journal: Journal | None
    """None: the session is read only."""
    memory: Path | None = None
    """Where the user's answers are remembered for other runs; None: next to the trace."""
    helpers: Helpers = field(default_factory=Helpers)
    """The available oracles and hints, on or off."""
    remarked: int = 0
    """How many remarks of the oracles were shown."""
    news: dict[str, dict[Key, Answer]] = field(default_factory=dict)
    """New answers of the oracles that were not shown yet, by oracle."""
    failure: Failure | None = None
    """Why the recorded test failed, if one was recorded."""
    project_labels: tuple[Label, ...] = field(init=False)
    """The labels of classes from the project's settings; the session may add some."""
    given_before: int = field(init=False)
    """How many answers earlier sessions about this run have, the oracles' included."""
    _behaviours: dict[int, Behaviour] = field(default_factory=dict)
    """Behaviours that were looked up, by node of the tree below."""
    _looked_up_in: ExecutionTree | None = None

    def __post_init__(self) -> None:
        """Count the earlier answers, and take over the labels."""
        self.given_before = self.session.answer_count
        self.project_labels = self.trace.labels
        self._relabel()

    # --- Looking ---------------------------------------------------------------------------------

    @property
    def tree(self) -> ExecutionTree:
        """The tree that is searched, in its present shape."""
        return self.session.problem.tree

    def behaviour(self, node: int) -> Behaviour:
        """Return what a node did."""
        if self._looked_up_in is not self.tree:
            # A group can have the same key and other members.
            self._looked_up_in = self.tree
            self._behaviours.clear()
        if node not in self._behaviours:
            self._behaviours[node] = behaviour_in(self.trace, self.tree, node)
        return named(self._behaviours[node], self.loop_names)

    @property
    def loop_names(self) -> LoopNames:
        """The names that the user gave to loops."""
        return loop_names(self.trace, self.session.ledger.names)

    def about(self, node: int, path: str) -> Key:
        """Return what an answer with a path is about; PathError: the path leads nowhere."""
        return pointing.about(self, node, path)

    def is_tested(self, node: int) -> bool:
        """Whether the check that did not hold is about this call's result."""
        actual = self.failure.actual if self.failure else None
        is_call = self.tree.node(node).kind is NodeKind.CALL
        return is_call and actual is not None and self.tree.key(node).call == actual.call

    def expected_by_test(self, node: int) -> str:
        """Return the result that the test expects of a call; empty: the test does not say."""
        if self.failure is None or not self.is_tested(node):
            return ""
        return expectation(self.trace, self.failure)

    def expected(self, node: int) -> Expected | None:
        """Return what a node should have given: as an answer or the failed test says."""
        behaviour, about = self.behaviour(node), self.tree.key(node)
        return expected_of(
            self.trace,
            behaviour,
            about,
            answers=self.session.answers,
            failure=self.failure if self.tree.node(node).kind is NodeKind.CALL else None,
        )

    @property
    def are_tests_trusted(self) -> bool:
        """Whether some calls of tests are trusted, so that no question is about them."""
        return bool(self._trusted_tests())

    def doubt_tests(self) -> None:
        """Stop trusting tests and fixtures, so that questions are about them, too."""
        for node in self._trusted_tests():
            self.give(Answer(self.tree.key(node), Verdict.DOUBT_MODULE, by=OPTION))

    def _trusted_tests(self) -> list[int]:
        """Return a call of each module of tests that is trusted."""
        trusted, module = self.session.space.judged.trusted, self.tree.module
        tests = [each.id for each in self.trace.modules() if each.is_test]
        found = (np.flatnonzero((module == number) & trusted) for number in tests)
        return [int(nodes[0]) for nodes in found if len(nodes)]

    def equal_count(self, node: int) -> int:
        """Return how many questions are equal to this one, itself included."""
        return len(self.session.problem.equals(node))

    def question_about(self, about: Key) -> Question:
        """Return the question that an answer was given to."""
        node = self.session.problem.find(about)
        return self.session.question(self.session.problem.root if node is None else node)

    @property
    def just_confirmed(self) -> bool:
        """Whether the last entry confirmed a diagnosis."""
        match self.session.entries[-1:]:
            case (Ruling(_, Word.CONFIRMED),):
                return True
        return False

    @property
    def ended(self) -> Ended:
        """How the inquiry ends if it ends now: whether one node was found, now or earlier."""
        pending = self.session.pending
        is_found = isinstance(pending, Diagnosis) and pending.is_only_one
        return Ended.FOUND if is_found or self.session.ledger.confirmed else Ended.WITHOUT

    # --- Answering -------------------------------------------------------------------------------

    def give(self, answer: Answer) -> None:
        """Take an answer; refuse to trust a group, which belongs to no function."""
        if answer.verdict in _TRUST and group_of(self.trace, answer.about) is not None:
            raise UsageError(
                "A group of calls can't be trusted. Judge one of its calls: j CALL, then t."
            )
        self._go(self.session.given(answer))

    def change(self, number: int, answer: Answer | None) -> None:
        """Replace an earlier answer, or take it back."""
        self._go(self.session.changed(number, answer))

    def undo(self) -> None:
        """Undo the last answer."""
        self._go(self.session.undone())

    def redo(self) -> None:
        """Redo the answer that was undone."""
        self._go(self.session.redone())

    def use(self, strategy: str) -> None:
        """Choose questions by another strategy."""
        self._go(self.session.using(strategy))

    def shape(self, names: tuple[str, ...]) -> None:
        """Transform the tree; without transformations everything is unfolded, too."""
        session = self.session.shaped(names)
        if not names and session.ledger.wishes:
            session = session.wished(Wished(Wish.PLAIN))
        self._go(session)

    def reshape(self, words: str) -> None:
        """Parse `+loops -balance` and reshape the tree."""
        self.shape(changed(self.session.problem.shape, words.replace(",", " ").split()))

    def wish(self, wished: Wished) -> None:
        """Fold, unfold, inline or search first a part of the tree."""
        known = self.session.ledger.wishes
        if wished in (known if wished.wish is Wish.INLINE else known[-1:]):
            return  # it holds already
        self._go(self.session.wished(wished))

    def key_of_call(self, call: int) -> Key:
        """Return the key of a call's node, even if the tree has no such node."""
        node = self.tree.find_call(call)
        if node is not None:
            return self.tree.key(node)
        found = self.trace.call(call)
        return Key(call, found.first, -1 if found.last is None else found.last)

    def node_of_call(self, call: int) -> int:
        """Return the node of a call; a call that was merged into another is split off."""
        if self.tree.find_call(call) is None:
            self.wish(Wished(Wish.SHOW, about=self.key_of_call(call)))
        node = self.tree.find_call(call)
        if node is None:
            raise UsageError(f"There is no call {call} in this tree. Search for calls: f TEXT")
        return node

    def name(self, about: Key, words: str) -> None:
        """Name the loop that a node is an execution of; no words: remove the name."""
        self._go(self.session.named(about, words))

    def label(self, class_name: str, paths: str) -> None:
        """Label the objects of a class; no paths: remove the label."""
        self._go(self.session.labelled(class_name, paths))

    def _relabel(self) -> None:
        added = (label(name, paths) for name, paths in self.session.ledger.labels)
        labels = (*self.project_labels, *added)
        if labels != self.trace.labels:
            self.trace = self.trace.labelled(labels)

    def confirm(self, node: int | None = None) -> None:
        """Confirm the diagnosis, or one of its candidates, as the bug."""
        self._go(self.session.confirmed(node=node))

    def reject(self) -> None:
        """Reject the diagnosis."""
        self._go(self.session.rejected())

    def search_in(self, node: int) -> None:
        """Search in one call, assuming that it is wrong."""
        self._go(self.session.on(replace(self.session.problem, root=node)))

    # --- Oracles ---------------------------------------------------------------------------------

    def get_help(
        self, settings: Settings, *, without: Sequence[str] = (), is_attended: bool = True
    ) -> None:
        """Let all oracles with data answer, except those named."""
        self.memory = memory.chosen(self.trace, settings)
        made = table.helpers(self.trace, settings, describe=self._described)
        self.helpers = made
        expected = by_test(self.trace, self.failure) if self.failure else None
        for each in made.hints:
            if expected is not None and isinstance(each, table.Expecting):
                each.expect(expected.data)
        session = self.session.helped(made.oracles, made.hints)
        session = session if is_attended else session.without_followers()
        self._follow(session.hinted(table.sources(session.hints)))
        wanted = dict.fromkeys(table.told(settings), True)
        for name, is_on in (wanted | {table.named(name): False for name in without}).items():
            self._follow(self.session.switched(name, is_on=is_on))
        self._settle()

    def _described(self, question: Question) -> Mapping[str, Any]:
        """Return a question as JSON."""
        node = self.tree.find(question.about)
        behaviour = (
            behaviour_for(self.trace, question.about) if node is None else self.behaviour(node)
        )
        return questions.question(self.trace, behaviour, question.about)

    def remember(self) -> None:
        """Remember the user's answers, for other runs."""
        path = self.memory or memory.chosen(self.trace, {})
        answers = [given.answer for given in self.session.answers]
        memory.Remembering(self.trace, path).keep(answers)

    def hints(self, node: int) -> dict[str, str]:
        """Return the reasons why a node is more or less suspicious, by hint."""
        on = self.session.active_hints
        said = {hint.name: hint.reason(self.tree, node) for hint in on}
        return {name: reason for name, reason in said.items() if reason}

    def switch(self, name: str) -> bool:
        """Switch an oracle off, which drops its answers, or on; return whether it is on."""
        is_on = table.named(name) in self.session.ledger.off
        self._go(self.session.switched(name, is_on=is_on))
        return is_on

    def attend(self) -> None:
        """Take back each "don't know" of an unattended session, now that the user is there."""
        if any(given.answer.by == UNATTENDED for given in self.session.answers):
            self._follow(self.session.switched(UNATTENDED, is_on=True))
            self._follow(self.session.switched(UNATTENDED, is_on=False))
            if not self.session.problem.shape:
                self._follow(self.session.shaped(DEFAULT_SHAPE))

    def judge_calls(self) -> None:
        """Use the tree of calls, as oracles can't answer for loops, turns and groups."""
        self._follow(self.session.shaped(()))

    def end_unattended(self) -> None:
        """Go on to the end without the user."""
        self._told(self.session.unattended())

    def _go(self, session: Session) -> None:
        """Save the new entries, then let the oracles answer."""
        self._follow(session)
        self._settle()

    def _settle(self) -> None:
        self._told(self.session.settled())

    def _told(self, session: Session) -> None:
        """Continue with the oracles' answers, and note them for the next report."""
        new = session.entries[len(self.session.entries) :]
        self._follow(session)
        for name, given in _answered(new, session).items():
            self.news.setdefault(name, {}).update(given)

    def _follow(self, session: Session) -> None:
        if self.journal is not None:
            self.journal.follow(self.session, session)
        self.session = session
        self._relabel()

    def paths(self, start: str) -> list[str]:
        """Return the paths of a question that begin with a text."""
        pending = self.session.pending
        if not isinstance(pending, Question):
            return []
        behaviour = self.behaviour(pending.node)
        known = [*starts(self.trace, behaviour), *(each.path for each in behaviour.changes)]
        return [path for path in dict.fromkeys(known) if path.startswith(start)]


def _answered(entries: Sequence[Entry], session: Session) -> dict[str, dict[Key, Answer]]:
    """Return the oracles' answers among new entries, by oracle."""
    by_number = {given.number: given.answer for given in session.answers}
    found: dict[str, dict[Key, Answer]] = {}
    for entry in entries:
        match entry:
            case Answer(by=by, about=about):
                found.setdefault(by, {})[about] = entry
            case Alike(number, keys) if number in by_number:
                answer = by_number[number]
                found.setdefault(answer.by, {}).update(dict.fromkeys(keys, answer))
    return {name: given for name, given in found.items() if name not in (USER, UNATTENDED)}


@contextmanager
def opened(path: Path, *, tell: Callable[[str], None] = lambda _: None) -> Iterator[Inquiry]:
    """Open a trace to go on with its session; no other process can do so meanwhile."""
    found = _opened(path, tell)
    with found.resumed() as (session, journal):
        inquiry = Inquiry(found.trace, session, journal, failure=found.failure)
        try:
            yield inquiry
        finally:
            inquiry.remember()


def looked_at(path: Path) -> Inquiry:
    """Open a trace and its session, read only, with the hints that the session had."""
    found = _opened(path, lambda _: None)
    session = found.left()
    try:
        session = session.helped((), tuple(table.hints_from(found.trace, session.hinted_by)))
    except (SleuthError, OSError) as problem:
        print(
            f"sleuth: the last session used a run that can't be read now, so candidates may stand "
            f"in another order: {escaped(str(problem))}",
            file=sys.stderr,
        )
    return Inquiry(found.trace, session, None, failure=found.failure)


def _opened(path: Path, tell: Callable[[str], None]) -> Opened:
    found = opening.opened(path)
    found.trace = labelled(found.trace)
    if found.trace.call_count > _MANY:
        tell(f"opening a trace of {found.trace.call_count:,} calls ...")
    return found
