"""Groups and merged nodes by chains: chess, errors that cancel, few questions, settings."""

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[3]))
from sleuth.errors import UsageError
from sleuth.opening import Opened
from sleuth.search.question import Answer, Diagnosis, Question, Verdict
from sleuth.search.session import Session
from sleuth.tree.node import NodeKind
from sleuth.tree.observe.nodes import behaviour_for
from sleuth.tree.transformations import named
from sleuth.views.drawing.styled import plain
from sleuth.views.words.question import question_lines
from tests.recorded import call_of, recorded
from tests.shapes import contains, tree_in

pytestmark = pytest.mark.any_version
PROGRAM = """
class Piece:
    def __init__(self, x):
        self.x = x
    def right(self):
        self.x += 1
    def left(self):
        self.x -= 1
    def look(self):
        return self.x


def castling(tower, king):
    for _ in range(3):
        tower.right()
    for _ in range(2):
        king.left()


def g(piece):
    piece.x += 2


def h(piece):
    piece.x += 1


def f(piece):
    g(piece)
    h(piece)
    piece.look()
    piece.look()


def loop(piece, count):
    for _ in range(count):
        piece.right()


castling(Piece(8), Piece(5))
f(Piece(1))
loop(Piece(0), 15)
loop(Piece(0), 31)
loop(Piece(0), 3000)
"""
CHAINS = ("balance-chains",)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Opened:
    return Opened(recorded(tmp_path_factory.mktemp("chess"), PROGRAM))


def begun(found: Opened, name: str, shape: tuple[str, ...], number: int = 0) -> Session:
    call = call_of(found.trace, name, number)
    return found.session(root=call.id).using("bisection").shaped(shape)


def called(found: Opened, session: Session, node: int) -> str:
    """Return the name of a call, or the names of what a group consists of."""
    tree = tree_in(session)
    if tree.kind[node] in (NodeKind.GROUP, NodeKind.MERGED):
        group = behaviour_for(found.trace, tree.key(node)).group
        assert group is not None
        calls = [member.function for member in group.members]
    else:
        calls = [found.trace.call(int(tree.call[node])).function]
    names = []
    for number in calls:
        function = found.trace.function(number)
        names.append(function.name if function else "")
    return ";".join(names)


def talked(
    found: Opened, session: Session, judge: Callable[[str], Verdict]
) -> tuple[list[str], Session]:
    asked = []
    while isinstance(pending := session.pending, Question):
        asked.append(called(found, session, pending.node))
        session = session.given(Answer(pending.about, judge(asked[-1])))
    return asked, session


def counts(found: Opened, start: Session) -> list[int]:
    """Return how many questions find each bug in a call and the calls that it made."""
    root = start.problem.tree.node(start.problem.root).call
    calls = [root, *(int(each) for each in found.trace.child_ids(root))]
    totals = []
    for bug in calls:
        session = start
        while isinstance(pending := session.pending, Question):
            is_wrong = contains(tree_in(session), pending.node, bug)
            verdict = Verdict.WRONG if is_wrong else Verdict.RIGHT
            session = session.given(Answer(pending.about, verdict))
        assert isinstance(pending, Diagnosis)
        assert pending.about.call == bug
        totals.append(session.answer_count)
    return totals


def test_a_chain_of_calls_is_a_group_and_the_bug_of_castling_takes_fewer_questions(
    found: Opened,
) -> None:
    asked, ended = talked(found, begun(found, "castling", CHAINS), lambda _: Verdict.RIGHT)
    assert asked == ["right;right;right", "left", "left"]
    assert isinstance(ended.pending, Diagnosis)
    assert ended.pending.about.call == call_of(found.trace, "castling").id
    asked, _ = talked(found, begun(found, "castling", ()), lambda _: Verdict.RIGHT)
    assert len(asked) == 5
    totals = counts(found, begun(found, "castling", CHAINS))
    assert (sum(totals), len(totals), max(totals)) == (17, 6, 4)


def test_tv3_collapsed_castling_takes_two_questions(found: Opened) -> None:
    start = begun(found, "castling", ("collapse",))
    tree = tree_in(start)
    is_here = tree.call == call_of(found.trace, "castling").id
    merged = np.flatnonzero((tree.kind == NodeKind.MERGED) & is_here).tolist()
    assert [tree.mass[node] for node in merged] == [3.0, 2.0]
    asked, ended = talked(found, start, lambda _: Verdict.RIGHT)
    assert asked == ["right;right;right", "left;left"]
    assert isinstance(ended.pending, Diagnosis)
    assert ended.pending.about.call == call_of(found.trace, "castling").id


