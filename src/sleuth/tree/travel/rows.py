"""The own events of a call and the beginnings of its callees, read segment by segment."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from sleuth.trace import columns
from sleuth.trace.events import Call
from sleuth.trace.flow.lines import ROW
from sleuth.trace.flow.route import AT_PLACE
from sleuth.trace.reader import Trace

CALLEE = 0
"""The kind of a row that stands for the beginning of a callee."""


class Row(NamedTuple):
    """An event of a call, or the beginning of one of its callees."""

    moment: int
    kind: int
    site: int
    """-1: none."""
    place: int
    """-1: not known."""
    is_step: bool
    """Whether it shows how far the call's route has come."""


def rows_of(trace: Trace, call: Call, first: int, last: int) -> Iterator[Row]:
    """Yield the rows from first to last, in order; a segment is read when its rows are needed."""
    first = max(first, call.first)
    last = min(last, trace.event_count - 1 if call.last is None else call.last)
    while first <= last:
        stop = min(trace.nearest.segment_end(first), last)
        yield from _in_segment(trace, call, first, stop)
        first = stop + 1


def _in_segment(trace: Trace, call: Call, first: int, last: int) -> list[Row]:
    own = columns.own(trace, call.id, first, last)
    found = {
        moment: Row(moment, kind, site, -1, is_step=False)
        for moment, kind, site in zip(
            own.moment.tolist(), own.kind.tolist(), own.site.tolist(), strict=True
        )
    }
    for _, packed in trace.trails(first, last, call.id):
        rows = np.frombuffer(packed, ROW)
        for moment, kind, place in zip(
            rows["moment"].tolist(), rows["kind"].tolist(), rows["place"].tolist(), strict=True
        ):
            known = found.get(moment)
            if kind == AT_PLACE:
                found[moment] = Row(moment, CALLEE, -1, place, is_step=True)
            elif known is not None:
                found[moment] = known._replace(place=place, is_step=True)
    return [found[moment] for moment in sorted(found)]
