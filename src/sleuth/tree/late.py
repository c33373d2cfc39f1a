"""Late: code that is asked about last, as it is seldom wrong and tedious to judge.

That is the bodies of classes and modules, constructors that only store what they were given, and
getters.  The flow table tells which these are.
"""

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


class Late:
    """Tells which nodes of trees over one trace are asked about last."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._conventions = conventions.of(trace.meta.get("language"))
        self._forwarders = Forwarders(trace)
        self._known: dict[int, bool] = {}

    def __call__(self, tree: ExecutionTree) -> Flags:
        """Return a flag for each node."""
        routines, which = np.unique(tree.routine, return_inverse=True)
        is_late = np.array([self._is_late(each) for each in routines.tolist()], bool)
        found: Flags = is_late[which] & (tree.kind == NodeKind.CALL)
        return found

    def _is_late(self, number: int) -> bool:
        if number not in self._known:
            function = self._trace.function(number) if number >= 0 else None
            self._known[number] = function is not None and (
                function.kind in _BODIES
                or self._forwarders.is_getter(number)
                or self._only_stores(function)
            )
        return self._known[number]

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
