"""Reference oracle: compares calls with a run that was right, of another version or input.

A call is right if a call of the same function there had equal inputs and did the same.  It is wrong
if that call did something else, and the difference was read on the way to the symptom; if it was
not, the difference is harmless and the call right, though not surely.  There is no
answer for calls without a counterpart, or with several that disagree.  Edited code that seems to
have done something else, though not all is known, becomes more suspicious.

Floats that differ only by noise count as equal.  But a tiny difference of inputs can change a
result a lot.  So if inputs are equal only up to noise, a call is not judged wrong, and "right" is
unsure.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from sleuth.errors import UsageError
from sleuth.oracles.compare.call_record import (
    NOT_COMPARED,
    RETURN,
    STDOUT,
    Done,
    Side,
    differing,
    is_sent_alike,
)
from sleuth.oracles.compare.difference_words import DifferenceWords
from sleuth.oracles.compare.dropped_results import Dropped
from sleuth.oracles.compare.edited import Edition, is_body, name_of
from sleuth.oracles.compare.harmless import Harmless
from sleuth.oracles.compare.lockstep import Steps
from sleuth.oracles.compare.nondeterminism import Chance
from sleuth.oracles.compare.structural import Counts, Told
from sleuth.search.question import UNSURE, Answer, Question, Verdict
from sleuth.trace import columns
from sleuth.trace.events import Call, Function
from sleuth.trace.reader import Trace
from sleuth.trace.values import Atom, Constant, shown
from sleuth.tree.coverage import coverage
from sleuth.tree.node import ExecutionTree, Key, Masses, Numbers
from sleuth.tree.observe import behaviour as words

NAME = "reference"
_MOST_CALLS = 60
"""Calls with equal inputs that are compared."""
_MOST_EDITED = 200
"""Calls of edited code that are compared for the hint."""
_SEEMS_OTHER = 2.0
_MOST_PATHS = 3
_NOTHING_READ = "as nothing read that on the way to the symptom"
_NOT_IN_TIME = "; it is not known whether that was read on the way to the symptom"
_REASON = "with the same known inputs it did something else in the reference"


def made(trace: Trace, settings: Mapping[str, Sequence[str]]) -> "Reference | None":
    """Return the oracle, if there is a reference."""
    given = settings.get("reference")
    if not given:
        return None
    other = Trace(Path(given[-1]))
    if other.identity == trace.identity:
        raise UsageError(
            "--reference names this run itself, so nothing would differ. Name a run that was "
            "right; list the traces: sleuth list"
        )
    return Reference(trace, other)


class Reference:
    """Compares calls with those of another run."""

    name = NAME

    def __init__(self, trace: Trace, other: Trace) -> None:
        chance = Chance()
        self._here = Side(trace, chance)
        self._there = Side(other, chance)
        self._edition = Edition(trace, other)
        self._steps = Steps(self._here, self._there, self._edition, chance)
        self._dropped = Dropped(trace)
        self._harmless = Harmless(self._here, self._there)
        self._words = DifferenceWords(self._here, self._there)
        self._by_glance: dict[Hashable, dict[Hashable, list[int]]] = {}
        self._seeming: dict[Key, bool] = {}
        self._weighed: tuple[ExecutionTree, Masses] | None = None

    # --- Answering -------------------------------------------------------------------------------

    def may_answer(self, tree: ExecutionTree, nodes: Numbers) -> Numbers:
        """Return the calls of functions that were called in the reference, too."""
        routines = np.unique(tree.routine[nodes])
        known = [int(each) for each in routines if self._named(int(each)) in self._calls]
        found: Numbers = nodes[np.isin(tree.routine[nodes], known)]
        return found

    def answer(self, question: Question) -> Answer | None:
        """Answer a question; None: it can't say."""
        call = self._whole_call(question.about)
        function = None if call is None else self._here.trace.function(call.function)
        if call is None or function is None or is_body(function):
            return None
        twin = self._steps.partner(call)
        if twin is not None:
            same = self._steps.same_as_far_as(call, twin)
            return self._judged(question.about, call, [twin], same[0]) if same else None
        # Compare all that can be reached, then only attributes named in the code that ran.
        for counts in (None, self._here.names.inside(call)):
            others = list(self._alike(call, function, counts))
            if others:
                return self._judged(question.about, call, others, counts)
        return None

    def _whole_call(self, about: Key) -> Call | None:
        """Return the call that a question is about; None: the run, or a part of a call."""
        if about.call < 0:
            return None
        call = self._here.trace.call(about.call)
        return call if about == _about(call) else None

    def _judged(self, about: Key, call: Call, others: list[Call], counts: Counts) -> Answer | None:
        """Compare a call with those of equal inputs, by the attributes that count."""
        done = self._here.done(call, counts)
        there = [self._there.done(each, counts) for each in others]
        where = f"call {others[0].id} of {self._there.trace.path.name}"
        differences = [differing(done, each) for each in there]
        if not any(differences):
            is_sure = done.is_sure and all(each.is_sure for each in there)
            if not is_sure and not self._is_bound(call):
                return None
            if any(done.after.sharing != each.after.sharing for each in there):
                return None  # it looks the same, but two variables share an object
            is_same = self._is_given_same(call, others, counts)
            confidence = 1.0 if is_same else UNSURE
            note = (
                f"as {where}" if is_same else f"as {where}, but for the last digits of its inputs"
            )
            return Answer(about, Verdict.RIGHT, by=NAME, note=note, confidence=confidence)
        if not all(differences) or any(differing(there[0], each) for each in there[1:]):
            return None  # the calls there disagree
        if self._steps.is_by_chance(call):
            return None  # unedited code with equal inputs: unrecorded state made the difference
        if not self._is_given_same(call, others, counts):
            return None
        unread = self._unread(call, others[0], counts)
        if unread:
            is_sure = done.is_sure and there[0].is_sure
            return self._as_harmless(about, unread, where) if is_sure else None
        parts = self._mattering(call, others[0], counts)
        if not parts:
            return None
        return Answer(
            about,
            Verdict.WRONG,
            by=NAME,
            path=RETURN if RETURN in parts and _is_returned(done) else "",
            expected=_expected(there[0]) if RETURN in parts else "",
            note=self._words.of(call, others[0], parts, where) + self._unless_known(),
            confidence=UNSURE if self._has_rival(call) else 1.0,
        )

    def _unread(self, call: Call, other: Call, counts: Counts) -> list[str]:
        """Return the paths that differ, if nothing on the way to the symptom read any of them."""
        done, there = self._here.done(call, counts), self._there.done(other, counts)
        parts = set(differing(done, there))
        return self._harmless.unread(call, other, parts, counts)

    def _as_harmless(self, about: Key, unread: list[str], where: str) -> Answer:
        paths = ", ".join(unread[:_MOST_PATHS])
        more = f" and {len(unread) - _MOST_PATHS} more" if len(unread) > _MOST_PATHS else ""
        differ = "differs" if len(unread) == 1 else "differ"
        note = f"{paths}{more} {differ} from {where}: harmless, {_NOTHING_READ}"
        return Answer(about, Verdict.RIGHT, by=NAME, note=note, confidence=UNSURE)

    def _unless_known(self) -> str:
        return "" if self._harmless.is_known else _NOT_IN_TIME

    def _is_given_same(self, call: Call, others: list[Call], counts: Counts) -> bool:
        """Whether calls with equal inputs have floats that are equal in all digits."""
        given = self._here.given(call, counts)
        if any(given.floats != self._there.given(each, counts).floats for each in others):
            return False
        function = self._here.trace.function(call.function)
        if function is None or self._steps.partner(call) is not None:
            return True  # in step: its globals are the same
        used = self._here.used(call, function)
        return all(used.floats == self._globals(each, used).floats for each in others)

    def _globals(self, other: Call, used: Told) -> Told:
        """Return the globals that a call read, as they were before a call of the reference."""
        function = self._there.trace.function(other.function)
        return self._there.globals(other, function, used.near) if function else used

    def _is_bound(self, call: Call) -> bool:
        """Whether a call is of unedited code with equal inputs, so that it must do the same."""
        return self._steps.partner(call) is not None and self._steps.is_all_unedited(call)

    def _mattering(self, call: Call, other: Call, counts: Counts) -> set[str]:
        """Return the differences that can have reached the symptom.

        That is what the slice of the symptom tells.  Besides, attributes that no later or enclosing
        code names were not read; nor was the message of an exception that no recorded code caught,
        nor a result that the caller dropped.
        """
        if self._unread(call, other, counts):
            return set()
        later = self._here.names.afterwards(call)
        matters = later if counts is None else later & counts
        done, there = self._here.done(call, matters), self._there.done(other, matters)
        parts = set(differing(done, there)) - {NOT_COMPARED}
        if self._has_failed:
            parts.discard(STDOUT)
        is_just_worded = _is_raised(done) and done.how == there.how
        if is_just_worded and not self._here.is_noticed(call):
            parts.discard(RETURN)
        has_returned = _is_returned(done) and _is_returned(there)
        if has_returned and self._dropped.is_dropped(call):
            parts.discard(RETURN)
        return parts

    @cached_property
    def _has_failed(self) -> bool:
        """Whether the symptom is how the run ended, and not what it wrote."""
        ending = self._here.trace.ending or {}
        return ending.get("status") != 0

    def _has_rival(self, call: Call) -> bool:
        """Whether other edited code, not inside the call, differs as well and may be the bug."""
        stop = self._here.trace.call_count if call.until is None else int(call.until)
        return any(
            function != call.function and not call.id <= number < stop
            for number, function in self._differing.items()
        )

    @cached_property
    def _differing(self) -> Mapping[int, int]:
        """Calls that ran edited lines and seem to have done something else -> their functions."""
        trace = self._here.trace
        of_calls = columns.calls(trace).function
        edited = np.flatnonzero(np.isin(of_calls, self._edited_functions))[:_MOST_EDITED]
        calls = [trace.call(number) for number in edited.tolist()]
        return {
            int(call.id): int(call.function)
            for call in calls
            if self._ran_edited(call) and self._seems_other(_about(call))
        }

    def _ran_edited(self, call: Call) -> bool:
        function = self._here.trace.function(call.function)
        ran = coverage(self._here.trace, call)
        lines = self._edition.edited_lines(function) if function else frozenset()
        return not ran.is_known or not lines.isdisjoint(ran.lines)

    @cached_property
    def _edited_functions(self) -> list[int]:
        return [number for number, is_same in self._edition.is_same.items() if not is_same]

    # --- Hinting ---------------------------------------------------------------------------------

    def factors(self, tree: ExecutionTree) -> Masses:
        """Return how suspicious each node is: more if it seems to have done something else.

        It is no answer, as not all inputs and effects of such a call are known.
        """
        if self._weighed is None or self._weighed[0] is not tree:
            found = np.ones(len(tree))
            found[[each for each in self._edited(tree) if self._seems_other(tree.key(each))]] = (
                _SEEMS_OTHER
            )
            self._weighed = tree, found
        return self._weighed[1]

    def reason(self, tree: ExecutionTree, node: int) -> str:
        """Say why."""
        return _REASON if self.factors(tree)[node] == _SEEMS_OTHER else ""

    def _edited(self, tree: ExecutionTree) -> list[int]:
        """Return the nodes with edited code, not too many."""
        if not self._edition.is_other_version:
            return []
        is_edited = np.isin(tree.routine, self._edited_functions)
        found: list[int] = np.flatnonzero(is_edited)[:_MOST_EDITED].tolist()
        return found

    def _seems_other(self, about: Key) -> bool:
        if about not in self._seeming:
            self._seeming[about] = self._looks_other(about)
        return self._seeming[about]

    def _looks_other(self, about: Key) -> bool:
        call = self._whole_call(about)
        function = None if call is None else self._here.trace.function(call.function)
        if call is None or function is None or is_body(function):
            return False
        twin = self._steps.partner(call)
        for counts in (None, self._here.names.inside(call)):
            found = [twin] if twin else self._alike(call, function, counts, surely=False)
            for other in found:
                return bool(self._mattering(call, other, counts))
        return False

    # --- Finding ---------------------------------------------------------------------------------

    def _alike(
        self, call: Call, function: Function, counts: Counts, *, surely: bool = True
    ) -> Iterator[Call]:
        """Yield the calls of the reference with equal inputs, by the attributes that count."""
        given = self._here.given(call, counts)
        if surely and not given.is_sure:
            return
        used: Told | None = None
        for number in self._at_a_glance(call, function)[:_MOST_CALLS]:
            other = self._there.trace.call(number)
            if not given.is_like(self._there.given(other, counts)):
                continue
            if not is_sent_alike(self._here.sent(call), self._there.sent(other)):
                continue
            if used is None:
                used = self._here.used(call, function)
            if used.is_like(self._globals(other, used)):
                yield other

    def _at_a_glance(self, call: Call, function: Function) -> list[int]:
        key = name_of(function)
        if key not in self._by_glance:
            found: dict[Hashable, list[int]] = {}
            for number in self._calls.get(key, ()):
                seen = self._there.glance(self._there.trace.call(number))
                found.setdefault(frozenset(seen.items()), []).append(number)
            self._by_glance[key] = found
        return self._by_glance[key].get(frozenset(self._here.glance(call).items()), [])

    def _named(self, function: int) -> Hashable:
        found = self._here.trace.function(function)
        return None if found is None else name_of(found)

    @cached_property
    def _calls(self) -> Mapping[Hashable, list[int]]:
        """The calls of the reference, by function."""
        trace = self._there.trace
        functions = columns.calls(trace).function
        found: dict[Hashable, list[int]] = {}
        for number in np.unique(functions).tolist():
            function = trace.function(number)
            if function is not None:
                calls = np.flatnonzero(functions == number).tolist()
                found.setdefault(name_of(function), []).extend(calls)
        return found


def _about(call: Call) -> Key:
    return Key(int(call.id), int(call.first), -1 if call.last is None else int(call.last))


def _is_returned(done: Done) -> bool:
    return done.outcome.how == words.RETURNED


def _is_raised(done: Done) -> bool:
    return done.outcome.how == words.RAISED


def _expected(done: Done) -> str:
    """Return the result of a call in the reference, if it is short."""
    value = done.outcome.value
    return shown(value) if _is_returned(done) and isinstance(value, Atom | Constant) else ""
