"""The symptom of a crash: the calls that an uncaught exception left."""

import numpy as np

from sleuth.trace.events import Outcome
from sleuth.trace.reader import Trace
from sleuth.trace.values import Ref, Value
from sleuth.tree.flat import FlatTree
from sleuth.tree.node import OUTCOMES, Numbers

_RAISED = OUTCOMES.index(Outcome.RAISED)


def symptom_path(trace: Trace, tree: FlatTree) -> Numbers:
    """Return the calls that the uncaught exception left, outermost first; empty: there is none."""
    at = _raised_root(trace, tree)
    return np.empty(0, np.int64) if at is None else path_from(trace, tree, at)


def path_from(trace: Trace, tree: FlatTree, at: int) -> Numbers:
    """Return a call that an exception left, and the calls below that the same one left."""
    raised = np.flatnonzero(tree.outcome == _RAISED)
    below = np.full(len(tree), -1, np.int64)
    below[tree.parent[raised]] = raised  # of several children the last one counts
    path = [at]
    while (at := int(below[at])) >= 0 and _is_passed_on(trace, tree, at):
        path.append(at)
    return np.array(path, np.int64)


def _is_passed_on(trace: Trace, tree: FlatTree, child: int) -> bool:
    """Tell whether the exception that left a call left its parent as well."""
    parent = int(tree.parent[child])
    if tree.last[parent] == tree.last[child] + 1:
        return True  # nothing happened in between
    return _is_same(_error(trace, tree, parent), _error(trace, tree, child))


def _raised_root(trace: Trace, tree: FlatTree) -> int | None:
    """Return the call without a caller that an exception ended; the first thread comes first."""
    is_root = tree.parent == 0
    if tree.elsewhere is not None:
        is_root[1:] |= tree.elsewhere.in_thread[tree.call[1:]]
    roots = np.flatnonzero((tree.outcome == _RAISED) & is_root)
    main = int(tree.thread[1]) if len(tree) > 1 else 0
    in_main = tree.thread[roots] == main
    # A program can also end normally by an exception (SystemExit).
    ended_well = (trace.ending or {}).get("status") == 0
    wanted = roots[~in_main] if ended_well else np.concatenate((roots[in_main], roots[~in_main]))
    return int(wanted[0]) if len(wanted) else None


def _error(trace: Trace, tree: FlatTree, number: int) -> Value:
    return trace.result(trace.call(int(tree.call[number])))


def _is_same(left: Value, right: Value) -> bool:
    """Tell whether two exceptions are the same one; without identities, types are compared."""
    return left == right if isinstance(left, Ref) else type(left) is type(right)
