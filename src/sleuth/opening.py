"""Opened: a trace, its execution tree, and sessions about it.  What `sleuth.open` gives."""

from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

from sleuth.errors import UsageError
from sleuth.search import journal
from sleuth.search.case import Case
from sleuth.search.journal import Journal
from sleuth.search.session import Session
from sleuth.search.strategies import DEFAULT
from sleuth.trace.reader import Trace
from sleuth.tree.build import tree_of
from sleuth.tree.effort import effort
from sleuth.tree.fingerprint import fingerprint
from sleuth.tree.flat import FlatTree
from sleuth.tree.symptom import symptom_path


class Opened:
    """A recorded run, ready for questions."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        """Its calls, events, values and sources."""

    @cached_property
    def tree(self) -> FlatTree:
        """The execution tree over what was recorded when it was first asked for."""
        return tree_of(self.trace)

    def case(self, *, root: int | None = None) -> Case:
        """Return what is to be searched: a call, or the whole run."""
        return Case(
            self.tree,
            root=0 if root is None else self.node_of(root),
            path=tuple(symptom_path(self.trace, self.tree).tolist()),
            fingerprint=self._fingerprint,
            cost=self._effort,
        )

    def session(self, *, root: int | None = None, strategy: str = DEFAULT) -> Session:
        """Begin a session about a call that is wrong (None: the whole run); nothing is kept."""
        return Session(self.case(root=root)).using(strategy)

    @contextmanager
    def resumed(self, *, strategy: str | None = None) -> Iterator[tuple[Session, Journal]]:
        """Go on where the last session was left: `journal.follow(before, after)` keeps each step.

        The answers stand next to the trace; no other process can add to them meanwhile.
        """
        path = journal.journal_path(self.trace.path)
        with Journal(path, self.trace.identity) as kept:
            session = journal.replayed(self.session(), kept.lines)
            if strategy is not None:
                session = kept.follow(session, session.using(strategy))
            yield session, kept

    def left(self) -> Session:
        """Return the session as it was left, to look at."""
        path = journal.journal_path(self.trace.path)
        return journal.replayed(self.session(), journal.read(path, self.trace.identity))

    def node_of(self, call: int) -> int:
        """Return the number of a call's node."""
        node = self.tree.find_call(call)
        if node is None:
            raise UsageError(f"There is no call {call}; they go up to {self.trace.call_count - 1}.")
        return node

    def _fingerprint(self, node: int) -> Hashable:
        call = int(self.tree.call[node])
        return fingerprint(self.trace, self.trace.call(call)) if call >= 0 else "the whole run"

    def _effort(self, node: int) -> float:
        call = int(self.tree.call[node])
        return effort(self.trace, self.trace.call(call)) if call >= 0 else 0.0


def opened(path: Path) -> Opened:
    """Open a trace file."""
    return Opened(Trace(path))
