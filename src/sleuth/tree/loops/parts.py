"""The behaviour and coverage of a loop or some of its turns."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from sleuth.trace.events import Call, EventKind, Function, Moment
from sleuth.trace.flow.table import Flow
from sleuth.trace.heap.difference import Change
from sleuth.trace.path import name_text
from sleuth.trace.reader import Trace
from sleuth.trace.values import Absent, Value
from sleuth.tree.coverage import Coverage, coverage_between
from sleuth.tree.loops import ends
from sleuth.tree.loops.ends import LoopEnd
from sleuth.tree.loops.made import made_in, own_events
from sleuth.tree.loops.runs import loops_of
from sleuth.tree.loops.shape import (
    head_lines,
    is_conditional,
    names_in,
    names_of,
    shape_of,
    text_of_comprehension,
    text_of_head,
)
from sleuth.tree.names.known_names import known_as
from sleuth.tree.node import Key
from sleuth.tree.observe import behaviour as words
from sleuth.tree.observe.attribution import by_whom
from sleuth.tree.observe.behaviour import Behaviour, Group, LoopPart, Made, Outcome, Seen
from sleuth.tree.observe.calls import gaps_of, outcome_of
from sleuth.tree.observe.generator_steps import step_behaviour, step_coverage, step_part
from sleuth.tree.observe.group import calls_in
from sleuth.tree.observe.printed import printed_in
from sleuth.tree.observe.stream import stream_in
from sleuth.tree.observe.thrown import was_thrown_into
from sleuth.tree.observe.used import is_code

_MOST_SITES = 2_000
_NEAR = 64
"""Moments from the beginning of a turn that are searched for its items."""


def part_of(trace: Trace, key: Key) -> LoopPart | None:
    """Return the turns that a key is about; None: it is about a call, or the run."""
    if key.call < 0 or trace.call(key.call).first == key.first:
        return None
    found = loops_of(trace, key.call).turns_at(key.first)
    if found is None:
        return step_part(trace, key)
    site = trace.site(found[0])
    function = trace.function(trace.call(key.call).function)
    if site is None or function is None:
        return None
    turns = found[1]
    start = int(np.searchsorted(turns, key.first)) + 1
    stop = int(np.searchsorted(turns, key.last, "right"))
    is_loop = not len(turns) or key.first < int(turns[0])
    head = text_of_head(trace, function, site)
    return LoopPart(
        site,
        head,
        start,
        stop,
        len(turns),
        is_loop=is_loop,
        names=names_of(trace, site) or tuple(filter(None, [site.name])),
        around=text_of_comprehension(trace, function, site),
    )


def part_behaviour(trace: Trace, key: Key, part: LoopPart) -> Behaviour:
    """Return what some turns of a loop did to the variables of their call."""
    if part.is_stream:
        return step_behaviour(trace, key, part)
    call = trace.call(key.call)
    function = trace.function(call.function)
    after = Moment(min(key.last + 1, trace.event_count))
    difference = trace.changed_between(call, key.first, after)
    own, others = by_whom(trace, call, function, difference, key)
    given = items_of(trace, key, part)
    inner = _inner_names(trace, function, part)
    own = tuple(sorted(_without_items(own, given, part), key=lambda each: each.path in inner))
    made = made_in(trace, key, part)
    known = {change.path for change in difference.changes} | {each.path for each in given}
    return Behaviour(
        call=call,
        function=function,
        kind=_kind(part),
        first=Moment(key.first),
        last=after,
        given=given,
        outcome=_outcome(trace, call, function, key, part),
        stream=stream_in(trace, call, function, key.first, key.last),
        printed=printed_in(trace, call._replace(first=Moment(key.first)), Moment(key.last), key),
        changes=own,
        meanwhile=others,
        used=tuple(each for each in _used(trace, key, part) if each.path not in known),
        same=(),
        aliases=(),
        gaps=gaps_of(trace, difference),
        part=part,
        made=made,
        group=_made_by(trace, key, part, made),
        known=known_as(trace, call),
        folded=difference.folded,
    )


def _made_by(trace: Trace, key: Key, part: LoopPart, made: Made | None) -> Group | None:
    """Return the calls that a comprehension made, if nothing else of its result is known."""
    is_known = made is not None or not part.around or trace.call(key.call).is_resumable
    found = None if is_known else calls_in(trace, key)
    return found if found is not None and found.count else None


def _inner_names(trace: Trace, function: Function | None, part: LoopPart) -> set[str]:
    """Return the variables of inner loops: their last values matter little and come last."""
    if function is None:
        return set()
    names: set[str] = set()
    for site in trace.sites_of(function)[:_MOST_SITES]:
        if site.loop == part.site.id and site.kind in _BLOCKS:
            names |= {site.name, *names_of(trace, site)}
    return names


def _without_items(
    changes: Iterable[Change], given: tuple[Seen, ...], part: LoopPart
) -> Iterator[Change]:
    """Yield the changes without those of the loop's own variables."""
    items = {each.path: each.value for each in given}
    is_state = is_conditional(part.site)  # (variables set by a condition are state)
    for change in changes:
        if change.path not in part.names or is_state:
            yield change
        elif change.path in items and change.new != items[change.path]:
            yield replace(change, kind="set", old=items[change.path])


