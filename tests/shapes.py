"""Searches in transformed trees, answered by somebody who knows the bug."""

from sleuth.search.problem import Problem
from sleuth.search.question import Answer, Question, Verdict
from sleuth.search.session import Session
from sleuth.search.shapes import Shapes
from sleuth.trace.reader import Trace
from sleuth.tree.flat import FlatTree
from sleuth.tree.transformations import Shaper


def problem_of(tree: FlatTree, trace: Trace | None = None) -> Problem:
    """Return a case that can take any shape; equal calls are told apart, just one is wrong."""
    shaper = Shaper(trace, tree)  # type: ignore[arg-type]
    return Shapes(shaper.tree).problem()


def tree_in(session: Session) -> FlatTree:
    """Return the tree in its present shape."""
    assert isinstance(session.problem.tree, FlatTree)
    return session.problem.tree


def with_wrong(session: Session, call: int) -> Session:
    """Say that a call that is a node of its own is wrong."""
    tree = tree_in(session)
    node = tree.find_call(call)
    assert node is not None
    return session.given(Answer(tree.key(node), Verdict.WRONG))


def contains(tree: FlatTree, node: int, call: int) -> bool:
    """Tell whether a call is part of a node, merged into another or not."""
    holder = tree.holder(call)
    assert holder is not None, f"call {call} is lost"
    return bool(node <= holder < tree.end[node])


def searched(session: Session, call: int, *, most: int = 500) -> Session:
    """Answer as somebody who knows which call is wrong, until nothing is asked."""
    for _ in range(most):
        pending = session.pending
        if not isinstance(pending, Question):
            return session
        is_wrong = contains(tree_in(session), pending.node, call)
        session = session.given(Answer(pending.about, Verdict.WRONG if is_wrong else Verdict.RIGHT))
    raise AssertionError("it asks for ever")
