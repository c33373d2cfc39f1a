"""Opened: a trace, its execution tree and its sessions; `sleuth.open` returns one."""

from collections.abc import Hashable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path

from sleuth.errors import JournalError, UsageError
from sleuth.search import journal
from sleuth.search.journal import Journal
from sleuth.search.problem import Problem
from sleuth.search.session import Session
from sleuth.search.strategies import DEFAULT
from sleuth.trace.reader import Trace
from sleuth.tree.build import tree_of
from sleuth.tree.effort import effort
from sleuth.tree.failing.test import Failure, failure_of, has_failed, has_tests, tested_call
from sleuth.tree.failing.uncaught import symptom_path
from sleuth.tree.flat import FlatTree
from sleuth.tree.identity.same_run import fingerprint
from sleuth.tree.node import NodeKind
from sleuth.tree.transformations import DEFAULT_SHAPE, Shaper, named
from sleuth.tree.transformations.outline import Outline

_MOST_PROBLEMS = 16


class Opened:
    """A recorded run, ready for questions."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        """The calls, events, values and sources of the run."""
        self._problems: dict[tuple[int, int, tuple[str, ...]], Problem] = {}
        """Problems by tree, root and shape; each caches what was found out about nodes."""

    @cached_property
    def tree(self) -> FlatTree:
        """The execution tree over the calls recorded by the time of the first access."""
        return tree_of(self.trace)

    def problem(self, *, root: int | None = None) -> Problem:
        """Return the problem of finding the bug below a call (None: in the whole run)."""
        return self._problem(self.tree, 0 if root is None else self.node_of(root), ())

    def _problem(self, tree: FlatTree, root: int, shape: tuple[str, ...]) -> Problem:
        return Problem(
            tree,
            root=root,
            path=tuple(dict.fromkeys(filter(None, map(tree.holder, self._symptom)))),
            fingerprint=partial(self._fingerprint, tree),
            cost=partial(self._effort, tree),
            shape=shape,
            reshape=self._reshaped,
        )

    def _reshaped(self, problem: Problem, outline: Outline) -> Problem:
        """Return a problem with the same root in a tree of another shape."""
        tree, shape = self._shaper.tree(outline), outline.names
        if tree is problem.tree and shape == problem.shape:
            return problem
        key = problem.tree.key(problem.root)
        root = tree.find(key)
        if root is None:  # a turn, and the new tree has no turns: take its call
            root = tree.holder(key.call)
        known = (id(tree), root or 0, shape)
        if known not in self._problems:
            if len(self._problems) >= _MOST_PROBLEMS:
                del self._problems[next(iter(self._problems))]
            self._problems[known] = self._problem(tree, root or 0, shape)
        found = self._problems[known]
        if (found.is_assumed, found.weigh) != (problem.is_assumed, problem.weigh):
            return replace(found, is_assumed=problem.is_assumed, weigh=problem.weigh)
        return found

    @cached_property
    def failure(self) -> Failure | None:
        """Why the recorded test failed; None: no test was recorded, or it did not fail."""
        return failure_of(self.trace, self.tree)

    @cached_property
    def _symptom(self) -> list[int]:
        """The calls that show the symptom: the exception left them, or a check is about them."""
        if self.failure is not None:
            return [*self.failure.left, *self.failure.asked_first]
        if has_tests(self.trace):
            # A skipped test also ends with an exception; a test that passed can still be wrong.
            test = tested_call(self.trace) if has_failed(self.trace) else None
            return [] if test is None else [test.id]
        numbers: list[int] = self.tree.call[symptom_path(self.trace, self.tree)].tolist()
        return numbers

    @cached_property
    def _shaper(self) -> Shaper:
        return Shaper(self.trace, self.tree)

    def session(
        self,
        *,
        root: int | None = None,
        strategy: str = DEFAULT,
        transform: Iterable[str] = DEFAULT_SHAPE,
    ) -> Session:
        """Begin a session about a wrong call (None: the whole run); its answers are not saved."""
        return Session(self.problem(root=root)).using(strategy).shaped(named(transform))

    @contextmanager
    def resumed(self, *, strategy: str | None = None) -> Iterator[tuple[Session, Journal]]:
        """Resume the last session; `journal.follow(before, after)` saves each step.

        The journal is a file next to the trace.  No other process can write to it meanwhile.
        """
        path = journal.journal_path(self.trace.path)
        with Journal(path, self.trace.identity) as kept:
            session = self._replayed(path, kept.lines)
            if strategy is not None:
                session = kept.follow(session, session.using(strategy))
            yield session, kept

    def left(self) -> Session:
        """Return the last session, read only."""
        path = journal.journal_path(self.trace.path)
        return self._replayed(path, journal.read(path, self.trace.identity))

    def _replayed(self, path: Path, lines: Iterable[journal.Line]) -> Session:
        session = journal.replayed(self.session(), lines)
        if any(given.answer.about.call >= self.trace.call_count for given in session.answers):
            raise JournalError(
                f"{path} has answers about calls that the trace does not have. Start over, which "
                "keeps that file under another name: sleuth ask --restart"
            )
        return session

    def node_of(self, call: int) -> int:
        """Return the number of a call's node."""
        node = self.tree.find_call(call)
        if node is None:
            raise UsageError(f"There is no call {call}; they go up to {self.trace.call_count - 1}.")
        return node

    def _fingerprint(self, tree: FlatTree, node: int) -> Hashable:
        if tree.kind[node] not in (NodeKind.RUN, NodeKind.CALL):
            return tree.key(node)  # turns that look equal can work on different variables
        call = int(tree.call[node])
        return fingerprint(self.trace, self.trace.call(call)) if call >= 0 else "the whole run"

    def _effort(self, tree: FlatTree, node: int) -> float:
        call = int(tree.call[node])
        return effort(self.trace, self.trace.call(call)) if call >= 0 else 0.0


def opened(path: Path) -> Opened:
    """Open a trace file."""
    return Opened(Trace(path))
