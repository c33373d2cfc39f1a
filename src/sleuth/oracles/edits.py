"""Edits hint: code that is the same in the reference is less suspicious than edited code.

It is only a hint: an unedited function can still do wrong with wrong inputs.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from sleuth.oracles.compare.edited import Edition, is_body
from sleuth.trace.events import Function
from sleuth.trace.reader import Trace
from sleuth.tree.coverage import coverage
from sleuth.tree.node import ExecutionTree, Masses

NAME = "edits"
_EDITED = 1.0
_AFFECTED = 0.5
"""Factor of unedited code that uses edited variables."""
_PASSED_BY = 0.2
"""Factor of edited code whose edited lines did not run, and of module and class bodies."""
_SAME = 0.05
_REASONS = {
    _EDITED: "its code was edited",
    _AFFECTED: "its code uses names that were edited",
    _PASSED_BY: "it was edited, but not in lines that ran here",
    _SAME: "its code is the same in the reference",
}
_MOST_LOOKED = 3_000
"""Calls whose lines are compared."""


def made(trace: Trace, settings: Mapping[str, Sequence[str]]) -> "Edits | None":
    """Return the hint, if there is a reference of another version."""
    given = settings.get("reference")
    if not given:
        return None
    edition = Edition(trace, Trace(Path(given[-1])))
    return Edits(trace, edition) if edition.is_other_version else None


class Edits:
    """Compares the code of functions, not what they did."""

    name = NAME

    def __init__(self, trace: Trace, edition: Edition) -> None:
        self._trace = trace
        self._edition = edition
        self._of_call: dict[int, float] = {}

    @property
    def files(self) -> list[Path]:
        """The reference."""
        return [self._edition.other.path]

    def factors(self, tree: ExecutionTree) -> Masses:
        """Return how suspicious each node's own code is."""
        found = self._of_functions(tree)
        nodes = np.flatnonzero(found == _EDITED)
        for node in nodes[:_MOST_LOOKED].tolist():
            call = tree.key(node).call
            if call >= 0:
                found[node] = self._suspicion_of(call)
        return found

    def reason(self, tree: ExecutionTree, node: int) -> str:
        """Say why."""
        return _REASONS[float(self.factors(tree)[node])] if tree.routine[node] >= 0 else ""

    def _of_functions(self, tree: ExecutionTree) -> Masses:
        suspicion = self._suspicion
        table = np.ones(max(int(tree.routine.max()), *suspicion, 0) + 2)
        table[np.array(list(suspicion), np.int64)] = list(suspicion.values())
        found: Masses = table[tree.routine]  # (-1, the whole run, is the last item: 1)
        return found

    @cached_property
    def _suspicion(self) -> Mapping[int, float]:
        """Function -> how suspicious it is."""
        return {int(each.id): self._at_first_sight(each) for each in self._trace.functions()}

    def _at_first_sight(self, function: Function) -> float:
        if not self._edition.is_same[int(function.id)]:
            return _PASSED_BY if is_body(function) else _EDITED
        return _AFFECTED if self._edition.is_affected[int(function.id)] else _SAME

    def _suspicion_of(self, number: int) -> float:
        """Return how suspicious one call of an edited function is: by the lines that it ran."""
        if number not in self._of_call:
            call = self._trace.call(number)
            function = self._trace.function(call.function)
            edited = self._edition.edited_lines(function) if function else frozenset()
            ran = coverage(self._trace, call)
            is_hit = not ran.is_known or not edited.isdisjoint(ran.lines)
            self._of_call[number] = _EDITED if is_hit else _PASSED_BY
        return self._of_call[number]
