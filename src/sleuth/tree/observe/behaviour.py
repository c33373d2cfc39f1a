"""The words for what a node did: the claim that is judged.

A behaviour says what ran, what it was given, what came of it, what it changed, printed and used;
and of what nothing is known.  `tree/observe/calls.py` makes them from a trace.
"""

from dataclasses import dataclass
from typing import NamedTuple

from sleuth.trace.events import Call, Function, Moment, Site
from sleuth.trace.heap.difference import Change
from sleuth.trace.values import ABSENT, Value

RUN = "run"
"""The whole run: all calls that nobody made."""
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
LOOP = "loop"
"""One execution of a loop, with all its turns."""
TURNS = "turns"
"""Several turns of a loop, one behind the other."""
TURN = "turn"
STEP = "step"
"""One step of a generator: from where it went on to where it gave its next value."""
STEPS = "steps"
GROUP = "group"
"""Calls side by side."""
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
"""A stream that gave all it had."""
CLOSED = "closed"
"""A stream of which nobody wanted more, and that was told so."""
NOT_REQUESTED = "not requested"
"""A stream of which nobody asked for more."""
NEVER_STARTED = "never started"
UNFINISHED = "unfinished"
LOST = "lost"
"""It ended, but not seen how."""
PASSED = "passed"
"""A loop or a turn of it, behind which its call went on."""
LEFT = "left"
"""A turn that left its loop."""
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
"""The scope of a variable of the call that a loop is in."""


@dataclass(frozen=True, slots=True)
class Seen:
    """A value under a path, and the moment at which it is looked at."""

    path: str
    value: Value
    at: Moment
    scope: str = ""
    """Of something used that is no argument: global, closure, or local to the call of a loop."""


@dataclass(frozen=True, slots=True)
class Stream:
    """What a generator gave, or a coroutine waited for."""

    given: tuple[Seen, ...]
    """The first values, in order."""
    count: int
    """How many there were."""
    sent: tuple[Seen, ...]
    """What was sent to it that is more than a wish to go on."""
    resumed: int
    """How often it went on."""
    is_whole: bool = True
    """False: it is so long that there may be more than was counted."""


@dataclass(frozen=True, slots=True)
class Printed:
    """What was written, by the call and the calls it made."""

    lines: tuple[str, ...]
    """Of standard output; a line that was not ended counts."""
    errors: tuple[str, ...] = ()
    """Of standard error."""
    is_whole: bool = True
    """False: there may be more; the call is too long to look at all of it."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of it."""

    how: str
    """One of ENDINGS."""
    value: Value = ABSENT
    """What was returned or raised."""
    arguments: tuple[Value, ...] = ()
    """Of an exception, if it began inside."""
    line: int | None = None
    """Where the exception left the call."""


@dataclass(frozen=True, slots=True)
class Gaps:
    """What is not known."""

    not_kept: tuple[tuple[str, int, int], ...] = ()
    """Paths of objects of which only some items are kept: how many, of how many."""
    unsure: tuple[str, ...] = ()
    """Paths of objects that may have been changed by code that is not recorded."""
    hidden: tuple[str, ...] = ()
    """Paths of values of which only a reason is kept: secrets, and what could not be read."""
    is_whole: bool = True
    """False: not all that can be reached was compared."""
    has_contents: bool = True
    """False: what objects contain was not recorded."""
    closure: str = ""
    """The function whose variables it may use, if it is not known what they were."""


@dataclass(frozen=True, slots=True)
class LoopPart:
    """A loop that was executed, or some turns of it."""

    site: Site
    head: str
    """How it is written."""
    first: int
    """The first of its turns, counted from 1."""
    last: int
    count: int
    """How many turns the loop has in all."""
    is_loop: bool
    """Whether it is the whole loop, with its head."""
    names: tuple[str, ...] = ()
    """The variables that each turn begins with."""
    around: str = ""
    """Of a loop inside an expression: that expression."""

    @property
    def is_stream(self) -> bool:
        """Whether these are steps of a generator and not turns of a loop."""
        return self.site.kind == "stream"


@dataclass(frozen=True, slots=True)
class Made:
    """What some turns of a comprehension made."""

    items: tuple[Seen, ...] = ()
    """The first items, if it is a list."""
    count: int = 0
    whole: Seen | None = None
    """The result, of all turns together."""


@dataclass(frozen=True, slots=True)
class Group:
    """Calls side by side that one call made."""

    members: tuple[Call, ...]
    """The first of them, in order."""
    count: int
    """How many there are."""


class Known(NamedTuple):
    """A name that says more than that of the code."""

    name: str
    by: str = ""
    """The decorator whose code it is; nothing: it is the function's own."""

    @property
    def text(self) -> str:
        """The whole name."""
        return f"{self.name}{self.behind}"

    @property
    def behind(self) -> str:
        """What stands behind name and arguments."""
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
    """What others changed while it ran, of what it was given and used: not its effect."""
    used: tuple[Seen, ...]
    """Globals and variables of functions around it whose names stand in the lines it ran."""
    same: tuple[str, ...]
    """Variables that were compared with all that can be reached from them: nothing changed."""
    aliases: tuple[tuple[str, str], ...]
    """Pairs of paths to one and the same object."""
    gaps: Gaps
    written: str = ""
    """How the call is written where it is made; nothing if that is not known."""
    part: LoopPart | None = None
    """Of a loop and of turns: which."""
    group: Group | None = None
    """Of a group: which calls; the call is the one that made them."""
    made: Made | None = None
    """Of turns of a comprehension: what they made, if that is known."""
    known: Known | None = None
    """The name by which a person knows it, if its code has another one."""

    @property
    def name(self) -> str:
        """The qualified name of its function, or that by which a person knows it."""
        if self.known is not None:
            return self.known.text
        if self.kind == RUN:
            return "the whole run"
        if self.function is None:
            return f"function {self.call.function}"
        return self.function.qualified_name

    @property
    def is_set(self) -> bool:
        """Whether it sets a property: it was given the new value beside the object."""
        return self.kind == PROPERTY and len(self.given) > 1

    @property
    def rests_on_others(self) -> bool:
        """Whether others changed what it worked with while it did."""
        return bool(self.meanwhile)
