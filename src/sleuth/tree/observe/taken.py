"""Values that a call took from generators, or went over as a generator expression."""

from collections.abc import Iterator
from dataclasses import replace

from sleuth.trace import conventions
from sleuth.trace.events import Call, EventKind, Outcome
from sleuth.trace.heap.roots import end_of, given_to
from sleuth.trace.reader import Trace
from sleuth.trace.values import NotKept, Ref
from sleuth.tree.loops.parts import items_of, part_of
from sleuth.tree.loops.runs import loops_of
from sleuth.tree.node import Key
from sleuth.tree.observe.attribution import Doers
from sleuth.tree.observe.behaviour import Seen, Taken
from sleuth.tree.observe.in_progress import delivered
from sleuth.tree.observe.stream import stream_in

_EXPRESSION = "generator expression"
_MOST_ITEMS = 20
"""Items of a generator expression that are looked up."""


def taken_by(trace: Trace, call: Call) -> tuple[Taken, ...]:
    """Return what a call took, from each generator of recorded code that it was given."""
    found = tuple(_from_generators(trace, call))
    function = trace.function(call.function)
    if function is None or function.kind != _EXPRESSION or any(map(_is_known, found)):
        return found
    items = _gone_over(trace, call)
    if items is None:
        return found
    return (replace(items, source=found[0].source if found else None),)


def _is_known(taken: Taken) -> bool:
    """Tell whether all values are known: a generator can pass on those of unrecorded code."""
    return not any(isinstance(seen.value, NotKept) for item in taken.items for seen in item)


def feeding(trace: Trace, call: Call) -> list[Call]:
    """Return the calls of the generators that a call was given and took from."""
    return [
        trace.call(each.source) for each in _from_generators(trace, call) if each.source is not None
    ]


def _from_generators(trace: Trace, call: Call) -> Iterator[Taken]:
    implicit = conventions.of(trace.meta.get("language")).implicit
    doers = Doers(trace, call, trace.function(call.function))
    last = end_of(trace, call)
    for name, value in given_to(trace, call).items():
        given = delivered(trace, value, call.first) if isinstance(value, Ref) else None
        if given is None or not given.gives:
            continue
        stream = stream_in(trace, given.call, given.function, call.first, last)
        if stream is None:
            continue
        own = [seen for seen in stream.given if doers.is_own(seen.at)]
        # If some went to others, how many of those that were not looked at did is not known.
        is_whole = stream.is_whole and len(stream.given) == stream.count
        path = "" if name.startswith(implicit) else name
        yield Taken(path, tuple((seen,) for seen in own), len(own), given.call.id, is_whole)


def _gone_over(trace: Trace, call: Call) -> Taken | None:
    """Return the items of the outermost loop of a generator expression."""
    last = end_of(trace, call)
    begun = trace.events(call.first, last, call=call.id, kind=EventKind.TURN)
    first = next(iter(begun), None)
    if first is None and call.is_started and call.outcome is Outcome.RETURNED:
        return Taken("", (), 0, None)
    found = None if first is None else loops_of(trace, call.id).turns_at(first.moment)
    if found is None:
        return None
    starts = found[1].tolist()
    items: list[tuple[Seen, ...]] = []
    for start, after in zip(starts[:_MOST_ITEMS], [*starts[1:], last], strict=False):
        key = Key(call.id, start, max(after - 1, start))
        part = part_of(trace, key)
        if part is not None:
            items.append(items_of(trace, key, part))
    return Taken("", tuple(items), len(starts), None) if items and all(items) else None
