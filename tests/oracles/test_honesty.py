"""A diagnosis lists the answers that it rests on, so that wrong answers of oracles can be found.

A hundred seeded bugs in random trees, with oracles that answer wrongly, or not at all.  Each wrong
conclusion names a wrong answer that it rests on; and once such answers are corrected, one after
the other, the search finds the bug.
"""

import random

import numpy as np
import pytest

from sleuth.search.problem import Problem
from sleuth.search.question import Answer, Contradiction, Diagnosis, NoBug, Question, Verdict
from sleuth.search.session import Session
from sleuth.tree.flat import FlatTree
from sleuth.tree.node import ExecutionTree, Masses, Numbers
from tests.trees import is_wrong, tree_of

pytestmark = pytest.mark.any_version
BUGS = range(100)


def random_tree(chance: random.Random) -> FlatTree:
    """Return a tree whose routines are called several times, some of them untrusted."""
    parents, path = [-1], [0]
    for number in range(1, chance.randint(8, 60)):
        del path[max(1, len(path) - chance.choice((0, 0, 1, 1, 2, 4))) :]
        parents.append(path[-1])
        path.append(number)
    routines = [chance.randrange(8) for _ in parents]
    return tree_of(parents, routines=routines)


class Unsure:
    """An oracle that answers about half of the nodes, and sometimes wrongly."""

    def __init__(self, name: str, tree: FlatTree, bug: int, chance: random.Random) -> None:
        self.name = name
        self._said: dict[int, Verdict] = {}
        for node in range(1, len(tree)):
            if chance.random() < 0.5:
                is_so = is_wrong(tree, bug, node) ^ (chance.random() < 0.15)
                self._said[node] = Verdict.WRONG if is_so else Verdict.RIGHT

    def answer(self, question: Question) -> Answer | None:
        verdict = self._said.get(question.node)
        return None if verdict is None else Answer(question.about, verdict, by=self.name)


class Quick(Unsure):
    """The same, but it is asked first about all nodes."""

    def may_answer(self, tree: ExecutionTree, nodes: Numbers) -> Numbers:
        return np.array([node for node in nodes.tolist() if node in self._said], np.int64)


class Guessing:
    """A hint that is as often wrong as right."""

    name = "guessing"

    def __init__(self, tree: FlatTree, chance: random.Random) -> None:
        self._factors = np.array([chance.choice((0.3, 1.0, 3.0)) for _ in range(len(tree))])

    def factors(self, tree: ExecutionTree) -> Masses:
        return self._factors

    def reason(self, tree: ExecutionTree, node: int) -> str:
        return "a guess"


class Study:
    """One bug, with the oracles and the person that answer."""

    def __init__(self, seed: int) -> None:
        chance = random.Random(seed)
        self.tree = random_tree(chance)
        self.bug = chance.randrange(len(self.tree))
        oracles = (
            Quick("memory", self.tree, self.bug, chance),
            Unsure("custom", self.tree, self.bug, chance),
        )
        hints = (Guessing(self.tree, chance),)
        strategy = chance.choice(("bisection", "top-down", "worst-case"))
        self.chance = chance
        self.session = Session(Problem(self.tree), strategy=strategy).helped(oracles, hints)

    def truth(self, node: int) -> Verdict:
        return Verdict.WRONG if is_wrong(self.tree, self.bug, node) else Verdict.RIGHT

    def person(self, question: Question) -> Answer:
        """Answer as a person who is always right but does not know everything."""
        is_known = self.chance.random() < 0.9
        verdict = self.truth(question.node) if is_known else Verdict.UNKNOWN
        return Answer(question.about, verdict)

    def untrue(self, session: Session, numbers: tuple[int, ...]) -> list[int]:
        """Return the answers that are wrong."""
        found = []
        for given in session.answers:
            node = session.problem.find(given.answer.about)
            is_judged = given.answer.verdict in (Verdict.RIGHT, Verdict.WRONG)
            if given.number not in numbers or node is None or not is_judged:
                continue
            if given.answer.verdict is not self.truth(node):
                assert given.answer.by != "user"
                found.append(given.number)
        return found

    def put_right(self, session: Session, number: int) -> Session:
        about = next(each.answer.about for each in session.answers if each.number == number)
        node = session.problem.find(about)
        assert node is not None
        return session.changed(number, Answer(about, self.truth(node)))

    def followed(self, session: Session, *, attended: bool) -> Session:
        """Go on until something is concluded."""
        if not attended:
            return session.unattended()
        session = session.settled()
        for _ in range(3 * len(self.tree)):
            if not isinstance(session.pending, Question):
                return session
            session = session.given(self.person(session.pending)).settled()
        raise AssertionError("it asks for ever")

    def is_found(self, session: Session) -> bool:
        """Tell whether the bug is the diagnosed node, or one of the candidates."""
        pending = session.pending
        return isinstance(pending, Diagnosis) and self.bug in pending.candidates


def rests_on(session: Session) -> tuple[int, ...]:
    pending = session.pending
    if isinstance(pending, Contradiction):
        return pending.answers
    assert isinstance(pending, Diagnosis | NoBug)
    return pending.evidence


@pytest.mark.parametrize("attended", [True, False])
def test_no_wrong_diagnosis_without_the_answer_it_rests_on(*, attended: bool) -> None:
    misled = corrected = 0
    for seed in BUGS:
        study = Study(seed)
        session = study.followed(study.session, attended=attended)
        misled += not study.is_found(session)
        for _ in range(len(study.tree) + 1):
            if study.is_found(session):
                break
            listed = study.untrue(session, rests_on(session))
            assert listed, f"bug {seed}: nothing that is listed is untrue"
            session = study.put_right(session, listed[0])
            session = study.followed(session, attended=attended)
            corrected += 1
        assert study.is_found(session), f"bug {seed}: it was not found in the end"
        pending = session.pending
        if attended and isinstance(pending, Diagnosis) and pending.is_certain:
            assert pending.node == study.bug
    # Else the test would check nothing.
    assert misled > 20
    assert corrected >= misled


def test_answers_without_a_user_name_their_oracle() -> None:
    for seed in BUGS:
        study = Study(seed)
        session = study.followed(study.session, attended=False)
        assert {given.answer.by for given in session.answers} <= {"memory", "custom", "unattended"}


def test_without_the_oracles_that_were_wrong_a_person_finds_the_bug() -> None:
    for seed in BUGS:
        study = Study(seed)
        session = study.followed(study.session, attended=True)
        for name in ("memory", "custom"):
            session = session.switched(name, is_on=False)
        session = study.followed(session, attended=True)
        assert study.is_found(session), seed
