"""The spectrum: the functions and lines that ran in passing runs.

Code that ran in passing runs is less suspicious, by Ochiai's formula; a call that ran a line that
no passing run ran is more suspicious.  A run may pass by luck, so this is never an answer.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import sqrt
from typing import TypeAlias

import numpy as np

from sleuth.trace import columns
from sleuth.trace.events import Call, Function
from sleuth.trace.reader import Trace
from sleuth.tree.coverage import coverage
from sleuth.tree.identity.across_runs import Marks

Code: TypeAlias = tuple[str, str, str]
"""A function: module, name, and a hash of its text."""
_MOST_OF_ONE = 30
_MOST_CALLS = 2_000


@dataclass(slots=True)
class Ran:
    """The calls of one function in passing runs."""

    runs: int = 0
    """The number of passing runs that called it."""
    lines: set[int] = field(default_factory=set)
    """The lines that ran, counted from its first."""
    is_whole: bool = True
    """Whether all its calls were examined."""


class Spectrum:
    """The functions and lines that ran in passing runs."""

    def __init__(self, passing: Iterable[Trace]) -> None:
        self.count = 0
        self._ran: dict[Code, Ran] = {}
        for trace in passing:
            self.count += 1
            self._add(trace)

    def ochiai(self, code: Code) -> float:
        """Return the suspicion of a function that ran in the failing run, from 0 to 1."""
        ran = self._ran.get(code)
        return 1.0 / sqrt(1 + (ran.runs if ran else 0))

    def runs_of(self, code: Code) -> int:
        """Return in how many passing runs a function was called."""
        ran = self._ran.get(code)
        return ran.runs if ran else 0

    def new_lines(self, trace: Trace, call: Call, code: Code) -> list[int]:
        """Return the lines that a call ran and no passing run did; none if that is not known."""
        ran = self._ran.get(code)
        function = trace.function(call.function)
        if ran is None or not ran.is_whole or function is None:
            return []
        covered = coverage(trace, call)
        return [line for line in covered.lines if line - function.first_line not in ran.lines]

    def _add(self, trace: Trace) -> None:
        marks = Marks(trace)
        functions = columns.calls(trace).function
        left = _MOST_CALLS
        for number in np.unique(functions).tolist():
            function = trace.function(number)
            if function is None:
                continue
            ran = self._ran.setdefault(code_of(marks, function), Ran())
            ran.runs += 1
            calls = np.flatnonzero(functions == number)
            looked_at = min(_MOST_OF_ONE, left, len(calls))
            left -= looked_at
            ran.is_whole = ran.is_whole and looked_at == len(calls)
            for each in calls[:looked_at].tolist():
                covered = coverage(trace, trace.call(each))
                ran.lines |= {line - function.first_line for line in covered.lines}
                ran.is_whole = ran.is_whole and covered.is_known


def code_of(marks: Marks, function: Function) -> Code:
    """Return the module, name and hash that identify a function in other runs."""
    return (*marks.function(function), function.identity)
