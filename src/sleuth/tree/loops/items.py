"""Detects items that a loop skipped or took twice.

Only for a sequence the expected items are known: those it had when the loop began.
"""

from typing import NamedTuple

from sleuth.trace.reader import Trace
from sleuth.trace.values import Ref, Value
from sleuth.tree.loops.runs import loops_of
from sleuth.tree.node import Key
from sleuth.tree.observe.behaviour import LoopPart

SKIPPED = "skipped"
REPEATED = "repeated"
_MOST_TURNS = 2_000


class OddItem(NamedTuple):
    """An item that was skipped or came twice."""

    how: str
    position: int
    """Its index in the sequence."""
    value: Value
    turn: int
    """The turn that got another item instead, or the same again."""


def odd_item(trace: Trace, key: Key, part: LoopPart) -> OddItem | None:
    """Return the first item that was skipped or came twice; None: none is known."""
    found = None if part.is_stream else loops_of(trace, key.call).turns_at(key.first)
    if found is None or not part.is_loop:
        return None
    given = trace.event(key.first).values
    shape = trace.shape(given[0], key.first) if given and isinstance(given[0], Ref) else None
    items = None if shape is None else shape.part("sequence")
    turns = found[1][:_MOST_TURNS].tolist()
    if items is None or not items.items:
        return None
    for turn, moment in enumerate(turns):
        came = trace.event(int(moment)).values[:1]
        if turn >= len(items.items) or not came or came[0] == items.items[turn]:
            continue
        if turn and came[0] == items.items[turn - 1]:
            return OddItem(REPEATED, turn - 1, came[0], turn + 1)
        if turn + 1 < len(items.items) and came[0] == items.items[turn + 1]:
            return OddItem(SKIPPED, turn, items.items[turn], turn + 1)
        return None
    is_short = len(turns) < len(items.items) and len(turns) == len(found[1])
    return OddItem(SKIPPED, len(turns), items.items[len(turns)], len(turns)) if is_short else None
