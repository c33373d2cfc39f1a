"""Loop expansion: each event has exactly one owner, and any bug can be found."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parents[3]))
from sleuth.opening import Opened
from sleuth.search.problem import Problem
from sleuth.search.question import Answer, Diagnosis, Question, Verdict
from sleuth.search.session import Session
from sleuth.search.shapes import Shapes
from sleuth.search.strategies import STRATEGIES
from sleuth.trace.event_reader import EventReader
from sleuth.trace.events import Event
from sleuth.tree.flat import FlatTree
from sleuth.tree.loops.parts import part_of
from sleuth.tree.loops.turns import parted, turns_of
from sleuth.tree.node import Key, NodeKind
from sleuth.tree.observe.nodes import behaviour_for
from sleuth.tree.transformations import Shaper, named
from sleuth.tree.transformations.outline import Outline
from sleuth.views.drawing.styled import plain
from sleuth.views.words.question import question_lines
from tests.effort import examples
from tests.recorded import call_of, recorded
from tests.tree.looping import PROGRAM, judged, own_events, owners

pytestmark = pytest.mark.any_version
LOOPS = ("loops",)
SHAPES = (LOOPS, ("balance",), ("loops", "balance"), ("streams",), ("loops", "streams"))


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Opened:
    return Opened(recorded(tmp_path_factory.mktemp("loops"), PROGRAM))


def opened_all(found: Opened, *, steps: int = 8) -> FlatTree:
    """Open everything, again and again."""
    tree = found.tree
    for _ in range(steps):
        keys = frozenset(map(tree.key, range(len(tree))))
        after = Shaper(found.trace, found.tree).tree(Outline(LOOPS, opened=keys))
        if len(after) == len(tree):
            return after
        tree = after
    return tree


def parts(tree: FlatTree, call: int) -> list[tuple[NodeKind, int, int]]:
    nodes = np.flatnonzero(tree.call == call).tolist()
    return [(NodeKind(int(tree.kind[n])), int(tree.first[n]), int(tree.last[n])) for n in nodes]


def check(found: Opened, tree: FlatTree) -> None:
    """Check what holds for any shape of the tree."""
    size = len(tree)
    assert (tree.parent[1:] < np.arange(1, size)).all()
    assert (tree.end > np.arange(size)).all()
    assert (tree.end[tree.parent[1:]] >= tree.end[1:]).all()
    assert len({tree.key(node) for node in range(1, size)}) == size - 1
    assert all(tree.find(tree.key(node)) == node for node in range(size))
    assert abs(tree.mass.sum() - found.tree.mass.sum()) < 1e-6
    calls = tree.call[tree.kind == NodeKind.CALL]
    assert sorted(calls.tolist()) == list(range(found.trace.call_count))
    for node in range(1, size):
        above = tree.node(int(tree.parent[node]))
        if above.kind in (NodeKind.LOOP, NodeKind.TURN, NodeKind.GROUP):
            assert above.key.first <= tree.first[node] <= above.key.last
            if tree.call[node] == above.call and tree.kind[node] != NodeKind.CALL:
                assert tree.last[node] <= above.key.last


@pytest.mark.slow
def test_no_moment_is_lost_or_owned_twice_when_all_is_open(found: Opened) -> None:
    tree = opened_all(found)
    check(found, tree)
    owned = owners(found.trace, tree)
    assert all(len(nodes) == 1 for nodes in owned.values())
    assert sum(map(len, own_events(found.trace).values())) == len(owned)
    assert all(tree.mass[node] > 0 for nodes in owned.values() for node in nodes)


class Counted(np.ndarray[Any, Any]):
    """An array that counts how many of its items were compared."""

    compared = 0

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **named: Any) -> Any:
        Counted.compared += self.size
        plain_inputs = [np.asarray(each) for each in inputs]
        return getattr(ufunc, method)(*plain_inputs, **named)


def test_looking_up_all_parts_goes_over_the_tree_once(found: Opened) -> None:
    tree = opened_all(found)
    names = ("kind", "call", "first", "last")
    counted = {name: getattr(tree, name).view(Counted) for name in names}
    tree = replace(tree, **counted)
    Counted.compared = 0
    for node in np.flatnonzero(np.asarray(tree.kind) != NodeKind.CALL).tolist():
        assert tree.find(tree.key(node)) == node
    assert Counted.compared <= 8 * len(tree)


@settings(max_examples=examples(25))
@given(data=st.data())
def test_nor_when_anything_else_is_open(found: Opened, data: st.DataObject) -> None:
    tree = found.tree
    shape = data.draw(st.sampled_from(SHAPES))
    keys: set[Key] = set()
    for _ in range(data.draw(st.integers(1, 4))):
        nodes = data.draw(st.lists(st.integers(0, len(tree) - 1), min_size=1, max_size=4))
        keys |= {tree.key(node) for node in nodes}
        tree = Shaper(found.trace, found.tree).tree(Outline(shape, opened=frozenset(keys)))
        assert all(tree.find(key) is not None for key in keys)
    check(found, tree)
    assert all(len(nodes) == 1 for nodes in owners(found.trace, tree).values())


def searched(session: Session, bug: tuple[int, int]) -> Session:
    for _ in range(900):
        pending = session.pending
        if not isinstance(pending, Question):
            return session
        assert isinstance(session.problem.tree, FlatTree)
        session = session.given(judged(session.problem.tree, pending.node, bug))
    raise AssertionError("it asks for ever")


@settings(max_examples=examples(60))
@given(data=st.data())
def test_the_planted_bug_is_found_by_every_strategy(found: Opened, data: st.DataObject) -> None:
    own = own_events(found.trace)
    call = data.draw(st.sampled_from(sorted(own)))
    moment = data.draw(st.sampled_from(own[call]))
    strategy = data.draw(st.sampled_from(sorted(STRATEGIES)))
    shape = data.draw(st.sampled_from(SHAPES))
    session = Session(blind(found)).using(strategy).shaped(shape)
    ended = searched(session, (call, moment))
    pending, tree = ended.pending, ended.problem.tree
    assert isinstance(pending, Diagnosis), pending
    assert isinstance(tree, FlatTree)
    assert pending.is_only_one
    assert tree.mass[pending.node] > 0
    assert owners_of(tree, call, moment) == pending.node


def blind(found: Opened) -> Problem:
    """Return a case that tells equal calls apart: just one of them is wrong here."""
    return Shapes(Shaper(found.trace, found.tree).tree).problem()


def owners_of(tree: FlatTree, call: int, moment: int) -> int:
    inside = [
        node
        for node in np.flatnonzero((tree.call == call) & (tree.kind != NodeKind.GROUP)).tolist()
        if tree.kind[node] == NodeKind.CALL or tree.first[node] <= moment <= tree.last[node]
    ]
    return max(inside, key=lambda node: int(tree.depth[node]))


def test_turns_that_are_right_and_wrong_together_convict_the_loops_head(found: Opened) -> None:
    call = call_of(found.trace, "long")
    session = found.session(root=call.id, strategy="top-down").shaped(LOOPS)
    while isinstance(pending := session.pending, Question):
        node = session.problem.tree.node(pending.node)
        part = part_of(found.trace, node.key)
        is_turn = part is not None and part.first == part.last and not part.is_loop
        session = session.given(Answer(node.key, Verdict.RIGHT if is_turn else Verdict.WRONG))
    assert isinstance(pending, Diagnosis)
    part = part_of(found.trace, pending.about)
    assert part is not None
    assert part.is_loop


def test_what_nobody_knows_of_a_group_is_asked_turn_by_turn(found: Opened) -> None:
    call = call_of(found.trace, "whiles")
    session = found.session(root=call.id).shaped(LOOPS)
    for _ in range(40):
        pending = session.pending
        assert isinstance(pending, Question)
        node = session.problem.tree.node(pending.node)
        if node.kind is NodeKind.TURN:
            break
        verdict = Verdict.UNKNOWN if session.problem.tree.mass[pending.node] == 0 else Verdict.WRONG
        session = session.given(Answer(node.key, verdict))
    assert node.kind is NodeKind.TURN
    session = session.given(Answer(node.key, Verdict.WRONG))
    while isinstance(ended := session.pending, Question):
        session = session.given(Answer(ended.about, Verdict.RIGHT))
    assert isinstance(ended, Diagnosis)
    assert ended.about == node.key


@pytest.mark.parametrize("shape", [each for each in SHAPES if each != ("streams",)])
def test_undoing_restores_the_tree_and_switching_back_the_original(
    found: Opened, shape: tuple[str, ...]
) -> None:
    session = found.session(strategy="top-down").shaped(shape)
    seen = []
    for _ in range(12):
        pending = session.pending
        if not isinstance(pending, Question):
            break
        seen.append((session.problem.tree, pending))
        session = session.given(Answer(pending.about, Verdict.WRONG))
    assert len(seen) > 3
    for tree, pending in reversed(seen):
        session = session.undone()
        assert isinstance(session.problem.tree, FlatTree)
        assert len(session.problem.tree) == len(tree)
        assert session.pending == pending
    assert session.shaped(()).problem.tree is found.tree


def test_answers_hold_in_both_shapes(found: Opened) -> None:
    call = call_of(found.trace, "nested")
    wrong = Answer(found.tree.key(found.node_of(call.id)), Verdict.WRONG)
    shaped = found.session().given(wrong).shaped(LOOPS)
    assert shaped.problem.tree.key(shaped.space.focus) == wrong.about
    pending = shaped.pending
    assert isinstance(pending, Question)
    shaped = shaped.given(Answer(pending.about, Verdict.WRONG))
    plain = shaped.shaped(())
    assert plain.problem.tree.key(plain.space.focus) == wrong.about
    again = plain.shaped(LOOPS)
    assert again.problem.tree.key(again.space.focus) == shaped.problem.tree.key(shaped.space.focus)


def test_the_first_wrong_turn_can_be_named(found: Opened) -> None:
    call = call_of(found.trace, "long")
    session = found.session(root=call.id, strategy="top-down").shaped(LOOPS)
    pending = session.pending
    assert isinstance(pending, Question)
    turns = turns_of(found.trace, pending.about)
    assert turns is not None
    before, wrong = parted(turns, 37)
    assert before is not None
    session = session.given(Answer(wrong, Verdict.WRONG)).given(Answer(before, Verdict.RIGHT))
    ended = session.pending
    assert isinstance(ended, Diagnosis)
    assert ended.about == wrong
    part, earlier = part_of(found.trace, wrong), part_of(found.trace, before)
    assert part is not None
    assert earlier is not None
    assert (part.first, part.last, earlier.first, earlier.last) == (37, 37, 1, 36)


def test_a_loop_of_leaves_takes_about_the_logarithm_of_its_turns(found: Opened) -> None:
    call = call_of(found.trace, "long")
    own = [m for m in own_events(found.trace)[call.id] if m > call.first + 3]
    counts = []
    for moment in own[:-2:29]:
        session = found.session(root=call.id, strategy="bisection").shaped(LOOPS)
        counts.append(searched(session, (call.id, moment)).answer_count)
    # (The loop as a whole has to be judged as well.)
    assert np.mean(counts) <= 1 + 1.15 * np.log2(300)


LONG = """
def long(count):
    total = 0
    for number in range(count):
        total += number
    return total


long(60_000)
"""


def test_a_long_loop_is_opened_without_an_object_for_each_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = Opened(recorded(tmp_path, LONG))
    made: list[object] = []
    decoded = EventReader._decoded

    def counting(*arguments: Any) -> Iterator[Event]:
        for event in decoded(*arguments):
            made.append(event)
            yield event

    session = opened.session().shaped(LOOPS)
    call = call_of(opened.trace, "long")
    monkeypatch.setattr(EventReader, "_decoded", counting)
    session = session.given(Answer(opened.tree.key(call.id + 1), Verdict.WRONG))
    question = session.pending
    assert isinstance(question, Question)
    assert len(session.problem.tree) < len(opened.tree) + 200
    behaviour = behaviour_for(opened.trace, question.about)
    text = "\n".join(plain(question_lines(opened.trace, behaviour, width=80)))
    assert "30,000 of 60,000" in text or "60,000 of 60,000" in text
    assert 0 < len(made) < 3_000


def test_names_of_transformations_are_put_in_order() -> None:
    assert named(["balance", "loops", "loops"]) == ("loops", "balance")
    assert named(["none"]) == ()
    with pytest.raises(Exception, match="There is no transformation 'loop'"):
        named(["loop"])
