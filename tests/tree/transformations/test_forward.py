"""Forwarding: calls that only pass on their arguments are part of their callers."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[3]))
from sleuth.opening import Opened
from sleuth.search.question import Answer, Diagnosis, Question, Verdict
from sleuth.tree.flat import FlatTree
from sleuth.tree.transformations import Shaper, forward
from sleuth.tree.transformations.outline import Outline, Wish, Wished
from tests.recorded import call_of, recorded

PROGRAM = """
import functools

def logged(f):
    @functools.wraps(f)
    def wrapper(*args, **kwargs):
        return f(*args, **kwargs)
    return wrapper

def kept(f):
    def inner(*args, **kwargs):
        result = f(*args, **kwargs)
        return result
    return inner

def changed(f):
    def plus(*args):
        return f(*args) + 1
    return plus

def added(f):
    def more(*args):
        return f(*args, 42)
    return more

def dropped(f):
    def fewer(a, b):
        return f(a)
    return fewer

def counted(f):
    def counter(a):
        counter.calls += 1
        return f(a)
    counter.calls = 0
    return counter

class Point:
    def __init__(self, x):
        self._x = x

    @property
    def x(self):
        "The coordinate."
        return self._x

    def getter(self): return self._x

    @property
    def double(self):
        return self._x * 2

    @logged
    def scaled(self, by, *, more=2):
        return self.x * by * more

    def alias(self, by):
        return self.scaled(by)

class Sub(Point):
    def __init__(self, x):
        super().__init__(x)

@logged
def plain(a, b=2):
    return [a, b]

@kept
def named(a):
    return a[0]

@changed
def one(a):
    return a

@added
def two(a, b):
    return a

@dropped
def three(a):
    return a

@counted
def four(a):
    return a

@logged
def fails(a):
    raise ValueError(a)

def main():
    p = Sub(3)
    plain(1)
    plain(1, b=5)
    named([1])
    one(1)
    two(1)
    three(1, 2)
    four(1)
    p.getter()
    p.double
    p.alias(5)
    try:
        fails(3)
    except ValueError:
        pass

main()
"""
FORWARDING = [
    "Sub.__init__",
    "logged.<locals>.wrapper",
    "logged.<locals>.wrapper",
    "kept.<locals>.inner",
    "Point.getter",
    "Point.alias",
    "logged.<locals>.wrapper",
    "Point.x",
    "logged.<locals>.wrapper",
]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Opened:
    return Opened(recorded(tmp_path_factory.mktemp("forward"), PROGRAM))


def names(found: Opened, calls: list[int]) -> list[str]:
    functions = (found.trace.function(found.trace.call(call).function) for call in calls)
    return [function.qualified_name for function in functions if function]


def forwarded(found: Opened) -> FlatTree:
    tree = found.session().shaped(("forward",)).problem.tree
    assert isinstance(tree, FlatTree)
    return tree


def test_what_only_forwards_is_no_node_of_its_own(found: Opened) -> None:
    tree = forwarded(found)
    assert names(found, sorted(tree.merged.call.tolist())) == FORWARDING
    assert tree.mass.sum() == found.tree.mass.sum()
    main = tree.find_call(call_of(found.trace, "main").id)
    assert tree.holder(call_of(found.trace, "logged.<locals>.wrapper").id) == main
    assert tree.find_call(call_of(found.trace, "plain").id) in tree.children(main or 0)


def test_the_callee_of_a_wrapper_is_asked_about_and_the_wrapper_is_not(found: Opened) -> None:
    session = found.session(root=call_of(found.trace, "main").id, strategy="top-down")
    session = session.shaped(("forward",))
    asked: list[int] = []
    while isinstance(pending := session.pending, Question):
        asked.append(pending.about.call)
        session = session.given(Answer(pending.about, Verdict.RIGHT))
    assert not set(names(found, asked)) & set(FORWARDING)
    assert isinstance(pending, Diagnosis)
    assert pending.about == found.tree.key(found.node_of(call_of(found.trace, "main").id))


def test_an_answer_about_a_wrapper_brings_it_back(found: Opened) -> None:
    session = found.session().shaped(("forward",))
    about = found.tree.key(found.node_of(call_of(found.trace, "logged.<locals>.wrapper").id))
    session = session.given(Answer(about, Verdict.WRONG))
    assert session.problem.tree.key(session.space.focus) == about
    assert session.undone().problem.find(about) is None


def test_an_inlined_function_is_its_callers_code(found: Opened) -> None:
    routine = call_of(found.trace, "plain").function
    session = found.session(transform=()).wished(Wished(Wish.INLINE, routine=routine))
    tree = session.problem.tree
    assert isinstance(tree, FlatTree)
    assert names(found, tree.merged.call.tolist()) == ["plain", "plain"]
    owners = [int(tree.call[owner]) for owner in tree.merged.owner]
    assert set(names(found, owners)) == {"logged.<locals>.wrapper"}
    both = session.shaped(("forward",)).problem.tree
    assert len(both) == len(found.tree) - len(FORWARDING) - 2


def test_calls_without_calls_do_not_use_up_how_many_are_looked_at(
    found: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a getter its text tells, once for all its calls."""
    monkeypatch.setattr(forward, "_MOST", 1)
    anew = Opened(found.trace)
    tree = Shaper(anew.trace, anew.tree).tree(Outline(("forward",)))
    gone = {found.trace.call(call).function for call in tree.merged_calls()[0].tolist()}
    names = {function.name for each in gone if (function := found.trace.function(each))}
    assert {"x", "getter"} <= names
    assert len(names - {"x", "getter"}) == 1
