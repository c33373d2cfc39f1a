"""The types of a search: Verdict, Answer, Question, Diagnosis, Contradiction, NoBug.

An answer is about an interval of moments in a call (a Key), so it holds in any tree over the same
trace.  What comes next is a Question, a Diagnosis, a Contradiction or NoBug.
"""

from dataclasses import dataclass, field, replace
from enum import Enum
from typing import NamedTuple, Protocol, TypeAlias, runtime_checkable

from sleuth.tree.node import ExecutionTree, Key, Masses, Numbers, Passed
from sleuth.tree.transformations.outline import Wished

USER = "user"
UNATTENDED = "unattended"
"""`by` of a "don't know" in an unattended session."""


class Verdict(Enum):
    """The value of an answer."""

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
    """Ask another question first."""


UNSURE = 0.5
"""Answers with at most this confidence don't make a diagnosis certain."""
JUDGEMENTS = (Verdict.RIGHT, Verdict.WRONG, Verdict.INADMISSIBLE)
"""Verdicts about the node itself."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer about a node, by the user or an oracle."""

    about: Key
    verdict: Verdict
    by: str = USER
    """The user, or the name of an oracle."""
    path: str = ""
    """The part that is wrong, as the user names it."""
    expected: str = ""
    note: str = ""
    is_for_all: bool = False
    """Whether all equal questions are answered at once, not only as they come up."""
    confidence: float = 1.0
    """How sure it is, from 0 to 1: the least sure answers are asked again first.  A "wrong" with a
    confidence of at most `UNSURE` does not exclude the nodes around."""
    passed: Passed | None = field(default=None, compare=False)
    """For a group: the calls excluded from it when it was judged; set by the session."""


@dataclass(frozen=True, slots=True)
class Given:
    """An answer and its number: 1, 2, ... in the order given; it never changes."""

    number: int
    answer: Answer
    also: tuple[Key, ...] = ()
    """The equal questions that it answers as well."""


@dataclass(frozen=True, slots=True)
class Alike:
    """Extends an answer to equal questions."""

    number: int
    also: tuple[Key, ...]


@dataclass(frozen=True, slots=True)
class Change:
    """Replaces or removes an earlier answer."""

    number: int
    answer: Answer | None


class Word(Enum):
    """The user's ruling on a diagnosis."""

    CONFIRMED = "confirmed"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class Ruling:
    """The user confirms a diagnosis, or rejects it."""

    about: Key
    word: Word


@dataclass(frozen=True, slots=True)
class Switch:
    """Switches an oracle off, which withdraws its answers, or on again."""

    name: str
    is_on: bool


@dataclass(frozen=True, slots=True)
class Naming:
    """The user's own name for a node; empty: the name is removed."""

    about: Key
    words: str


@dataclass(frozen=True, slots=True)
class Labelling:
    """The user's label for the objects of a class; without paths: it is removed."""

    class_name: str
    paths: str
    """As typed, see `trace/labels.py`."""


Entry: TypeAlias = Answer | Alike | Change | Ruling | Switch | Wished | Naming | Labelling
"""The entries of a session."""


class Ease(NamedTuple):
    """How a question compares to those that are nearly as good."""

    work: float
    """How long it takes to answer it: see `ease.work`; the least is 1."""
    among: int
    """How many questions were compared, itself included."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a question is asked, and what each answer would exclude."""

    strategy: str
    suspects: int
    """How many nodes may still hold the bug."""
    if_right: int
    """How many of them a "right" would exclude."""
    if_wrong: int
    share: float
    """The share of the suspicion in the subtree, from 0 to 1."""
    is_on_path: bool
    """Whether it is asked because it is on the symptom's path."""
    ease: Ease | None = None
    """How fast it is answered, of how many nearly as good; None: it was not chosen for that."""
    is_before_parts: bool = False
    """Whether it is a call or a loop that comes before its loops or turns."""


