"""The dependence graph of a run up to a moment, made by one pass over its events.

A node stands for one operation that ran; it has edges to the operations it depends on.  C makes the
graph (`_core/graph`), and asks here for the code of each function when it first runs.
"""

import time

from sleuth import _core
from sleuth.trace.kept import kept
from sleuth.trace.reader import Trace
from sleuth.trace.slices.code import Codes
from sleuth.trace.store import database


class Graph:
    """The dependences of all that ran before a moment."""

    def __init__(self, trace: Trace) -> None:
        self.codes = Codes(trace)
        self.core = _core.Graph(self.codes.code, self.codes.way)


class _Late(Exception):
    """The time is over."""


@kept(most=1)
def graph_before(trace: Trace, moment: int) -> Graph:
    """Return the graph of what ran before the event at a moment."""
    return _read(trace, moment, None)


def graph_within(trace: Trace, moment: int, seconds: float) -> Graph | None:
    """Return the same, or None if it takes longer than that.

    The time is that of the processor, so that other work on the machine does not change the result.
    """
    try:
        return _read(trace, moment, time.process_time() + seconds)
    except _Late:
        return None


def _read(trace: Trace, moment: int, deadline: float | None) -> Graph:
    made = Graph(trace)
    for data in trace.streams(max(moment - 1, 0)):
        if deadline is not None and time.process_time() > deadline:
            raise _Late
        with database.refusing_nonsense(trace.path, "the events"):
            if not made.core.read(data, moment):
                break
    return made
