"""The table of oracles and hints: a description, the options and the module of each.

A new one is a file with a function `made(trace, settings)`, and a row here.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np

from sleuth.errors import UsageError
from sleuth.search.question import (
    USER,
    Answer,
    Follower,
    Hint,
    Oracle,
    Question,
    QuickOracle,
    Sources,
)
from sleuth.trace.heap.nested import Nested
from sleuth.trace.reader import Trace
from sleuth.tree.node import ExecutionTree, Key, Numbers

Settings: TypeAlias = Mapping[str, Sequence[str]]
"""Option without dashes -> the given values, in order."""
Describe: TypeAlias = Callable[[Question], Mapping[str, Any]]
Maker: TypeAlias = Callable[[Trace, Settings], Oracle | Hint | Follower | None]
"""Returns an oracle or hint; None: it has no data."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A command-line option of an oracle."""

    name: str
    takes: str
    help: str
    is_trace: bool = False
    """Whether the value is a trace, given by path, name or beginning of a name."""

    @property
    def flag(self) -> str:
        """How it is typed."""
        return f"--{self.name}"


@dataclass(frozen=True, slots=True)
class Described:
    """One oracle or hint."""

    what: str
    """A line for the user."""
    home: str
    """The module with its `made`; imported when used."""
    settings: tuple[Setting, ...] = ()
    source: str = ""
    """Where its answers come from: "8 answers from earlier sessions"."""
    rests_on: str = ""
    """Of a hint: the option that names the files it rests on; empty: none but the trace."""
    author: str = ""
    """Who gives its answers: "what your specification judged wrong"."""
    is_told: bool = False
    """For a hint: whether questions show its reasons; otherwise only `e` does."""


ORACLES: dict[str, Described] = {
    "memory": Described(
        "your earlier answers about calls with the same code and behaviour",
        "sleuth.oracles.memory",
        (
            Setting(
                "memory",
                "FILE",
                "the file of remembered answers (default: memory.jsonl beside the trace)",
            ),
        ),
        source="from earlier sessions",
        author="you, in an earlier session",
    ),
    "specification": Described(
        "your models and predicates, which say what functions should do",
        "sleuth.oracles.specification",
        (
            Setting(
                "spec",
                "MODULE",
                "answer by the models and predicates of this module or .py file: docs/spec.md",
            ),
        ),
        source="from your specification",
        author="your specification",
    ),
    "custom": Described(
        "your own function",
        "sleuth.oracles.custom",
        (
            Setting(
                "oracle",
                "MODULE:FUNCTION",
                "let this function of yours answer; it gets the same data as --json: docs/spec.md",
            ),
        ),
        source="from your own oracle",
        author="your own oracle",
    ),
    "reference": Described(
        "comparison with the same calls in a run that was right",
        "sleuth.oracles.reference",
        (
            Setting(
                "reference",
                "OTHER",
                "compare with this trace: a run that was right, of another version or input",
                is_trace=True,
            ),
        ),
        source="from the reference run",
        author="the reference run",
    ),
    "contracts": Described(
        "failed asserts in the code, and failed conditions of icontract or deal",
        "sleuth.oracles.contracts",
        source="from asserts and conditions in the code",
        author="an assert or a condition in the code",
    ),
    "edits": Described(
        "a hint: code that the reference has too is less suspicious than edited code",
        "sleuth.oracles.edits",
        rests_on="reference",
    ),
    "passing": Described(
        "tests that passed: what they asserted, and which code they ran",
        "sleuth.oracles.passing",
        (
            Setting(
                "passing",
                "TRACE",
                "a run that passed; can be repeated (default: the traces of passing tests beside "
                "the trace of a failing one)",
                is_trace=True,
            ),
        ),
        source="from tests that passed",
        rests_on="passing",
        author="a test that passed",
    ),
    "annotations": Described(
        "a hint: calls with values of another type than annotated",
        "sleuth.oracles.annotations",
        is_told=True,
    ),
    "value": Described(
        "a hint: calls near the origin of the wrong value are more suspicious than others",
        "sleuth.oracles.value",
    ),
}
"""By name, in the order in which they are asked."""


def source(name: str) -> str:
    """Say where an oracle's answers come from."""
    described = ORACLES.get(name)
    return described.source if described and described.source else f"from {name}"


def author(name: str) -> str:
    """Say who gave an answer: the user, or an oracle."""
    if name == USER:
        return "you"
    described = ORACLES.get(name)
    return described.author if described and described.author else name


@runtime_checkable
class Remarking(Protocol):
    """An oracle that reports where it had to abstain, and why."""

    @property
    def remarks(self) -> list[str]:
        """Sentences."""


