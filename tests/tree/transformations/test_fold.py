"""The user's wishes for the tree: folding, searching one region first, inlining."""

import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parents[3]))
from sleuth.search.question import Diagnosis, Question
from sleuth.search.session import Session
from sleuth.tree.flat import FlatTree
from sleuth.tree.transformations.outline import Wish, Wished
from tests.effort import examples
from tests.shapes import problem_of, searched
from tests.trees import parents, tree_of

pytestmark = pytest.mark.any_version

#       0
#    1     5    8
#   2 3   6 7
#     4
TREE = tree_of([-1, 0, 1, 1, 3, 0, 5, 5, 0], routines=[0, 1, 2, 3, 2, 5, 2, 7, 8])


def session(*wishes: Wished, strategy: str = "top-down") -> Session:
    made = Session(problem_of(TREE)).using(strategy)
    for each in wishes:
        made = made.wished(each)
    return made


def calls(made: Session) -> list[int]:
    assert isinstance(made.problem.tree, FlatTree)
    found: list[int] = made.problem.tree.call.tolist()
    return found


def asked(made: Session, bug: int) -> list[int]:
    """Return the calls asked about, in order."""
    ended = searched(made, bug)
    assert isinstance(ended.pending, Diagnosis)
    assert ended.pending.about == TREE.key(bug)
    return [given.answer.about.call for given in ended.answers]


def test_a_folded_subtree_is_one_node_with_all_its_code() -> None:
    made = session(Wished(Wish.FOLD, about=TREE.key(1)))
    assert calls(made) == [0, 1, 5, 6, 7, 8]
    assert made.problem.tree.mass.tolist() == [1, 4, 1, 1, 1, 1]
    assert calls(made.undone()) == TREE.call.tolist()
    assert calls(made.undone().redone()) == [0, 1, 5, 6, 7, 8]


def test_what_is_folded_is_asked_last_and_unfolds_by_itself() -> None:
    made = session(Wished(Wish.FOLD, about=TREE.key(1)))
    assert asked(made, 4) == [5, 8, 1, 2, 3, 4]


def test_all_calls_of_a_function_can_be_folded_and_one_of_them_unfolded() -> None:
    made = session(Wished(Wish.FOLD, routine=2))
    assert asked(made, 6) == [1, 5, 7, 6]
    made = made.wished(Wished(Wish.UNFOLD, about=TREE.key(6)))
    assert asked(made, 6) == [1, 5, 6]
    assert made.wished(Wished(Wish.UNFOLD)).space.candidates.tolist() == list(range(1, 9))


def test_only_a_region_is_searched_then_the_rest_which_is_folded() -> None:
    made = session(Wished(Wish.ONLY, about=TREE.key(3)))
    assert calls(made) == [0, 1, 2, 3, 4, 5, 8]
    assert asked(made, 4) == [3, 4]
    assert asked(made, 6) == [3, 1, 5, 6]
    assert asked(made, 0)[:2] == [3, 1]
    assert asked(made.wished(Wished(Wish.UNFOLD)), 6) == [1, 5, 6]


def test_inlined_code_is_the_callers() -> None:
    made = session(Wished(Wish.INLINE, routine=3))
    assert calls(made) == [0, 1, 2, 4, 5, 6, 7, 8]
    assert made.problem.tree.mass.tolist() == [1, 2, 1, 1, 1, 1, 1, 1]
    ended = searched(made, 3)
    assert isinstance(ended.pending, Diagnosis)
    assert ended.pending.about == TREE.key(1), "it stays suspect, as its caller's code"
    assert calls(made.wished(Wished(Wish.PLAIN))) == TREE.call.tolist()


def test_what_was_merged_can_be_shown_alone() -> None:
    made = session(Wished(Wish.FOLD, about=TREE.key(1)), Wished(Wish.SHOW, about=TREE.key(4)))
    assert calls(made) == [0, 1, 4, 5, 6, 7, 8]


@settings(max_examples=examples(60))
@given(data=st.data(), shape=parents(most=25))
def test_whatever_is_folded_the_bug_is_found(data: st.DataObject, shape: list[int]) -> None:
    routines = data.draw(st.lists(st.integers(0, 3), min_size=len(shape), max_size=len(shape)))
    tree = tree_of(shape, routines=routines)
    keys = st.builds(tree.key, st.integers(0, len(tree) - 1))
    wishes = st.sampled_from([Wish.FOLD, Wish.UNFOLD, Wish.ONLY, Wish.SHOW])
    wished = st.one_of(
        st.builds(Wished, wishes, about=keys), st.builds(Wished, wishes, routine=st.integers(0, 3))
    )
    bug = data.draw(st.integers(0, len(tree) - 1))
    made = Session(problem_of(tree)).using(data.draw(st.sampled_from(["bisection", "top-down"])))
    for each in data.draw(st.lists(wished, max_size=4)):
        made = made.wished(each)
        if isinstance(made.pending, Question) and data.draw(st.booleans()):
            ended = searched(made, bug)
            assert isinstance(ended.pending, Diagnosis)
            assert ended.pending.about == tree.key(bug)
            made = ended.undone() if ended.answers else made
    ended = searched(made, bug)
    assert isinstance(ended.pending, Diagnosis)
    assert ended.pending.about == tree.key(bug)
    while ended.entries:
        ended = ended.undone()
    assert calls(ended) == tree.call.tolist()
