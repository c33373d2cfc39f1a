"""Edge ranking: the order of questions that needs the fewest in the worst case.

The labels are computed once for the whole tree below the root.  They stay valid for any part that
answers leave of it, so the same answers always lead to the same question.
"""

import numpy as np

from sleuth import _flat
from sleuth.search.question import Verdict
from sleuth.search.space import SearchSpace
from sleuth.tree.node import Flags, Small


def labels(space: SearchSpace) -> Small:
    """Return a label for each node of the focus; the candidate with the largest is asked first."""
    tree, root = space.tree, space.problem.start
    if not root <= space.focus < tree.end[root]:
        root = space.focus
    stop = int(tree.end[root])
    is_askable = _askable(space, root, stop)
    memory = space.problem.rankings
    key = root, is_askable.tobytes()
    if key not in memory:
        memory.clear()
        memory[key] = _ranked(space, root, is_askable)
    return memory[key][space.focus - root : space.stop - root]


def most_questions(space: SearchSpace) -> int:
    """Return the most questions that any answers can need, "don't know" aside."""
    asked = labels(space)[space.in_any_order]
    return int(asked.max()) + 1 if len(asked) else 0


def _askable(space: SearchSpace, root: int, stop: int) -> Flags:
    """Tell which nodes could be asked about before any answer."""
    here = slice(root, stop)
    judged = space.judged
    askable = space.tree.is_done[here] & ~judged.trusted[here] & ~judged.explained[here]
    sums = np.concatenate(([0.0], np.cumsum(space.tree.mass[here] * ~judged.trusted[here])))
    askable &= sums[space.tree.end[here] - root] > sums[:-1]
    for node, (verdict, _) in judged.verdicts.items():
        if root <= node < stop:
            askable[node - root] = verdict is not Verdict.UNKNOWN
    if root != space.problem.start or space.problem.is_assumed:
        askable[0] = False
    return askable


def _ranked(space: SearchSpace, root: int, is_askable: Flags) -> Small:
    """Label the tree of the askable nodes, each below its nearest askable ancestor."""
    nodes = np.flatnonzero(is_askable)
    # The root of that tree is not asked about: it is what may be left in the end.
    ends = space.tree.end[root + nodes].astype(np.int64) - root
    small = np.concatenate(([len(nodes)], np.searchsorted(nodes, ends))).astype(np.int32) + 1
    ranks = np.empty(len(small), np.int32)
    _flat.ranking(small, ranks)
    found = np.full(len(is_askable), -1, np.int32)
    found[nodes] = ranks[1:]
    return found
