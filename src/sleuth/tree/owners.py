"""Owners: the node of a tree whose own code ran at a moment of a call."""

from typing import TYPE_CHECKING

import numpy as np

from sleuth.tree.node import Flags, NodeKind, Numbers

if TYPE_CHECKING:
    from sleuth.tree.flat import FlatTree

_WITHOUT_CODE = (NodeKind.RUN, NodeKind.GROUP, NodeKind.MERGED)


def owners(tree: "FlatTree", call: Numbers, moment: Numbers) -> Numbers:
    """Return the node that owns each moment of a call, -1: none does.

    The moments have to be sorted by call, then by moment.
    """
    if not len(call):
        return np.array([], np.int64)
    calls, first, last, node, is_call = _owning(tree)
    most = int(max(calls.max(initial=0), call.max())) + 1
    span = int(moment.max()) + 2
    of_call = np.full(most, -1, np.int64)
    of_call[calls[is_call]] = node[is_call]
    found = of_call[call]
    is_here = np.zeros(most, bool)
    is_here[call] = True
    parts = np.flatnonzero(~is_call & is_here[calls])
    # The innermost interval is written last.
    parts = parts[np.argsort(first[parts] - last[parts], kind="stable")]
    order = call * span + moment
    starts = calls[parts] * span
    low = np.searchsorted(order, starts + first[parts])
    high = np.searchsorted(order, starts + np.minimum(last[parts] + 1, span - 1))
    for place in np.flatnonzero(high > low).tolist():
        found[low[place] : high[place]] = node[parts[place]]
    return found


def _owning(tree: "FlatTree") -> tuple[Numbers, Numbers, Numbers, Numbers, Flags]:
    """Return the intervals of calls that have code, whose they are, and which are whole calls."""
    nodes = np.flatnonzero(~np.isin(tree.kind, _WITHOUT_CODE))
    merged = np.flatnonzero(~np.isin(tree.merged.kind, _WITHOUT_CODE))
    call = np.concatenate((tree.call[nodes], tree.merged.call[merged]))
    first = np.concatenate((tree.first[nodes], tree.merged.first[merged]))
    last = np.concatenate((tree.last[nodes], tree.merged.last[merged]))
    node = np.concatenate((nodes, tree.merged.owner[merged]))
    kind = np.concatenate((tree.kind[nodes], tree.merged.kind[merged]))
    return call, first, last, node, kind == NodeKind.CALL
