"""Builds the execution tree of a trace: a root for the whole run, and a node for each call."""

from typing import TypeVar

import numpy as np
import numpy.typing as npt

from sleuth import _flat
from sleuth.trace import columns
from sleuth.trace.columns import Columns
from sleuth.trace.events import Outcome
from sleuth.trace.reader import Trace
from sleuth.tree.flat import FlatTree
from sleuth.tree.node import OUTCOMES, WHOLE_RUN, NodeKind, Small
from sleuth.tree.threads import elsewhere_of, tree_parents

_Item = TypeVar("_Item", bound=np.generic)
_UNFINISHED = OUTCOMES.index(Outcome.UNFINISHED)
_SUSPENDED = OUTCOMES.index(Outcome.SUSPENDED)


def tree_of(trace: Trace) -> FlatTree:
    """Build the tree over all calls recorded so far."""
    calls = columns.calls(trace)
    parent = np.concatenate(([-1], calls.parent + 1)).astype(np.int32)
    elsewhere = elsewhere_of(trace, calls)
    if elsewhere is not None:
        made, parent = parent, tree_parents(parent, calls.last, elsewhere)
        elsewhere = elsewhere.moved((parent != made)[1:])
    numbers, end, depth = preordered(parent)
    place = np.argsort(numbers) if _is_shuffled(numbers) else None
    module, is_trusted = _modules(trace, calls)
    is_growing = trace.is_running and not trace.is_abandoned
    is_done = np.ones(len(calls), bool)
    if is_growing:
        # A suspended generator may go on; it can be judged once the run is over.
        is_done = (calls.outcome != _UNFINISHED) & (calls.outcome != _SUSPENDED)
    moments = trace.event_count
    run_last = -1 if is_growing else moments - 1

    def placed(run: object, column: npt.NDArray[_Item]) -> npt.NDArray[_Item]:
        whole = np.concatenate((np.array([run], column.dtype), column))
        return whole if place is None else whole[place]

    above = parent if place is None else np.where(parent < 0, -1, numbers[parent])[place]
    return FlatTree(
        parent=above.astype(np.int32),
        end=end if place is None else end[place],
        depth=depth if place is None else depth[place],
        kind=placed(NodeKind.RUN, np.full(len(calls), NodeKind.CALL, np.uint8)),
        call=placed(WHOLE_RUN, np.arange(len(calls), dtype=np.int64)),
        first=placed(0, calls.first),
        last=placed(run_last, calls.last),
        routine=placed(WHOLE_RUN, calls.function),
        module=placed(WHOLE_RUN, module),
        outcome=placed(_UNFINISHED if is_growing else 1, calls.outcome),
        thread=placed(-1, calls.thread),
        mass=placed(0.0, np.ones(len(calls))),
        is_done=placed(not is_growing, is_done),
        is_trusted=placed(False, is_trusted),
        is_growing=is_growing,
        elsewhere=elsewhere,
    )


def preordered(parent: Small) -> tuple[Small, Small, Small]:
    """Return preorder number, end and depth of each node, in the order of the parents given."""
    parent = np.ascontiguousarray(parent, np.int32)
    numbers, end, depth = (np.empty(len(parent), np.int32) for _ in range(3))
    _flat.preorder(parent, numbers, end, depth)
    return numbers, end, depth


def _is_shuffled(numbers: Small) -> bool:
    return bool((numbers != np.arange(len(numbers))).any())


def _modules(trace: Trace, calls: Columns) -> tuple[Small, npt.NDArray[np.bool_]]:
    """Return the module's number of each call, and whether it is trusted from the beginning.

    Calls of foreign modules and of tests are trusted, unless only tests were recorded; so is code
    that a template engine wrote around a template.
    """
    used, which = np.unique(calls.function, return_inverse=True)
    known = [trace.module_of(int(number)) for number in used]
    is_tested = any(module and not (module.is_foreign or module.is_test) for module in known)
    ids = [WHOLE_RUN if module is None else module.id for module in known]
    functions = [trace.function(int(number)) for number in used]
    trusted = [
        (module is not None and (module.is_foreign or (module.is_test and is_tested)))
        or (function is not None and function.is_scaffolding)
        for module, function in zip(known, functions, strict=True)
    ]
    return np.array(ids, np.int32)[which], np.array(trusted, bool)[which]
