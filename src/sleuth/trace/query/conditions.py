"""Conditions, decided for one call, write or moment: true, false, or not known."""

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple, Protocol

from sleuth.trace.heap.item_holder import item_holder
from sleuth.trace.history.steps import stepped
from sleuth.trace.path import NoOwnAttribute, NotKnownThere, Path, PathError, Step
from sleuth.trace.query.compare import compared, contrary, is_container, is_true
from sleuth.trace.query.syntax import (
    All,
    Any,
    Comparison,
    Condition,
    Length,
    Literal,
    Named,
    Not,
    Operand,
    Raised,
    Several,
    Truth,
)
from sleuth.trace.values import ABSENT, Absent, Atom, Cut, NotKept, Part, Ref, Value

if TYPE_CHECKING:
    from sleuth.trace.reader import Trace

NOT_RECORDED = "their values were not recorded"
NO_ATTRIBUTE = "an object did not have the attribute itself, but its class may"
BY_CODE = (
    "objects are compared by code of their class, which is not run here; compare one of their "
    "attributes"
)
UNKNOWN = NotKept("not recorded")


class Seen(NamedTuple):
    """A value, and the moment before which its contents are looked at."""

    value: Value
    at: int


class Scope(Protocol):
    """Where names are looked up."""

    def seen(self, named: Named) -> Seen:
        """Return the value of a path; PathError: there is none."""

    def raised(self, pattern: str) -> bool | None:
        """Whether the call raised an exception of a class with such a name."""


class Judge:
    """Decides a condition for many scopes, and remembers what could not be decided."""

    def __init__(self, trace: "Trace", condition: Condition | None) -> None:
        self._trace = trace
        self._condition = condition
        self._reason = NOT_RECORDED
        self._found: set[Named] = set()
        self._missed: dict[Named, str] = {}
        self.undecided: Counter[str] = Counter()
        """Reason -> how many could not be decided."""

    def holds(self, scope: Scope) -> bool:
        """Decide the condition; what can't be decided is counted, and does not hold."""
        truth = self.truth(scope)
        if truth is None:
            self.undecided[self._reason] += 1
        return truth is True

    def truth(self, scope: Scope) -> bool | None:
        """Decide the condition; None: not known."""
        self._reason = NOT_RECORDED
        return True if self._condition is None else self._decided(self._condition, scope)

    @property
    def nowhere(self) -> list[str]:
        """Sentences about paths that led to nothing every time."""
        return [
            f"{named} was not found once. The first time: {why}"
            for named, why in self._missed.items()
            if named not in self._found
        ]

    def _decided(self, condition: Condition, scope: Scope) -> bool | None:
        match condition:
            case Comparison(left, sign, right):
                return self._comparison(left, sign, right, scope)
            case All(parts):
                return _all(self._decided(part, scope) for part in parts)
            case Any(parts):
                return contrary(_all(contrary(self._decided(part, scope)) for part in parts))
            case Not(inner):
                return contrary(self._decided(inner, scope))
            case Raised(pattern):
                return scope.raised(pattern)
            case Truth(operand):
                return self._truth(self._operand(operand, scope))

    def _comparison(self, left: Operand, sign: str, right: Operand, scope: Scope) -> bool | None:
        one = self._operand(left, scope)
        if sign in ("in", "not in"):
            if isinstance(one.value, Absent):
                return False
            found = self._within(one.value, right, scope)
            return found if sign == "in" or found is None else not found
        return self._compared(one.value, sign, self._operand(right, scope).value)

    def _compared(self, left: Value, sign: str, right: Value) -> bool | None:
        truth = compared(left, sign, right)
        if truth is None and any(isinstance(each, Ref) for each in (left, right)):
            self._reason = BY_CODE
        return truth

    def _within(self, one: Value, right: Operand, scope: Scope) -> bool | None:
        if isinstance(right, Several):
            return _any(self._compared(one, "==", item.value) for item in right.items)
        held = self._operand(right, scope)
        match one, held.value:
            case NotKept(), _:
                return None
            case Atom(str() as part), Atom(str() as whole):
                return part in whole
            case Atom(bytes() as part), Atom(bytes() as whole):
                return part in whole
            case Atom(str() as part), Cut(kept=str() as kept):
                return True if part in kept else None
            case _, NotKept() | Cut():
                return None
            case _, Ref():
                return self._among(one, held)
        return False

    def _among(self, one: Value, held: Seen) -> bool | None:
        part = self._items(held)
        if part is None:
            self._reason = BY_CODE
            return None
        items = part.keys if part.kind == "mapping" else part.items
        found = _any(self._compared(one, "==", item) for item in items)
        return found if found or part.is_complete else None

    def _items(self, held: Seen) -> Part | None:
        """Return the items of a container; None: it has none, or they are not known."""
        if not isinstance(held.value, Ref):
            return None
        shape = self._trace.shape(held.value, held.at)
        if shape is None:
            return None
        _, shape = item_holder(self._trace, held.value, shape, held.at)
        if not shape.is_sure:
            return None
        return next((each for each in shape.parts if each.kind in _ITEMS), None)

    def _truth(self, seen: Seen) -> bool | None:
        if isinstance(seen.value, Ref) and is_container(seen.value):
            part = self._items(seen)
            return None if part is None else part.full_length > 0
        if isinstance(seen.value, Ref):
            self._reason = BY_CODE
        return is_true(seen.value)

    def _operand(self, operand: Operand, scope: Scope) -> Seen:
        match operand:
            case Literal(value):
                return Seen(value, 0)
            case Named():
                return self._named(operand, scope)
            case Length(of):
                held = self._named(of, scope)
                return Seen(self._length(held), held.at)
        return Seen(ABSENT, 0)

    def _length(self, held: Seen) -> Value:
        match held.value:
            case Atom(str() | bytes() as content):
                return Atom(len(content))
            case Cut(kind, length) if kind != "integer":
                return Atom(length)
            case Ref():
                part = self._items(held)
                return UNKNOWN if part is None else Atom(part.full_length)
            case NotKept():
                return UNKNOWN
        return ABSENT

    def _named(self, named: Named, scope: Scope) -> Seen:
        try:
            found = scope.seen(named)
        except NotKnownThere as error:
            self._missed.setdefault(named, str(error))
            if isinstance(error, NoOwnAttribute):
                self._reason = NO_ATTRIBUTE
            return Seen(UNKNOWN, 0)
        except PathError as error:
            self._missed.setdefault(named, str(error))
            return Seen(ABSENT, 0)
        self._found.add(named)
        return found


_ITEMS = ("sequence", "mapping", "set")


def inside(trace: "Trace", value: Value, steps: tuple[Step, ...], at: int, start: Path) -> Value:
    """Go into an object; PathError: there is no such part; NotKnownThere: that is not known."""
    done = start
    for step in steps:
        shape = trace.shape(value, at) if isinstance(value, Ref) else None
        if shape is not None and not shape.is_sure:
            raise NotKnownThere(f"Code that is not recorded may have changed {done}.")
        value = stepped(trace, value, step, at, str(done)).value
        done = Path(done.start, (*done.steps, step), done.is_global)
    return value


def _all(truths: Iterable[bool | None]) -> bool | None:
    unknown = False
    for truth in truths:
        if truth is False:
            return False
        unknown = unknown or truth is None
    return None if unknown else True


def _any(truths: Iterable[bool | None]) -> bool | None:
    unknown = False
    for truth in truths:
        if truth:
            return True
        unknown = unknown or truth is None
    return None if unknown else False
