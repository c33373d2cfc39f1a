"""The outcome of a call in a few words: what it returned, raised, or gave as a generator."""

from sleuth.trace import conventions
from sleuth.trace.events import Call, Outcome
from sleuth.trace.heap.roots import end_of
from sleuth.trace.reader import Trace
from sleuth.trace.values import Ref
from sleuth.tree.observe.stream import stream_in
from sleuth.views.drawing.picture import SHORT, Pictures
from sleuth.views.drawing.text import outcome

_MOST = 3
_ENDED = {Outcome.RETURNED: "", Outcome.SUSPENDED: ", then not requested"}
_CLOSED = ", then closed"


def came_of(trace: Trace, call: Call, *, width: int) -> str:
    """Say what came of a call: `-> 3`, `gave 0, 2, 4, ... 9 more`, `raised <ValueError #2>`."""
    function = trace.function(call.function)
    ended = _CLOSED if _is_closed(trace, call) else _ENDED.get(call.outcome)
    last = int(end_of(trace, call))
    stream = stream_in(trace, call, function, call.first, last)
    if stream is None or ended is None or not call.is_started:
        return outcome(trace, call, width=width)
    pictures = Pictures(trace)
    given = [
        pictures.of(each.value, each.at, width=width, depth=SHORT) for each in stream.given[:_MOST]
    ]
    more = stream.count - len(given)
    values = ", ".join([*given, f"... {more:,} more"] if more > 0 else given) or "nothing"
    return f"gave {values}{ended}"


def _is_closed(trace: Trace, call: Call) -> bool:
    """Whether nobody wanted more of a generator: the exception says just that."""
    closing = conventions.of(trace.meta.get("language")).closing
    value = trace.result(call) if call.outcome is Outcome.RAISED else None
    return isinstance(value, Ref) and value.type_name in closing
