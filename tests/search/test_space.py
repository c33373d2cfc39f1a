"""The fast search space equals the plain definition: a fold over the answers."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sleuth.search.problem import Problem
from sleuth.search.question import Answer, Diagnosis, Question, Verdict
from sleuth.search.session import Session
from sleuth.search.strategies import STRATEGIES
from sleuth.tree.flat import FlatTree
from tests.effort import examples
from tests.trees import is_wrong, parents, searched, tree_of

pytestmark = pytest.mark.any_version
VERDICTS = st.sampled_from(
    [
        Verdict.RIGHT,
        Verdict.WRONG,
        Verdict.UNKNOWN,
        Verdict.INADMISSIBLE,
        Verdict.TRUST_FUNCTION,
        Verdict.DOUBT_FUNCTION,
        Verdict.SKIP,
    ]
)


@dataclass
class Plain:
    """The definition, with sets, one answer after the other."""

    tree: FlatTree
    is_assumed: bool

    def below(self, node: int) -> set[int]:
        return set(range(node, int(self.tree.end[node])))

    def fold(self, answers: list[tuple[int, Verdict]]) -> None:
        """Take all answers."""
        tree = self.tree
        self.verdicts: dict[int, Verdict] = {}
        self.trusted = set(np.flatnonzero(tree.is_trusted).tolist())
        for node, verdict in answers:
            same = {each for each in range(len(tree)) if tree.routine[each] == tree.routine[node]}
            if verdict is Verdict.TRUST_FUNCTION:
                self.trusted |= same
            elif verdict is Verdict.DOUBT_FUNCTION:
                self.trusted -= same
            elif verdict is not Verdict.SKIP:
                self.verdicts.pop(node, None)
                self.verdicts[node] = verdict
        self.focus, self.is_wrong = self.focused()
        inside = self.below(self.focus)
        self.excluded: set[int] = set()
        for node, verdict in self.verdicts.items():
            is_below = node in inside and not (self.is_wrong and node == self.focus)
            if verdict in (Verdict.RIGHT, Verdict.INADMISSIBLE) and is_below:
                self.excluded |= self.below(node)
        left = inside - self.excluded
        self.unknown = {
            node
            for node in left - ({self.focus} if self.is_wrong else set())
            if self.verdicts.get(node) is Verdict.UNKNOWN and tree.mass[node] > 0
        }
        opened = {
            node
            for node in left
            if node not in self.verdicts
            and node not in self.trusted
            and not (self.is_wrong and node == self.focus)
        }
        wrong = {self.focus} if self.is_wrong else set()
        self.suspects = {node for node in opened | wrong if tree.mass[node] > 0} | self.unknown
        self.askable = {node for node in opened if self.below(node) & self.suspects}

    def focused(self) -> tuple[int, bool]:
        rights = (Verdict.RIGHT, Verdict.INADMISSIBLE)
        focus = 0
        known = self.is_assumed and self.verdicts.get(0) not in rights
        for node, verdict in self.verdicts.items():
            if verdict is Verdict.WRONG and not (known and focus in self.below(node) - {node}):
                focus, known = node, True
        wrong = [node for node, verdict in self.verdicts.items() if verdict is Verdict.WRONG]
        inside = [node for node in wrong if node in self.below(focus) - {focus}]
        return max(inside, key=lambda node: int(self.tree.depth[node]), default=focus), known


@st.composite
def trees(draw: st.DrawFn) -> FlatTree:
    above = draw(parents())
    size = len(above)
    masses = draw(st.lists(st.sampled_from([0.0, 1.0, 1.0, 2.5]), min_size=size, max_size=size))
    # The root has code of its own, so that the search begins there.
    return tree_of(
        above,
        masses=[1.0, *masses[1:]],
        routines=[node % draw(st.integers(1, 5)) for node in range(size)],
        trusted=sorted(draw(st.sets(st.integers(0, size - 1), max_size=3)) - {0}),
    )


@given(tree=trees(), data=st.data(), is_assumed=st.booleans())
@settings(max_examples=examples(150))
def test_the_fast_space_equals_the_fold(
    tree: FlatTree, data: st.DataObject, *, is_assumed: bool
) -> None:
    nodes = st.integers(0, len(tree) - 1)
    answers = data.draw(st.lists(st.tuples(nodes, VERDICTS), max_size=12))
    session = Session(Problem(tree, is_assumed=is_assumed)).extended(
        Answer(tree.key(node), verdict) for node, verdict in answers
    )
    plain = Plain(tree, is_assumed)
    plain.fold(answers)
    space = session.space
    assert (space.focus, space.is_wrong) == (plain.focus, plain.is_wrong)
    assert set((np.flatnonzero(space.is_suspect) + space.focus).tolist()) == plain.suspects
    assert set((np.flatnonzero(space.is_askable) + space.focus).tolist()) == plain.askable
    assert set(space.unknown.tolist()) == plain.unknown
    for node in range(space.focus, space.stop):
        inside = plain.below(node) & plain.suspects
        assert space.remaining[node - space.focus] == len(inside)
        weight = sum(float(tree.mass[each]) for each in inside)
        assert abs(space.weight[node - space.focus] - weight) < 1e-9


@given(tree=trees(), data=st.data(), strategy=st.sampled_from(list(STRATEGIES)))
@settings(max_examples=examples(150))
def test_with_dont_knows_the_bug_stays_among_the_candidates(
    tree: FlatTree, data: st.DataObject, strategy: str
) -> None:
    guilty = np.flatnonzero((tree.mass > 0) & ~tree.is_trusted).tolist()
    bug = data.draw(st.sampled_from(guilty))
    session = Session(Problem(tree), strategy=strategy)
    asked = []
    while isinstance(question := session.pending, Question):
        asked.append(question.node)
        assert bug in session.space.focus + np.flatnonzero(session.space.is_suspect)
        known = Verdict.WRONG if is_wrong(tree, bug, question.node) else Verdict.RIGHT
        verdict = data.draw(st.sampled_from([known, Verdict.UNKNOWN]))
        session = session.given(Answer(question.about, verdict))
    assert isinstance(session.pending, Diagnosis)
    assert bug in session.pending.candidates
    assert len(set(asked)) == len(asked)


@given(tree=trees(), data=st.data(), strategy=st.sampled_from(list(STRATEGIES)))
@settings(max_examples=examples(100))
def test_undo_after_any_answer_is_exact(tree: FlatTree, data: st.DataObject, strategy: str) -> None:
    nodes = st.integers(0, len(tree) - 1)
    session = Session(Problem(tree, fingerprint=lambda node: node % 4), strategy=strategy)
    states = [session]
    for node, verdict in data.draw(st.lists(st.tuples(nodes, VERDICTS), max_size=8)):
        states.append(states[-1].given(Answer(tree.key(node), verdict)))
    back = [states[-1]]
    for expected in reversed(states[:-1]):
        back.append(back[-1].undone())
        assert back[-1].entries == expected.entries
        assert back[-1].pending == expected.pending
    forth = back[-1]
    for expected in states[1:]:
        forth = forth.redone()
        assert forth.entries == expected.entries
        assert forth.pending == expected.pending


@given(tree=trees(), data=st.data())
@settings(max_examples=examples(100))
def test_trust_keeps_the_children(tree: FlatTree, data: st.DataObject) -> None:
    node = data.draw(st.integers(0, len(tree) - 1))
    before = Session(Problem(tree))
    after = before.given(Answer(tree.key(node), Verdict.TRUST_FUNCTION))
    gone = set(before.space.candidates.tolist()) - set(after.space.candidates.tolist())
    same = tree.routine == tree.routine[node]
    for each in gone:
        # What went is of the trusted function, or holds nothing else that may be guilty.
        assert same[each] or after.space.remaining[each] == 0


@given(tree=trees(), data=st.data())
@settings(max_examples=examples(100))
def test_at_most_is_never_exceeded(tree: FlatTree, data: st.DataObject) -> None:
    bug = data.draw(st.sampled_from(np.flatnonzero((tree.mass > 0) & ~tree.is_trusted).tolist()))
    session = Session(Problem(tree), strategy="worst-case")
    while isinstance(question := session.pending, Question):
        before = session.most_questions
        verdict = Verdict.WRONG if is_wrong(tree, bug, question.node) else Verdict.RIGHT
        session = session.given(Answer(question.about, verdict))
        assert before is not None
        assert session.most_questions is not None
        assert session.most_questions < before
    assert isinstance(session.pending, Diagnosis)


@given(parents(), st.data())
@settings(max_examples=examples(200))
def test_a_symptom_that_is_trusted_is_searched_first_and_then_all_else(
    above: list[int], data: st.DataObject
) -> None:
    masses = [0.0, *[1.0] * (len(above) - 1)]
    tops = [node for node in range(1, len(above)) if above[node] == 0]
    if len(tops) < 2:
        return
    symptom = data.draw(st.sampled_from(tops))
    tree = tree_of(above, masses=masses, trusted=[symptom])
    bug = data.draw(st.sampled_from([node for node in range(1, len(tree)) if node != symptom]))
    strategy = data.draw(st.sampled_from(list(STRATEGIES)))
    session = Session(Problem(tree, path=(symptom,))).using(strategy)
    asked, ended = searched(session, bug)
    assert isinstance(ended, Diagnosis)
    assert (ended.node, ended.candidates) == (bug, (bug,))
    assert symptom not in asked
    inside = [symptom < node < tree.end[symptom] for node in asked]
    assert inside == sorted(inside, reverse=True), "what is in it comes first"
