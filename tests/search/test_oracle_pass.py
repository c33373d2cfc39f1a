"""Oracles answer before the user is asked, hints change the order, and answers can be changed."""

import numpy as np
import pytest

from sleuth.search.problem import Problem
from sleuth.search.question import UNATTENDED, Answer, Diagnosis, Question, Verdict
from sleuth.search.session import Session
from sleuth.tree.node import ExecutionTree, Masses, Numbers
from tests.trees import tree_of

pytestmark = pytest.mark.any_version
CHAIN = [-1, 0, 1, 2, 3]
STAR = [-1, 0, 0, 0]


class Knowing:
    """Knows the verdicts of some nodes."""

    def __init__(self, tree: ExecutionTree, name: str = "knowing", **verdicts: str) -> None:
        self.name = name
        self.asked: list[int] = []
        self._known = {
            tree.key(int(node[1:])): Verdict(verdict) for node, verdict in verdicts.items()
        }

    def answer(self, question: Question) -> Answer | None:
        self.asked.append(question.node)
        verdict = self._known.get(question.about)
        return None if verdict is None else Answer(question.about, verdict, by=self.name)


class Quick(Knowing):
    """The same, and it can look at many nodes."""

    def may_answer(self, tree: ExecutionTree, nodes: Numbers) -> Numbers:
        return np.array([node for node in nodes.tolist() if tree.key(node) in self._known], int)


class Suspecting:
    """Says that one node is suspicious."""

    name = "suspecting"

    def __init__(self, node: int) -> None:
        self._node = node

    def factors(self, tree: ExecutionTree) -> Masses:
        factors = np.ones(len(tree))
        factors[self._node] = 100.0
        return factors

    def reason(self, tree: ExecutionTree, node: int) -> str:
        return "it looks odd" if node == self._node else ""


def session_of(parents: list[int], **verdicts: str) -> Session:
    tree = tree_of(parents)
    return Session(Problem(tree), strategy="top-down").helped((Quick(tree, **verdicts),))


def test_an_oracle_answers_what_could_be_asked_later_before_anybody_is_asked() -> None:
    session = session_of(STAR, n3="right").settled()
    assert [given.answer.by for given in session.answers] == ["knowing"]
    assert session.space.candidates.tolist() == [1, 2]


def test_an_oracle_that_is_not_quick_is_asked_about_the_pending_question_alone() -> None:
    tree = tree_of(STAR)
    oracle = Knowing(tree, n3="right")
    session = Session(Problem(tree), strategy="top-down").helped((oracle,)).settled()
    assert not session.answers
    assert len(oracle.asked) == 1


def test_switching_an_oracle_off_also_removes_its_answers() -> None:
    session = session_of(CHAIN, n1="wrong", n2="right").settled()
    assert isinstance(session.pending, Diagnosis)
    off = session.switched("knowing", is_on=False)
    assert not off.answers
    assert off.settled().answers == ()
    on = off.switched("knowing", is_on=True).settled()
    assert on.pending == session.pending or isinstance(on.pending, Diagnosis)
    assert len(on.answers) == 2
    assert len(off.undone().answers) == 2


def test_what_the_user_takes_back_is_not_said_again() -> None:
    session = session_of(STAR, n3="right").settled()
    session = session.changed(1, None).settled()
    assert not session.answers
    assert isinstance(session.pending, Question)


def test_unattended_ends_with_candidates_and_waits_for_nobody() -> None:
    session = session_of(CHAIN, n1="wrong", n3="right").unattended()
    assert isinstance(session.pending, Diagnosis)
    assert session.pending.candidates == (1, 2)
    assert {given.answer.by for given in session.answers} == {"knowing", UNATTENDED}


def test_unattended_without_any_oracle_says_nothing_it_does_not_know() -> None:
    session = Session(Problem(tree_of(CHAIN))).unattended()
    assert isinstance(session.pending, Diagnosis)
    assert not session.pending.is_certain
    assert len(session.pending.candidates) == len(CHAIN)


def test_oracles_say_whether_the_calls_around_a_diagnosis_are_wrong() -> None:
    tree = tree_of(CHAIN)
    session = Session(Problem(tree)).helped((Knowing(tree, n1="wrong", n2="wrong"),))
    for node, verdict in ((3, Verdict.WRONG), (4, Verdict.RIGHT)):
        session = session.given(Answer(tree.key(node), verdict))
    assert isinstance(session.pending, Diagnosis)
    assert not session.pending.is_certain
    session = session.settled()
    assert isinstance(session.pending, Diagnosis)
    assert session.pending.node == 3
    assert session.pending.is_certain


def test_a_hint_changes_the_order_and_nothing_else() -> None:
    tree = tree_of(STAR)
    plain = Session(Problem(tree), strategy="heaviest-first")
    hinted = plain.helped((), (Suspecting(3),))
    assert isinstance(plain.pending, Question)
    assert isinstance(hinted.pending, Question)
    assert plain.pending.node != 3
    assert hinted.pending.node == 3
    assert hinted.space.candidates.tolist() == plain.space.candidates.tolist()
    assert hinted.switched("suspecting", is_on=False).pending == plain.pending


def test_of_candidates_the_one_that_a_hint_points_to_goes_first() -> None:
    session = Session(Problem(tree_of(STAR))).helped((), (Suspecting(2),)).unattended()
    assert isinstance(session.pending, Diagnosis)
    assert session.pending.candidates[0] == 2
