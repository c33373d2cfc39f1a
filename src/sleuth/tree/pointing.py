"""The call in which a path is looked up if none is given."""

from sleuth.trace.events import Call
from sleuth.trace.history.locations import program_call
from sleuth.trace.kept import kept
from sleuth.trace.reader import Trace
from sleuth.tree.build import tree_of
from sleuth.tree.failing.test import failure_of, has_tests


@kept(most=1)
def usual_call(trace: Trace) -> Call:
    """Return the call of the failing check, else the body of the program's module."""
    failure = failure_of(trace, tree_of(trace)) if has_tests(trace) else None
    return program_call(trace) if failure is None else trace.call(failure.check_call)
