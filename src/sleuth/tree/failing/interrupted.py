"""The symptom of a program that hung: the calls that were running when it was stopped.

It was stopped by an exception that the language raises for Ctrl-C, or killed by a signal.
"""

import numpy as np

from sleuth.trace import conventions
from sleuth.trace.events import Outcome
from sleuth.trace.reader import Trace
from sleuth.trace.values import Ref, Value
from sleuth.tree.failing.uncaught import path_from
from sleuth.tree.flat import FlatTree
from sleuth.tree.node import OUTCOMES, Numbers
from sleuth.tree.observe import behaviour as words

_SIGNALS = frozenset({1, 2, 3, 9, 14, 15, 24})
"""SIGHUP, SIGINT, SIGQUIT, SIGKILL, SIGALRM, SIGTERM, SIGXCPU: a crash has other ones."""
_RAISED, _UNFINISHED = map(OUTCOMES.index, (Outcome.RAISED, Outcome.UNFINISHED))
_MOST_LOOKED = 200
"""Calls that an exception ended, the last first, among which an interruption is searched."""
_NONE: Numbers = np.empty(0, np.int64)


def is_interruption(trace: Trace, value: Value) -> bool:
    """Tell whether an exception is the one that Ctrl-C raises."""
    known = conventions.of(trace.meta.get("language")).interrupts
    return isinstance(value, Ref) and value.type_name in known


def was_killed(trace: Trace) -> bool:
    """Tell whether a signal from outside stopped the run, or it vanished, as by SIGKILL."""
    ending = trace.ending or {}
    how = ending.get("how")
    return how == "vanished" or (how == "killed" and ending.get("signal") in _SIGNALS)


def was_interrupted(trace: Trace, outcome: words.Outcome) -> bool:
    """Tell whether a call, loop or turn was still running when the program was stopped."""
    if outcome.how == words.RAISED:
        return is_interruption(trace, outcome.value)
    return outcome.how == words.UNFINISHED and was_killed(trace)


def running_at_the_end(trace: Trace, tree: FlatTree) -> Numbers:
    """Return the calls that were running when the program was stopped, outermost first.

    Those of the first thread; none: the program ended by itself.
    """
    if was_killed(trace):
        return _unfinished(tree)
    raised = np.flatnonzero(tree.outcome == _RAISED)
    latest = raised[np.argsort(-tree.last[raised], kind="stable")][:_MOST_LOOKED]
    for node in latest.tolist():
        if is_interruption(trace, trace.result(trace.call(int(tree.call[node])))):
            # The last one that it left is the outermost: the program may have caught it there.
            return path_from(trace, tree, node)
    return _NONE


def _unfinished(tree: FlatTree) -> Numbers:
    is_open = tree.outcome == _UNFINISHED
    is_open[0] = False
    if len(tree) > 1:
        is_open &= tree.thread == tree.thread[1]
    found: Numbers = np.flatnonzero(is_open)
    return found
