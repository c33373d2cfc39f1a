"""The loop that was running when a program was stopped: how many turns, and the last of them."""

from collections.abc import Iterator

from sleuth.trace.events import Call
from sleuth.trace.reader import Trace
from sleuth.tree.loops.runs import LoopRun, loops_of
from sleuth.tree.loops.turns import Turns, table, turns_of
from sleuth.tree.node import Key
from sleuth.views.drawing.styled import Line, Piece, Role, line
from sleuth.views.words.turns import table_lines

_LAST_TURNS = 4
_BEHIND = 2
"""Events of a call behind its running loop: at most the exception that stopped it."""


def running_loop_lines(trace: Trace, call: Call, *, width: int) -> Iterator[Line]:
    """Yield the last turns of the innermost loop that a stopped call was running; none: no loop."""
    turns = running_loop(trace, call)
    if turns is None:
        return
    count = len(turns.starts)
    found = table(trace, turns, max(count - _LAST_TURNS + 1, 1), count)
    yield line()
    yield from table_lines(trace, found, width=width)
    if count > 1:
        words = "If a turn should not have come: first TURN. All turns: turns 1"
        yield line(Piece(words, Role.DIM))


def running_loop(trace: Trace, call: Call) -> Turns | None:
    """Return the turns of the innermost loop that was running when a call was stopped."""
    last = trace.event_count - 1 if call.last is None else call.last
    loops = loops_of(trace, call.id)
    first, around = int(call.first), None
    found: LoopRun | None = None
    while runs := loops.runs(first, last, around):
        if runs[-1].last < last - _BEHIND or not len(runs[-1].turns):
            break
        found = runs[-1]
        first, around = int(found.turns[-1]), found.site
    return None if found is None else turns_of(trace, Key(call.id, found.first, found.last))
