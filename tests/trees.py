"""Trees to search in, without a trace: by shape, with a planted bug, and all of a size."""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import count

import numpy as np
from hypothesis import strategies as st

from sleuth.search.problem import Problem
from sleuth.search.question import Answer, Diagnosis, Pending, Question, Verdict
from sleuth.search.session import Session
from sleuth.tree.build import preordered
from sleuth.tree.flat import FlatTree
from sleuth.tree.node import NodeKind

Shape = tuple["Shape", ...]
"""A node is the tuple of its children."""


def parents_of(shape: Shape) -> list[int]:
    """Return the parents in preorder."""
    parents: list[int] = []
    stack: list[tuple[Shape, int]] = [(shape, -1)]
    while stack:
        node, above = stack.pop()
        stack.extend((child, len(parents)) for child in reversed(node))
        parents.append(above)
    return parents


def tree_of(
    parents: Sequence[int],
    *,
    masses: Sequence[float] | None = None,
    routines: Sequence[int] | None = None,
    trusted: Sequence[int] = (),
    undone: Sequence[int] = (),
) -> FlatTree:
    """Return a tree; the parents must be in preorder.  Each node is a call of its own routine."""
    above = np.array(parents, np.int32)
    size = len(above)
    numbers, end, depth = preordered(above)
    assert (numbers == np.arange(size)).all()
    is_trusted, is_done = np.zeros(size, bool), np.ones(size, bool)
    is_trusted[list(trusted)] = True
    is_done[list(undone)] = False
    # A moment for each beginning and each end.
    first = 2 * np.arange(size, dtype=np.int64) - depth
    return FlatTree(
        parent=above,
        end=end,
        depth=depth,
        kind=np.full(size, NodeKind.CALL, np.uint8),
        call=np.arange(size, dtype=np.int64),
        first=first,
        last=first + 2 * (end.astype(np.int64) - np.arange(size)) - 1,
        routine=np.array(range(size) if routines is None else routines, np.int32),
        module=np.zeros(size, np.int32),
        outcome=np.ones(size, np.uint8),
        thread=np.zeros(size, np.int32),
        mass=np.ones(size) if masses is None else np.array(masses, float),
        is_done=is_done,
        is_trusted=is_trusted,
        is_growing=bool(undone),
    )


def is_wrong(tree: FlatTree, bug: int, node: int) -> bool:
    """Tell whether a node contains the planted bug."""
    return bool(node <= bug < tree.end[node])


def judged(tree: FlatTree, bug: int, node: int) -> Answer:
    """Answer as somebody who knows the bug."""
    verdict = Verdict.WRONG if is_wrong(tree, bug, node) else Verdict.RIGHT
    return Answer(tree.key(node), verdict)


def searched(session: Session, bug: int) -> tuple[list[int], Pending]:
    """Answer until nothing is asked; return the nodes asked about and what came out."""
    tree = session.problem.tree
    assert isinstance(tree, FlatTree)
    asked: list[int] = []
    for _ in range(2 * len(tree) + 2):
        pending = session.pending
        if not isinstance(pending, Question):
            return asked, pending
        asked.append(pending.node)
        session = session.given(judged(tree, bug, pending.node))
    raise AssertionError("it asks for ever")


def walked(session: Session, bugs: Sequence[int]) -> dict[int, tuple[list[int], Pending]]:
    """Search for each of these bugs; return the nodes asked about and what came out.

    Searches that have had the same answers so far are one: sessions are never changed.
    """
    tree = session.problem.tree
    assert isinstance(tree, FlatTree)
    found: dict[int, tuple[list[int], Pending]] = {}
    waiting: list[tuple[Session, list[int], list[int]]] = [(session, [], list(bugs))]
    while waiting:
        here, asked, left = waiting.pop()
        pending = here.pending
        if not isinstance(pending, Question):
            found |= dict.fromkeys(left, (asked, pending))
            continue
        assert len(asked) < 2 * len(tree) + 2, "it asks for ever"
        sides: dict[bool, list[int]] = {}
        for bug in left:
            sides.setdefault(is_wrong(tree, bug, pending.node), []).append(bug)
        for side in sides.values():
            given = here.given(judged(tree, side[0], pending.node))
            waiting.append((given, [*asked, pending.node], side))
    return found


def questions(
    tree: FlatTree, strategy: str, *, bugs: Sequence[int] | None = None, is_assumed: bool = True
) -> list[int]:
    """Return for each position of the bug how many questions find it."""
    session = Session(Problem(tree, is_assumed=is_assumed), strategy=strategy)
    bugs = range(len(tree)) if bugs is None else bugs
    ends = walked(session, bugs)
    for bug in bugs:
        asked, found = ends[bug]
        assert isinstance(found, Diagnosis)
        assert found.candidates == (bug,), f"{strategy} named {found.candidates}, it was {bug}"
        assert len(set(asked)) == len(asked), f"{strategy} asks twice: {asked}"
    return [len(ends[bug][0]) for bug in bugs]


@cache
def shapes(size: int) -> tuple[Shape, ...]:
    """Return all rooted trees of a size, one for each shape."""
    return tuple(dict.fromkeys(_forests(size - 1, size - 1)))


@cache
def _forests(size: int, largest: int) -> tuple[Shape, ...]:
    """Return the forests of a size whose trees are at most so large, each in one order."""
    if size == 0:
        return ((),)
    found = set()
    for first in range(1, min(size, largest) + 1):
        for tree in shapes(first):
            for rest in _forests(size - first, first):
                found.add(tuple(sorted((tree, *rest), key=repr)))
    return tuple(sorted(found, key=repr))


def all_shapes(most: int) -> Iterator[Shape]:
    """Yield all rooted trees up to a size."""
    for size in count(1):
        if size > most:
            return
        yield from shapes(size)


@st.composite
def parents(draw: st.DrawFn, *, most: int = 40) -> list[int]:
    """Draw a tree as parents in preorder."""
    found, path = [-1], [0]
    for number in range(1, draw(st.integers(1, most))):
        up = draw(st.integers(0, len(path) - 1))
        del path[len(path) - up :]
        path = path or [0]
        found.append(path[-1])
        path.append(number)
    return found
