"""The walk over all searches gives known totals, and the same results as single sessions."""

import sys
from functools import partial
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[3]))
from bench.questions.corpus import Subject, recorded
from bench.questions.measure import named
from bench.questions.papers import Nodes, questions
from bench.questions.positions import positions_of
from bench.questions.shapes import SHAPES
from bench.questions.walk import Lost, Walked, walked
from sleuth.search.problem import Problem
from sleuth.search.question import Answer, Question, Verdict
from sleuth.search.session import Session
from sleuth.trace.reader import Trace
from sleuth.tree.flat import FlatTree
from sleuth.tree.node import NodeKind
from tests.shapes import problem_of
from tests.trees import Shape, parents_of, tree_of

STAR: Shape = ((),) * 6
THREE: Shape = ((),) * 3
NESTED: Shape = (THREE, THREE)
HALF_NESTED: Shape = (THREE, (), (), ())
CHESS: Shape = ((),) * 5
GROUPED_CHESS: Shape = (THREE, ((), ()))
ANY = ("top-down", "heaviest-first", "shapiro", "hirunkitti", "optimal", "worst-case", "bisection")
HALVING = ("hirunkitti", "optimal", "bisection")


def everywhere(shape: Shape, strategy: str, *, is_assumed: bool = True) -> Walked:
    tree = tree_of(parents_of(shape))
    session = Session(Problem(tree, is_assumed=is_assumed), strategy=strategy)
    return walked(session, Nodes(np.arange(len(tree))))


def total(found: Walked) -> tuple[int, int, int]:
    return int(found.questions.sum()), len(found.questions), found.worst


@pytest.mark.parametrize("strategy", ANY)
def test_a_star_and_flat_chess_cost_the_same_whatever_the_strategy(strategy: str) -> None:
    assert total(everywhere(STAR, strategy)) == (27, 7, 6)
    assert total(everywhere(CHESS, strategy)) == (20, 6, 5)


def test_with_the_root_asked_it_is_first_or_last() -> None:
    assert total(everywhere(STAR, "hirunkitti", is_assumed=False)) == (28, 7, 7)
    assert total(everywhere(STAR, "top-down", is_assumed=False)) == (34, 7, 7)


@pytest.mark.parametrize("strategy", HALVING)
def test_two_recursive_calls_of_three_leaves_each(strategy: str) -> None:
    assert total(everywhere(NESTED, strategy)) == (32, 9, 5)


def test_the_tiny_trees_of_loops() -> None:
    trees = [tree_of(parents_of(shape)) for shape in (NESTED, HALF_NESTED, STAR)]
    found = [questions(tree, "hirunkitti") for tree in trees]
    assert found == pytest.approx([33 / 9, 27 / 8, 28 / 7])


@pytest.mark.parametrize(("strategy", "expected"), [("hirunkitti", 17), ("bisection", 17)])
def test_projections_of_chess_are_no_positions(strategy: str, expected: int) -> None:
    tree = tree_of(parents_of(GROUPED_CHESS), masses=[1, 0, 1, 1, 1, 0, 1, 1])
    tree.kind[[1, 5]] = NodeKind.GROUP
    real = Nodes(np.array([0, 2, 3, 4, 6, 7]))
    found = walked(Session(Problem(tree), strategy=strategy), real)
    assert total(found) == (expected, 6, 4)


@pytest.mark.parametrize(
    ("leaves", "plain", "algorithm_4"), [(15, 135, 71), (31, 527, 175), (63, 2079, 415)]
)
def test_loops_of_leaf_calls(leaves: int, plain: int, algorithm_4: int) -> None:
    assert total(everywhere(((),) * leaves, "hirunkitti")) == (plain, leaves + 1, leaves)
    tree = tree_of([-1] + [0] * leaves)
    balanced = walked(Session(problem_of(tree)).shaped(("balance",)), Calls(np.arange(len(tree))))
    assert balanced.questions.sum() <= algorithm_4
    assert balanced.worst <= np.log2(leaves + 1) + 1


class Calls(Nodes):
    """Calls as places: their numbers change with the shape."""

    def taken(self, places: np.ndarray) -> "Calls":
        return Calls(self.numbers[places])

    def owners(self, tree: FlatTree) -> np.ndarray:
        return np.array([tree.holder(call) for call in self.numbers.tolist()])


def test_a_bug_that_is_not_found_raises_lost() -> None:
    tree = tree_of([-1, 0, 0], masses=[1, 0, 1])
    with pytest.raises(Lost):
        walked(Session(Problem(tree)), Nodes(np.arange(3)))


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    return Trace(recorded("merge_sort", tmp_path_factory.mktemp("walk")))


@pytest.mark.parametrize("shape", SHAPES)
def test_the_walk_asks_as_often_as_single_sessions(trace: Trace, shape: str) -> None:
    subject, positions = Subject(trace), positions_of(trace).sampled(5, 1)
    found = walked(subject.begun("bisection", SHAPES[shape]), positions)
    for place in range(len(positions)):
        one = positions.taken(np.array([place]))
        session, asked = subject.begun("bisection", SHAPES[shape]), 0
        while isinstance(question := session.pending, Question):
            tree = session.problem.tree
            assert isinstance(tree, FlatTree)
            is_inside = question.node <= one.owners(tree)[0] < tree.end[question.node]
            verdict = Verdict.WRONG if is_inside else Verdict.RIGHT
            session, asked = session.given(Answer(question.about, verdict)), asked + 1
        assert asked == found.questions[place]


def test_who_names_the_first_wrong_turn_of_a_loop_is_asked_less(tmp_path: Path) -> None:
    trace = Trace(recorded("matrix", tmp_path))
    positions = positions_of(trace)
    begun = Subject(trace).begun("bisection", SHAPES["default"])
    without = walked(begun, positions)
    found = walked(begun, positions, naming=partial(named, trace, 12))
    assert found.mean(positions.weight) < without.mean(positions.weight)
    ended = [[each.diagnosis[at] for at in each.ended] for each in (without, found)]
    assert ended[0] == ended[1]