def _used(trace: Trace, key: Key, part: LoopPart) -> Iterator[Seen]:
    """Yield the variables that the loop names, with their values before."""
    call = trace.call(key.call)
    function = trace.function(call.function)
    if function is None or function.kind == "module body":
        return
    mentioned = names_in(trace, part.site)
    own = trace.variables(call, key.first)
    for name, value in own.items():
        is_item = name in part.names and not is_conditional(part.site)
        if name in mentioned and not is_item and not isinstance(value, Absent):
            scope = "closure" if name in function.free else words.LOCAL
            yield Seen(name_text(name), value, Moment(key.first), scope)
    closure = trace.closure(call, key.first)
    there = trace.globals(function.module, key.first)
    for name in sorted(mentioned - {*own, *part.names}):
        scope = "closure" if name in function.free else "global"
        found = (closure if name in function.free else there).get(name)
        if found is not None and not is_code(trace, found, key.first):
            yield Seen(name_text(name), found, Moment(key.first), scope)


def part_coverage(trace: Trace, key: Key, part: LoopPart, *, is_one: bool = False) -> Coverage:
    """Return the part's own lines: for a loop its head, for turns the lines that they ran.

    `is_one`: its turns are not judged apart, so the lines that they ran are the loop's as well.
    """
    if part.is_stream:
        return step_coverage(trace, key)
    call = trace.call(key.call)
    flow = trace.flow(call.function)
    found = coverage_between(trace, call, key.first, _until(trace, key) if is_one else key.last)
    shape = shape_of(trace, part.site)
    head = {*head_lines(part.site)}
    if flow is None or shape is None or not found.is_known:
        return replace(found, lines=())
    body = {*found.lines} & {*range(shape.body.line, shape.body.end_line + 1)}
    if part.is_loop and not is_one:
        lines = head
    elif shape.statement < 0:
        lines = body
    else:
        lines = flow.lines_in(_own_statements(flow, found, shape.statement)) & {*found.lines}
    if is_one:
        lines |= head
    kept = tuple(sorted(lines or head))
    raised = found.raised if found.raised in lines else None
    return replace(found, lines=kept, raised=raised)


def _until(trace: Trace, key: Key) -> int:
    """Return the end of a loop, with the exception by which its head ended it."""
    behind = trace.event(key.last + 1) if key.last + 1 < trace.event_count else None
    is_raised = behind is not None and behind.kind is EventKind.RAISE and behind.call == key.call
    return key.last + is_raised


def outside_loops(trace: Trace, call: Call, found: Coverage) -> Coverage:
    """Return the lines of a call without those of its loops, which are judged separately."""
    flow = trace.flow(call.function)
    if flow is None:
        return found
    own = flow.lines_in(_own_statements(flow, found, None)) & {*found.lines}
    return replace(found, lines=tuple(sorted(own)) or found.lines)


_LEAVES_CALL = frozenset({"return", "raise"})


