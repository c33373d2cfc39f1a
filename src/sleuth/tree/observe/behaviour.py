"""Behaviour: what a node did, which is what a user judges.

It has the inputs, the outcome, the changes, the output and the used variables of a node, and says
what is not known.  `tree/observe/calls.py` makes it from a trace.
"""

from dataclasses import dataclass
from typing import NamedTuple

from sleuth.trace.events import Call, CallId, Function, Moment, Site
from sleuth.trace.heap.difference import Change
from sleuth.trace.values import ABSENT, Value

RUN = "run"
"""The whole run: all calls without a caller."""
CALL = "call"
METHOD = "method"
CONSTRUCTOR = "constructor"
PROPERTY = "property"
OPERATOR = "operator"
LAMBDA = "lambda"
GENERATOR = "generator"
COROUTINE = "coroutine"
CLASS_BODY = "class body"
MODULE_BODY = "module body"
CODE_BODY = "code body"
"""Statements that the program compiled from a text and ran, as `exec` does."""
EXPRESSION = "expression"
"""An expression that the program compiled from a text and ran, as `eval` does."""
LOOP = "loop"
"""One execution of a loop, with all its turns."""
TURNS = "turns"
"""Several consecutive turns of a loop."""
TURN = "turn"
STEP = "step"
"""One step of a generator: from its resumption to its next value."""
STEPS = "steps"
GROUP = "group"
"""Sibling calls."""
KINDS = (
    RUN,
    CALL,
    METHOD,
    CONSTRUCTOR,
    PROPERTY,
    OPERATOR,
    LAMBDA,
    GENERATOR,
    COROUTINE,
    CLASS_BODY,
    MODULE_BODY,
    CODE_BODY,
    EXPRESSION,
    LOOP,
    TURNS,
    TURN,
    STEP,
    STEPS,
    GROUP,
)

RETURNED = "returned"
RAISED = "raised"
STOPPED = "stopped"
"""A generator that was exhausted."""
CLOSED = "closed"
"""A generator that was closed by its consumer."""
NOT_REQUESTED = "not requested"
"""A generator that was not asked for more values."""
NEVER_STARTED = "never started"
UNFINISHED = "unfinished"
LOST = "lost"
"""It ended, but how was not seen."""
PASSED = "passed"
"""A loop or turn that ended normally: its call went on."""
LEFT = "left"
"""A turn that left its loop early."""
ENDINGS = (
    RETURNED,
    RAISED,
    STOPPED,
    CLOSED,
    NOT_REQUESTED,
    NEVER_STARTED,
    UNFINISHED,
    LOST,
    PASSED,
    LEFT,
)

LOCAL = "local"
"""Scope of a variable of the call that contains a loop."""
NAMESPACE = "namespace"
"""Scope of a variable in the namespace in which `exec` or `eval` ran a text."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A value under a path, and the moment at which it is looked at."""

    path: str
    value: Value
    at: Moment
    scope: str = ""
    """For a used variable: global, closure, or local to the call that contains a loop."""


@dataclass(frozen=True, slots=True)
class Stream:
    """The values that a generator yielded, or that a coroutine awaited."""

    given: tuple[Seen, ...]
    """The first values, in order."""
    count: int
    """How many values there were."""
    sent: tuple[Seen, ...]
    """The values that were sent to it, without None."""
    resumed: int
    """How often it was resumed."""
    is_whole: bool = True
    """False: it was too long to count all."""


@dataclass(frozen=True, slots=True)
class Taken:
    """Values that a call took one by one, as they were made."""

    path: str
    """The argument that gave them; empty: what a generator expression goes over."""
    items: tuple[tuple[Seen, ...], ...]
    """The first ones, in order; an item that is stored in several variables has several values."""
    count: int
    source: CallId | None
    """The call of the generator that gave them; None: it is not recorded, or it is no generator."""
    is_whole: bool = True
    """False: there were too many to count all."""


@dataclass(frozen=True, slots=True)
class Printed:
    """The output of a call and its callees."""

    lines: tuple[str, ...]
    """Lines of standard output, including an unfinished last one."""
    errors: tuple[str, ...] = ()
    """Lines of standard error."""
    is_whole: bool = True
    """False: the call is too long, so that there may be more."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a node: how it ended, with which value."""

    how: str
    """One of ENDINGS."""
    value: Value = ABSENT
    """The returned value, or the exception."""
    arguments: tuple[Value, ...] = ()
    """The arguments of the exception, if it was raised inside."""
    line: int | None = None
    """Where the exception left the call."""
    is_thrown: bool = False
    """Whether the exception was thrown into it where it waited: it was cancelled, for example."""


