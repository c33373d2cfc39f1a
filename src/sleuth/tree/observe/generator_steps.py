"""The steps of a generator: each goes from a resumption to the next value, or to the end.

Each step answers one request for a value.  Steps are described like turns of a loop.
"""

from dataclasses import dataclass

import numpy as np

from sleuth.trace import conventions
from sleuth.trace.columns import Own
from sleuth.trace.events import Call, EventKind, Function, Moment, Site, SiteId, Span
from sleuth.trace.kept import kept
from sleuth.trace.path import name_text
from sleuth.trace.reader import Trace
from sleuth.trace.values import Absent
from sleuth.tree.coverage import Coverage, coverage_between
from sleuth.tree.loops.made import own_events
from sleuth.tree.names.known_names import known_as
from sleuth.tree.node import Flags, Key, Numbers
from sleuth.tree.observe import behaviour as words
from sleuth.tree.observe.attribution import by_whom
from sleuth.tree.observe.behaviour import Behaviour, LoopPart, Outcome, Seen
from sleuth.tree.observe.calls import gaps_of, outcome_of
from sleuth.tree.observe.printed import printed_in
from sleuth.tree.observe.stream import GIVING, is_waiting, stream_in, waits

STREAM = "stream"
"""Used as the kind of a site, because a generator has no site."""
_ENDS = (EventKind.RETURN, EventKind.UNWIND, EventKind.LOST)


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """When each step of a call began and ended."""

    starts: Numbers
    ends: Numbers


@kept(most=8)
def steps_of(trace: Trace, call: int) -> Steps | None:
    """Return the steps of a generator; None: it is no generator, or was never resumed."""
    of = trace.call(call)
    function = trace.function(of.function)
    if not of.is_resumable or function is None or function.kind not in GIVING:
        return None
    own = own_events(trace, call)
    ends = own.moment[_is_end(trace, own, function)]
    if not len(ends):
        return None
    resumed = own.moment[own.kind == EventKind.RESUME]
    after = np.searchsorted(resumed, np.concatenate(([-1], ends[:-1])), "right")
    is_there = after < len(resumed)
    starts, ends = resumed[after[is_there]], ends[is_there]
    return Steps(starts, ends) if len(ends) else None


def _is_end(trace: Trace, own: Own, function: Function) -> Flags:
    """Tell which events end a step; waiting for another call does not."""
    is_end: Flags = own.kind == EventKind.SUSPEND
    for at in np.flatnonzero(is_end).tolist() if waits(function) else ():
        is_end[at] = not is_waiting(trace.event(int(own.moment[at])))
    is_end |= np.isin(own.kind, _ENDS)
    return is_end


def step_part(trace: Trace, key: Key) -> LoopPart | None:
    """Return the steps of a generator that a key is about; None: it is about something else."""
    call = trace.call(key.call)
    function = trace.function(call.function)
    steps = steps_of(trace, key.call) if call.is_resumable else None
    if steps is None or function is None:
        return None
    first = int(np.searchsorted(steps.starts, key.first))
    last = int(np.searchsorted(steps.ends, key.last)) + 1
    if first == len(steps.starts) or steps.starts[first] != key.first:
        return None
    if last > len(steps.ends) or steps.ends[last - 1] != key.last:
        return None
    line = function.first_line
    site = Site(SiteId(-1), function.module, function.id, STREAM, "", Span(line, 0, line, 0), None)
    return LoopPart(site, "", first + 1, last, len(steps.starts), is_loop=False)


def step_behaviour(trace: Trace, key: Key, part: LoopPart) -> Behaviour:
    """Return the behaviour of some steps of a generator."""
    call = trace.call(key.call)
    function = trace.function(call.function)
    after = Moment(min(key.last + 1, trace.event_count))
    difference = trace.changed_between(call, key.first, after)
    own, others = by_whom(trace, call, function, difference, key)
    changed = {change.path for change in difference.changes}
    return Behaviour(
        call=call,
        function=function,
        kind=words.STEP if part.first == part.last else words.STEPS,
        first=Moment(key.first),
        last=after,
        given=(),
        outcome=_outcome(trace, call, part),
        stream=stream_in(trace, call, function, key.first, key.last),
        printed=printed_in(trace, call._replace(first=Moment(key.first)), Moment(key.last)),
        changes=own,
        meanwhile=others,
        used=tuple(
            Seen(name_text(name), value, Moment(key.first), words.LOCAL)
            for name, value in trace.variables(call, key.first).items()
            if name_text(name) not in changed and not isinstance(value, Absent)
            if not name.startswith(conventions.of(trace.meta.get("language")).implicit)
        ),
        same=(),
        aliases=(),
        gaps=gaps_of(trace, difference),
        part=part,
        known=known_as(trace, call),
        folded=difference.folded,
    )


def _outcome(trace: Trace, call: Call, part: LoopPart) -> Outcome:
    """Return how the generator ended, if it ended in the last of these steps."""
    return outcome_of(trace, call) if part.last == part.count else Outcome(words.PASSED)


def step_coverage(trace: Trace, key: Key) -> Coverage:
    """Return the lines that some steps ran."""
    return coverage_between(trace, trace.call(key.call), key.first, key.last, is_closed=True)
