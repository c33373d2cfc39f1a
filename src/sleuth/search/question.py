"""The words of asking: Verdict, Answer, Question, Diagnosis, and what else can come next.

An answer is about an interval of moments in a call (a Key), so it holds in any tree over the same
trace.  What comes next is a Question, a Diagnosis, a Contradiction or NoBug.
"""

from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Protocol, TypeAlias, runtime_checkable

from sleuth.tree.node import ExecutionTree, Key, Masses, Numbers, Passed
from sleuth.tree.transformations.outline import Wished

USER = "user"
UNATTENDED = "unattended"
"""Stands in `by` of a "don't know" that nobody said: nobody was there to ask."""


class Verdict(Enum):
    """What can be said of a node."""

    RIGHT = "right"
    WRONG = "wrong"
    UNKNOWN = "unknown"
    INADMISSIBLE = "inadmissible"
    """It should not have been called like that."""
    TRUST_FUNCTION = "trust-function"
    TRUST_MODULE = "trust-module"
    DOUBT_FUNCTION = "doubt-function"
    DOUBT_MODULE = "doubt-module"
    SKIP = "skip"
    """Another question first."""


UNSURE = 0.5
"""So little confidence is not enough for a diagnosis that is certain."""
JUDGEMENTS = (Verdict.RIGHT, Verdict.WRONG, Verdict.INADMISSIBLE)
"""Verdicts that claim something of the node itself."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What somebody said of a node."""

    about: Key
    verdict: Verdict
    by: str = USER
    """Who: the user, or an oracle's name."""
    path: str = ""
    """The part that is wrong, as the user names it."""
    expected: str = ""
    note: str = ""
    is_for_all: bool = False
    """Whether equal questions are looked for at once, and not only as they come up."""
    confidence: float = 1.0
    """How sure it is, from 0 to 1: the weakest answers are asked again first.  What is wrong with a
    confidence of at most `UNSURE` does not rule out what is around it."""
    passed: Passed | None = field(default=None, compare=False)
    """Of a group: what was none of it where it was asked about; a session sets it."""


@dataclass(frozen=True, slots=True)
class Given:
    """An answer and its number: 1, 2, ... in the order they were given, whatever happened since."""

    number: int
    answer: Answer
    also: tuple[Key, ...] = ()
    """Equal questions that it answers as well."""


@dataclass(frozen=True, slots=True)
class Alike:
    """An answer holds for equal questions as well."""

    number: int
    also: tuple[Key, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """An earlier answer becomes another one, or none."""

    number: int
    answer: Answer | None


class Word(Enum):
    """What the user says of a diagnosis."""

    CONFIRMED = "confirmed"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Ruling:
    """The user confirms a diagnosis, or rejects it."""

    about: Key
    word: Word


@dataclass(frozen=True, slots=True)
class Switch:
    """An oracle is switched off, and all that it said is taken back; or it is switched on again."""

    name: str
    is_on: bool


@dataclass(frozen=True, slots=True)
class Naming:
    """The user's own words for what a node is an execution of; none: they are taken back."""

    about: Key
    words: str


Entry: TypeAlias = Answer | Alike | Change | Ruling | Switch | Wished | Naming
"""What a session consists of."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why this question, and what each answer would exclude."""

    strategy: str
    suspects: int
    """How many nodes may still hold the bug."""
    if_right: int
    """How many of them a "right" would exclude."""
    if_wrong: int
    share: float
    """The part of the suspicion that lies in the subtree, from 0 to 1."""
    is_on_path: bool
    """Whether it is asked because it lies on the path of the symptom."""


@dataclass(frozen=True, slots=True)
class Question:
    """A node to be judged."""

    number: int
    """1, 2, ...: one more than there are answers of the user."""
    node: int
    about: Key
    reason: Reason
    again: int | None = None
    """The number of the answer that is asked again, since a diagnosis was rejected."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The guilty node, given these answers."""

    node: int
    """The best candidate."""
    about: Key
    candidates: tuple[int, ...]
    """All nodes that may be it, the best first; one if it is certain."""
    evidence: tuple[int, ...]
    """The numbers of the answers that it rests on."""
    between: tuple[int, ...]
    """Nodes between it and the root that nobody judged wrong."""
    is_input: bool = False
    """Whether the root itself should not have been run like that."""
    is_confirmed: bool = False

    def confirmed_as(self, node: int, about: Key) -> "Diagnosis":
        """Return the same after the user said that this candidate is it."""
        return replace(self, node=node, about=about, candidates=(node,), is_confirmed=True)

    @property
    def is_certain(self) -> bool:
        """Whether the answers leave just one node."""
        return len(self.candidates) == 1

    @property
    def is_traceable(self) -> bool:
        """Whether every node between it and the root was judged wrong."""
        return not self.between


class Clash(Enum):
    """In what way answers contradict each other."""

    SAME = "same"
    """A node was judged in two ways."""
    EQUAL = "equal"
    """Two nodes with equal questions were judged in two ways."""
    TRUST = "trust"
    """A call of a trusted function was judged wrong."""
    NOTHING_LEFT = "nothing-left"
    """A node without code of its own was judged wrong and all in it right."""
    REJECTED = "rejected"
    """The answers, asked again, name a node that was rejected."""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Answers that can't all be true: the user has to say which one is not."""

    clash: Clash
    answers: tuple[int, ...]
    """Their numbers."""
    node: int
    about: Key


@dataclass(frozen=True, slots=True)
class NoBug:
    """No bug in what was recorded."""

    is_running: bool = False
    """Whether more may be recorded: nothing wrong so far."""
    confirmed: int = 0
    """How many bugs were confirmed before."""
    unjudged: int = 0
    """How many nodes were not judged: "don't know", or they contain a bug that was confirmed."""
    evidence: tuple[int, ...] = ()


Pending: TypeAlias = Question | Diagnosis | Contradiction | NoBug


@runtime_checkable
class Oracle(Protocol):
    """Anything that can answer; the user is outside."""

    @property
    def name(self) -> str:
        """Stands in `by` of its answers."""

    def answer(self, question: Question) -> Answer | None:
        """Answer a question; None: it can't say."""


@runtime_checkable
class QuickOracle(Oracle, Protocol):
    """One that can tell at a glance, of many nodes, which it may have an answer to.

    Others are asked about the pending question only; this one about all that could be asked, so
    that nobody is asked anything while it can say more.
    """

    def may_answer(self, tree: ExecutionTree, nodes: Numbers) -> Numbers:
        """Return those of the nodes that are worth asking it about."""


@runtime_checkable
class Hint(Protocol):
    """Anything that makes nodes more or less suspicious: it changes the order of questions only."""

    @property
    def name(self) -> str:
        """What switches it off."""

    def factors(self, tree: ExecutionTree) -> Masses:
        """Return of each node how suspicious its own code is: above 1 more, below 1 less."""

    def reason(self, tree: ExecutionTree, node: int) -> str:
        """Say why, in a few words; nothing: it has nothing to say of this node."""
