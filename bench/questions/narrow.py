"""Narrowing: the same search over a part of the run.

After a node was judged wrong, nodes outside of it are not asked about and have no weight.  So the
search goes on over the call that the node belongs to and the calls below it, as if nothing else had
been recorded; a test checks that the questions are the same.  Judged nodes outside stay as bare
nodes, since an answer about a function counts for its other calls.
"""

from dataclasses import fields, replace
from typing import Any

import numpy as np

from bench.questions.corpus import Subject
from sleuth.search.question import Answer, Verdict
from sleuth.search.session import Session
from sleuth.tree.flat import FlatTree
from sleuth.tree.node import Key, NodeKind, Numbers

_WORTH = 0.8
"""A part of the run is cut out if it is at most this fraction of the present run."""
_OF_THE_TREE = ("is_growing", "merged", "plain", "elsewhere")
_COLUMNS = [each.name for each in fields(FlatTree) if each.name not in _OF_THE_TREE]


class Narrowing:
    """Cuts parts out of one run."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject

    def __call__(self, session: Session, wrong: Key) -> Session:
        """Return the session to go on with after a node was judged wrong."""
        answer = Answer(wrong, Verdict.WRONG)
        whole, tree = self._subject.tree, session.problem.tree
        top = whole.find_call(wrong.call)
        if top is None or not isinstance(tree, FlatTree):
            return session.extended((answer,))
        stop = int(whole.end[top])
        spoken = [entry for entry in session.entries if isinstance(entry, Answer)]
        places = [whole.find_call(entry.about.call) for entry in spoken]
        is_inside = [place is not None and top <= place < stop for place in places]
        outside = [
            session.problem.find(entry.about)
            for entry, is_in in zip(spoken, is_inside, strict=True)
            if not is_in
        ]
        bare = np.array(sorted({each for each in outside if each is not None}), np.int64)
        if stop - top + len(bare) >= _WORTH * len(tree.as_recorded):
            return session.extended((answer,))
        entries = tuple(
            entry
            for entry, is_in in zip(spoken, is_inside, strict=True)
            if is_in or session.problem.find(entry.about) is not None
        )
        part = self._subject.within(_cut(whole, top, tree, bare))
        begun = Session(part.problem(), strategy=session.strategy, entries=(*entries, answer))
        return begun.shaped(session.problem.shape)


def _cut(whole: FlatTree, top: int, tree: FlatTree, bare: Numbers) -> FlatTree:
    """Return the run, a call of it with all below, and some nodes of another tree as leaves."""
    here = np.arange(top, int(whole.end[top]))
    size, count = len(here) + 1, len(here) + 1 + len(bare)
    below, leaves = slice(1, size), np.arange(size, count)
    columns: dict[str, Any] = {}
    for name in _COLUMNS:
        column, other = getattr(whole, name), getattr(tree, name)
        columns[name] = np.concatenate((column[:1], column[here], other[bare])).astype(column.dtype)
    part = replace(whole, **columns)
    part.parent[below] -= top - 1
    part.parent[1], part.parent[leaves] = 0, 0
    part.end[below] -= top - 1
    part.end[0], part.end[leaves] = count, leaves + 1
    part.depth[below] -= whole.depth[top] - 1
    part.depth[leaves] = 1
    # Groups have no code: they are never found guilty.
    part.kind[leaves], part.mass[leaves] = NodeKind.GROUP, 0.0
    part.is_done[leaves], part.is_trusted[leaves] = True, False
    return part
