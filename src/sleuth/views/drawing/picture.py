"""Values that fit into a number of columns, with as much of their contents as there is room for."""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from sleuth.trace.values import Ref, Value, shown
from sleuth.views.drawing.frame import Frame, Plan
from sleuth.views.drawing.styled import fitted
from sleuth.views.drawing.styled import width as columns
from sleuth.views.drawing.value_text import FULL, MOST_SMALL, SHORT, WHOLE, ValueText

_DEPTHS = (6, 4, 3, FULL)
_WIDEST_PLANNED = 1_000
"""Columns up to which objects are opened one by one, until there is no more room."""
_MOST_TRIES = 24
"""Objects that may be opened inside a value."""
_EIGHTHS = range(8, 0, -1)


class Filled(NamedTuple):
    """A drawn value."""

    text: str
    is_whole: bool = True
    """Whether nothing was left out."""
    is_long: bool = False
    """Whether many of its items were left out, so that a little more room shows little more."""


class Pictures(ValueText):
    """Draws values of a trace."""

    def of(self, value: Value, at: int, *, width: int = 60, depth: int = FULL) -> str:
        """Return a value on one line of about that width, for documents without columns."""
        return self.text(value, Frame(at, width, depth))

    def short(self, value: Value, at: int, room: int) -> str:
        """Return a value that fits, without a look into the objects that it contains."""
        if isinstance(value, Ref) and self.is_numbered:
            for has_small in (True, False):
                plan = Plan({}, has_small)
                text = self._planned(value, at, room, plan, depth=SHORT)
                if columns(text) <= room and not plan.missing:
                    return text
        whole = self.of(value, at, width=room, depth=SHORT)
        if columns(whole) <= room or not isinstance(value, Ref):
            return fitted(whole, room)
        # With fewer items it may fit without being cut, and says how many there are.
        for has_small in (True, False):
            for part in range(7, 1, -1):
                plan = Plan({}, has_small)
                text = self._planned(value, at, room * part // 8, plan, depth=SHORT)
                if columns(text) <= room:
                    return text
        return fitted(whole, room)

    def deep(self, value: Value, at: int, room: int) -> str:
        """Return a value that fits, with as much of its contents as there is room for."""
        return self.filled(value, at, room).text

    def filled(self, value: Value, at: int, room: int) -> "Filled":
        """Return a value that fits, and how much of it was left out."""
        if not isinstance(value, Ref) or not self.is_numbered:
            whole = shown(value, width=WHOLE)
            text = fitted(shown(value, width=room) if columns(whole) > room else whole, room)
            return Filled(text, is_whole=text == whole)
        plan = Plan({}, has_small=False)
        text = self._planned(value, at, 2 * room, plan, depth=_DEPTHS[0])
        if columns(text) <= room and plan.is_whole:
            return Filled(text)
        if room <= _WIDEST_PLANNED:
            return self._opened_inside(value, at, room)
        for depth in _DEPTHS:
            text = self.of(value, at, width=2 * room, depth=depth)
            if columns(text) <= room:
                return Filled(text, is_whole=False)
        text = fitted(self.of(value, at, width=room, depth=FULL), room)
        return Filled(text, is_whole=False)

    def _planned(self, value: Value, at: int, width: int, plan: Plan, *, depth: int = 0) -> str:
        return self.text(value, Frame(at, width, depth, plan=plan))

    def _opened_inside(self, value: Ref, at: int, room: int) -> "Filled":
        """Return an object with as many of the objects inside it opened as fit."""
        text, plan = self._outline(value, at, room)
        if columns(text) > room:
            return Filled(fitted(text, room), is_whole=False)
        waiting, tried = [*plan.closed], {value.id}
        for _ in range(_MOST_TRIES):
            waiting = sorted((each for each in waiting if each not in tried), key=self._rank)
            if not waiting:
                break
            opened = waiting.pop(0)
            tried.add(opened)
            for wider in self._wider(value, plan, opened, room):
                longer = self._planned(value, at, room, wider)
                may_cost = wider.opened[value.id] < plan.opened[value.id]
                if columns(longer) <= room and (may_cost or not wider.is_worse_than(plan)):
                    text, plan = longer, wider
                    waiting += wider.closed
                    break
        return Filled(text, plan.is_whole, is_long=plan.missing.get(value.id, 0) > MOST_SMALL)

    def _wider(self, value: Ref, plan: Plan, number: int, room: int) -> Iterator[Plan]:
        """Yield plans with one more object opened, with less and less room for its contents."""
        for width in (room, room // 3):
            yield replace(plan, opened={**plan.opened, number: width}, closed=[], missing={})
        if plan.is_ranked and not self._rank(number):
            # What was changed may take some room from what was not.
            opened = {**plan.opened, value.id: plan.opened[value.id] * 3 // 4, number: room // 3}
            yield replace(plan, opened=opened, closed=[], missing={})

    def _rank(self, number: int) -> int:
        return 1 if self.first is None else self.first.rank(number)

    def _outline(self, value: Ref, at: int, room: int) -> tuple[str, Plan]:
        """Return an object with its parts, small containers opened if they fit, and the plan."""
        shape = self.shape(value, at)
        is_container = shape is not None and shape.part("attributes") is None
        whole = [(room, True)] if is_container else [(room, True), (room, False)]
        parts = [(room * part // 8, has_small) for has_small in (True, False) for part in _EIGHTHS]
        text, plan = "", Plan({})
        for width, has_small in (*whole, *parts):
            is_whole = (width, has_small) in whole
            plan = Plan({value.id: width}, has_small, is_ranked=not is_whole)
            text = self._planned(value, at, room, plan)
            if columns(text) <= room and not (is_whole and value.id in plan.missing):
                break
        return text, plan

    def whole(self, value: Value, at: int) -> str:
        """Return a value with all of its contents, to be compared with another one."""
        return self.deep(value, at, WHOLE)
