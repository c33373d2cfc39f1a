"""Late: code that is asked about last, as it is seldom wrong and tedious to judge.

That is the bodies of classes and modules, constructors that only store what they were given,
getters, and comparisons and the like that made no calls.  The flow table tells which these are.  A
group is asked about last if all its members are.
"""

from enum import IntEnum

import numpy as np

from sleuth.trace import conventions
from sleuth.trace.events import Function
from sleuth.trace.reader import Trace
from sleuth.tree.dependence.forwarding import Forwarders
from sleuth.tree.node import ExecutionTree, Flags, NodeKind
from sleuth.tree.observe.behaviour import CONSTRUCTOR

_BODIES = frozenset({"module body", "class body"})
_STORING = frozenset({"read", "constant", "make", "store attribute", "return"})
"""Operations of a constructor that only stores; a container that it makes must be empty."""


class _Late(IntEnum):
    """Whether calls of a function are asked about last."""

    NEVER = 0
    AS_LEAF = 1
    """Those that made no calls."""
    ALWAYS = 2


class Late:
    """Tells which nodes of trees over one trace are asked about last."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._conventions = conventions.of(trace.meta.get("language"))
        self._forwarders = Forwarders(trace)
        self._known: dict[int, _Late] = {}

    def __call__(self, tree: ExecutionTree) -> Flags:
        """Return a flag for each node."""
        routines, which = np.unique(tree.routine, return_inverse=True)
        when = np.array([self._when(each) for each in routines.tolist()], np.uint8)[which]
        is_leaf = tree.end == np.arange(1, len(tree) + 1)
        is_late = (when == _Late.ALWAYS) | ((when == _Late.AS_LEAF) & is_leaf)
        found: Flags = is_late & (tree.kind == NodeKind.CALL)
        return found | _groups_of(tree, found)

    def _when(self, number: int) -> "_Late":
        if number not in self._known:
            function = self._trace.function(number) if number >= 0 else None
            self._known[number] = _Late.NEVER if function is None else self._looked_up(function)
        return self._known[number]

    def _looked_up(self, function: Function) -> "_Late":
        is_getter = self._forwarders.is_getter(function.id)
        if function.kind in _BODIES or is_getter or self._only_stores(function):
            return _Late.ALWAYS
        is_comparing = function.name in self._conventions.comparing
        return _Late.AS_LEAF if is_comparing else _Late.NEVER

    def _only_stores(self, function: Function) -> bool:
        """Tell whether a constructor only stores its arguments, constants and empty containers."""
        flow = self._trace.flow(function.id)
        if flow is None or conventions.role(self._conventions, function) != CONSTRUCTOR:
            return False
        return bool(flow.operations) and all(
            each.kind in _STORING
            and (each.kind != "read" or each.name in function.parameters)
            and not (each.kind == "make" and each.inputs)
            for each in flow.operations
        )


def _groups_of(tree: ExecutionTree, is_late: Flags) -> Flags:
    """Return the groups that have late members only."""
    is_group = tree.kind == NodeKind.GROUP
    others = np.concatenate(([0], np.cumsum(~is_late & ~is_group)))
    found: Flags = is_group & (others[tree.end] == others[:-1])
    return found
