"""Answers about turns, groups and calls hold when the tree gets another shape: hard cases."""

import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[3]))
from sleuth.opening import Opened
from sleuth.search.question import Answer, Question, Verdict
from sleuth.search.session import Session
from sleuth.tree.node import NodeKind
from sleuth.tree.transformations.outline import Wish, Wished
from tests.recorded import call_of, calls_of, recorded
from tests.shapes import contains, problem_of, tree_in, with_wrong
from tests.tree.looping import PROGRAM

FOLDER = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Opened:
    return Opened(recorded(tmp_path_factory.mktemp("shapes"), PROGRAM))


def of_file(folder: Path, path: str) -> Opened:
    return Opened(recorded(folder, (FOLDER / path).read_text()))


def test_what_a_right_turn_did_is_not_asked_about_when_it_is_merged(tmp_path: Path) -> None:
    example = of_file(tmp_path, "examples/merge_sort.py")
    session = Session(problem_of(example.tree, example.trace)).using("top-down").shaped(("loops",))
    while tree_in(session).kind[session.space.focus] != NodeKind.LOOP:
        assert isinstance(session.pending, Question)
        session = session.given(Answer(session.pending.about, Verdict.WRONG))
    assert isinstance(session.pending, Question)
    turn = session.pending.about
    session = session.given(Answer(turn, Verdict.RIGHT)).shaped(("collapse",))
    tree, space = tree_in(session), session.space
    merged = [node for node in tree.inside(turn).tolist() if tree.kind[node] == NodeKind.MERGED]
    assert merged
    assert not space.is_askable[np.array(merged) - space.focus].any()


def test_a_right_group_is_not_cut_by_calls_that_are_collapsed(tmp_path: Path) -> None:
    """What is collapsed across its end would be right with it."""
    example = of_file(tmp_path, "bench/questions/programs/rnd_quicksort.py")
    swaps = calls_of(example.trace, "swap")
    busiest, _ = Counter(call.parent for call in swaps).most_common(1)[0]
    last = [call for call in swaps if call.parent == busiest][-1]
    assert busiest is not None
    session = Session(problem_of(example.tree, example.trace)).shaped(("balance",))
    session = with_wrong(session, busiest)
    tree = tree_in(session)
    groups = np.flatnonzero((tree.kind == NodeKind.GROUP) & (tree.call == busiest)).tolist()
    right = next(key for key in map(tree.key, groups) if key.last < last.first)
    session = session.given(Answer(right, Verdict.RIGHT)).shaped(("collapse", "balance-chains"))
    tree, space = tree_in(session), session.space
    node = tree.find_call(last.id)
    node = tree.holder(last.id) if node is None else node
    assert node is not None
    assert not space.is_excluded[node - space.focus]


def test_what_was_inlined_among_the_members_of_a_right_group_stays_its_callers(
    found: Opened,
) -> None:
    """The question about the group did not show it."""
    deep, main = (call_of(found.trace, name) for name in ("deep", "main"))
    session = Session(problem_of(found.tree, found.trace)).shaped(("balance",))
    session = session.wished(Wished(Wish.INLINE, None, deep.function))
    session = with_wrong(session, main.id)
    tree = tree_in(session)
    groups = np.flatnonzero((tree.kind == NodeKind.GROUP) & (tree.call == main.id)).tolist()
    inlined = found.tree.key(found.tree.find_call(deep.id) or 0)
    around = next(
        key for key in map(tree.key, groups) if key.first < inlined.first <= inlined.last < key.last
    )
    session = session.given(Answer(around, Verdict.RIGHT))
    tree = tree_in(session)
    assert tree.find_call(deep.id) is None
    assert tree.holder(deep.id) == tree.find_call(main.id)
    assert tree.find(around) is not None
    # Spoken about earlier, as members of the group, they stay in it.
    plain = Session(problem_of(found.tree, found.trace)).shaped(("balance",))
    plain = with_wrong(plain, main.id).given(Answer(around, Verdict.WRONG))
    plain = plain.wished(Wished(Wish.INLINE, None, deep.function))
    assert tree_in(plain).find_call(deep.id) is not None


STREAMED = """
def make(x):
    return x + 1

def numbers(n):
    for i in range(n):
        yield make(i)

def add(n):
    total = 0
    source = numbers(n)
    for x in source:
        total += x
    return total

add(3)
"""