def test_a_wrong_collapsed_node_is_opened_and_the_call_is_found(found: Opened) -> None:
    start = begun(found, "castling", ("collapse",))
    plain_counts = counts(found, begun(found, "castling", ()))
    totals = counts(found, start)
    assert np.mean(totals) <= np.mean(plain_counts) + 1
    loop = begun(found, "loop", ("collapse",), 1)
    found_in_loop = counts(found, loop)
    assert found_in_loop[0] == 1
    assert max(found_in_loop) <= 2 + np.ceil(np.log2(31))


def test_example_6_flukes_that_cancel(found: Opened) -> None:
    """Both g and h are wrong, together they are right: then f is; opened, the group leads on."""

    def judge(name: str) -> Verdict:
        return Verdict.WRONG if name in ("g", "h") else Verdict.RIGHT

    asked, ended = talked(found, begun(found, "f", CHAINS).using("top-down"), judge)
    assert asked[0] == "g;h"
    assert isinstance(ended.pending, Diagnosis)
    assert ended.pending.about.call == call_of(found.trace, "f").id
    asked, ended = talked(found, begun(found, "f", ()).using("top-down"), judge)
    assert isinstance(ended.pending, Diagnosis)
    assert ended.pending.about.call == call_of(found.trace, "g").id

    def opening(name: str) -> Verdict:
        return Verdict.UNKNOWN if name == "g;h" else judge(name)

    asked, ended = talked(found, begun(found, "f", CHAINS).using("top-down"), opening)
    assert asked[:2] == ["g;h", "g"]
    assert isinstance(ended.pending, Diagnosis)
    assert ended.pending.about.call == call_of(found.trace, "g").id


@pytest.mark.parametrize(("number", "size", "total"), [(0, 15, 71), (1, 31, 175)])
def test_a_loop_of_leaf_calls_takes_about_its_logarithm(
    found: Opened, number: int, size: int, total: int
) -> None:
    totals = counts(found, begun(found, "loop", CHAINS, number))
    assert len(totals) == size + 1
    assert sum(totals) == total
    assert np.mean(totals) <= 1.15 * np.log2(size + 1)


@pytest.mark.parametrize("shape", [CHAINS, ("balance",), ("loops", "balance-chains")])
def test_of_a_long_chain_few_groups_are_made(found: Opened, shape: tuple[str, ...]) -> None:
    session = begun(found, "loop", shape, 2)
    assert len(tree_in(session)) < len(found.tree) + 1500
    assert isinstance(session.pending, Question)
    session = session.given(Answer(session.pending.about, Verdict.WRONG))
    assert len(tree_in(session)) < len(found.tree) + 1500


def test_a_group_shows_the_state_before_and_after(found: Opened) -> None:
    session = begun(found, "castling", CHAINS)
    assert isinstance(session.pending, Question)
    lines = plain(
        question_lines(found.trace, behaviour_for(found.trace, session.pending.about), width=80)
    )
    text = "\n".join(lines)
    assert "group of 3 calls" in text
    assert "tower.x  8 -> 11" in text
    assert "king" not in text.partition("changed")[2]


@pytest.mark.parametrize(
    ("word", "sizes"),
    [
        ("balance-chains", {16, 8, 4}),
        ("balance-chains:min=40", set()),
        ("balance-chains:max=4", {4}),
        ("balance:max=8", {8}),
        ("collapse:max=10", {10}),
    ],
)
def test_sizes_can_be_set(found: Opened, word: str, sizes: set[int]) -> None:
    session = begun(found, "loop", named([word]), 1)
    tree = tree_in(session)
    call = call_of(found.trace, "loop", 1).id
    nodes = np.flatnonzero((tree.call == call) & (tree.kind != NodeKind.CALL)).tolist()
    groups = [behaviour_for(found.trace, tree.key(node)).group for node in nodes]
    made = {group.count for group in groups if group is not None}
    assert sizes <= made
    assert max(made, default=0) == max(sizes, default=0)


def test_groups_lie_in_groups_as_deep_as_is_wanted(found: Opened) -> None:
    for levels in (1, 2):
        session = begun(found, "loop", named([f"balance-chains:levels={levels}"]), 1)
        tree = tree_in(session)
        groups = np.flatnonzero(tree.kind == NodeKind.GROUP)
        root = session.problem.root
        inside = groups[(groups > root) & (groups < tree.end[root])]
        assert max(tree.depth[inside] - tree.depth[root]) == levels


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("balance:least=4", "balance has no parameter 'least'. It has: min, max, levels"),
        ("loops:min=4", "loops has no parameter 'min'. It has none."),
        ("balance:min=one", "min of balance is a number, at least 2: balance:min=4"),
        ("balance:min", "min of balance is a number, at least 2"),
        ("balance:min=8:max=4", "max of balance is less than min"),
        ("balanced", "There is no transformation 'balanced'"),
    ],
)
def test_what_is_not_understood_is_said(word: str, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        named([word])


def test_the_last_setting_of_a_transformation_counts() -> None:
    assert named(["balance:min=8", "loops", "balance:min=9"]) == ("loops", "balance:min=9")
