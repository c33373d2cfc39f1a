"""Names that the user gave to loops; a name holds for all executions of a loop.

The names follow from the entries of a session, so each session has its own.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TypeAlias

from sleuth.trace.reader import Trace
from sleuth.tree.loops.parts import part_of
from sleuth.tree.node import Key
from sleuth.tree.observe.behaviour import Behaviour, LoopPart

LONGEST = 40
LoopNames: TypeAlias = Mapping[int, str]
"""Site of a loop -> its name."""


def loop_names(trace: Trace, said: Iterable[tuple[Key, str]]) -> LoopNames:
    """Return the names of loops; the last word about a loop holds."""
    parts = ((part_of(trace, about), words) for about, words in said)
    return {part.site.id: words for part, words in parts if part is not None}


def with_name(part: LoopPart, names: LoopNames) -> LoopPart:
    """Return a part of a loop with the name of the loop."""
    return replace(part, name=names.get(part.site.id, ""))


def named(behaviour: Behaviour, names: LoopNames) -> Behaviour:
    """Return what a node did, with the name of its loop."""
    part = behaviour.part
    return behaviour if part is None else replace(behaviour, part=with_name(part, names))