def _own_statements(flow: Flow, found: Coverage, loop: int | None) -> list[int]:
    """Return the statements that ran in a loop or a call, without those in inner loops.

    A statement that leaves the call counts as the call's, as its result comes from there.
    """
    chosen = []
    for number, statement in enumerate(flow.statements):
        if not found.statements >> number & 1:
            continue
        if loop is not None and not flow.is_repeated(number, loop):
            continue
        around = number if statement.kind == "loop" else flow.loop_around(number)
        is_inner = around >= 0 and around != loop and flow.statements[around].kind == "loop"
        if not is_inner or (statement.kind in _LEAVES_CALL):
            chosen.append(number)
    return chosen


_BLOCKS = frozenset({"for", "async for", "while"})
"""Kinds of loops that have lines of their own."""


def _kind(part: LoopPart) -> str:
    if part.is_loop:
        return words.LOOP
    return words.TURN if part.first == part.last else words.TURNS


def items_of(trace: Trace, key: Key, part: LoopPart) -> tuple[Seen, ...]:
    """Return the item of a turn, under the variables that it is stored in.

    The variables of a comprehension are not variables of its call: inner loops get those of the
    outer loops as inputs.
    """
    outer = _outer_items(trace, key, part)
    if part.is_loop or part.first != part.last or not part.names:
        return outer
    if is_conditional(part.site):
        before = trace.variables(trace.call(key.call), key.first)
        found = {name: before[name] for name in part.names if name in before}
    elif len(part.names) == 1 and (item := trace.event(key.first).values[:1]):
        found = {part.names[0]: item[0]}
    else:
        found = _bound(trace, key, part.names)
    return outer + tuple(
        Seen(name_text(name), value, Moment(key.first))
        for name, value in found.items()
        if not isinstance(value, Absent)
    )


def _outer_items(trace: Trace, key: Key, part: LoopPart) -> tuple[Seen, ...]:
    outer = trace.site(part.site.loop) if part.site.loop is not None and part.around else None
    if outer is None:
        return ()
    own, found = own_events(trace, key.call), []
    while outer is not None and outer.kind == part.site.kind:
        is_turn = (own.site == outer.id) & (own.kind == EventKind.TURN)
        before = own.moment[is_turn & (own.moment < key.first)]
        if len(before) and outer.name:
            value = trace.event(int(before[-1])).values[0]
            found.append(Seen(name_text(outer.name), value, Moment(key.first)))
        outer = trace.site(outer.loop) if outer.loop is not None else None
    return tuple(reversed(found))


def _bound(trace: Trace, key: Key, names: tuple[str, ...]) -> dict[str, Value]:
    """Return the first values of a turn's variables: an item may be unpacked into several."""
    found: dict[str, Value] = {}
    last = min(key.first + _NEAR, key.last)
    for event in trace.events(key.first + 1, last, call=key.call):
        site = trace.site(event.number) if event.kind is EventKind.BIND else None
        if site is None or site.name not in names or site.name in found:
            break
        found[site.name] = event.values[0]
    return found


def _outcome(
    trace: Trace, call: Call, function: Function | None, key: Key, part: LoopPart
) -> Outcome:
    """Return how the last turn ended: with the end of the call, or by leaving the loop."""
    if function is None or part.last != part.count:
        return Outcome(words.PASSED)
    end = _end(trace, call, key, part)
    if end.how == ends.HEAD_RAISED and not part.is_loop:
        return _passed()  # the last turn had ended before
    if end.how == ends.RETURNED or end.moment == call.last is not None:
        return outcome_of(trace, call)
    if end.how in (ends.HEAD_RAISED, ends.BODY_RAISED) and end.moment is not None:
        value = trace.event(end.moment).values[0]
        is_thrown = was_thrown_into(trace, call, value, end.moment)
        return Outcome(words.RAISED, value, line=end.line, is_thrown=is_thrown)
    return Outcome(words.LEFT, line=end.line) if end.how == ends.BROKEN else _passed()


def _passed() -> Outcome:
    return Outcome(words.PASSED)


def _end(trace: Trace, call: Call, key: Key, part: LoopPart) -> LoopEnd:
    """Return how the loop ended, by its last turn."""
    found = loops_of(trace, key.call).turns_at(key.first)
    turn = int(found[1][-1]) if found is not None and len(found[1]) else key.first
    return ends.end_of(trace, call, part.site, turn, key.last)
