"""All transformations, alone and together: nothing is lost, and what is wrong is found."""

import sys
from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parents[3]))
from sleuth.opening import Opened
from sleuth.search.journal import replayed, steps
from sleuth.search.question import Answer, Contradiction, Diagnosis, NoBug, Question, Verdict
from sleuth.search.session import Session
from sleuth.search.strategies import STRATEGIES
from sleuth.trace.events import Call
from sleuth.tree.flat import FlatTree
from sleuth.tree.node import Key, NodeKind
from sleuth.tree.transformations import TRANSFORMATIONS
from sleuth.tree.transformations.outline import Wish, Wished
from tests.recorded import call_of, recorded
from tests.shapes import case_of, contains, searched
from tests.tree.looping import PROGRAM, own_events, owner_is, owners
from tests.trees import parents, tree_of

BY_TREE_ALONE = ("compress", "compress-all", "balance")
"""Those that need no trace."""
EXAMPLES = (
    "examples/merge_sort.py",
    "examples/matrix_recursive.py",
    "examples/castling.py",
    "bench/questions/programs/rnd_quicksort.py",
)
"""Recorded as they are: loops, recursion, chains of calls."""
FOLDER = Path(__file__).parents[3]
SYNTHETIC = (NodeKind.RUN, NodeKind.GROUP, NodeKind.MERGED)


def subsets(names: tuple[str, ...]) -> list[tuple[str, ...]]:
    return [some for count in range(len(names) + 1) for some in combinations(names, count)]


SHAPES = subsets(tuple(TRANSFORMATIONS))


@settings(max_examples=80)
@given(data=st.data(), shape=parents(most=40))
def test_on_any_tree_the_wrong_call_is_found(data: st.DataObject, shape: list[int]) -> None:
    routines = data.draw(st.lists(st.integers(0, 2), min_size=len(shape), max_size=len(shape)))
    tree = tree_of(shape, routines=routines)
    bug = data.draw(st.integers(0, len(tree) - 1))
    strategy = data.draw(st.sampled_from(sorted(STRATEGIES)))
    session = Session(case_of(tree)).using(strategy)
    session = session.shaped(data.draw(st.sampled_from(subsets(BY_TREE_ALONE))))
    # In the middle of a session the shape may change: answers hold in any.
    for _ in range(data.draw(st.integers(0, 2))):
        session = _some_answers(session, bug, data.draw(st.integers(0, 3)))
        session = session.shaped(data.draw(st.sampled_from(subsets(BY_TREE_ALONE))))
    ended = searched(session, bug)
    assert isinstance(ended.pending, Diagnosis)
    assert ended.pending.candidates == (ended.case.find(tree.key(bug)),)
    assert ended.shaped(()).case.tree is tree
    assert isinstance(ended.shaped(()).pending, Diagnosis | Question)


def _some_answers(session: Session, bug: int, most: int) -> Session:
    for _ in range(most):
        pending, tree = session.pending, session.case.tree
        if isinstance(pending, Question) and isinstance(tree, FlatTree):
            is_wrong = contains(tree, pending.node, bug)
            verdict = Verdict.WRONG if is_wrong else Verdict.RIGHT
            session = session.given(Answer(pending.about, verdict))
    return session


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Opened:
    return Opened(recorded(tmp_path_factory.mktemp("combined"), PROGRAM))


def answered(found: Opened, session: Session, bug: tuple[int, int], *, most: int = 900) -> Session:
    for _ in range(most):
        pending = session.pending
        if not isinstance(pending, Question):
            return session
        is_wrong = holds(found, tree_in(session), pending.node, bug)
        session = session.given(Answer(pending.about, Verdict.WRONG if is_wrong else Verdict.RIGHT))
    return session


def holds(found: Opened, tree: FlatTree, node: int, bug: tuple[int, int]) -> bool:
    """Tell whether a wrong event makes a node wrong; the tree as recorded says who made what."""
    if tree.kind[node] in (NodeKind.GROUP, NodeKind.MERGED):
        return contains(tree, node, bug[0])
    return owner_is(found.tree, tree.key(node), NodeKind(int(tree.kind[node])), bug)


def tree_in(session: Session) -> FlatTree:
    assert isinstance(session.case.tree, FlatTree)
    return session.case.tree


@settings(max_examples=40)
@given(data=st.data())
def test_in_a_recorded_run_the_wrong_event_is_found(found: Opened, data: st.DataObject) -> None:
    search_for_any(found, data)


