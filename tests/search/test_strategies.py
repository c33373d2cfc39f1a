"""Every strategy finds every bug; the published figures come out, with their conventions."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sleuth import _flat
from sleuth.search import weights
from sleuth.search.problem import Problem
from sleuth.search.question import Diagnosis, Question
from sleuth.search.session import Session
from sleuth.search.space import SearchSpace
from sleuth.search.strategies import STRATEGIES, Described, best
from sleuth.search.strategies import frontier as frontier_of
from sleuth.tree.flat import FlatTree
from sleuth.tree.node import Masses, Small
from tests.trees import (
    Shape,
    all_shapes,
    judged,
    parents,
    parents_of,
    questions,
    searched,
    tree_of,
    walked,
)

pytestmark = pytest.mark.any_version
LEAF: Shape = ()


def leaves(number: int) -> Shape:
    return (LEAF,) * number


def total(shape: Shape, strategy: str, *, is_assumed: bool = True) -> tuple[int, int]:
    counts = questions(tree_of(parents_of(shape)), strategy, is_assumed=is_assumed)
    return sum(counts), len(counts)


@pytest.fixture(scope="module")
def small_trees() -> list[FlatTree]:
    """All trees of up to eight nodes, with three routines."""
    return [
        tree_of(above, routines=[node % 3 for node in range(len(above))])
        for above in map(parents_of, all_shapes(8))
    ]


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("is_assumed", [True, False])
def test_each_bug_in_all_small_trees_is_found_and_no_node_asked_twice(
    small_trees: list[FlatTree], strategy: str, *, is_assumed: bool
) -> None:
    for tree in small_trees:
        assert len(questions(tree, strategy, is_assumed=is_assumed)) == len(tree)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_searches_that_share_their_answers_are_those_of_each_bug(
    small_trees: list[FlatTree], strategy: str
) -> None:
    for tree in small_trees[::7]:
        session = Session(Problem(tree), strategy=strategy)
        shared = walked(session, range(len(tree)))
        for bug in range(len(tree)):
            asked, found = searched(session, bug)
            assert isinstance(found, Diagnosis)
            assert (asked, found.candidates) == (shared[bug][0], (bug,))


@cache
def fewest(ends: tuple[int, ...], left: frozenset[int]) -> int:
    """Return the least worst case, by trying everything."""
    root = min(left)
    if len(left) == 1:
        return 0
    found = len(left)
    for node in left - {root}:
        inside = left & frozenset(range(node, ends[node]))
        found = min(found, 1 + max(fewest(ends, inside), fewest(ends, left - inside)))
    return found


def test_the_worst_case_optimal_strategy_equals_trying_everything() -> None:
    for shape in all_shapes(9):
        tree = tree_of(parents_of(shape))
        optimum = fewest(tuple(tree.end.tolist()), frozenset(range(len(tree))))
        session = Session(Problem(tree), strategy="worst-case")
        assert session.most_questions == optimum
        if len(tree) <= 8:
            assert max(questions(tree, "worst-case")) == optimum


def suffice(sets: list[int], label: int) -> bool:
    """Tell whether labels up to this one suffice for the edges to all children."""
    sets = list(sets)
    for each in range(label, -1, -1):
        shown = sum(one >> each & 1 for one in sets)
        if shown > 1:
            return False
        if sets and shown == 0:
            sets.remove(max(sets, key=lambda one: one & (1 << each) - 1))
    return not sets


def least_visible(sets: list[int]) -> int:
    """Return the least set of labels visible above children that show these."""
    sets, label, found = list(sets), 0, 0
    shown_twice = 0
    for at, one in enumerate(sets):
        for other in sets[:at]:
            shown_twice |= one & other
    label = shown_twice.bit_length()
    while any(one >> label & 1 for one in sets) or not suffice(sets, label):
        label += 1
    top = label
    while sets:
        is_free = not any(one >> label & 1 for one in sets)
        if is_free and (label == top or not suffice(sets, label - 1)):
            chosen = max(sets, key=lambda one: one & (1 << label) - 1)
            sets.remove(chosen)
            found |= 1 << label | chosen >> label << label
        label -= 1
    return found


@pytest.mark.parametrize("count", [3, 30, 63, 64, 65, 90])
def test_edge_ranking_equals_the_plain_rule_in_wide_trees(count: int) -> None:
    generator = np.random.default_rng(count)
    parents = [-1] + [0] * count
    for _ in range(2 * count):
        parents.append(int(generator.integers(len(parents))))
    # A chain with a leaf at each node above it all.
    ends = preorder_of(parents)
    above = 5
    total = 2 * above + len(ends)
    whole = [total if at % 2 == 0 else at + 1 for at in range(2 * above)]
    ends = np.array([*whole, *(ends + 2 * above)], np.int32)
    visible = [0] * total
    for node in reversed(range(total)):
        child, sets = node + 1, []
        while child < ends[node]:
            sets.append(visible[child])
            child = int(ends[child])
        visible[node] = least_visible(sets) if sets else 0
    assert _flat.ranking(ends, np.empty(total, np.int32)) == visible[0].bit_length()


@pytest.mark.parametrize("count", [63, 64, 65, 200])
def test_edge_ranking_of_wide_trees_is_a_ranking(count: int) -> None:
    generator = np.random.default_rng(count)
    parents = [-1] + [0] * count
    for _ in range(3 * count):
        parents.append(int(generator.integers(len(parents))))
    order = preorder_of(parents)
    labels = np.empty(len(order), np.int32)
    most = _flat.ranking(order, labels)
    assert most >= count
    assert most == labels.max() + 1
    seen = [(1 << int(label)) if label >= 0 else 0 for label in labels]
    # What is visible below each node: no label twice.
    visible = [0] * len(order)
    for node in reversed(range(len(order))):
        child = node + 1
        while child < order[node]:
            hidden = visible[child] >> (int(labels[child]) + 1) << (int(labels[child]) + 1)
            assert not (visible[child] >> int(labels[child])) & 1
            shown = hidden | seen[child]
            assert not visible[node] & shown
            visible[node] |= shown
            child = int(order[child])


def preorder_of(parents: list[int]) -> Small:
    numbers, end, depth = (np.empty(len(parents), np.int32) for _ in range(3))
    _flat.preorder(np.array(parents, np.int32), numbers, end, depth)
    ends = np.empty_like(end)
    ends[numbers] = end
    return ends


@pytest.mark.parametrize("ends", [[], [2], [2, 1], [3, 3, 2], [1, 2]])
def test_edge_ranking_refuses_what_is_no_tree(ends: list[int]) -> None:
    with pytest.raises(ValueError, match="no ends of a tree"):
        _flat.ranking(np.array(ends, np.int32), np.zeros(len(ends), np.int32))


def test_preorder_refuses_a_parent_behind_its_child() -> None:
    with pytest.raises(ValueError, match="behind"):
        preorder_of([-1, 2, 0])


# --- Test vectors; K: the root is known to be wrong, U: it is asked ------------------------------

CHESS = leaves(5)
PROJECTED = (leaves(3), leaves(2))
DIVIDING = ("bisection", "hirunkitti", "optimal", "shapiro")


@pytest.fixture
def heavier(monkeypatch: pytest.MonkeyPatch) -> str:
    """The nearest to half, ties to the heavier subtree: what a published session needs."""

    def choose(space: SearchSpace) -> int:
        nodes = space.candidates
        score = np.abs(2 * space.weight[nodes] - space.total)
        return best(space, nodes, score, heavier=True)

    monkeypatch.setitem(STRATEGIES, "heavier", Described(choose, ""))
    return "heavier"


def asked(shape: Shape, strategy: str, bug: int, *, is_assumed: bool) -> list[int]:
    session = Session(Problem(tree_of(parents_of(shape)), is_assumed=is_assumed), strategy=strategy)
    return searched(session, bug)[0]


def test_tv1_chess_flat_with_the_root_asked() -> None:
    for strategy in ("bisection", "hirunkitti", "shapiro"):
        assert asked(CHESS, strategy, 0, is_assumed=False) == [1, 2, 3, 4, 5, 0]
    assert asked(CHESS, "top-down", 0, is_assumed=False) == [0, 1, 2, 3, 4, 5]
    # Root and leaves tie: the fewest remaining nodes go first.
    assert asked(CHESS, "optimal", 0, is_assumed=False) == [1, 2, 3, 4, 5, 0]


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_tv1_chess_flat_with_the_root_known(strategy: str) -> None:
    assert len(asked(CHESS, strategy, 0, is_assumed=True)) == 5
    assert total(CHESS, strategy) == (20, 6)


def test_tv2_chess_of_figure_3_with_the_root_asked(heavier: str) -> None:
    assert asked(PROJECTED, heavier, 0, is_assumed=False) == [1, 5, 0]
    assert asked(PROJECTED, "shapiro", 0, is_assumed=False) == [1, 6, 7, 5, 0]


def test_tv2_projections_have_no_mass_and_are_no_positions(heavier: str) -> None:
    masses = [1, 0, 1, 1, 1, 0, 1, 1]
    tree = tree_of(parents_of(PROJECTED), masses=masses)
    real = [0, 2, 3, 4, 6, 7]
    assert sum(questions(tree, "bisection", bugs=real)) == 17
    assert max(questions(tree, "bisection", bugs=real)) == 4
    assert sum(questions(tree, heavier, bugs=real)) == 18


def test_6_3_chess_with_one_projection() -> None:
    tree = tree_of(parents_of((leaves(3), LEAF, LEAF)), masses=[1, 0, 1, 1, 1, 1, 1])
    counts = questions(tree, "bisection", bugs=[0, 2, 3, 4, 5, 6])
    assert (sum(counts), max(counts)) == (17, 4)


def test_tv3_chess_collapsed() -> None:
    shape = leaves(2)
    for strategy in STRATEGIES:
        assert max(questions(tree_of(parents_of(shape)), strategy, is_assumed=False)) <= 3
        assert max(questions(tree_of(parents_of(shape)), strategy)) <= 2


def test_tv4_sum_numbers_top_down_with_the_root_asked() -> None:
    assert asked(leaves(3), "top-down", 0, is_assumed=False) == [0, 1, 2, 3]


def test_tv5_the_smallest_tree_that_separates_shapiro() -> None:
    shape = (((LEAF, LEAF),),)
    assert total(shape, "shapiro") == (13, 5)
    assert total(shape, "hirunkitti") == (12, 5)
    assert total(shape, "optimal") == (12, 5)
    assert asked(shape, "shapiro", 0, is_assumed=True)[0] == 3
    assert asked(shape, "hirunkitti", 0, is_assumed=True)[0] == 2


TV6 = [(leaves(3), leaves(3)), (leaves(3), LEAF, LEAF, LEAF), leaves(6)]


def test_tv6_divide_and_query_with_the_root_asked_last() -> None:
    found = [total(shape, "hirunkitti", is_assumed=False) for shape in TV6]
    assert found == [(33, 9), (27, 8), (28, 7)]


@pytest.mark.parametrize("strategy", ["heaviest-first", *DIVIDING])
def test_tv6_with_the_root_known(strategy: str) -> None:
    assert [total(shape, strategy) for shape in TV6] == [(32, 9), (26, 8), (27, 7)]


def test_tv6_top_down_with_the_root_asked() -> None:
    found = [total(shape, "heaviest-first", is_assumed=False) for shape in TV6]
    assert found == [(41, 9), (34, 8), (34, 7)]


MERGESORT = [-1, 0, 1, 1, 1, 1, 1, 0, 0]
EDGES = [1, 5, 7, 8, 8, 7, 10, 0, 0]


def test_tv9_mergesort_with_edge_weights_and_the_root_asked() -> None:
    tree = tree_of(MERGESORT, masses=EDGES)
    session = Session(Problem(tree, is_assumed=False))
    assert session.space.total == 46
    assert searched(session, 6)[0] == [6]
    assert searched(session.using("optimal"), 6)[0] == [6]


def test_tv9_mergesort_with_unit_weights(heavier: str) -> None:
    shape: Shape = (leaves(5),)
    last = 6
    assert len(asked(shape, "top-down", last, is_assumed=False)) == 7
    assert len(asked(shape, "top-down", last, is_assumed=True)) == 6
    assert len(asked(shape, heavier, last, is_assumed=False)) == 6
    assert len(asked(shape, "hirunkitti", last, is_assumed=False)) == 5


def test_tv10_coverage_weights_from_outside() -> None:
    covered = [{0}, {1, 2}, {1, 3}, {1, 2}]
    tree = tree_of([-1, 0, 0, 0])
    seen = []

    def weigh(space: SearchSpace) -> Masses:
        valid = [node for node, (verdict, _) in space.judged.verdicts.items()
                 if verdict.value == "right"]  # fmt: skip
        half = [0.5 ** sum(edge in covered[node] for node in valid) for edge in range(4)]
        return np.array([sum(half[edge] for edge in edges) for edges in covered])

    session = Session(Problem(tree, weigh=weigh))
    while isinstance(session.pending, Question):
        seen.append((session.pending.node, session.space.total))
        session = session.given(judged(tree, 3, session.pending.node))
    assert seen == [(1, 7.0), (2, 3.5), (3, 1.75)]
    assert isinstance(session.pending, Diagnosis)
    assert session.pending.node == 3


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_tv12_trusted_code_keeps_its_children(strategy: str) -> None:
    tree = tree_of([-1, 0, 1], trusted=[1])
    for bug, blamed in ((2, 2), (0, 0)):
        session = Session(Problem(tree), strategy=strategy)
        nodes, found = searched(session, bug)
        assert nodes == [2]
        assert isinstance(found, Diagnosis)
        assert found.candidates == (blamed,)


def test_tv13_ties_go_to_the_fewest_remaining_nodes(heavier: str) -> None:
    shape: Shape = (((leaves(2),),),)
    shape = (shape,)
    assert len(parents_of(shape)) == 7
    assert asked(shape, "bisection", 0, is_assumed=True)[0] == 4
    assert total(shape, "bisection") == (20, 7)
    assert max(questions(tree_of(parents_of(shape)), "bisection")) == 3
    assert asked(shape, heavier, 0, is_assumed=True)[0] == 3
    assert total(shape, heavier)[0] == 21


@pytest.mark.parametrize(("strategy", "first", "cost"), [("bisection", 1, 29), ("optimal", 2, 38)])
def test_tv14_masses(strategy: str, first: int, cost: int) -> None:
    masses = [0, 10, 1, 8]
    tree = tree_of([-1, 0, 0, 2], masses=masses)
    counts = questions(tree, strategy, bugs=[1, 2, 3])
    assert sum(mass * n for mass, n in zip(masses[1:], counts, strict=True)) == cost
    pending = Session(Problem(tree), strategy=strategy).pending
    assert isinstance(pending, Question)
    assert pending.node == first


@pytest.mark.parametrize(("turns", "plain"), [(15, 135), (31, 527), (63, 2079)])
def test_6_3_a_loop_of_leaf_calls(turns: int, plain: int) -> None:
    assert total(leaves(turns), "bisection") == (plain, turns + 1)
    assert max(questions(tree_of(parents_of(leaves(turns))), "bisection")) == turns


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_6_3_a_star(strategy: str) -> None:
    assert total(leaves(6), strategy) == (27, 7)


def test_6_3_a_star_with_the_root_asked() -> None:
    assert total(leaves(6), "hirunkitti", is_assumed=False) == (28, 7)
    assert total(leaves(6), "top-down", is_assumed=False) == (34, 7)


def turn(number: int, last: int, inside: Shape) -> Shape:
    """A loop as nested turns, from one on."""
    rest = () if number == last else (turn(number + 1, last, inside),)
    return (*inside, *rest)


@pytest.mark.parametrize(
    ("strategy", "cost", "worst"),
    [("heaviest-first", 129, 7), ("top-down", 170, 12), ("shapiro", 110, 6), ("optimal", 106, 5)],
)
def test_tv8_the_shape_of_an_expanded_matrix_loop(strategy: str, cost: int, worst: int) -> None:
    columns = turn(1, 3, (LEAF,))
    shape = (LEAF, turn(1, 3, (columns,)))
    counts = questions(tree_of(parents_of(shape)), strategy)
    assert (sum(counts), len(counts), max(counts)) == (cost, 23, worst)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_tv8_before_its_loops_are_expanded_ten_calls_lie_side_by_side(strategy: str) -> None:
    counts = questions(tree_of(parents_of((LEAF,) * 10)), strategy)
    assert (sum(counts), len(counts), max(counts)) == (65, 11, 10)


def test_a_path_needs_the_logarithm() -> None:
    parents = [*range(-1, 63)]
    for strategy in ("bisection", "path", "worst-case", "hirunkitti", "optimal"):
        assert max(questions(tree_of(parents), strategy)) == 6


def test_the_frontier_goes_through_trusted_nodes() -> None:
    tree = tree_of([-1, 0, 1, 2, 1, 0], trusted=[1])
    assert frontier_of(Session(Problem(tree)).space).tolist() == [2, 4, 5]


@pytest.mark.parametrize("few", [0, 1000])
@given(above=parents(), data=st.data())
def test_more_rules_first_counts_distinct_functions(
    few: int, above: list[int], data: st.DataObject
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(weights, "_FEW_PARTS", few)
        check_distinct(above, data)


def check_distinct(above: list[int], data: st.DataObject) -> None:
    names = data.draw(st.lists(st.integers(0, 4), min_size=len(above), max_size=len(above)))
    tree = tree_of(above, routines=names)
    session = Session(Problem(tree), strategy="more-rules-first")
    for node in data.draw(st.lists(st.integers(1, max(len(above) - 1, 1)), max_size=3)):
        if node < len(above):
            session = session.given(judged(tree, 0, node))
    space = session.space
    if not isinstance(session.pending, Question):
        return
    heard = {names[node] for node in space.judged.verdicts}

    def score(node: int) -> tuple[int, int, int]:
        inside = range(node, node + int(space.ends[node]) - node)
        known = {names[each] for each in inside if space.is_suspect[each]} - heard
        return -len(known), int(space.nodes_left(np.array([node]))[0]), node

    assert session.pending.node == min(frontier_of(space).tolist(), key=score)
