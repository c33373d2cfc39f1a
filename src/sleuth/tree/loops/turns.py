"""A table of a loop's turns, spread evenly, and the course of numbers over them.

Only a bounded number of turns is looked at.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from sleuth.trace.events import Moment
from sleuth.trace.path import PathError
from sleuth.trace.reader import Trace
from sleuth.trace.values import Atom, Value
from sleuth.tree.loops.parts import part_behaviour, part_of
from sleuth.tree.loops.runs import loops_of
from sleuth.tree.node import Key, Numbers
from sleuth.tree.observe.behaviour import PASSED, Behaviour, LoopPart
from sleuth.tree.observe.generator_steps import steps_of
from sleuth.tree.observe.inside import reached

ALL = 20
"""Up to this many turns are all shown."""
_LOOKED = 60
"""Up to this many turns are all looked at, to show those of which something came."""
_SPREAD = 9
"""Turns shown if there are more, the first and the last among them."""
_SAMPLES = 40
"""Turns at which a number is looked up."""
_MOST_COURSES = 4


@dataclass(frozen=True, slots=True, eq=False)
class Turns:
    """All turns of one execution of a loop: when each began and ended."""

    call: int
    starts: Numbers
    ends: Numbers

    def key(self, first: int, last: int) -> Key:
        """Return the key of the turns from first to last, counted from 1."""
        return Key(self.call, int(self.starts[first - 1]), int(self.ends[last - 1]))


@dataclass(frozen=True, slots=True)
class Course:
    """The course of a number: its values after some turns, spread evenly."""

    path: str
    turns: tuple[int, ...]
    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class TurnTable:
    """Some turns of a loop."""

    part: LoopPart
    """Which turns it is about."""
    behaviour: Behaviour
    """What they did together."""
    rows: tuple[tuple[Key, LoopPart, Behaviour], ...]
    courses: tuple[Course, ...]
    is_rest_silent: bool = False
    """Whether it is known that nothing came of the turns that have no row."""


def turns_of(trace: Trace, loop: Key) -> Turns | None:
    """Return the turns of a loop, given the key of the whole loop; None: it is no loop.

    For a generator, or steps of it, the steps.
    """
    steps = steps_of(trace, loop.call) if loop.call >= 0 else None
    if steps is not None and _is_about_steps(trace, loop):
        return Turns(loop.call, steps.starts, steps.ends)
    found = loops_of(trace, loop.call).turns_at(loop.first) if loop.call >= 0 else None
    if found is None or not len(found[1]):
        return None
    starts = found[1]
    return Turns(loop.call, starts, np.append(starts[1:] - 1, loop.last))


def _is_about_steps(trace: Trace, key: Key) -> bool:
    part = part_of(trace, key)
    return part is None or part.is_stream


def parted(turns: Turns, turn: int) -> tuple[Key | None, Key]:
    """Return the keys of the turns before a turn (None: it is the first), and of that turn."""
    before = turns.key(1, turn - 1) if turn > 1 else None
    return before, turns.key(turn, turn)


def table(trace: Trace, turns: Turns, first: int, last: int, *, most: int = ALL) -> TurnTable:
    """Return a table of turns from first to last; with more than `most`, of some of them."""
    about = turns.key(first, last)
    part = part_of(trace, about)
    if part is None:
        raise ValueError("these are no turns")
    rows = tuple(_telling(trace, turns, first, last, most))
    is_rest_silent = bool(rows)
    if not rows:
        rows = tuple(_rows(trace, turns, spread(first, last, most)))
    behaviour = part_behaviour(trace, about, part)
    courses = _courses(trace, turns, part, rows)
    return TurnTable(part, behaviour, rows, tuple(courses), is_rest_silent)


def _telling(
    trace: Trace, turns: Turns, first: int, last: int, most: int
) -> list[tuple[Key, LoopPart, Behaviour]]:
    """Return the turns of which something came, and both ends; none: these are too many."""
    if not most < last - first + 1 <= _LOOKED:
        return []
    rows = list(_rows(trace, turns, range(first, last + 1)))
    found = [row for row in rows if row is rows[0] or row is rows[-1] or _tells(row[2])]
    return found if len(found) <= most else []


def _tells(behaviour: Behaviour) -> bool:
    outcome, printed = behaviour.outcome, behaviour.printed
    gave = behaviour.stream is not None and behaviour.stream.count
    made = behaviour.made is not None and behaviour.made.count
    shown = behaviour.changes or printed.lines or printed.errors
    return bool(shown or gave or made or outcome.how != PASSED)


def spread(first: int, last: int, most: int = ALL) -> list[int]:
    """Return all numbers from first to last if they are few, else some including both ends."""
    count = last - first + 1
    if count <= most:
        return list(range(first, last + 1))
    found = _evenly(first, last, min(_SPREAD, most))
    # A gap of one turn takes as much room as the turn.
    gaps = {low + 1 for low, high in pairwise(found) if high == low + 2}
    return sorted({*found, *gaps})


def _evenly(first: int, last: int, most: int) -> list[int]:
    count = min(last - first + 1, most)
    return sorted({round(each) for each in np.linspace(first, last, count).tolist()})


def _rows(
    trace: Trace, turns: Turns, numbers: Sequence[int]
) -> Iterator[tuple[Key, LoopPart, Behaviour]]:
    for number in numbers:
        key = turns.key(number, number)
        part = part_of(trace, key)
        if part is not None:
            yield key, part, part_behaviour(trace, key, part)


# --- Numbers -------------------------------------------------------------------------------------


def _courses(
    trace: Trace,
    turns: Turns,
    part: LoopPart,
    rows: Sequence[tuple[Key, LoopPart, Behaviour]],
) -> Iterator[Course]:
    """Yield the courses of the numbers that changed most often."""
    if not rows or part.last - part.first < 2:
        return
    sample = _evenly(part.first, part.last, _SAMPLES)
    for path in _numbers_in([behaviour for _, _, behaviour in rows])[:_MOST_COURSES]:
        points = [(turn, _number_at(trace, rows[0][2], turns, turn, path)) for turn in sample]
        known = [(turn, value) for turn, value in points if value is not None]
        if len(known) > 2 and len({value for _, value in known}) > 1:
            yield Course(path, tuple(turn for turn, _ in known), tuple(each for _, each in known))


def _numbers_in(behaviours: Sequence[Behaviour]) -> list[str]:
    """Return the paths of numbers that changed, the most frequent first."""
    counts: dict[str, int] = {}
    for behaviour in behaviours:
        for change in behaviour.changes:
            if _number(change.new) is not None and change.kind in ("set", "added"):
                counts[change.path] = counts.get(change.path, 0) + 1
    often = [path for path, count in counts.items() if 2 * count > len(behaviours) or count > 2]
    return sorted(often, key=lambda path: -counts[path])


def _number_at(
    trace: Trace, behaviour: Behaviour, turns: Turns, turn: int, path: str
) -> float | None:
    at = Moment(min(int(turns.ends[turn - 1]) + 1, trace.event_count))
    then = replace(behaviour, given=(), last=at)
    try:
        return _number(reached(trace, then, path).value)
    except PathError:
        return None


def _number(value: Value) -> float | None:
    content = value.content if isinstance(value, Atom) else None
    if not isinstance(content, int | float):
        return None
    try:
        number = float(content)
    except OverflowError:
        return None
    return number if np.isfinite(number) else None