@pytest.fixture(scope="module", params=EXAMPLES)
def example(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Opened:
    program = FOLDER / request.param
    source = program.read_text(encoding="utf-8")
    return Opened(recorded(tmp_path_factory.mktemp(program.stem), source))


@settings(max_examples=12)
@given(data=st.data())
def test_in_an_example_the_wrong_event_is_found(example: Opened, data: st.DataObject) -> None:
    search_for_any(example, data)


@settings(max_examples=12)
@given(data=st.data())
def test_whatever_the_shape_becomes_what_is_known_is_not_asked_again(
    example: Opened, data: st.DataObject
) -> None:
    """The shape changes in the middle, answers are undone and redone, and a journal goes on."""
    bug = any_event(example, data)
    session = begun(example, data)
    said: dict[Key, tuple[int, bool]] = {}
    written = list(steps(Session(session.case), session))
    for _ in range(data.draw(st.integers(2, 12))):
        session, before = session_after(example, session, bug, said), session
        written += steps(before, session)
        shape = data.draw(st.sampled_from(SHAPES))
        session, before = session.shaped(shape), session
        written += steps(before, session)
        if session.entries:
            assert shown(tree_in(session.undone().redone())) == shown(tree_in(session))
    ended = answered(example, session, bug)
    assert isinstance(ended.pending, Diagnosis)
    assert owners(example.trace, tree_in(ended))[bug[1]] == [ended.pending.node]
    start = Session(case_of(example.tree, example.trace))
    resumed = replayed(start, [*written, *steps(session, ended)])
    assert shown(tree_in(resumed)) == shown(tree_in(ended))
    assert resumed.pending == ended.pending


@pytest.mark.parametrize("example", EXAMPLES[:1], indirect=True)
def test_what_a_right_turn_did_is_not_asked_about_when_it_is_merged(example: Opened) -> None:
    session = Session(case_of(example.tree, example.trace)).using("top-down").shaped(("loops",))
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


@pytest.mark.parametrize("example", EXAMPLES[-1:], indirect=True)
def test_a_right_group_is_not_cut_by_calls_that_are_collapsed(example: Opened) -> None:
    """What is collapsed across its end would be right with it."""
    swaps = [call for call in example.trace.calls() if is_named(example, call, "swap")]
    busiest, _ = Counter(call.parent for call in swaps).most_common(1)[0]
    last = [call for call in swaps if call.parent == busiest][-1]
    assert busiest is not None
    whole = example.tree.key(example.tree.find_call(busiest) or 0)
    session = Session(case_of(example.tree, example.trace)).shaped(("balance",))
    session = session.given(Answer(whole, Verdict.WRONG))
    tree = tree_in(session)
    groups = np.flatnonzero((tree.kind == NodeKind.GROUP) & (tree.call == busiest)).tolist()
    right = next(key for key in map(tree.key, groups) if key.last < last.first)
    session = session.given(Answer(right, Verdict.RIGHT)).shaped(("collapse", "balance-chains"))
    tree, space = tree_in(session), session.space
    node = tree.find_call(last.id)
    node = tree.holder(last.id) if node is None else node
    assert node is not None
    assert not space.is_excluded[node - space.focus]


def is_named(found: Opened, call: Call, name: str) -> bool:
    function = found.trace.function(call.function)
    return function is not None and function.name == name


def test_what_was_inlined_among_the_members_of_a_right_group_stays_its_callers(
    found: Opened,
) -> None:
    """The question about the group did not show it."""
    deep, main = (call_of(found.trace, name) for name in ("deep", "main"))
    session = Session(case_of(found.tree, found.trace)).shaped(("balance",))
    session = session.wished(Wished(Wish.INLINE, None, deep.function))
    whole = found.tree.key(found.tree.find_call(main.id) or 0)
    session = session.given(Answer(whole, Verdict.WRONG))
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
    plain = Session(case_of(found.tree, found.trace)).shaped(("balance",))
    plain = plain.given(Answer(whole, Verdict.WRONG)).given(Answer(around, Verdict.WRONG))
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
    session = Session(case_of(found.tree, found.trace)).using("top-down").shaped(("loops",))
    adds, makes = (call_of(found.trace, name) for name in ("add", "make"))
    whole = found.tree.key(found.tree.find_call(adds.id) or 0)
    session = session.given(Answer(whole, Verdict.WRONG))
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
    whole = found.tree.key(found.tree.find_call(main.id) or 0)
    session = Session(case_of(found.tree, found.trace)).shaped(("balance",))
    session = session.given(Answer(whole, Verdict.WRONG))
    tree = tree_in(session)
    groups = np.flatnonzero((tree.kind == NodeKind.GROUP) & (tree.call == main.id)).tolist()
    wrong = next(key for key in map(tree.key, groups) if key.first > whole.first + 30)
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
    session = Session(case_of(found.tree, found.trace)).shaped(("balance",))
    session = session.given(
        Answer(found.tree.key(found.tree.find_call(reads.id) or 0), Verdict.WRONG)
    )
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
    whole = found.tree.key(found.tree.find_call(numbers.id) or 0)
    session = Session(case_of(found.tree, found.trace)).shaped(("loops",))
    session = session.given(Answer(whole, Verdict.WRONG))
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


INTERLEAVED = """
def twice(x):
    return 2 * x

def numbers(n):
    for i in range(n):
        yield twice(i)

def read():
    return [twice(x) for x in numbers(5)]

read()
"""


def test_what_an_inlined_generator_called_stands_among_its_callers_calls_in_order(
    tmp_path: Path,
) -> None:
    found = Opened(recorded(tmp_path, INTERLEAVED))
    reads, numbers = (call_of(found.trace, name) for name in ("read", "numbers"))
    session = Session(case_of(found.tree, found.trace)).shaped(("balance",))
    session = session.wished(Wished(Wish.INLINE, None, numbers.function))
    session = session.given(
        Answer(found.tree.key(found.tree.find_call(reads.id) or 0), Verdict.WRONG)
    )
    tree = tree_in(session)
    check(found, tree)
    made = np.flatnonzero((tree.kind == NodeKind.CALL) & (tree.depth > 1))
    assert len(made) > 9
    assert (np.diff(tree.first[made]) > 0).all()


PASSED = """
def logged(function):
    def wrapper(*args):
        return function(*args)
    return wrapper

@logged
def double(x):
    return 2 * x

def steps(n):
    total = 0
    for i in range(n):
        total += double(i)
    return total

def main():
    double(1), double(2), double(3)
    steps(2)
    double(4), double(double(5))
    steps(3)
    double(6), double(7)

main()
"""


@pytest.fixture(scope="module")
def passing(tmp_path_factory: pytest.TempPathFactory) -> Opened:
    return Opened(recorded(tmp_path_factory.mktemp("passed"), PASSED))


@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_what_was_passed_over_is_found_in_any_shape(passing: Opened, data: st.DataObject) -> None:
    """A group that was right says nothing of the calls that were none of it then."""
    own = own_events(passing.trace)
    steps_function = call_of(passing.trace, "steps").function
    wrappers = [each for each in passing.trace.calls() if is_named(passing, each, "wrapper")]
    inlined = [each for each in passing.trace.calls() if each.function == steps_function]
    call = data.draw(st.sampled_from([each.id for each in (*wrappers, *inlined)]))
    bug = call, data.draw(st.sampled_from(own[call]))
    session = Session(case_of(passing.tree, passing.trace)).shaped(("forward", "balance"))
    shapes = st.sampled_from([("forward", "balance"), ("balance",), ("loops", "forward"), ()])
    for _ in range(data.draw(st.integers(1, 6))):
        session = _some_answers_about(passing, session, bug, data.draw(st.integers(0, 3)))
        match data.draw(st.sampled_from(["shape", "inline", "plain"])):
            case "shape":
                session = session.shaped(data.draw(shapes))
            case "inline":
                session = session.wished(Wished(Wish.INLINE, None, steps_function))
            case _:
                session = session.wished(Wished(Wish.PLAIN))
    ended = answered(passing, session, bug)
    assert isinstance(ended.pending, Diagnosis)
    assert owners(passing.trace, tree_in(ended))[bug[1]] == [ended.pending.node]


def _some_answers_about(
    found: Opened, session: Session, bug: tuple[int, int], most: int
) -> Session:
    for _ in range(most):
        pending = session.pending
        if isinstance(pending, Question):
            is_wrong = holds(found, tree_in(session), pending.node, bug)
            verdict = Verdict.WRONG if is_wrong else Verdict.RIGHT
            session = session.given(Answer(pending.about, verdict))
    return session


def session_after(
    found: Opened, session: Session, bug: tuple[int, int], said: dict[Key, tuple[int, bool]]
) -> Session:
    """Answer a question: not about a part of what was right, nor beside what was wrong."""
    pending, tree = session.pending, tree_in(session)
    if not isinstance(pending, Question):
        return session
    asked, kind = pending.about, int(tree.kind[pending.node])
    in_call, made = asked.call, found.tree.find(asked)
    if made is not None:
        in_call = int(found.tree.call[found.tree.parent[made]])
    for known, (was, was_wrong) in said.items():
        if known.call not in (asked.call, in_call):
            continue
        is_part = known.first <= asked.first <= asked.last <= known.last
        if was_wrong:
            assert is_part or (asked.first <= known.last and known.first <= asked.last)
        elif was not in SYNTHETIC or kind not in (NodeKind.LOOP, NodeKind.TURN):
            # (Calls that were right together say nothing of the lines between them.)
            assert not is_part, (asked, known)
    is_wrong = holds(found, tree, pending.node, bug)
    said[asked] = kind, is_wrong
    return session.given(Answer(asked, Verdict.WRONG if is_wrong else Verdict.RIGHT))


def any_event(found: Opened, data: st.DataObject) -> tuple[int, int]:
    own = own_events(found.trace)
    call = data.draw(st.sampled_from(sorted(own)))
    return call, data.draw(st.sampled_from(own[call]))


def begun(found: Opened, data: st.DataObject) -> Session:
    strategy = data.draw(st.sampled_from(sorted(STRATEGIES)))
    shape = data.draw(st.sampled_from(SHAPES))
    return Session(case_of(found.tree, found.trace)).using(strategy).shaped(shape)


def search_for_any(found: Opened, data: st.DataObject) -> None:
    """Plant a bug anywhere, search it in any shape, and go all the way back."""
    call, moment = any_event(found, data)
    start = begun(found, data)
    routines = st.sampled_from(sorted(set(found.tree.routine[1:].tolist())))
    wishes = st.sampled_from([Wish.FOLD, Wish.ONLY, Wish.INLINE])
    for wished in data.draw(st.lists(st.builds(Wished, wishes, st.none(), routines), max_size=2)):
        start = start.wished(wished)
    check(found, tree_in(start))
    ended = answered(found, start, (call, moment))
    pending, tree = ended.pending, tree_in(ended)
    check(found, tree)
    assert isinstance(pending, Diagnosis), pending
    assert pending.is_certain
    assert tree.kind[pending.node] not in SYNTHETIC
    assert tree.mass[pending.node] > 0
    assert not tree.is_merged(pending.node)
    assert owners(found.trace, tree)[moment] == [pending.node]
    back = ended
    while back.answers:
        back = back.undone()
    assert shown(tree_in(back)) == shown(tree_in(start))
    while back.entries:
        back = back.undone()
    assert back.shaped(()).case.tree is found.tree


def shown(tree: FlatTree) -> list[tuple[int, int, int, int]]:
    columns = (tree.call, tree.first, tree.last, tree.parent)
    return list(zip(*(column.tolist() for column in columns), strict=True))


def check(found: Opened, tree: FlatTree) -> None:
    """Check what holds for any shape."""
    size = len(tree)
    assert (tree.parent[1:] < np.arange(1, size)).all()
    assert (tree.end[tree.parent[1:]] >= tree.end[1:]).all()
    assert (tree.depth[1:] == tree.depth[tree.parent[1:]] + 1).all()
    assert len({tree.key(node) for node in range(size)}) == size
    assert abs(tree.mass.sum() - found.tree.mass.sum()) < 1e-6
    assert not tree.mass[np.isin(tree.kind, (NodeKind.RUN, NodeKind.GROUP))].any()
    for group in np.flatnonzero(tree.kind == NodeKind.GROUP).tolist():
        check_members(tree, group)
    calls = tree.call[tree.kind == NodeKind.CALL].tolist()
    merged = tree.merged_calls()[0].tolist()
    assert sorted(calls + merged) == list(range(found.trace.call_count))
    owned = owners(found.trace, tree)
    assert all(len(nodes) == 1 for nodes in owned.values()), "no moment is lost or owned twice"
    assert all(tree.mass[nodes[0]] > 0 for nodes in owned.values())


def check_members(tree: FlatTree, group: int) -> None:
    """Check that a group holds all that was called meanwhile, unless that never stands alone."""
    key, recorded_tree = tree.key(group), tree.as_recorded
    made = recorded_tree.children(recorded_tree.find_call(key.call) or 0)
    begun = recorded_tree.first[made]
    calls = recorded_tree.call[made[(begun >= key.first) & (begun <= key.last)]]
    can_open = tree.merged.call[tree.merged.opens & (tree.merged.kind == NodeKind.CALL)]
    for call in np.intersect1d(calls, can_open).tolist():
        assert contains(tree, group, call), f"call {call} is between the members of a group"


@settings(max_examples=30)
@given(data=st.data())
def test_a_wrong_root_always_yields_something(found: Opened, data: st.DataObject) -> None:
    """Whatever is answered, it ends: with a node that has code, or with a contradiction."""
    shape = data.draw(st.sampled_from(subsets(tuple(TRANSFORMATIONS))))
    strategy = data.draw(st.sampled_from(sorted(STRATEGIES)))
    session = Session(case_of(found.tree, found.trace)).using(strategy).shaped(shape)
    verdicts = st.sampled_from([Verdict.RIGHT, Verdict.WRONG, Verdict.UNKNOWN])
    for _ in range(900):
        pending = session.pending
        if not isinstance(pending, Question):
            break
        session = session.given(Answer(pending.about, data.draw(verdicts)))
    assert isinstance(session.pending, Diagnosis | Contradiction | NoBug)
    if isinstance(session.pending, Diagnosis):
        for node in session.pending.candidates:
            assert tree_in(session).kind[node] not in SYNTHETIC
            assert tree_in(session).mass[node] > 0
