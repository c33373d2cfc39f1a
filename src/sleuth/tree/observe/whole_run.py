"""The behaviour of any node by its key, including the whole run."""

from sleuth.trace.events import Call, CallId, FunctionId, Moment
from sleuth.trace.events import Outcome as Ending
from sleuth.trace.reader import Trace
from sleuth.tree.observe import behaviour as words
from sleuth.tree.observe.behaviour import Behaviour, Gaps, Outcome
from sleuth.tree.observe.calls import behaviour_of
from sleuth.tree.observe.printed import printed_in

_NOBODY = -1


def run_behaviour(trace: Trace) -> Behaviour:
    """Return the behaviour of the whole run."""
    last = Moment(max(trace.event_count - 1, 0))
    ending = Ending.UNFINISHED if trace.is_running else Ending.RETURNED
    run = Call(
        id=CallId(_NOBODY),
        parent=None,
        function=FunctionId(_NOBODY),
        place=None,
        thread=0,
        task=0,
        first=Moment(0),
        last=None if trace.is_running else last,
        outcome=ending,
        events=0,
        until=None,
        flags=0,
    )
    return Behaviour(
        call=run,
        function=None,
        kind=words.RUN,
        first=run.first,
        last=last,
        given=(),
        outcome=_outcome(trace),
        stream=None,
        printed=printed_in(trace, run, last),
        changes=(),
        meanwhile=(),
        used=(),
        same=(),
        aliases=(),
        gaps=Gaps(has_contents=trace.has_contents),
    )


def _outcome(trace: Trace) -> Outcome:
    """Return how the first call without a caller ended, which is the program in most languages."""
    first = next(trace.children(None), None)
    if first is not None and first.outcome is Ending.RAISED:
        return behaviour_of(trace, first).outcome
    return Outcome(words.UNFINISHED if trace.is_running else words.RETURNED)
