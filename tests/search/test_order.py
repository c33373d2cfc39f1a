"""The order of questions in whole sessions: loops and their turns, callers and their helpers."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sleuth.opening import Opened
from sleuth.search.question import Answer, Diagnosis, Question, Verdict
from sleuth.search.session import Session
from sleuth.search.shapes import Looks, Shapes
from sleuth.search.strategies import STRATEGIES
from sleuth.tree.flat import FlatTree
from sleuth.tree.loops.parts import part_of
from sleuth.tree.loops.turns import parted, turns_of
from sleuth.tree.node import NodeKind
from sleuth.tree.transformations import DEFAULT_SHAPE, Shaper
from tests.effort import examples
from tests.recorded import call_of, recorded
from tests.tree.looping import judged, own_events

pytestmark = pytest.mark.any_version
SOURCE = """
    class Item:
        def __init__(self, weight):
            self.weight = weight
        def __lt__(self, other):
            return self.weight < other.weight
        def __len__(self):
            return sum(part for part in parts(self))

    def parts(item):
        return [item.weight, 1]

    def ordered(weights):
        return sorted(Item(each) for each in weights)

    def helper(number):
        return number + 1

    def caller(number):
        return helper(number) * helper(number + 7)

    def few(count):
        total = 0
        for each in range(count):
            total += each
            total *= 2
        return total

    def once():
        total = 0
        for each in range(1):
            total += helper(each)
            for inner in range(2):
                total -= inner
                total += 5
        return total

    def calling():
        total = 0
        for each in range(3):
            total += caller(each)
            total += 1
        return total

    def main():
        print(few(9), few(40), once(), calling(), ordered([3, 1, 2]), len(Item(3)))

    main()
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Opened:
    return Opened(recorded(Path(tmp_path_factory.mktemp("order")), SOURCE))


def begun(run: Opened, name: str, *, at: int = 0, strategy: str = "bisection") -> Session:
    """Begin a session in which a call is known to be wrong."""
    call = [
        each for each in run.trace.calls() if each.function == call_of(run.trace, name).function
    ]
    return run.session(root=call[at].id, strategy=strategy)


def kind(session: Session) -> NodeKind:
    pending = session.pending
    assert isinstance(pending, Question)
    return session.problem.tree.node(pending.node).kind


def said(session: Session, verdict: Verdict) -> Session:
    pending = session.pending
    assert isinstance(pending, Question)
    return session.given(Answer(pending.about, verdict))


def name(session: Session) -> str:
    """Return the function that the pending question is about."""
    pending = session.pending
    assert isinstance(pending, Question)
    assert kind(session) is NodeKind.CALL
    return names(session)[pending.node]


def names(session: Session) -> list[str]:
    tree, trace = session.problem.tree, RUNS[0].trace
    found = [trace.function(int(each)) for each in tree.routine]
    return [each.qualified_name if each else "" for each in found]


RUNS: list[Opened] = []


@pytest.fixture(autouse=True)
def known(run: Opened) -> None:
    RUNS[:] = [run]


def test_a_loop_of_a_few_turns_is_asked_about_as_a_whole_before_its_turns(run: Opened) -> None:
    session = begun(run, "few")
    assert kind(session) is NodeKind.LOOP
    assert isinstance(session.pending, Question)
    part = part_of(run.trace, session.pending.about)
    assert part is not None
    assert (part.is_loop, part.count) == (True, 9)


def test_after_the_first_wrong_turn_of_it_was_named_no_other_turn_is_asked_about(
    run: Opened,
) -> None:
    session = begun(run, "few")
    assert isinstance(session.pending, Question)
    turns = turns_of(run.trace, session.pending.about)
    assert turns is not None
    before, wrong = parted(turns, 4)
    assert before is not None
    session = session.given(Answer(wrong, Verdict.WRONG)).given(Answer(before, Verdict.RIGHT))
    assert isinstance(session.pending, Diagnosis)
    assert session.pending.about == wrong


def test_a_loop_judged_wrong_without_naming_a_turn_is_halved(run: Opened) -> None:
    session = said(begun(run, "few"), Verdict.WRONG)
    asked = 0
    while isinstance(session.pending, Question):
        session, asked = said(session, Verdict.RIGHT), asked + 1
    assert isinstance(session.pending, Diagnosis)
    # All turns were right, so that the head is wrong: that takes few questions.
    assert session.problem.tree.node(session.pending.node).kind is NodeKind.LOOP
    assert asked <= 5