@runtime_checkable
class Expecting(Protocol):
    """A hint that follows the first difference from what a failed check expects."""

    def expect(self, data: Nested | None) -> None:
        """Note what is expected."""


@runtime_checkable
class Describing(Protocol):
    """An oracle that needs the data of a question, as in `--json`."""

    def describe_with(self, describe: Describe) -> None:
        """Set the function that makes that data."""


@runtime_checkable
class Resting(Protocol):
    """A hint that rests on files besides the trace."""

    @property
    def files(self) -> list[Path]:
        """The files."""


@dataclass(frozen=True, slots=True)
class Helpers:
    """The oracles and hints for one trace."""

    oracles: tuple[Oracle, ...] = ()
    hints: tuple[Hint | Follower, ...] = ()
    remarking: tuple[Remarking, ...] = ()
    """The oracles that report where they had to abstain."""

    @property
    def remarks(self) -> list[str]:
        """Where they had to abstain so far, and why."""
        return list(dict.fromkeys(text for each in self.remarking for text in each.remarks))

    @property
    def names(self) -> tuple[str, ...]:
        """All of them."""
        oracles, hints = ([each.name for each in some] for some in (self.oracles, self.hints))
        return tuple(dict.fromkeys([*oracles, *hints]))


def helpers(trace: Trace, settings: Settings, *, describe: Describe | None = None) -> Helpers:
    """Make all oracles and hints that have data."""
    oracles: list[Oracle] = []
    hints: list[Hint | Follower] = []
    remarking: list[Remarking] = []
    for described in ORACLES.values():
        maker: Maker = import_module(described.home).made
        made = maker(trace, settings)
        if isinstance(made, Remarking):
            remarking.append(made)
        if isinstance(made, Describing) and describe is not None:
            made.describe_with(describe)
        if isinstance(made, Oracle):
            oracles.append(asked_once(made))
        if isinstance(made, Hint | Follower):
            hints.append(made)
    return Helpers(tuple(oracles), tuple(hints), tuple(remarking))


def sources(hints: Iterable[Hint | Follower]) -> Sources:
    """Return what the hints rest on, to be kept for later readers of a session."""
    return tuple(
        (hint.name, tuple(str(file.resolve()) for file in hint.files))
        if isinstance(hint, Resting)
        else (hint.name, ())
        for hint in hints
        if hint.name in ORACLES
    )


def hints_from(trace: Trace, kept: Sources) -> Iterator[Hint | Follower]:
    """Make the hints of an earlier session again; an error: a file that one rests on is gone."""
    for name, files in kept:
        described = ORACLES.get(name)
        if described is not None:
            maker: Maker = import_module(described.home).made
            made = maker(trace, {described.rests_on: files})
            if isinstance(made, Hint | Follower):
                yield made


def told(settings: Settings) -> list[str]:
    """Return the names of the oracles for which the user gave options."""
    return [
        name
        for name, described in ORACLES.items()
        if any(settings.get(each.name) for each in described.settings)
    ]


def named(name: str) -> str:
    """Return the name of an existing oracle; UsageError: there is none."""
    if name in ORACLES:
        return name
    near = get_close_matches(name, ORACLES, n=1)
    hint = f"Did you mean {near[0]}? " if near else ""
    known = ", ".join(ORACLES) or "none"
    raise UsageError(f"There is no oracle {name!r}. {hint}The oracles are: {known}.")


# --- Asking once ---------------------------------------------------------------------------------


def asked_once(oracle: Oracle) -> Oracle:
    """Return an oracle that caches its answers, as the trace does not change."""
    return _QuickOnce(oracle) if isinstance(oracle, QuickOracle) else _Once(oracle)


class _Once:
    """Caches the answers of an oracle."""

    def __init__(self, oracle: Oracle) -> None:
        self.name = oracle.name
        self._oracle = oracle
        self._said: dict[Key, Answer | None] = {}

    def answer(self, question: Question) -> Answer | None:
        """Answer a question; None: it can't say."""
        if question.about not in self._said:
            self._said[question.about] = self._oracle.answer(question)
        return self._said[question.about]


class _QuickOnce(_Once):
    """Caches the answers of an oracle that can look at many nodes at once."""

    def __init__(self, oracle: QuickOracle) -> None:
        super().__init__(oracle)
        self._quick = oracle

    def may_answer(self, tree: ExecutionTree, nodes: Numbers) -> Numbers:
        """Return the nodes worth asking about, without those known to have no answer."""
        found = self._quick.may_answer(tree, nodes)
        is_open = [self._is_open(tree.key(node)) for node in found.tolist()]
        chosen: Numbers = found[np.array(is_open, bool)]
        return chosen

    def _is_open(self, about: Key) -> bool:
        return about not in self._said or self._said[about] is not None
