"""Specification oracle: judges calls by the user's models and predicates (`--spec`).

A total specification answers right and wrong, any other only wrong.  Specifications run in a
process of their own.
"""

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

import numpy as np

from sleuth.errors import UsageError
from sleuth.oracles.behaviour_json import parcel
from sleuth.oracles.judge_process import SECONDS, JudgeFailed, Judging, Reply, answered
from sleuth.oracles.table import Settings
from sleuth.search.question import Answer, Question, Verdict
from sleuth.trace.events import Function
from sleuth.trace.reader import Trace
from sleuth.tree.node import ExecutionTree, Numbers
from sleuth.tree.observe import behaviour as words
from sleuth.tree.observe.behaviour import Behaviour
from sleuth.tree.observe.calls import behaviour_of
from sleuth.tree.observe.nodes import call_at

NAME = "specification"
_VERDICTS = {"right": Verdict.RIGHT, "wrong": Verdict.WRONG}
_ENDED = (words.RETURNED, words.RAISED, words.STOPPED)


def made(trace: Trace, settings: Settings) -> "Specification | None":
    """Return the oracle, if there is a specification."""
    specs = settings.get("spec", ())
    return Specification(trace, specs) if specs else None


class Specification:
    """The oracle."""

    name = NAME

    def __init__(self, trace: Trace, specs: Sequence[str], *, seconds: float = SECONDS) -> None:
        self.remarks: list[str] = []
        """Calls of specified functions for which it abstained, and why."""
        self._trace = trace
        try:
            self._judging = Judging(trace, specs=specs, seconds=seconds)
        except JudgeFailed as problem:
            named = " ".join(specs)
            raise UsageError(f"--spec {named} can't be used: {problem}.") from None
        self._specified = self._judging.loaded["specified"]
        self._numbers: dict[int, list[int]] = {}
        self._remark_unknown()

    def answer(self, question: Question) -> Answer | None:
        """Answer a question; None: it can't say."""
        call = call_at(self._trace, question.about)
        numbers = self._of_routine(call.function) if call is not None else []
        if call is None or not numbers:
            return None
        behaviour = behaviour_of(self._trace, call)
        if behaviour.outcome.how not in _ENDED:
            return None
        told = parcel(self._trace, behaviour)
        found = [self._said(number, told, behaviour) for number in numbers]
        said = [each for each in found if each is not None]
        # One objection is enough.
        said.sort(key=lambda each: each["verdict"] != "wrong")
        return answered(question, _VERDICTS[said[0]["verdict"]], said[0], by=NAME) if said else None

    def may_answer(self, tree: ExecutionTree, nodes: Numbers) -> Numbers:
        """Return the calls of specified functions."""
        routines = np.unique(tree.routine[nodes])
        known = [each for each in routines.tolist() if each >= 0 and self._of_routine(each)]
        found: Numbers = nodes[np.isin(tree.routine[nodes], known)]
        return found

    # --- Inside ----------------------------------------------------------------------------------

    def _of_routine(self, routine: int) -> list[int]:
        if routine not in self._numbers:
            function = self._trace.function(routine)
            names = names_of(function) if function else set()
            self._numbers[routine] = [
                number for number, each in enumerate(self._specified) if each["about"] in names
            ]
        return self._numbers[routine]

    def _said(self, number: int, told: Mapping[str, Any], behaviour: Behaviour) -> Reply | None:
        specified = self._specified[number]
        where = f"{behaviour.name} (call {behaviour.call.id})"
        try:
            reply = self._judging.ask({"do": "judge", "number": number, "call": told})
        except JudgeFailed as problem:
            self.remarks.append(f"{specified['name']} failed on {where}: {problem}")
            return None
        if reply.get("why"):
            self.remarks.append(f"{specified['name']} can't say of {where}: {reply['why']}")
        return reply if reply.get("verdict") in _VERDICTS else None

    def _remark_unknown(self) -> None:
        """Remark on specified functions without a recorded call: the name may be misspelt."""
        known: set[str] = set()
        for routine in {call.function for call in self._trace.calls()}:
            function = self._trace.function(routine)
            known |= names_of(function) if function else set()
        for each in self._specified:
            if each["about"] not in known:
                self.remarks.append(
                    f"{each['name']} is about {each['about']}, but no call of that was recorded"
                )


def names_of(function: Function) -> set[str]:
    """Return what a function can be called in a specification."""
    module, name = function.module, function.qualified_name
    return {name, f"{module.name}.{name}", f"{PurePath(module.path).stem}.{name}"}
