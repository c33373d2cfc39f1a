"""What a loop, or some of its turns, did: as a behaviour, and which lines it ran."""

from dataclasses import replace

import numpy as np

from sleuth.trace.events import Call, EventKind, Function, Moment, Site
from sleuth.trace.path import name_text
from sleuth.trace.reader import Trace
from sleuth.trace.values import Absent
from sleuth.tree import behaviour as words
from sleuth.tree.behaviour import Behaviour, LoopPart, Outcome, Seen
from sleuth.tree.coverage import Coverage, coverage
from sleuth.tree.layout import LEAVES_CALL
from sleuth.tree.loop_runs import loops_of
from sleuth.tree.loop_text import extent_of, head_lines, text_of_head
from sleuth.tree.node import Key
from sleuth.tree.observe import by_whom, gaps_of, outcome_of
from sleuth.tree.printed import printed_in

_MOST_SITES = 2_000


def part_of(trace: Trace, key: Key) -> LoopPart | None:
    """Return which turns of which loop are meant; None: it is a call, or the run."""
    if key.call < 0 or trace.call(key.call).first == key.first:
        return None
    found = loops_of(trace, key.call).turns_at(key.first)
    site = trace.site(found[0]) if found else None
    function = trace.function(trace.call(key.call).function)
    if found is None or site is None or function is None:
        return None
    turns = found[1]
    start = int(np.searchsorted(turns, key.first)) + 1
    stop = int(np.searchsorted(turns, key.last, "right"))
    is_loop = not len(turns) or key.first < int(turns[0])
    head = text_of_head(trace, function, site)
    return LoopPart(site, head, start, stop, len(turns), is_loop=is_loop)


def parted(trace: Trace, key: Key, turn: int) -> tuple[Key | None, Key]:
    """Return the turns of a part before a turn, and that turn; None: it is the first."""
    found = loops_of(trace, key.call).turns_at(key.first)
    if found is None:
        raise ValueError("not a part of a loop")
    turns = found[1]
    first = int(turns[turn - 1])
    last = int(turns[turn]) - 1 if turn < len(turns) else key.last
    start = max(int(turns[0]), key.first)
    before = Key(key.call, start, first - 1) if start < first else None
    return before, Key(key.call, first, last)


def part_behaviour(trace: Trace, key: Key, part: LoopPart) -> Behaviour:
    """Return what some turns of a loop did to the variables of their call."""
    call = trace.call(key.call)
    function = trace.function(call.function)
    after = Moment(min(key.last + 1, trace.event_count))
    difference = trace.changed_between(call, key.first, after)
    own, others = by_whom(trace, call, function, difference)
    own = tuple(change for change in own if change.path not in _variables(part.site))
    changed = {change.path for change in difference.changes}
    before = trace.variables(call, key.first)
    is_body = function is not None and function.kind == "module body"
    used = tuple(
        Seen(name_text(name), value, Moment(key.first), words.LOCAL)
        for name, value in ({} if is_body else before).items()
        if not isinstance(value, Absent) and name_text(name) not in changed
        if name_text(name) not in _variables(part.site)
    )
    return Behaviour(
        call=call,
        function=function,
        kind=_kind(part),
        first=Moment(key.first),
        last=after,
        given=_given(trace, key, part),
        outcome=_outcome(trace, call, function, key, part),
        stream=None,
        printed=printed_in(trace, call._replace(first=Moment(key.first)), Moment(key.last)),
        changes=own,
        meanwhile=others,
        used=used,
        same=(),
        aliases=(),
        gaps=gaps_of(trace, difference),
        part=part,
    )


def part_coverage(trace: Trace, key: Key, part: LoopPart) -> Coverage:
    """Return the lines that are the part's own: of a loop its head, of turns what they ran."""
    call = trace.call(key.call)
    function = trace.function(call.function)
    if function is None:
        return Coverage((), (), (), None)
    stretch = call._replace(first=Moment(key.first), last=Moment(key.last))
    found = coverage(trace, stretch)
    head = set(head_lines(part.site))
    if part.is_loop:
        lines = head
    else:
        body = set(extent_of(trace, function, part.site).lines)
        inner = _loop_lines(trace, function, found, part.site)
        lines = (set(found.lines) & body - head) or (set(found.lines) & body) or head
        lines = (lines - inner) or lines
    kept = tuple(sorted(lines))
    raised = found.raised if found.raised in lines else None
    return replace(found, lines=kept, seen=kept, raised=raised)


def outside_loops(trace: Trace, call: Call, found: Coverage) -> Coverage:
    """Return the lines of a call without those of its loops, which were judged apart."""
    function = trace.function(call.function)
    if function is None:
        return found
    apart = _loop_lines(trace, function, found, None)
    lines = tuple(line for line in found.lines if line not in apart)
    return replace(found, lines=lines or found.lines)


def _loop_lines(trace: Trace, function: Function, found: Coverage, around: Site | None) -> set[int]:
    """Return the lines of loops directly inside of a loop, or of the call, that ran.

    What leaves the call is the call's: its result comes from there.
    """
    source = trace.sources().get(function.module.path, "").splitlines()
    lines: set[int] = set()
    for site in trace.sites_of(function)[:_MOST_SITES]:
        is_here = site.loop == (around.id if around else None)
        if not is_here or site.kind not in _BLOCKS or site.span.line not in found.seen:
            continue
        body = {*extent_of(trace, function, site).lines, *head_lines(site)}
        leaving = {line for line in body & set(found.lines) if _leaves(source, line)}
        lines |= body - leaving
    return lines


_BLOCKS = frozenset({"for", "async for", "while"})
"""Loops that have lines of their own."""


def _leaves(source: list[str], line: int) -> bool:
    text = source[line - 1].split() if line <= len(source) else []
    return bool(text) and text[0].rstrip(":;(") in LEAVES_CALL


def _kind(part: LoopPart) -> str:
    if part.is_loop:
        return words.LOOP
    return words.TURN if part.first == part.last else words.TURNS


def _variables(site: Site) -> set[str]:
    """Return the variables that a turn begins with."""
    return {name.strip(" ()") for name in site.name.split(",")} - {""}


def _given(trace: Trace, key: Key, part: LoopPart) -> tuple[Seen, ...]:
    """Return the item of a turn."""
    if part.is_loop or part.first != part.last or not part.site.name:
        return ()
    item = trace.event(key.first).values[:1]
    if not item or isinstance(item[0], Absent):
        return ()
    return (Seen(name_text(part.site.name), item[0], Moment(key.first)),)


def _outcome(
    trace: Trace, call: Call, function: Function | None, key: Key, part: LoopPart
) -> Outcome:
    """Return how the last turn ended, if the call ended with it."""
    if function is None or call.last is None or part.last != part.count:
        return Outcome(words.PASSED)
    own = loops_of(trace, call.id).own
    behind = own.kind[own.moment > key.last]
    if len(behind) != 1 or behind[0] not in (EventKind.RETURN, EventKind.UNWIND):
        return Outcome(words.PASSED)
    lines = set(extent_of(trace, function, part.site).lines)
    found = coverage(trace, call)
    source = trace.sources().get(function.module.path, "").splitlines()
    is_left = any(_leaves(source, line) for line in lines & set(found.lines))
    if found.raised in lines or (behind[0] == EventKind.RETURN and is_left):
        return outcome_of(trace, call)
    return Outcome(words.PASSED)
