"""Memory oracle: the user's answers from earlier sessions about other runs.

A call is recognised by its code, including all code that ran in it, and by its behaviour.  So an
answer survives edits of other code, and anything that could make it untrue makes the call unknown.
"""

import time
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path

import numpy as np

from sleuth.oracles.answer_file import Remembered, memory_path, read, update
from sleuth.oracles.table import Settings
from sleuth.search.question import JUDGEMENTS, USER, Answer, Question, Verdict
from sleuth.trace.events import Call
from sleuth.trace.reader import Trace
from sleuth.tree.identity.across_runs import Mark, Marks
from sleuth.tree.node import ExecutionTree, Key, Numbers
from sleuth.tree.observe.group import group_of
from sleuth.tree.observe.nodes import call_at

NAME = "memory"
_RUN_DIGITS = 16


def made(trace: Trace, settings: Settings) -> "Memory | None":
    """Return the oracle, if answers are remembered."""
    path = chosen(trace, settings)
    return Memory(trace, path) if path.exists() else None


def chosen(trace: Trace, settings: Settings) -> Path:
    """Return the file in which answers are remembered."""
    given = settings.get("memory", ())
    return Path(given[-1]) if given else memory_path(trace.path)


class Memory:
    """The oracle."""

    name = NAME

    def __init__(self, trace: Trace, path: Path) -> None:
        self.remarks: list[str] = []
        self._trace = trace
        self._marks = Marks(trace)
        known, problems = read(path)
        self.remarks += problems
        # Answers about this run are in its own journal, or were put aside with it.
        self._known: dict[tuple[str, str, str, str], list[Remembered]] = {}
        for each in known:
            if each.run != run_of(trace):
                self._known.setdefault(each.key, []).append(each)
        self._functions = {(module, function) for module, function, _, _ in self._known}

    def may_answer(self, tree: ExecutionTree, nodes: Numbers) -> Numbers:
        """Return the calls of functions with remembered answers."""
        routines = np.unique(tree.routine[nodes])
        known = [each for each in routines.tolist() if self._is_known(each)]
        found: Numbers = nodes[np.isin(tree.routine[nodes], known)]
        return found

    def answer(self, question: Question) -> Answer | None:
        """Answer a question; None: it can't say."""
        call = call_at(self._trace, question.about)
        if call is None or not self._is_known(call.function):
            return None
        mark = self._marks.of(call)
        said = self._known.get(key_of(mark), []) if mark else []
        if not said:
            return None
        if len({each.verdict for each in said}) > 1:
            name = f"{said[0].function} (call {call.id})"
            self.remarks.append(f"two different answers about {name} are remembered")
            return None
        return _answer(question.about, said[0])

    def _is_known(self, routine: int) -> bool:
        function = self._trace.function(routine) if routine >= 0 else None
        return function is not None and self._marks.function(function) in self._functions


def key_of(mark: Mark) -> tuple[str, str, str, str]:
    """Return the key under which answers about a call with this mark are remembered."""
    return mark.module, mark.function, mark.code, mark.behaviour


def _answer(about: Key, said: Remembered) -> Answer:
    when = f"you said so on {said.on}" if said.on else "you said so before"
    note = f"{said.note} ({when})" if said.note else when
    return Answer(
        about, Verdict(said.verdict), by=NAME, path=said.path, expected=said.expected, note=note
    )


def run_of(trace: Trace) -> str:
    """Return the identifier of a run in the file of remembered answers."""
    return trace.identity[:_RUN_DIGITS]


class Remembering:
    """Writes the user's answers about a run to memory."""

    def __init__(self, trace: Trace, path: Path) -> None:
        self._trace = trace
        self._path = path

    @cached_property
    def _marks(self) -> Marks:
        return Marks(self._trace)

    def keep(self, answers: Iterable[Answer]) -> None:
        """Remember these answers about the run, and no others."""
        lines = list(self._lines(answers))
        if lines or self._path.exists():
            update(self._path, lines, run=run_of(self._trace))

    def _lines(self, answers: Iterable[Answer]) -> Iterator[Remembered]:
        for answer in answers:
            if answer.by != USER:
                continue
            for mark in map(self._marks.of, judged_calls(self._trace, answer)):
                if mark is not None:
                    yield remembered(mark, answer, run=run_of(self._trace))


def judged_calls(trace: Trace, answer: Answer) -> tuple[Call, ...]:
    """Return the calls that an answer judges; empty: it is about a part of a call, or no verdict.

    If a group is right, each of its calls is; if it is wrong, nothing follows for a single call.
    """
    if answer.verdict not in JUDGEMENTS:
        return ()
    call = call_at(trace, answer.about)
    if call is not None:
        return (call,)
    group = group_of(trace, answer.about) if answer.verdict is Verdict.RIGHT else None
    return group.members if group is not None else ()


def remembered(mark: Mark, answer: Answer, *, run: str) -> Remembered:
    """Return an answer as it is remembered."""
    return Remembered(
        *key_of(mark),
        answer.verdict.value,
        path=answer.path,
        expected=answer.expected,
        note=answer.note,
        run=run,
        on=time.strftime("%Y-%m-%d"),
    )
