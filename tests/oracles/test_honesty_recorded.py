"""On recorded programs, too, a diagnosis lists the answers that it rests on.

Bugs are planted in programs, which are recorded with and without them, or assumed somewhere in a
run.  All oracles of Sleuth answer, and one that is sometimes wrong and often silent.  Each wrong
conclusion names a wrong answer that it rests on; and once such answers are corrected, one after
the other, the search finds the bug.
"""

import random
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from sleuth.opening import Opened
from sleuth.oracles.table import Helpers, helpers
from sleuth.search.problem import Problem
from sleuth.search.question import Answer, Contradiction, Diagnosis, NoBug, Question, Verdict
from sleuth.search.session import Session
from sleuth.trace.reader import Trace
from sleuth.tree.flat import FlatTree
from sleuth.tree.node import Key

sys.path.insert(0, str(Path(__file__).parents[2]))
from bench.questions.positions import Positions, positions_of
from tests.recorded import recorded

pytestmark = pytest.mark.one_version
ROOT = Path(__file__).parents[2]
PLANTED = {
    # A program of bench/questions: the function that gets a bug, what it says, and then says.
    "heap_sort": ("larger_child", "[child + 1] > items[child]", "[child + 1] < items[child]"),
    "merge_sort": ("merged", "left[0] <= right[0]", "left[0] >= right[0]"),
    "num_reader": ("words", "number % 1000)", "number % 100)"),
    "complex_numbers": ("Complex.conjugated", "-self.imaginary)\n\n    def sq", "1)\n\n    def sq"),
    "classifier": ("weight_class", "index < 25", "index < 23"),
    "cues": ("shortest", "min(queues", "max(queues"),
}
FAILING = ("cues",)
"""With the bug they end by an exception, the others print something else."""
SEEDS = range(9)
"""For each program: so many with the planted bug, and as many with one that is assumed."""
_LIES, _SPEAKS = 0.2, 0.5
_LEAST = 100


@dataclass(frozen=True)
class Bug:
    """A bug in a recorded run, and the oracles that answer about it."""

    name: str
    seed: int
    opened: Opened
    helpers: Helpers
    truth: Callable[[Question], Verdict | None]
    """What is so; None: nobody can tell."""
    is_among: Callable[[FlatTree, tuple[int, ...]], bool]
    """Whether it is in one of these nodes themselves."""

    @property
    def session(self) -> Session:
        oracles = (Unsure(self), *self.helpers.oracles)
        return self.opened.session().helped(oracles, self.helpers.hints)

    def chance(self, what: object) -> float:
        """Return a number below 1 that is the same each time."""
        return random.Random(f"{self.name} {self.seed} {what}").random()


class Unsure:
    """An oracle that answers half of the questions, and sometimes wrongly."""

    name = "custom"

    def __init__(self, bug: Bug) -> None:
        self._bug = bug

    def answer(self, question: Question) -> Answer | None:
        truth = self._bug.truth(question)
        if truth is None or self._bug.chance(("speaks", question.about)) > _SPEAKS:
            return None
        is_lie = self._bug.chance(("lies", question.about)) < _LIES
        return Answer(question.about, _contrary(truth) if is_lie else truth, by=self.name)


def _contrary(verdict: Verdict) -> Verdict:
    return Verdict.RIGHT if verdict is Verdict.WRONG else Verdict.WRONG


# --- Bugs ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def bugs(tmp_path_factory: pytest.TempPathFactory) -> list[Bug]:
    """Record each program with and without a bug, once, since that takes long."""
    found: list[Bug] = []
    folder = tmp_path_factory.mktemp("honesty")
    for name, (function, was, now) in PLANTED.items():
        source = (ROOT / "bench" / "questions" / "programs" / f"{name}.py").read_text()
        assert was in source
        good = recorded(folder / f"{name}-good", source)
        status = 1 if name in FAILING else 0
        bad = recorded(folder / f"{name}-bad", source.replace(was, now), status=status)
        found += planted(name, bad, good, function)
        found += assumed(name, good, bad)
    return found


def planted(name: str, bad: Trace, good: Trace, function: str) -> Iterator[Bug]:
    """Yield bugs where the text was changed; the unchanged program gives the right verdicts."""
    opened, given = Opened(bad), helpers(bad, {"reference": [str(good.path)]})
    reference = next(each for each in given.oracles if each.name == "reference")

    def truth(question: Question) -> Verdict | None:
        said = reference.answer(question)
        return said.verdict if said else None

    def is_among(tree: FlatTree, nodes: tuple[int, ...]) -> bool:
        functions = (bad.function(int(tree.routine[node])) for node in nodes)
        return any(each is not None and each.qualified_name == function for each in functions)

    for seed in SEEDS:
        yield Bug(name, seed, opened, given, truth, is_among)