@pytest.mark.parametrize("wishes", [(), ("numbers",)])
def test_what_a_generator_called_in_a_right_loop_is_not_the_loops(
    tmp_path: Path, wishes: tuple[str, ...]
) -> None:
    """It was made before: that the loop was right says nothing of it."""
    found = Opened(recorded(tmp_path, STREAMED))
    session = Session(problem_of(found.tree, found.trace)).using("top-down").shaped(("loops",))
    adds, makes = (call_of(found.trace, name) for name in ("add", "make"))
    session = with_wrong(session, adds.id)
    tree = tree_in(session)
    loop = np.flatnonzero((tree.call == adds.id) & (tree.kind == NodeKind.LOOP))[0]
    made = found.tree.key(found.tree.find_call(makes.id) or 0)
    assert tree.key(loop).first < made.first < tree.key(loop).last
    session = session.given(Answer(tree.key(loop), Verdict.RIGHT)).shaped(())
    for name in wishes:
        session = session.wished(Wished(Wish.INLINE, None, call_of(found.trace, name).function))
    node, space = tree_in(session).find(made), session.space
    assert node is not None
    assert space.is_askable[node - space.focus]


@pytest.mark.parametrize("shape", [(), ("compress-all",), ("collapse",)])
def test_beside_a_wrong_group_nothing_is_asked_when_it_is_no_node(
    found: Opened, shape: tuple[str, ...]
) -> None:
    main = call_of(found.trace, "main")
    session = Session(problem_of(found.tree, found.trace)).shaped(("balance",))
    session = with_wrong(session, main.id)
    tree = tree_in(session)
    groups = np.flatnonzero((tree.kind == NodeKind.GROUP) & (tree.call == main.id)).tolist()
    wrong = next(key for key in map(tree.key, groups) if key.first > main.first + 30)
    session = session.given(Answer(wrong, Verdict.WRONG)).shaped(shape)
    tree, space = tree_in(session), session.space
    assert tree.find(wrong) is None
    assert space.is_wrong
    assert space.focus == tree.find_call(main.id)
    asked = tree.first[np.flatnonzero(space.is_askable) + space.focus]
    assert len(asked)
    assert ((asked >= wrong.first) & (asked <= wrong.last)).all()
    assert session.undone().space.is_askable.sum() > len(asked)


SHARED = """
def twice(x):
    return 2 * x

def numbers(n):
    for i in range(n):
        yield twice(i)

def read():
    twice(1)
    source = numbers(3)
    twice(2)
    twice(3)
    twice(4)
    return list(source)

read()
"""


def test_a_generator_made_in_a_right_group_stays_right_whenever_it_ran(tmp_path: Path) -> None:
    found = Opened(recorded(tmp_path, SHARED))
    reads, numbers = (call_of(found.trace, name) for name in ("read", "numbers"))
    session = Session(problem_of(found.tree, found.trace)).shaped(("balance",))
    session = with_wrong(session, reads.id)
    tree = tree_in(session)
    groups = np.flatnonzero((tree.kind == NodeKind.GROUP) & (tree.call == reads.id)).tolist()
    right = next(node for node in groups if contains(tree, node, numbers.id))
    assert tree.key(right).last < found.tree.last[found.tree.find_call(numbers.id) or 0]
    session = session.given(Answer(tree.key(right), Verdict.RIGHT)).shaped(())
    node, space = found.tree.find_call(numbers.id) or 0, session.space
    assert space.is_excluded[node - space.focus : found.tree.end[node] - space.focus].all()


def test_steps_in_right_turns_of_a_generator_are_not_asked_about(tmp_path: Path) -> None:
    found = Opened(recorded(tmp_path, STREAMED))
    numbers = call_of(found.trace, "numbers")
    session = Session(problem_of(found.tree, found.trace)).shaped(("loops",))
    session = with_wrong(session, numbers.id)
    tree = tree_in(session)
    turns = np.flatnonzero((tree.kind == NodeKind.LOOP) & (tree.call == numbers.id)).tolist()
    right = tree.key(turns[0])
    session = session.given(Answer(right, Verdict.RIGHT)).shaped(("streams",))
    tree, space = tree_in(session), session.space
    steps_in = [
        node
        for node in np.flatnonzero(
            (tree.call == numbers.id) & (tree.kind == NodeKind.TURN)
        ).tolist()
        if right.first <= tree.first[node] <= tree.last[node] <= right.last
    ]
    assert steps_in
    assert not space.is_askable[np.array(steps_in) - space.focus].any()
