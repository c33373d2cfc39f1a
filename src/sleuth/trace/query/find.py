"""Carries out a query: from its text to hits, found as they are asked for."""

from collections import deque
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from sleuth.trace import columns as all_columns
from sleuth.trace.columns import Columns
from sleuth.trace.events import Call, CallId, Moment
from sleuth.trace.history.locations import program_call
from sleuth.trace.history.output import printed_lines
from sleuth.trace.query.calls import calls_found
from sleuth.trace.query.conditions import Judge
from sleuth.trace.query.hits import Count, Found, FoundOutput, Hit
from sleuth.trace.query.mistakes import QueryError
from sleuth.trace.query.moments import moments_found
from sleuth.trace.query.names import Called, within
from sleuth.trace.query.parse import parsed
from sleuth.trace.query.scopes import InTable
from sleuth.trace.query.syntax import Query
from sleuth.trace.query.threads import threads_at
from sleuth.trace.query.writes import of_writes, writes_found
from sleuth.trace.values import Atom

if TYPE_CHECKING:
    from sleuth.trace.reader import Trace

_STREAMS = {1: "stdout", 2: "stderr"}


def found(trace: "Trace", text: str, call: Call | None = None) -> Found:
    """Return the hits of a query; QueryError: it is wrong."""
    query = parsed(text)
    _check_moments(trace, query)
    judge = Judge(trace, query.where)
    result = Found(iter(()), judge.undecided)
    result.hits = _ended(_chosen(_hits(trace, query, judge, call), query), judge, result)
    return result


def _check_moments(trace: "Trace", query: Query) -> None:
    last = trace.event_count
    for word, moment in (("at", query.at), ("before", query.before), ("after", query.after)):
        if moment is not None and moment > last:
            raise QueryError(
                f"There is no moment {moment}: they go from 0 to {last:,}, the end.",
                query.text,
                query.text.rfind(f" {word} ") + 1,
            )


def _hits(trace: "Trace", query: Query, judge: Judge, call: Call | None) -> Iterator[Hit]:
    columns = all_columns.calls(trace)
    match query.what:
        case "calls":
            back = query.which == "last"
            hits: Iterator[Hit] = calls_found(trace, columns, query, judge, back=back)
            yield from _turned(hits, query) if back else hits
        case "writes" if query.to is not None:
            where = program_call(trace) if call is None else call
            yield from writes_found(trace, columns, query, judge, (where, query.to))
        case "moments":
            yield from moments_found(trace, columns, query, judge)
        case "output":
            yield from _output_found(trace, columns, query, judge)
        case _:
            last = max(trace.event_count - 1, 0)
            at = last if query.at is None else min(query.at, last)
            yield from threads_at(trace, columns, Moment(at))


def _turned(hits: Iterator[Hit], query: Query) -> list[Hit]:
    return list(islice(hits, query.number))[::-1]


def _output_found(
    trace: "Trace", columns: Columns, query: Query, judge: Judge
) -> Iterator[FoundOutput]:
    of_writes(query, ("text", "stream"))
    chosen = within(trace, columns, query, Called(trace, columns), is_included=True)
    is_limited = bool(query.inside) or query.strand is not None
    for line in printed_lines(trace, None, trace.event_count):
        by = trace.event(line.moment).call if is_limited else CallId(0)
        is_there = by is not None and (not is_limited or bool(chosen[by]))
        is_there &= query.before is None or line.moment < query.before
        is_there &= query.after is None or line.moment > query.after
        is_there &= query.at is None or query.at in line.moments
        values = {"text": Atom(line.text), "stream": Atom(_STREAMS[line.stream])}
        if is_there and judge.holds(InTable(trace, {**values}, line.moment)):
            yield FoundOutput(line)


def _chosen(hits: Iterator[Hit], query: Query) -> Iterator[Hit]:
    match query.which:
        case "first":
            yield from islice(hits, query.number)
        case "last":
            yield from deque(hits, query.number)
        case "count":
            yield Count(sum(1 for _ in hits))
        case _:
            yield from hits


def _ended(hits: Iterator[Hit], judge: Judge, result: Found) -> Iterator[Hit]:
    is_empty = True
    for hit in hits:
        is_empty = is_empty and hit == Count(0)
        yield hit
    if is_empty:
        result.remarks += judge.nowhere
