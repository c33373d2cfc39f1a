"""Nearness: how many steps lead from a value back to each part of its relevant slice."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sleuth.trace.history.locations import Pointed
from sleuth.trace.reader import Trace
from sleuth.trace.slices.criterion import before, begin
from sleuth.trace.slices.graph import graph_within


@dataclass(frozen=True, eq=False)
class Nearness:
    """The parts of a slice: what a call ran after one of its events.  Sorted by call and moment."""

    call: npt.NDArray[np.int64]
    moment: npt.NDArray[np.int64]
    steps: npt.NDArray[np.int64]
    """The operations on the shortest way from the value; copies don't count."""
    ran: npt.NDArray[np.int64]
    """How many operations of the part are in the slice."""


def nearness(trace: Trace, wanted: Pointed, seconds: float) -> Nearness | None:
    """Return how near the slice of a value is to it; None: it takes longer than that.

    NothingKnown: it is not known what the value depends on.
    """
    graph = graph_within(trace, before(trace, wanted), seconds)
    if graph is None:
        return None
    where = begin(graph, trace, wanted)
    data = graph.core.near([*where.nodes, *where.decisions], where.objects)
    rows = np.frombuffer(data, np.uint64).astype(np.int64).reshape(-1, 4)
    rows = rows[np.lexsort((rows[:, 1], rows[:, 0]))]
    return Nearness(rows[:, 0], rows[:, 1], rows[:, 2], rows[:, 3])
