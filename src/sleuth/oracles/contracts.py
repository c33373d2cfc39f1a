"""Contracts oracle: failed asserts in the code, and failed conditions of icontract or deal.

A call is wrong if its own assert failed, if a postcondition or an invariant was false after it, or
if it raised an exception that its contract forbids.  If the failed assert is about arguments that
the call has not changed, the call is inadmissible.  A condition that holds proves nothing.  No code
is run: the trace shows that a condition was false.
"""

from collections.abc import Iterator
from functools import cached_property
from pathlib import PurePath

import numpy as np

from sleuth.oracles.table import Settings
from sleuth.search.question import Answer, Question, Verdict
from sleuth.trace import columns
from sleuth.trace.events import Call, Event, EventKind, Function, Outcome
from sleuth.trace.flow.wording import Decorator
from sleuth.trace.path import parse
from sleuth.trace.reader import Trace
from sleuth.trace.values import Constant, Ref
from sleuth.tree.failing.asserted import failed_assert
from sleuth.tree.failing.variables_named import variables_in
from sleuth.tree.node import ExecutionTree, Numbers
from sleuth.tree.observe.calls import behaviour_of
from sleuth.tree.observe.nodes import call_at

NAME = "contracts"
PACKAGES = ("icontract", "deal")
_AFTER = ("ensure", "post")
_ALWAYS = ("invariant", "inv")
_EXCEPTIONS = ("deal.RaisesContractError", "deal.ReasonContractError")
_MOST_CONDITIONS = 20
_FALSE = Constant("False")
_RAISED = 2
"""The outcome in the columns of calls."""
_TESTS = ("test_", "conftest")


def made(trace: Trace, settings: Settings) -> "Contracts | None":  # noqa: ARG001 - as all makers
    """Return the oracle, if an exception left a function with asserts, or contracts were loaded."""
    found = Contracts(trace)
    return found if found.has_packages or found.has_asserts else None


def _package(module: str) -> str:
    """Return the package that a module is in."""
    return module.partition(".")[0]


