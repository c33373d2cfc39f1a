"""Passing oracle and hint: evidence from tests that passed.

A call whose result a passing test checked, and that did the same here, is right.  Other code that
ran in passing tests only becomes less suspicious, as they may have passed by luck.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from sleuth.errors import TraceError
from sleuth.oracles.asserted_calls import asserted_calls
from sleuth.oracles.spectrum import Spectrum, code_of
from sleuth.oracles.table import Settings
from sleuth.search.question import Answer, Question, Verdict
from sleuth.trace.reader import Trace
from sleuth.tree.identity.across_runs import Mark, Marks
from sleuth.tree.node import ExecutionTree, Masses, NodeKind, Numbers
from sleuth.tree.observe.nodes import call_at

NAME = "passing"
_MOST_TRACES = 50
_NEW_LINE = 2.0
_MOST_CALLS = 2_000
_MOST_OF_ONE = 100
_LOW, _RANGE = 0.3, 1.5
"""The factor of a function that ran in very many passing tests, and the most that is added."""


def made(trace: Trace, settings: Settings) -> "Passing | None":
    """Return the oracle, if there are runs that passed."""
    given = settings.get("passing", ())
    found = [Trace(Path(each)) for each in given] if given else list(_beside(trace))
    return Passing(trace, found) if found else None


def _beside(trace: Trace) -> Iterator[Trace]:
    """Yield the traces of passing tests in the folder of a failing one, the newest first."""
    about = _test_of(trace)
    if not about or about.get("outcome") == "passed":
        return
    files = sorted(trace.path.parent.glob("*.trace"), key=lambda file: -file.stat().st_mtime)
    seen = {about.get("id")}
    for file in files:
        if len(seen) > _MOST_TRACES:
            return
        with suppress(TraceError):
            other = Trace(file)
            test = _test_of(other)
            if test.get("outcome") == "passed" and test.get("id") not in seen:
                seen.add(test.get("id"))
                yield other


def _test_of(trace: Trace) -> Mapping[str, Any]:
    """Return the facts about the recorded test; empty if it was none."""
    found = trace.meta.get("test")
    return found if isinstance(found, dict) else {}


class Passing:
    """The oracle, and the hint."""

    name = NAME

    def __init__(self, trace: Trace, passing: list[Trace]) -> None:
        self._trace = trace
        self._passing = passing
        self._marks = Marks(trace)
        self._spectrum = Spectrum(passing)
        self._factors: dict[int, float] = {}
        """Routine -> factor."""
        self._new_lines: dict[int, list[int]] = {}
        """Call -> lines that no passing run ran."""

    @property
    def files(self) -> list[Path]:
        """The runs that passed."""
        return [each.path for each in self._passing]

    # --- Answers ---------------------------------------------------------------------------------

    @cached_property
    def _asserted(self) -> dict[tuple[str, str], dict[tuple[str, str], str]]:
        """Function -> code and behaviour of a checked call -> the test."""
        found: dict[tuple[str, str], dict[tuple[str, str], str]] = {}
        for other in self._passing:
            marks = Marks(other)
            name = str(_test_of(other).get("id", other.path.name))
            for call in asserted_calls(other):
                mark = marks.of(call)
                if mark is not None:
                    known = found.setdefault((mark.module, mark.function), {})
                    known[_key(mark)] = name
        return found

    def may_answer(self, tree: ExecutionTree, nodes: Numbers) -> Numbers:
        """Return calls of functions that passing tests were about."""
        routines = np.unique(tree.routine[nodes])
        known = [each for each in routines.tolist() if self._is_asserted(each)]
        found: Numbers = nodes[np.isin(tree.routine[nodes], known)]
        return found

    def _is_asserted(self, routine: int) -> bool:
        function = self._trace.function(routine) if routine >= 0 else None
        return function is not None and self._marks.function(function) in self._asserted

    def answer(self, question: Question) -> Answer | None:
        """Answer a question; None: no test was about it."""
        call = call_at(self._trace, question.about)
        if call is None or not self._is_asserted(call.function):
            return None
        mark = self._marks.of(call)
        known = self._asserted.get((mark.module, mark.function), {}) if mark else {}
        test = known.get(_key(mark)) if mark else None
        if test is None:
            return None
        return Answer(question.about, Verdict.RIGHT, by=NAME, note=f"asserted in {test}")

    # --- Suspicion -------------------------------------------------------------------------------

    def factors(self, tree: ExecutionTree) -> Masses:
        """Return how suspicious each node's own code is."""
        routines = np.unique(tree.routine)
        found = np.ones(len(tree.parent))
        for routine in routines.tolist():
            found[tree.routine == routine] = self._factor(routine)
        for node in self._looked_into(tree).tolist():
            if self._lines(int(tree.call[node])):
                found[node] *= _NEW_LINE
        return found

    def reason(self, tree: ExecutionTree, node: int) -> str:
        """Say in how many passing runs its function was called, or what is new in the call."""
        routine = int(tree.routine[node])
        function = self._trace.function(routine) if routine >= 0 else None
        if function is None:
            return ""
        lines = self._new_lines.get(int(tree.call[node]), [])
        if lines and tree.kind[node] == NodeKind.CALL:
            return f"it ran line {lines[0]}, which no passing test ran"
        runs = self._spectrum.runs_of(code_of(self._marks, function))
        tests = "test" if self._spectrum.count == 1 else "tests"
        if not runs:
            return f"its function ran in none of {self._spectrum.count} passing {tests}"
        return f"its function ran in {runs} of {self._spectrum.count} passing {tests}"

    def _factor(self, routine: int) -> float:
        function = self._trace.function(routine) if routine >= 0 else None
        if function is None:
            return 1.0
        if routine not in self._factors:
            ochiai = self._spectrum.ochiai(code_of(self._marks, function))
            self._factors[routine] = _LOW + _RANGE * ochiai
        return self._factors[routine]

    def _looked_into(self, tree: ExecutionTree) -> Numbers:
        """Return calls whose lines are compared: not too many, and not too many of one function."""
        nodes = np.flatnonzero(tree.kind == NodeKind.CALL)
        counts: dict[int, int] = {}
        found = []
        for node in nodes.tolist():
            routine = int(tree.routine[node])
            counts[routine] = counts.get(routine, 0) + 1
            if counts[routine] <= _MOST_OF_ONE:
                found.append(node)
            if len(found) >= _MOST_CALLS:
                break
        return np.array(found, np.int64)

    def _lines(self, number: int) -> list[int]:
        if number not in self._new_lines:
            call = self._trace.call(number)
            function = self._trace.function(call.function)
            self._new_lines[number] = (
                self._spectrum.new_lines(self._trace, call, code_of(self._marks, function))
                if function is not None
                else []
            )
        return self._new_lines[number]


def _key(mark: Mark) -> tuple[str, str]:
    return mark.code, mark.behaviour
