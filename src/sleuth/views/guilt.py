"""A diagnosis looked up in the trace: which function, which lines, what kind of fault."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sleuth.search.question import Diagnosis, Pending
from sleuth.search.session import Session
from sleuth.trace.reader import Trace
from sleuth.tree.behaviour import Behaviour
from sleuth.tree.coverage import Coverage, coverage
from sleuth.tree.node import Key
from sleuth.tree.run import behaviour_at
from sleuth.views.text import file_of

KINDS = (
    "call",
    "loop-header",
    "loop-body",
    "turn",
    "statement",
    "condition",
    "expression",
    "missing",
    "input",
    "interleaving",
)
"""What a diagnosis can blame."""
KeyOf = Callable[[int], Key]


@dataclass(frozen=True, slots=True)
class Guilt:
    """One node that may be the bug."""

    behaviour: Behaviour
    coverage: Coverage
    kind: str
    """One of KINDS."""
    file: str
    """From the folder the program ran in; nothing for the whole run."""

    @property
    def lines(self) -> tuple[int, ...]:
        """The lines that it ran itself, sorted."""
        return self.coverage.lines

    @property
    def call(self) -> int:
        """The call's number; below 0: the whole run."""
        return self.behaviour.call.id


def guilt_of(trace: Trace, call: int, *, is_input: bool = False) -> Guilt:
    """Look up one node."""
    behaviour = behaviour_at(trace, call)
    function = behaviour.function
    covered = coverage(trace, behaviour.call) if function else Coverage((), (), (), None)
    kind = "input" if is_input else "interleaving" if behaviour.rests_on_others else "call"
    return Guilt(behaviour, covered, kind, file_of(trace, function) if function else "")


def guilty(trace: Trace, found: Diagnosis, key_of: KeyOf, *, most: int = 20) -> Sequence[Guilt]:
    """Look up all candidates, the best first."""
    nodes = list(dict.fromkeys((found.node, *found.candidates)))[:most]
    return [guilt_of(trace, key_of(node).call, is_input=found.is_input) for node in nodes]


def concluded(session: Session) -> Pending:
    """Return what a session has come to: its last confirmed diagnosis stays what was found."""
    pending = session.pending
    if isinstance(pending, Diagnosis):
        return pending
    return session.found[-1] if session.found else pending


def earlier(trace: Trace, session: Session) -> list[Guilt]:
    """Look up the other bugs that the user confirmed, in order."""
    ended = concluded(session)
    key_of = session.case.tree.key
    return [guilty(trace, each, key_of)[0] for each in session.found if each != ended]
