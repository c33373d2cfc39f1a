"""Control dependence: which decisions of a function decide whether a step runs.

A step depends on a decision if one of the decision's ways always leads to the step and another may
not.  A call that is suspended may never go on, so `yield` and `wait` decide, too.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property

from sleuth.trace.flow.table import Flow

_SUSPENDS = frozenset({"yield", "wait"})
_DECIDES = ("branch", "next", "yield", "wait")


class Control:
    """The decisions of one function."""

    def __init__(self, flow: Flow) -> None:
        self._flow = flow
        self._after = [tuple(step.next) for step in flow.steps]
        self._exit = len(flow.steps)

    @cached_property
    def deciders(self) -> list[tuple[int, ...]]:
        """For each step the operations that decide whether it runs, without indirect ones."""
        found: list[set[int]] = [set() for _ in self._after]
        nearest = self._post_dominators
        for number, after in enumerate(self._ways):
            operation = self.decision(number)
            if len(after) < 2 or operation is None:
                continue
            for way in after:
                at = way
                while at not in (nearest[number], self._exit):
                    found[at].add(operation)
                    at = nearest[at]
        return [tuple(sorted(each)) for each in found]

    def decision(self, step: int) -> int | None:
        """Return the operation of a step that decides what runs next."""
        operations = self._flow.operations
        numbers = self._flow.steps[step].operations
        for number in reversed(numbers):
            if operations[number].kind in _DECIDES:
                return number
        return numbers[-1] if numbers else None

    def always(self, step: int) -> Iterator[int]:
        """Yield a step and those that run after it on every way without an exception."""
        while step != self._exit:
            yield step
            step = self._post_dominators[step]

    @cached_property
    def _ways(self) -> list[tuple[int, ...]]:
        """The steps after each; the end of the call is one more step."""
        operations = self._flow.operations
        ways: list[tuple[int, ...]] = []
        for step in self._flow.steps:
            may_end = not step.next or any(
                operations[number].kind in _SUSPENDS for number in step.operations
            )
            ways.append((*step.next, self._exit) if may_end else step.next)
        return [*_with_exits(ways, self._exit)]

    @cached_property
    def _post_dominators(self) -> list[int]:
        """For each step the nearest one that runs afterwards on every way; the end: itself."""
        before: list[list[int]] = [[] for _ in range(self._exit + 1)]
        for number, after in enumerate(self._ways):
            for way in after:
                before[way].append(number)
        order = _reverse_order(before, self._exit)
        rank = {step: at for at, step in enumerate(order)}
        nearest = [-1] * (self._exit + 1)
        nearest[self._exit] = self._exit
        is_changed = True
        while is_changed:
            is_changed = False
            for step in order[1:]:
                known = [way for way in self._ways[step] if nearest[way] >= 0]
                best = known[0]
                for way in known[1:]:
                    best = _meet(nearest, rank, best, way)
                if nearest[step] != best:
                    nearest[step] = best
                    is_changed = True
        return nearest


def _meet(nearest: Sequence[int], rank: dict[int, int], one: int, other: int) -> int:
    while one != other:
        while rank[one] > rank[other]:
            one = nearest[one]
        while rank[other] > rank[one]:
            other = nearest[other]
    return one


def _reverse_order(before: Sequence[Iterable[int]], start: int) -> list[int]:
    """Return the steps that lead to the end, each after one that follows it."""
    seen = {start}
    done: list[int] = []
    waiting = [(start, iter(before[start]))]
    while waiting:
        at, rest = waiting[-1]
        for step in rest:
            if step not in seen:
                seen.add(step)
                waiting.append((step, iter(before[step])))
                break
        else:
            waiting.pop()
            done.append(at)
    return done[::-1]


def _with_exits(ways: list[tuple[int, ...]], end: int) -> list[tuple[int, ...]]:
    """Give steps of endless loops a way to the end: each step must reach it."""
    before: list[list[int]] = [[] for _ in range(end + 1)]
    for number, after in enumerate(ways):
        for way in after:
            before[way].append(number)
    reached = {*_reverse_order(before, end)}
    for number in range(end - 1, -1, -1):
        if number not in reached:
            ways[number] = (*ways[number], end)
            waiting = [number]
            while waiting:
                at = waiting.pop()
                if at not in reached:
                    reached.add(at)
                    waiting += before[at]
    return ways
