"""Compares answers with another run: the answers that still apply, and what has changed."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from sleuth.oracles.behaviour_json import parcel
from sleuth.oracles.memory import judged_calls
from sleuth.search.question import Answer, Given, Verdict
from sleuth.spec.build import built
from sleuth.spec.compare import same
from sleuth.trace import columns
from sleuth.trace.events import Call
from sleuth.trace.path import RETURN, PathError, parse
from sleuth.trace.reader import Trace
from sleuth.trace.values import Constant, shown
from sleuth.tree.identity.across_runs import Mark, Marks
from sleuth.tree.observe import behaviour as words
from sleuth.tree.observe.behaviour import Behaviour
from sleuth.tree.observe.calls import behaviour_of
from sleuth.tree.observe.inside import reached

_MOST_CALLS = 2_000
_NONE = Constant("None")


class State(Enum):
    """The state of an old answer in the new run."""

    APPLIES = "applies"
    """The call with the same inputs did the same."""
    AS_EXPECTED = "as-expected"
    """The call was wrong, and now gives the result that was expected."""
    OTHERWISE = "otherwise"
    """The call did something else, and no expected result says whether that is right."""
    STILL_WRONG = "still-wrong"
    """The call does something else, but not what was expected."""
    GONE = "gone"
    """The new run has no call with the same inputs."""
    UNKNOWN = "unknown"
    """Too little of the call's inputs is recorded to find it in the new run."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """An old answer and its state in the new run."""

    given: Given
    name: str
    state: State
    now: str = ""
    """What the call does now, in a few words."""
    call: int | None = None
    """Its number in the other run."""
    marks: tuple[Mark, ...] = ()
    """The marks of the calls in the new run; several for a group."""


def replayed(old: Trace, answers: tuple[Given, ...], new: Trace) -> list[Outcome]:
    """Return the outcome of each answer about whole calls."""
    runs = _Runs(old, new)
    return [
        _together([runs.outcome(given, call) for call in calls])
        for given in answers
        if (calls := judged_calls(old, given.answer))
    ]


def _together(found: list[Outcome]) -> Outcome:
    """Combine the outcomes of a group's calls: the answer applies if it applies to each."""
    other = next((each for each in found if each.state is not State.APPLIES), None)
    return other or replace(found[0], marks=tuple(mark for each in found for mark in each.marks))


class _Run:
    """A run that finds calls by their inputs."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.marks = Marks(trace)
        self._functions = columns.calls(trace).function
        self._known: dict[tuple[str, str], dict[str | None, list[Call]]] = {}

    def alike(self, name: tuple[str, str], given: str) -> list[Call]:
        """Return the calls of a function with the same inputs, in order."""
        if name not in self._known:
            found: dict[str | None, list[Call]] = {}
            for call in self._calls(name):
                found.setdefault(self.marks.given(call), []).append(call)
            self._known[name] = found
        return self._known[name].get(given, [])

    def _calls(self, name: tuple[str, str]) -> Iterator[Call]:
        named = [
            number
            for number in np.unique(self._functions).tolist()
            if (function := self.trace.function(number)) is not None
            and self.marks.function(function) == name
        ]
        calls = np.flatnonzero(np.isin(self._functions, named))[:_MOST_CALLS]
        yield from map(self.trace.call, calls.tolist())


class _Runs:
    """The old and the new run of a program."""

    def __init__(self, old: Trace, new: Trace) -> None:
        self._old, self._new = _Run(old), _Run(new)

    def outcome(self, given: Given, call: Call) -> Outcome:
        """Return the outcome of one answer."""
        function = self._old.trace.function(call.function)
        wanted, was = self._old.marks.given(call), self._old.marks.of(call)
        if function is None or wanted is None:
            return Outcome(given, function.qualified_name if function else "?", State.UNKNOWN)
        name = function.qualified_name
        again = self._again(call, self._old.marks.function(function), wanted)
        if again is None:
            return Outcome(given, name, State.GONE)
        mark = self._new.marks.of(again)
        if was is None or mark is None:
            return Outcome(given, name, State.UNKNOWN, call=again.id)
        if was.effects == mark.effects:
            return Outcome(given, name, State.APPLIES, call=again.id, marks=(mark,))
        now = behaviour_of(self._new.trace, again)
        state, words_now = _compared(self._new.trace, now, given.answer)
        return Outcome(given, name, state, words_now, again.id, (mark,))

    def _again(self, call: Call, name: tuple[str, str], wanted: str) -> Call | None:
        """Return the call with the same inputs; of several the one at the same position."""
        before = [each for each in self._old.alike(name, wanted) if each.id < call.id]
        found = self._new.alike(name, wanted)
        return found[min(len(before), len(found) - 1)] if found else None


def _compared(trace: Trace, now: Behaviour, answer: Answer) -> tuple[State, str]:
    """Compare what a call does now with what the user expected."""
    path = answer.path or _meant(now)
    what = _shown(trace, now, path)
    if answer.verdict is not Verdict.WRONG or not answer.expected:
        return State.OTHERWISE, what
    try:
        expected = ast.literal_eval(answer.expected.strip())
        value = _value(trace, now, path)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError, KeyError, PathError):
        is_so = what.rpartition(" = ")[2] == answer.expected.strip()
        return (State.AS_EXPECTED if is_so else State.OTHERWISE), what
    return (State.AS_EXPECTED if same(expected, value) else State.STILL_WRONG), what


def _meant(behaviour: Behaviour) -> str:
    """Return the path that an expected value is about, if the user gave none."""
    roots = {parse(change.path).start for change in behaviour.changes}
    is_nothing = behaviour.outcome.value == _NONE
    return roots.pop() if is_nothing and len(roots) == 1 else RETURN


def _value(trace: Trace, behaviour: Behaviour, path: str) -> object:
    """Return a value as Python data; KeyError: it can't be rebuilt."""
    parsed = parse(path)
    told = parcel(trace, behaviour)
    if parsed.start == RETURN and not parsed.steps:
        return built(told["outcome"])["result"]
    if not parsed.steps:
        return built(told["after"])[parsed.start]
    found = reached(trace, behaviour, path)
    content = getattr(found.value, "content", None)
    if content is None:
        raise KeyError(path)
    return content


def _shown(trace: Trace, behaviour: Behaviour, path: str) -> str:
    """Describe what a call does now."""
    if behaviour.outcome.how == words.RAISED:
        value = behaviour.outcome.value
        return f"raises {getattr(value, 'type_name', 'an exception')}"
    try:
        text = repr(_value(trace, behaviour, path))
    except (KeyError, PathError):
        try:
            text = shown(reached(trace, behaviour, path).value)
        except PathError:
            return "does something else"
    return f"gives {text}" if path == RETURN else f"leaves {path} = {text}"