@dataclass(frozen=True, slots=True)
class Question:
    """A node to be judged."""

    number: int
    """1, 2, ...: one more than the number of the user's answers."""
    node: int
    about: Key
    reason: Reason
    again: int | None = None
    """The number of the answer that is asked again after a rejected diagnosis."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The guilty node, according to the answers."""

    node: int
    """The best candidate."""
    about: Key
    candidates: tuple[int, ...]
    """All nodes that may be guilty, the best first."""
    evidence: tuple[int, ...]
    """The numbers of the answers that it rests on."""
    between: tuple[int, ...]
    """The nodes between it and the root that were not judged wrong."""
    is_input: bool = False
    """Whether the inputs of the root are wrong."""
    is_confirmed: bool = False

    def confirmed_as(self, node: int, about: Key) -> "Diagnosis":
        """Return the diagnosis after the user confirmed this candidate."""
        return replace(self, node=node, about=about, candidates=(node,), is_confirmed=True)

    @property
    def is_only_one(self) -> bool:
        """Whether the answers leave just one node."""
        return len(self.candidates) == 1

    @property
    def is_certain(self) -> bool:
        """Whether the answers leave just one node, and lead to it from the symptom."""
        return self.is_only_one and self.is_traceable

    @property
    def is_traceable(self) -> bool:
        """Whether every node between it and the root was judged wrong."""
        return not self.between


class Clash(Enum):
    """How answers contradict each other."""

    SAME = "same"
    """A node was judged in two ways."""
    EQUAL = "equal"
    """Two nodes with equal questions were judged in two ways."""
    TRUST = "trust"
    """A call of a trusted function was judged wrong."""
    NOTHING_LEFT = "nothing-left"
    """A node without code of its own was judged wrong, and all nodes in it right."""
    REJECTED = "rejected"
    """The answers, asked again, name a node that was rejected."""


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Answers that can't all be true; the user has to say which one is false."""

    clash: Clash
    answers: tuple[int, ...]
    """The numbers of the answers."""
    node: int
    about: Key


@dataclass(frozen=True, slots=True)
class NoBug:
    """The conclusion that the recorded run has no bug."""

    is_running: bool = False
    """Whether the run may go on: there is no bug so far."""
    confirmed: int = 0
    """The number of bugs confirmed before."""
    unjudged: int = 0
    """The number of unjudged nodes: "don't know", or with a confirmed bug inside."""
    evidence: tuple[int, ...] = ()


Sources: TypeAlias = tuple[tuple[str, tuple[str, ...]], ...]
"""Hints by name, each with the files that it rests on."""
Pending: TypeAlias = Question | Diagnosis | Contradiction | NoBug


@runtime_checkable
class Oracle(Protocol):
    """Anything that can answer, except the user."""

    @property
    def name(self) -> str:
        """The `by` of its answers."""

    def answer(self, question: Question) -> Answer | None:
        """Answer a question; None: it does not know."""


@runtime_checkable
class QuickOracle(Oracle, Protocol):
    """An oracle that can quickly tell which of many nodes it may have an answer to.

    Other oracles get the pending question only; this one gets all that could be asked, so that the
    user is not asked anything while it can answer more.
    """

    def may_answer(self, tree: ExecutionTree, nodes: Numbers) -> Numbers:
        """Return those of the nodes that are worth asking it about."""


@runtime_checkable
class Hint(Protocol):
    """Anything that makes nodes more or less suspicious: it changes the order of questions only."""

    @property
    def name(self) -> str:
        """The name that switches it off."""

    def factors(self, tree: ExecutionTree) -> Masses:
        """Return how suspicious each node's own code is: above 1 more, below 1 less."""

    def reason(self, tree: ExecutionTree, node: int) -> str:
        """Return the reason in a few words; empty: it has none for this node."""


@runtime_checkable
class Follower(Protocol):
    """A hint that depends on the values that the user called wrong."""

    @property
    def name(self) -> str:
        """The name that switches it off."""

    def following(self, pointed: tuple[Answer, ...]) -> Hint | None:
        """Return the hint after such answers, the same one for the same answers; None: no hint."""