def test_a_long_loop_is_asked_about_by_ranges_of_turns(run: Opened) -> None:
    session = begun(run, "few", at=1)
    tree = session.problem.tree
    below = [each for each in range(len(tree)) if tree.kind[tree.parent[each]] == NodeKind.LOOP]
    assert any(tree.kind[each] == NodeKind.LOOP for each in below)


@pytest.mark.parametrize("verdict", [Verdict.RIGHT, Verdict.WRONG])
def test_a_loop_of_one_turn_is_the_same_question_as_its_turn(run: Opened, verdict: Verdict) -> None:
    session = begun(run, "once")
    tree = session.problem.tree
    assert isinstance(tree, FlatTree)
    loop = next(each for each in range(len(tree)) if tree.kind[each] == NodeKind.LOOP)
    turns = turns_of(run.trace, tree.key(loop))
    assert turns is not None
    _, turn = parted(turns, 1)
    assert tree.find(turn) is None
    session = session.given(Answer(tree.key(loop), verdict))
    assert session.problem.find(turn) is None
    # An answer about the turn still counts: somebody may have given it in another shape.
    again = begun(run, "once").given(Answer(turn, verdict))
    assert (again.space.focus == again.problem.find(turn)) == (verdict is Verdict.WRONG)


def test_the_loop_in_the_only_turn_of_a_loop_is_asked_about(run: Opened) -> None:
    session = begun(run, "once")
    loop = session.problem.tree.key(
        next(each for each in range(99) if session.problem.tree.kind[each] == NodeKind.LOOP)
    )
    session = session.given(Answer(loop, Verdict.WRONG))
    node = session.problem.find(loop)
    assert node is not None
    below = session.problem.tree.children(node).tolist()
    assert NodeKind.LOOP in {session.problem.tree.kind[each] for each in below}


def test_the_caller_comes_before_its_helpers(run: Opened) -> None:
    session = begun(run, "calling")
    assert kind(session) is NodeKind.LOOP
    assert isinstance(session.pending, Question)
    turns = turns_of(run.trace, session.pending.about)
    assert turns is not None
    session = session.given(Answer(parted(turns, 1)[1], Verdict.WRONG))
    assert name(session) == "caller"
    session = said(session, Verdict.WRONG)
    assert name(session) == "helper"


def test_comparisons_that_made_no_calls_come_last(run: Opened) -> None:
    session = run.session()
    late = session.problem.is_late
    assert late is not None
    found = {
        each
        for each, is_late in zip(names(session), late(session.problem.tree), strict=True)
        if is_late
    }
    assert "Item.__lt__" in found
    assert "Item.__len__" not in found
    assert "helper" not in found


@settings(max_examples=examples(40))
@given(data=st.data(), strategy=st.sampled_from(list(STRATEGIES)), are_named=st.booleans())
def test_each_bug_is_found_in_this_order(
    run: Opened, data: st.DataObject, strategy: str, *, are_named: bool
) -> None:
    own = own_events(run.trace)
    call = data.draw(st.sampled_from(sorted(own)))
    moment = data.draw(st.sampled_from(own[call]))
    # (One of several equal calls is wrong here, so that questions are not equal.)
    looks = Looks(run._effort, run._is_silent, run._late)
    shapes = Shapes(Shaper(run.trace, run.tree).tree, looks=looks)
    session = Session(shapes.problem()).using(strategy).shaped(DEFAULT_SHAPE)
    for _ in range(200):
        pending, tree = session.pending, session.problem.tree
        if not isinstance(pending, Question):
            break
        assert isinstance(tree, FlatTree)
        answer = judged(tree, pending.node, (call, moment))
        is_wrong = answer.verdict is Verdict.WRONG
        named = first_wrong(run, pending, moment) if is_wrong and are_named else ()
        for each in named or (answer,):
            session = session.given(each)
    assert isinstance(pending, Diagnosis)
    assert pending.is_only_one
    assert isinstance(tree, FlatTree)
    assert judged(tree, pending.node, (call, moment)).verdict is Verdict.WRONG


def first_wrong(run: Opened, pending: Question, moment: int) -> tuple[Answer, ...]:
    """Name the first wrong turn of the loop that a question is about, if there is one."""
    part = part_of(run.trace, pending.about)
    turns = turns_of(run.trace, pending.about) if part is not None and part.is_loop else None
    for turn in range(1, len(turns.starts) + 1) if turns is not None else ():
        assert turns is not None
        before, wrong = parted(turns, turn)
        if wrong.first <= moment <= wrong.last:
            right = () if before is None else (Answer(before, Verdict.RIGHT),)
            return (Answer(wrong, Verdict.WRONG), *right)
    return ()