@dataclass(frozen=True, slots=True)
class Gaps:
    """What is not known of a behaviour."""

    not_kept: tuple[tuple[str, int, int], ...] = ()
    """Paths of objects of which only some items are kept, how many, and of how many."""
    unsure: tuple[str, ...] = ()
    """Paths of objects that may have been changed by code that is not recorded."""
    hidden: tuple[str, ...] = ()
    """Paths of values that were not kept: secrets, and values that could not be read."""
    is_whole: bool = True
    """False: not all reachable objects were compared."""
    has_contents: bool = True
    """False: the contents of objects were not recorded."""
    variables: tuple[str, ...] = ()
    """Variables that it used, if it is not known what they were."""
    closure: str = ""
    """The enclosing function whose variables it may use, if they are not known."""


@dataclass(frozen=True, slots=True)
class LoopPart:
    """One execution of a loop, or some turns of it."""

    site: Site
    head: str
    """The head of the loop as written."""
    first: int
    """The first of its turns, counted from 1."""
    last: int
    count: int
    """The number of all turns of the loop."""
    is_loop: bool
    """Whether it is the whole loop, including its head."""
    names: tuple[str, ...] = ()
    """The variables that each turn begins with."""
    around: str = ""
    """For a loop in a comprehension: the text of the comprehension."""
    name: str = ""
    """The user's name for the loop; empty: it has none."""

    @property
    def is_stream(self) -> bool:
        """Whether these are steps of a generator, not turns of a loop."""
        return self.site.kind == "stream"


@dataclass(frozen=True, slots=True)
class Made:
    """What some turns of a comprehension made."""

    items: tuple[Seen, ...] = ()
    """The first items, for a list."""
    count: int = 0
    whole: Seen | None = None
    """The whole result, for all turns together."""


@dataclass(frozen=True, slots=True)
class Group:
    """Sibling calls that are judged together."""

    members: tuple[Call, ...]
    """The first members, in order."""
    count: int
    """The number of all members."""


class Known(NamedTuple):
    """The name by which a person knows a call, other than that of its code."""

    name: str
    by: str = ""
    """The decorator whose wrapper it is; empty: it is no wrapper."""

    @property
    def text(self) -> str:
        """The whole name."""
        return f"{self.name}{self.behind}"

    @property
    def behind(self) -> str:
        """The text after name and arguments."""
        return f", as decorated by {self.by}" if self.by else ""


@dataclass(frozen=True, slots=True)
class Behaviour:
    """What a call did, or a part of it."""

    call: Call
    function: Function | None
    kind: str
    """One of KINDS."""
    first: Moment
    """Inputs are looked at before the event at this moment."""
    last: Moment
    """Results are looked at before the event at this moment."""
    given: tuple[Seen, ...]
    outcome: Outcome
    stream: Stream | None
    printed: Printed
    changes: tuple[Change, ...]
    meanwhile: tuple[Change, ...]
    """Changes by others while it ran, to its inputs: not its own effects."""
    used: tuple[Seen, ...]
    """Globals and variables of enclosing functions that are named in the lines it ran."""
    same: tuple[str, ...]
    """Variables of which nothing changed, nor anything that can be reached from them."""
    aliases: tuple[tuple[str, str], ...]
    """Pairs of paths to the same object."""
    gaps: Gaps
    written: str = ""
    """The text of the call in its caller; empty if not known."""
    part: LoopPart | None = None
    """For a loop and for turns: which turns."""
    group: Group | None = None
    """For a group: its calls; `call` is then their caller."""
    made: Made | None = None
    """For turns of a comprehension: what they made, if known."""
    known: Known | None = None
    """The name by which a person knows it, if it is not that of its code."""
    folded: tuple[Change, ...] = ()
    """Changes inside objects of the standard library; they mean nothing to the program."""

    taken: tuple[Taken, ...] = ()
    """What it took from generators that it was given."""

    @property
    def name(self) -> str:
        """The name by which a person knows it, or the qualified name of its function."""
        if self.known is not None:
            return self.known.text
        if self.kind == RUN:
            return "the whole run"
        if self.function is None:
            return f"function {self.call.function}"
        return self.function.qualified_name

    @property
    def is_set(self) -> bool:
        """Whether it sets a property: it has the new value as an argument beside the object."""
        return self.kind == PROPERTY and len(self.given) > 1

    @property
    def rests_on_others(self) -> bool:
        """Whether others changed its inputs while it ran."""
        return bool(self.meanwhile)
