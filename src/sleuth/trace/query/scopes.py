"""Scopes, in which the names of a condition are looked up: a call, a call at a moment, a write."""

from typing import TYPE_CHECKING

from sleuth.trace.columns import Columns
from sleuth.trace.events import Call, EventKind, Moment
from sleuth.trace.heap.roots import end_of
from sleuth.trace.history.locations import Global, Pointed, pointed
from sleuth.trace.path import RAISED, RETURN, NotKnownThere, Path, PathError, Step, literal
from sleuth.trace.query.conditions import Seen, inside
from sleuth.trace.query.names import fits, is_local, type_names
from sleuth.trace.query.syntax import Named
from sleuth.trace.values import Absent, Ref, Value

if TYPE_CHECKING:
    from sleuth.trace.reader import Trace

_NEAR = 2000
"""Moments before the end of a call in which its exception is searched."""
RETURNED, LEFT = 1, 2
"""Numbers of outcomes in the columns of calls."""


class InCall:
    """Names of a call: its arguments as they were given, all else as it was at its end."""

    def __init__(self, trace: "Trace", columns: Columns, number: int) -> None:
        self._trace = trace
        self.number = number
        self.function = int(columns.function[number])
        self.first = int(columns.first[number])
        self.last = int(columns.last[number])
        self.outcome = int(columns.outcome[number])
        self.given: dict[str, Value] | None = None
        """The arguments, if they were read together with others."""
        self.finals: dict[str, Value] = {}
        """Variables at its end, if they were read together with others."""
        self.result: Value | None = None
        """What it returned or raised, if that was read together with others."""

    @property
    def call(self) -> Call:
        """The call itself."""
        return self._trace.call(self.number)

    def seen(self, named: Named) -> Seen:
        """Return the value of a path; PathError: there is none."""
        path = named.path
        if path.start in (RETURN, RAISED) and not path.is_global:
            return self._ended(path)
        if path.start in self.finals and not path.steps and not path.is_global:
            return Seen(self.finals[path.start], self.last)
        if not named.is_end and not path.is_global:
            given = self._arguments()
            if path.start in given:
                value = given[path.start]
                if path.steps:
                    value = inside(self._trace, value, path.steps, self.first, Path(path.start))
                return Seen(value, self.first)
        call = self.call
        end = end_of(self._trace, call)
        return Seen(_value_at(self._trace, path, call, end), end)

    def raised(self, pattern: str) -> bool | None:
        """Whether an exception left the call, of a class with such a name."""
        if self.outcome != LEFT or not pattern:
            return self.outcome == LEFT
        value = self._value()
        return fits(pattern, type_names(value.type_name)) if isinstance(value, Ref) else None

    def _arguments(self) -> dict[str, Value]:
        if self.given is None:
            function = self._trace.function(self.function)
            names = function.parameters if function else ()
            values = self._trace.arguments(self.call)
            self.given = {
                name: value
                for name, value in zip(names, values, strict=False)
                if not isinstance(value, Absent)
            }
        return self.given

    def _value(self) -> Value:
        if self.result is None:
            self.result = self._trace.result(self.call)
        return self.result

    def _ended(self, path: Path) -> Seen:
        if self.outcome != (RETURNED if path.start == RETURN else LEFT):
            raise PathError(f"Call {self.number} has no {path.start}.")
        value, steps = self._value(), path.steps
        if path.start == RAISED and steps and steps[0].kind == "item":
            value, steps = self._argument(value, steps[0]), steps[1:]
        return Seen(inside(self._trace, value, steps, self.last, Path(path.start)), self.last)

    def _argument(self, exception: Value, step: Step) -> Value:
        """Return an argument of the exception, which the event that raised it has."""
        first = max(self.first, self.last - _NEAR)
        raises = list(self._trace.events(first, self.last, kind=EventKind.RAISE))
        given = next(
            (each.values for each in reversed(raises) if each.values[0] == exception), None
        )
        number = literal(step.text)
        if given is None or number is None or not isinstance(number.content, int):
            raise NotKnownThere(f"raised{step} is not known.")
        if not 0 <= number.content < len(given) - 1:
            raise PathError(f"There is no raised{step}; it has {len(given) - 1} arguments.")
        return given[number.content + 1]


def _value_at(trace: "Trace", path: Path, call: Call, at: int) -> Value:
    """Return the value of a path in a call before the event at a moment."""
    if path.is_global:
        return pointed(trace, str(path), call, Moment(at)).value
    start = Path(path.start)
    found = found_at(trace, start, call, at)
    return inside(trace, found.value, path.steps, at, start)


def found_at(trace: "Trace", start: Path, call: Call, at: int) -> Pointed:
    """Return what a name means in a call; PathError: nothing yet, though a global is called so."""
    found = pointed(trace, str(start), call, Moment(at))
    function = trace.function(call.function)
    is_global = isinstance(found.location, Global)
    if is_global and function is not None and is_local(trace, function, start.start):
        raise PathError(f"There is no {start} yet.")
    return found


class AtMoment:
    """Names of a call at a moment, with the effect of the event at the moment before."""

    def __init__(self, trace: "Trace", call: Call, at: int) -> None:
        self._trace = trace
        self._call = call
        self._at = min(at, trace.event_count)

    def seen(self, named: Named) -> Seen:
        """Return the value of a path; PathError: there is none."""
        return Seen(_value_at(self._trace, named.path, self._call, self._at), self._at)

    def raised(self, pattern: str) -> bool | None:  # noqa: ARG002 - of a call that goes on
        """Answer no: the call is still going on."""
        return False


class InFrame:
    """Plain variables of a call, as a table."""

    def __init__(self, values: dict[str, Value], at: int) -> None:
        self._values = values
        self._at = at

    def seen(self, named: Named) -> Seen:
        """Return the value of a variable; PathError: it has none yet."""
        value = self._values.get(named.path.start)
        if value is None or isinstance(value, Absent):
            raise PathError(f"There is no {named.path.start} yet.")
        return Seen(value, self._at)

    def raised(self, pattern: str) -> bool | None:  # noqa: ARG002 - of a call that goes on
        """Answer no: the call is still going on."""
        return False


class InTable:
    """A few names with their values, such as `value` of a write."""

    def __init__(self, trace: "Trace", values: dict[str, Value], at: int) -> None:
        self._trace = trace
        self._values = values
        self._at = at

    def seen(self, named: Named) -> Seen:
        """Return the value of a path; PathError: there is none."""
        path = named.path
        value = self._values[path.start]
        if isinstance(value, Absent):
            raise PathError(f"There is no {path.start}.")
        if not path.steps:
            return Seen(value, self._at)
        return Seen(inside(self._trace, value, path.steps, self._at, Path(path.start)), self._at)

    def raised(self, pattern: str) -> bool | None:  # noqa: ARG002 - of no call
        """Answer no: it is not about a call."""
        return False
