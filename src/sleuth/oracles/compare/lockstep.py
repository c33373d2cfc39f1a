"""Lockstep: pairs of calls in two runs before which both runs did the same.

Two versions of a program with the same input do the same until they reach edited code.  So a call
whose caller is in step, after calls that all did the same, has the same inputs, including
unrecorded state such as the position of an iterator.  That ends where edited code may have changed
unrecorded state.  A difference after unedited code with equal inputs is nondeterminism: the time of
day, a random name.
"""

from collections.abc import Iterator
from functools import cached_property
from itertools import islice

from sleuth.oracles.compare.call_record import Side, differing, is_sent_alike
from sleuth.oracles.compare.edited import Edition, is_body, name_of
from sleuth.oracles.compare.nondeterminism import Chance
from sleuth.oracles.compare.structural import Counts
from sleuth.trace.events import Call

_MOST_SIBLINGS = 3_000
_MOST_LESSONS = 20
_ROOT = -1


class Steps:
    """Finds the call of the other run that is in step with a call."""

    def __init__(self, here: Side, there: Side, edition: Edition, chance: Chance) -> None:
        self._here = here
        self._there = there
        self._edition = edition
        self._chance = chance
        self._partners: dict[int, Call] = {}
        self._walked: set[int] = set()

    def partner(self, call: Call) -> Call | None:
        """Return the call that is in step with this one; None: there is none."""
        if not self._is_same_start:
            return None
        above = [call]
        while above[-1].parent is not None:
            above.append(self._here.trace.call(above[-1].parent))
        self._walk(None, None)
        for each in reversed(above[1:]):
            twin = self._partners.get(each.id)
            if twin is None:
                return None
            self._walk(each, twin)
        return self._partners.get(call.id)

    def is_by_chance(self, call: Call) -> bool:
        """Whether a difference of a call is nondeterminism, as no edited code ran in it."""
        return self._edition.is_other_version and self.is_all_unedited(call)

    def is_all_unedited(self, call: Call) -> bool:
        """Whether nothing that ran in a call was edited."""
        return all(self._edition.is_unedited(each) for each in self._here.names.ran_in(call))

    def same_as_far_as(self, call: Call, twin: Call) -> list[Counts]:
        """Return the attributes that count, if with them the inputs of two calls are equal.

        A list of one item: None (all attributes), or the names in the code that ran during the
        call.  Empty: the inputs differ.
        """
        if not is_sent_alike(self._here.sent(call), self._there.sent(twin)):
            return []
        return [
            counts
            for counts in (None, self._here.names.inside(call))
            if self._here.given(call, counts).is_like(self._there.given(twin, counts))
        ][:1]

    @cached_property
    def _is_same_start(self) -> bool:
        """Whether both runs are versions of one program, started in the same way."""
        started = [
            [side.likeness.values.text(str(word)) for word in side.trace.meta.get("argv", ())]
            for side in (self._here, self._there)
        ]
        return started[0] == started[1] and self._edition.is_other_version

    def _walk(self, call: Call | None, twin: Call | None) -> None:
        """Pair the callees of two calls as long as they are in step."""
        number = _ROOT if call is None else int(call.id)
        if number in self._walked:
            return
        self._walked.add(number)
        is_edited = call is not None and not self._edition.is_unedited(int(call.function))
        for mine, other in self._pairs(call, twin):
            if not self._is_same_function(mine, other):
                return
            if self._is_body(mine):
                self._partners[mine.id] = other
                continue
            same = self.same_as_far_as(mine, other)
            if not same or (is_edited and not self._here.given(mine, same[0]).is_sure):
                return
            self._partners[mine.id] = other
            if not self._is_same_but_for_chance(mine, other, same[0]):
                return

    def _is_same_but_for_chance(self, mine: Call, other: Call, counts: Counts) -> bool:
        for _ in range(_MOST_LESSONS):
            if self._is_same_outcome(mine, other, counts):
                return True
            if not self._learn(mine, other):
                break
        return False

    def _learn(self, mine: Call, other: Call) -> bool:
        """Learn nondeterministic values from two calls in which no edited code ran."""
        pair: tuple[Call, Call] | None = (mine, other)
        while pair is not None and not self.is_all_unedited(pair[0]):
            pair = self._first_differing(*pair)
        if pair is None:
            return False
        met = self._here.met(pair[0]), self._there.met(pair[1])
        left = self._here.left(pair[0]), self._there.left(pair[1])
        if not self._chance.learn(met, left):
            return False
        self._here.forget()
        self._there.forget()
        return True

    def _first_differing(self, call: Call, twin: Call) -> tuple[Call, Call] | None:
        """Return the first pair of callees with equal inputs and different effects."""
        for mine, other in self._pairs(call, twin):
            if not self._is_same_function(mine, other):
                return None
            same = self.same_as_far_as(mine, other)
            if not same:
                return None
            if differing(self._here.done(mine, same[0]), self._there.done(other, same[0])):
                return mine, other
        return None

    def _pairs(self, call: Call | None, twin: Call | None) -> Iterator[tuple[Call, Call]]:
        children = (
            self._here.trace.children(call.id if call else None),
            self._there.trace.children(twin.id if twin else None),
        )
        return islice(zip(*children, strict=False), _MOST_SIBLINGS)

    def _is_same_outcome(self, mine: Call, other: Call, counts: Counts) -> bool:
        done = self._here.done(mine, counts)
        if differing(done, self._there.done(other, counts)):
            return False
        return done.is_sure or self.is_all_unedited(mine)

    def _is_same_function(self, mine: Call, other: Call) -> bool:
        one = self._here.trace.function(mine.function)
        two = self._there.trace.function(other.function)
        return one is not None and two is not None and name_of(one) == name_of(two)

    def _is_body(self, call: Call) -> bool:
        function = self._here.trace.function(call.function)
        return function is not None and is_body(function) and call.parent is not None
