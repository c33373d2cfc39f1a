"""Origin: the operation that made a value, the copies on the way, and its inputs."""

from collections.abc import Callable
from dataclasses import dataclass, field

from sleuth.trace.events import CallId, Moment
from sleuth.trace.values import Value


def _none() -> "tuple[Origin, ...]":
    return ()


@dataclass(frozen=True, slots=True)
class Origin:
    """An operation that made or passed on a value."""

    path: str
    """What the value was called: a path, or the text of an input, or its role."""
    value: Value
    """Absent: not known."""
    operation: str
    """The kind of operation; empty: not known."""
    text: str
    """Its text in the source."""
    file: str
    line: int | None
    function: str
    call: CallId | None
    moment: Moment | None
    """The last event of the call before it."""
    seen: Moment | None
    """The contents of the value are those before the event at this moment."""
    through: tuple["Origin", ...] = ()
    """The copies on the way, the newest first."""
    unknown: str | None = None
    """What is not known, as a sentence."""
    find_inputs: Callable[[], tuple["Origin", ...]] = field(
        default=_none, repr=False, compare=False
    )

    @property
    def inputs(self) -> tuple["Origin", ...]:
        """The origins of what the operation was given, found when they are asked for."""
        return self.find_inputs()

    @property
    def is_known(self) -> bool:
        """Whether the operation is known."""
        return bool(self.operation)
