"""Opened: a trace, its execution tree and its sessions; `sleuth.open` returns one."""

from collections.abc import Hashable, Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

from sleuth.errors import JournalError, UsageError
from sleuth.search import journal
from sleuth.search.journal import Journal
from sleuth.search.problem import Problem
from sleuth.search.session import Session
from sleuth.search.shapes import Looks, Shapes
from sleuth.search.strategies import DEFAULT
from sleuth.trace.reader import Trace
from sleuth.tree.build import tree_of
from sleuth.tree.effort import effort_in
from sleuth.tree.failing.interrupted import running_at_the_end
from sleuth.tree.failing.test import Failure, failure_of, has_failed, has_tests, tested_call
from sleuth.tree.failing.uncaught import symptom_path
from sleuth.tree.flat import FlatTree
from sleuth.tree.identity.same_run import fingerprint
from sleuth.tree.late import Late
from sleuth.tree.observe.nodes import behaviour_in
from sleuth.tree.observe.silence import shows_nothing
from sleuth.tree.observe.taken import feeding
from sleuth.tree.transformations import DEFAULT_SHAPE, Shaper, named


class Opened:
    """A recorded run, ready for questions."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        """The calls, events, values and sources of the run."""
        self._silent: dict[Hashable, bool] = {}

    @cached_property
    def tree(self) -> FlatTree:
        """The execution tree over the calls recorded by the time of the first access."""
        return tree_of(self.trace)

    def problem(self, *, root: int | None = None) -> Problem:
        """Return the problem of finding the bug below a call (None: in the whole run)."""
        return self._shapes.problem(0 if root is None else self.node_of(root))

    @cached_property
    def failure(self) -> Failure | None:
        """Why the recorded test failed; None: no test was recorded, or it did not fail."""
        return failure_of(self.trace, self.tree)

    @cached_property
    def interrupted(self) -> list[int]:
        """The calls that were running when the program was stopped from outside; often none."""
        nodes = running_at_the_end(self.trace, self.tree)
        numbers: list[int] = self.tree.call[nodes].tolist()
        return numbers

    @cached_property
    def _symptom(self) -> list[int]:
        """The calls that show the symptom: the exception left them, or a check is about them."""
        if self.interrupted:
            return self.interrupted
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

    @cached_property
    def _shapes(self) -> Shapes:
        return Shapes(
            self._shaper.tree,
            symptom=self._symptom,
            is_inside_out=bool(self.interrupted),
            fingerprint=self._fingerprint,
            looks=Looks(self._effort, self._is_silent, self._late, self._feeding),
        )

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

    def _fingerprint(self, call: int) -> Hashable:
        return fingerprint(self.trace, self.trace.call(call))

    def _feeding(self, call: int) -> list[int]:
        return [each.id for each in feeding(self.trace, self.trace.call(call))]

    def _effort(self, tree: FlatTree, node: int) -> float:
        return effort_in(self.trace, tree, node)

    @cached_property
    def _late(self) -> Late:
        return Late(self.trace)

    def _is_silent(self, tree: FlatTree, node: int) -> bool:
        """Whether a question shows nothing to judge; what was found out is kept."""
        key = tree.key(node), int(tree.kind[node]), int(tree.end[node]) - node
        if key not in self._silent:
            self._silent[key] = shows_nothing(self.trace, behaviour_in(self.trace, tree, node))
        return self._silent[key]


def opened(path: Path) -> Opened:
    """Open a trace file."""
    return Opened(Trace(path))