class Contracts:
    """The oracle."""

    name = NAME

    def __init__(self, trace: Trace) -> None:
        self._trace = trace

    def may_answer(self, tree: ExecutionTree, nodes: Numbers) -> Numbers:
        """Return the calls that an exception left, and those that may have contracts."""
        has_raised = np.isin(tree.call[nodes], self._raised)
        routines = [each for each in np.unique(tree.routine[nodes]).tolist() if each >= 0]
        decorated = [each for each in routines if self.has_packages and self._is_promising(each)]
        found: Numbers = nodes[has_raised | np.isin(tree.routine[nodes], decorated)]
        return found

    def answer(self, question: Question) -> Answer | None:
        """Answer a question; None: no promise was broken."""
        call = call_at(self._trace, question.about)
        function = None if call is None else self._trace.function(call.function)
        if call is None or function is None or _is_test(function):
            return None
        found = self._own_assert(call, function) or self._broken_promise(call, function)
        if found is None:
            return None
        verdict, note = found
        return Answer(question.about, verdict, by=NAME, note=note)

    @cached_property
    def _raised(self) -> Numbers:
        """The calls that an exception left."""
        found: Numbers = np.flatnonzero(columns.calls(self._trace).outcome == _RAISED)
        return found

    @property
    def has_asserts(self) -> bool:
        """Whether an exception left a call of a function with asserts."""
        routines = np.unique(columns.calls(self._trace).function[self._raised]).tolist()
        wordings = map(self._trace.wording, routines)
        return any(each is not None and each.conditions for each in wordings)

    # --- Asserts ---------------------------------------------------------------------------------

    def _own_assert(self, call: Call, function: Function) -> tuple[Verdict, str] | None:
        """Return the verdict if an assert in the call itself failed and ended it."""
        failed = failed_assert(self._trace, call)
        if failed is None:
            return None
        line, condition = failed.line, failed.condition
        note = f"its assert failed, line {line}: {self._line(function, line)}"
        names = variables_in(self._trace, function.id, condition)
        is_given = self._is_about_given(call, function, names)
        return (Verdict.INADMISSIBLE if is_given else Verdict.WRONG), note

    def _line(self, function: Function, line: int) -> str:
        """Return a line of the source, to be shown."""
        lines = self._trace.source(function.module).splitlines()
        return " ".join("".join(lines[line - 1 : line]).split())

    def _is_about_given(self, call: Call, function: Function, names: frozenset[str]) -> bool:
        """Tell whether a condition is about arguments, and about no variable that the call changed.

        Then it was false from the beginning.
        """
        behaviour = behaviour_of(self._trace, call)
        changed = {parse(change.path).start for change in behaviour.changes}
        bound = {
            site.name
            for site in self._trace.sites_of(function)
            if site.kind not in ("comprehension", "attribute", "item")
        }
        parameters = {*function.parameters}
        return bool(names & parameters) and not names & (bound | changed)

    # --- Conditions of packages ------------------------------------------------------------------

    @cached_property
    def has_packages(self) -> bool:
        """Whether a package for contracts was loaded."""
        return any(_package(each.name) in PACKAGES for each in self._trace.modules())

    def _is_promising(self, routine: int) -> bool:
        """Tell whether a function is decorated, or a method, whose class may have an invariant."""
        function, wording = self._trace.function(routine), self._trace.wording(routine)
        is_decorated = wording is not None and bool(wording.decorators)
        return function is not None and (is_decorated or "." in function.qualified_name)

    def _broken_promise(self, call: Call, function: Function) -> tuple[Verdict, str] | None:
        """Return the verdict if a call broke a condition, or raised a forbidden exception."""
        is_condition = function.kind == "lambda"
        if not self.has_packages or is_condition or call.last is None or call.parent is None:
            return None
        conditions = list(self._conditions(call))
        at = conditions[-1].last if conditions else call.last
        event = self._event_at(int(at or 0) + 1)
        if event is None or event.kind is not EventKind.RAISE or event.call != call.parent:
            return None
        if not conditions:
            is_forbidden = call.outcome is Outcome.RAISED and _is_of_type(event, *_EXCEPTIONS)
            return (
                (Verdict.WRONG, "it raised an exception that its contract does not allow")
                if is_forbidden
                else None
            )
        if not _is_violation(event) or self._trace.result(conditions[-1]) != _FALSE:
            return None
        return self._blamed(call, function, conditions[-1])

    def _conditions(self, call: Call) -> Iterator[Call]:
        """Yield the calls right after a call, which check conditions."""
        at = int(call.last or 0) + 1
        for _ in range(_MOST_CONDITIONS):
            event = self._event_at(at)
            if event is None or event.kind is not EventKind.ENTER or event.call is None:
                return
            found = self._trace.call(event.call)
            function = self._trace.function(found.function)
            is_lambda = function is not None and function.kind == "lambda"
            if found.parent != call.parent or found.last is None or not is_lambda:
                return
            yield found
            at = found.last + 1

    def _blamed(
        self, call: Call, function: Function, condition: Call
    ) -> tuple[Verdict, str] | None:
        """Return the verdict if a false condition was the call's own responsibility."""
        where = self._trace.function(condition.function)
        if where is None or where.module != function.module:
            return None
        word, line = self._decorator(where)
        note = f"line {where.first_line}: {line}"
        is_own = function.first_line <= where.first_line <= function.last_line
        if word in _AFTER and is_own and call.outcome is Outcome.RETURNED:
            return Verdict.WRONG, note
        if word in _ALWAYS:
            mine, theirs = self._trace.arguments(call)[:1], self._trace.arguments(condition)[:1]
            if mine == theirs and isinstance(mine[0] if mine else None, Ref):
                return Verdict.WRONG, note
        return None

    def _decorator(self, condition: Function) -> tuple[str, str]:
        """Return the name and the text of the decorator that contains a condition."""
        for each in self._decorators.get(int(condition.module.id), ()):
            if each.line <= condition.first_line <= each.last_line:
                return each.name.rpartition(".")[2], each.text
        return "", ""

    @cached_property
    def _decorators(self) -> dict[int, list[Decorator]]:
        """The decorators of each module."""
        found: dict[int, list[Decorator]] = {}
        for function in self._trace.functions():
            wording = self._trace.wording(function.id)
            if wording is not None and wording.decorators:
                found.setdefault(int(function.module.id), []).extend(wording.decorators)
        return found

    def _event_at(self, moment: int) -> Event | None:
        return self._trace.event(moment) if 0 <= moment < self._trace.event_count else None


def _is_test(function: Function) -> bool:
    """Tell whether it is a test, whose asserts are about other code."""
    stem = PurePath(function.module.path).stem
    is_named_so = stem.startswith(_TESTS) or stem.endswith("_test")
    return function.module.is_test or is_named_so or function.name.startswith("test_")


def _is_of_type(event: Event, *names: str) -> bool:
    value = event.values[0]
    return isinstance(value, Ref) and value.type_name in names


def _is_violation(event: Event) -> bool:
    """Tell whether an exception is a violation of a contract; not that of deal's preconditions."""
    value = event.values[0]
    name = value.type_name if isinstance(value, Ref) else ""
    package, _, last = name.partition(".")
    is_error = last.endswith(("ViolationError", "ContractError"))
    return package in PACKAGES and is_error and not last.endswith("PreContractError")