def assumed(name: str, trace: Trace, other: Trace) -> Iterator[Bug]:
    """Yield bugs that are assumed in right code; the reference does not know them.

    They are in calls that made none: a group of calls has nothing of the code around them.
    """
    opened, given = Opened(trace), helpers(trace, {"reference": [str(other.path)]})
    places = positions_of(trace)
    problem = opened.session().problem
    calls = [int(each) for each in np.unique(places.call) if not list(trace.children(int(each)))]
    single = [each for each in calls if _is_told_apart(problem, trace, each)]
    able = np.flatnonzero(np.isin(places.call, single))
    for seed in SEEDS:
        place = random.Random(f"{name} {seed}").choice(able.tolist())
        yield Bug(name, seed, opened, given, *_at(trace, places.taken(np.array([place]))))


def _at(
    trace: Trace, place: Positions
) -> tuple[Callable[[Question], Verdict | None], Callable[[FlatTree, tuple[int, ...]], bool]]:
    around = set(_around(trace, int(place.call[0])))
    moment = int(place.moment[0])

    def truth(question: Question) -> Verdict:
        call, first, last = question.about
        is_inside = call in around and first <= moment and (last < 0 or moment <= last)
        return Verdict.WRONG if is_inside else Verdict.RIGHT

    def is_among(tree: FlatTree, nodes: tuple[int, ...]) -> bool:
        return int(place.owners(tree)[0]) in nodes

    return truth, is_among


def _around(trace: Trace, number: int) -> Iterator[int]:
    at: int | None = number
    while at is not None:
        yield at
        at = trace.call(at).parent


def _is_told_apart(problem: Problem, trace: Trace, number: int) -> bool:
    """Whether no call around one, itself included, looks like another."""
    nodes = [problem.tree.holder(each) for each in _around(trace, number)]
    return all(node is not None and len(problem.equals(node)) == 1 for node in nodes)


# --- Following -----------------------------------------------------------------------------------


def followed(bug: Bug, session: Session, *, attended: bool) -> Session:
    """Go on until something is concluded."""
    if not attended:
        return session.unattended()
    session = session.settled()
    for _ in range(500):
        question = session.pending
        if not isinstance(question, Question):
            return session
        said = bug.truth(question) or Verdict.UNKNOWN
        session = session.given(Answer(question.about, said)).settled()
    raise AssertionError("it asks for ever")


def is_found(bug: Bug, session: Session) -> bool:
    pending, tree = session.pending, session.problem.tree
    assert isinstance(tree, FlatTree)
    return isinstance(pending, Diagnosis) and bug.is_among(tree, pending.candidates)


def untrue(bug: Bug, session: Session) -> Iterator[tuple[int, Answer]]:
    """Yield the answers that the conclusion rests on and that are not so, put right."""
    pending = session.pending
    if isinstance(pending, Contradiction):
        numbers = pending.answers
    else:
        assert isinstance(pending, Diagnosis | NoBug)
        numbers = pending.evidence
    for given in session.answers:
        about = given.answer.about
        truth = bug.truth(_question(about))
        is_so = given.answer.verdict in (truth, Verdict.UNKNOWN)
        if given.number in numbers and truth is not None and not is_so:
            assert given.answer.by != "user"
            yield given.number, Answer(about, truth)


def _question(about: Key) -> Question:
    """Return a question about a node that may not be in the tree any more."""
    return Question(1, 0, about, None)  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.parametrize("attended", [True, False])
def test_no_wrong_diagnosis_of_a_recorded_program_without_the_answer_it_rests_on(
    bugs: list[Bug], *, attended: bool
) -> None:
    assert len(bugs) >= _LEAST
    misled = 0
    for bug in bugs:
        session = followed(bug, bug.session, attended=attended)
        misled += not is_found(bug, session)
        while not is_found(bug, session):
            listed = next(untrue(bug, session), None)
            assert listed, f"{bug.name}, {bug.seed}: nothing that is listed is untrue"
            session = followed(bug, session.changed(*listed), attended=attended)
    assert misled > 20  # else nothing was put to the test
