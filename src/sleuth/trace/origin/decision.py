"""Decision: where a call could have gone another way, which would have written something."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from sleuth.trace.events import CallId, Moment
from sleuth.trace.origin.origin import Origin
from sleuth.trace.values import Value

GAVE, ENDED, WENT_ON, RAISED, NOT_ENTERED, NOT_RESUMED = (
    "gave",
    "ended",
    "went on",
    "raised",
    "not entered",
    "not resumed",
)
"""What was decided: a condition gave a value; a loop ended, or went on; an operation raised; a
handler was not entered; a generator or coroutine was not resumed."""


def _none() -> tuple[Origin, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class Decision:
    """A decision whose other way would have written a location, or may have."""

    text: str
    """The text of the condition, the head of the loop or handler, the operation that raised."""
    how: str
    """What was decided: gave, ended, went on, raised, not entered, not resumed."""
    value: Value
    """What the condition gave, or what was raised; absent: not known, or there is none."""
    file: str
    line: int | None
    function: str
    call: CallId
    moment: Moment
    """The last event of the call before it."""
    seen: Moment
    """The contents of values are those before the event at this moment."""
    would: str
    """What the other way would have done."""
    is_direct: bool
    """Whether the call itself would have written it, and not a function that it calls."""
    operation: int
    """The operation that decided, by its number in the function's flow."""
    unknown: str | None = None
    """What is not known, as a sentence."""
    find_inputs: Callable[[], tuple[Origin, ...]] = field(default=_none, repr=False, compare=False)

    def would_do(self, text: str, *, is_direct: bool) -> "Decision":
        """Return the decision with what the other way would have done."""
        return replace(self, would=text, is_direct=is_direct)

    @property
    def inputs(self) -> tuple[Origin, ...]:
        """The origins of the values that decided, found when they are asked for."""
        return self.find_inputs()
