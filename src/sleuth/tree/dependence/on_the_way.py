"""Reads on the way to the symptom, by the relevant slice of how the run failed.

The symptom is the exception that ended the run or the test; without one it is all that was printed.
"""

from functools import cached_property

import numpy as np

from sleuth.errors import NothingKnown
from sleuth.trace.events import Call
from sleuth.trace.kept import kept
from sleuth.trace.path import PathError
from sleuth.trace.reader import Trace
from sleuth.trace.slices.criterion import before, begin, key_of
from sleuth.trace.slices.graph import Graph, graph_within
from sleuth.trace.values import Value
from sleuth.tree.failing.symptom_value import symptom_exception

_ANY = (1 << 64) - 1


class OnTheWay:
    """The nodes of the relevant slice of the symptom, and what they read."""

    def __init__(self, graph: Graph, marks: bytes) -> None:
        self.graph = graph
        self.marks = marks

    @cached_property
    def calls(self) -> bytes:
        """A byte for each call that began before the symptom: 1 if it is on the way."""
        return self.graph.core.show(self.marks)[1]

    def is_result_used(self, call: Call) -> bool:
        """Tell whether something on the way depends on the result of a call."""
        _, node = self.graph.core.ended(call.id)
        return not node or bool(self.marks[node] & 1)

    def is_read(self, holder: int, kind: str, key: Value | None, call: Call) -> bool:
        """Tell whether a part of an object was read after a call, on the way; None: any part."""
        last = self._end_of(call)
        looked, index = self._looked, self.graph.core.cell(holder)
        if last is None or (index < len(looked) and looked[index] > last):
            return True
        if self._last_unknown > last:
            return True
        nodes, keys = self._reads_of(holder)
        wanted = key_of(kind, key) if key is not None else 0
        is_of_key = keys == np.uint64(wanted) if wanted else keys != 0
        return bool((nodes[is_of_key] > last).any())

    def is_global_read(self, module: int, name: str, call: Call) -> bool:
        """Tell whether a global was read after a call, on the way."""
        last, slot = self._end_of(call), self.graph.codes.global_slot(module, name)
        if last is None:
            return True
        if slot is None:
            return False
        nodes, keys = self._reads_of(slot)
        return bool((nodes[keys == 0] > last).any())

    def read_of(self, holder: int, after: int = 0) -> list[int]:
        """Return the keys of an object that were read on the way after a node, each once."""
        nodes, keys = self._reads_of(holder)
        found: list[int] = keys[(nodes > after) & (keys != 0)].tolist()
        return list(dict.fromkeys(found))

    @cached_property
    def _last_unknown(self) -> int:
        """The last node of which it is not known what it read."""
        nodes, _ = self._reads_of(_ANY)
        return int(nodes.max(initial=0))

    def _end_of(self, call: Call) -> int | None:
        """Return the last node before a call ended; None: it is not known."""
        last, node = self.graph.core.ended(call.id)
        return last if node else None

    @cached_property
    def _looked(self) -> "np.typing.NDArray[np.uint32]":
        return np.frombuffer(self.graph.core.looked(self.marks), np.uint32)

    @cached_property
    def _reads(self) -> "np.typing.NDArray[np.uint64]":
        rows = np.frombuffer(self.graph.core.reads(self.marks), np.uint64).reshape(-1, 3)
        return rows[np.argsort(rows[:, 1], kind="stable")]

    def _reads_of(
        self, number: int
    ) -> "tuple[np.typing.NDArray[np.uint64], np.typing.NDArray[np.uint64]]":
        """Return the nodes that read an object or a global, and the keys."""
        objects = self._reads[:, 1]
        wanted = np.uint64(number)
        low, high = (int(np.searchsorted(objects, wanted, side)) for side in ("left", "right"))
        return self._reads[low:high, 0], self._reads[low:high, 2]


class _Known:
    """What was found out about a trace, however long it took."""

    found: OnTheWay | None = None


@kept(most=1)
def _known(_trace: Trace) -> _Known:
    return _Known()


def on_the_way(trace: Trace, seconds: float) -> OnTheWay | None:
    """Return what was read on the way to the symptom; None: not known, or not in that time."""
    known = _known(trace)
    if known.found is None:
        known.found = _look(trace, seconds)
    return known.found


def _look(trace: Trace, seconds: float) -> OnTheWay | None:
    try:
        wanted = symptom_exception(trace)
        moment = trace.event_count if wanted is None else before(trace, wanted)
        graph = graph_within(trace, moment, seconds)
        if graph is None:
            return None
        if wanted is None:
            nodes, objects = [node for _, node in graph.core.outputs()], list[int]()
        else:
            nodes, objects, _ = begin(graph, trace, wanted)
    except (PathError, NothingKnown):
        return None
    if not any(nodes):
        return None
    return OnTheWay(graph, graph.core.back(nodes, objects, True))
