"""A call on one line, for lists of calls."""

from sleuth.trace.reader import Trace
from sleuth.tree.node import NodeKind
from sleuth.views.drawing import text as texts
from sleuth.views.drawing.styled import fitted
from sleuth.views.prompt.inquiry import Inquiry
from sleuth.views.words.diagnosis import call_title


def title(inquiry: Inquiry, node: int, *, width: int = 56) -> str:
    """Return a call on one line."""
    key = inquiry.session.problem.tree.key(node)
    if key.call < 0:
        return "the whole run"
    if inquiry.tree.node(node).kind is not NodeKind.CALL:
        return fitted(call_title(inquiry.trace, key, inquiry.loop_names), width)
    return call_line(inquiry.trace, key.call, width=width)


def call_line(trace: Trace, number: int, *, width: int = 56) -> str:
    """Return a call on one line, by its number."""
    call = trace.call(number)
    function = trace.function(call.function)
    name = texts.call_name(trace, call)
    given = texts.arguments(trace, call, function, width=12)
    came = texts.outcome(trace, call, width=16)
    spare = max(width - len(name) - len(came) - 3, 3)
    return fitted(texts.headed(trace, call, fitted(given, spare), came), width)
