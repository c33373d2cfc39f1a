"""A node on one line, for lists: a call, some turns of a loop, a group of calls."""

from collections.abc import Sequence

from sleuth.trace.reader import Trace
from sleuth.tree.loops.parts import part_of
from sleuth.tree.node import Key
from sleuth.tree.observe.group import group_of
from sleuth.views.drawing.calls import (
    arguments,
    call_name,
    call_text,
    came_of,
    headed,
    neighbours,
)
from sleuth.views.drawing.styled import fitted
from sleuth.views.words.loop import group_name, part_name
from sleuth.views.words.loop_names import LoopNames, with_name

_RUN = "the whole run"


def node_text(
    trace: Trace, key: Key, names: LoopNames, room: int, *, beside: Sequence[Key] = ()
) -> str:
    """Return a node on one line of so many columns, told apart from those beside it."""
    if key.call >= 0 and not (name := _compound(trace, key, names)):
        calls = [trace.call(each.call) for each in beside if _is_call(trace, each)]
        return call_text(trace, trace.call(key.call), room, beside=calls)
    return fitted(_RUN if key.call < 0 else name, room)


def node_texts(trace: Trace, keys: Sequence[Key], names: LoopNames, room: int) -> list[str]:
    """Return a line for each node of a list."""
    return [
        node_text(trace, key, names, room, beside=neighbours(keys, position))
        for position, key in enumerate(keys)
    ]


def node_title(trace: Trace, key: Key, names: LoopNames) -> str:
    """Return a node on one line of a document, which has no columns."""
    if key.call < 0:
        return _RUN
    if name := _compound(trace, key, names):
        return name
    call = trace.call(key.call)
    given = fitted(arguments(trace, call, width=16), 36)
    return headed(trace, call, given, came_of(trace, call, width=20))


def _is_call(trace: Trace, key: Key) -> bool:
    return key.call >= 0 and not _compound(trace, key, {})


def _compound(trace: Trace, key: Key, names: LoopNames) -> str:
    """Return the name of turns or of a group; nothing for a call."""
    about = trace.call(key.call)
    if (group := group_of(trace, key)) is not None:
        return f"{group_name(trace, group)} made by {call_name(trace, about)}"
    if (part := part_of(trace, key)) is not None:
        name = f"{part_name(with_name(part, names))} in {call_name(trace, about)}"
        return f"{name}: {part.head}" if part.head else name
    return ""
