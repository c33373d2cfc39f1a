"""The parts of a parsed query."""

from dataclasses import dataclass
from typing import TypeAlias

from sleuth.trace.path import RAISED, RETURN, Path
from sleuth.trace.values import Atom, Constant


@dataclass(frozen=True, slots=True)
class Literal:
    """A number, a text, True, False or None."""

    value: Atom | Constant


@dataclass(frozen=True, slots=True)
class Several:
    """Literals in parentheses or brackets, behind `in`."""

    items: tuple[Literal, ...]


@dataclass(frozen=True, slots=True)
class Named:
    """A path to a value."""

    path: Path
    at: int
    """Its index in the query."""
    is_end: bool = False
    """Whether the value at the end of the call is meant: `end:self.total`."""

    def __str__(self) -> str:
        return f"{END if self.is_end else ''}{self.path}"


@dataclass(frozen=True, slots=True)
class Length:
    """The length of a text, a list, ..."""

    of: Named

    def __str__(self) -> str:
        return f"len({self.of})"


Operand: TypeAlias = Literal | Several | Named | Length


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two operands and the sign between them."""

    left: Operand
    sign: str
    """== != < <= > >= in is, and `not in`, `is not`"""
    right: Operand


@dataclass(frozen=True, slots=True)
class Truth:
    """A value alone, which must count as true."""

    of: Operand


@dataclass(frozen=True, slots=True)
class Raised:
    """Whether the call raised an exception; of a class whose name fits a pattern."""

    pattern: str
    at: int


@dataclass(frozen=True, slots=True)
class Not:
    """The contrary of a condition."""

    of: "Condition"


@dataclass(frozen=True, slots=True)
class All:
    """Conditions joined by `and`."""

    parts: tuple["Condition", ...]


@dataclass(frozen=True, slots=True)
class Any:
    """Conditions joined by `or`."""

    parts: tuple["Condition", ...]


Condition: TypeAlias = Comparison | Truth | Raised | Not | All | Any


@dataclass(frozen=True, slots=True)
class Pattern:
    """The name of a function or a class, perhaps with * and ?."""

    text: str
    at: int


@dataclass(frozen=True, slots=True)
class Strand:
    """A thread or a task, by its number or its name."""

    kind: str
    """thread or task"""
    which: int | str
    at: int


@dataclass(frozen=True, slots=True)
class Query:
    """A parsed query."""

    text: str
    what: str
    """calls, writes, moments, threads or output"""
    which: str = ""
    """first, last, count; empty: all"""
    number: int = 1
    """How many, of the first or the last."""
    of: Pattern | None = None
    """The function whose calls are meant."""
    to: Named | None = None
    """The location that is written to."""
    where: Condition | None = None
    inside: tuple[Pattern, ...] = ()
    """The functions in whose calls it happened."""
    strand: Strand | None = None
    at: int | None = None
    before: int | None = None
    after: int | None = None


END = "end:"


def named_in(condition: Condition | None) -> tuple[Named, ...]:
    """Return the paths of a condition, in order."""
    match condition:
        case None | Raised():
            return ()
        case Not(inner):
            return named_in(inner)
        case All(parts) | Any(parts):
            return tuple(each for part in parts for each in named_in(part))
        case Truth(operand):
            return _named(operand)
        case Comparison(left, _, right):
            return (*_named(left), *_named(right))


def _named(operand: Operand) -> tuple[Named, ...]:
    match operand:
        case Named():
            return (operand,)
        case Length(of):
            return (of,)
    return ()


def about_calls(condition: Condition | None) -> int | None:
    """Return the index of the first word that has a meaning only for whole calls; None: none."""
    match condition:
        case Raised(_, at):
            return at
        case Not(inner):
            return about_calls(inner)
        case All(parts) | Any(parts):
            return next((at for at in map(about_calls, parts) if at is not None), None)
    for named in named_in(condition):
        is_ending = named.path.start in (RETURN, RAISED) and not named.path.is_global
        if named.is_end or is_ending:
            return named.at
    return None


def looks_inside(condition: Condition | None) -> bool:
    """Whether a condition depends on what objects contain: on a part, a length, being empty."""
    match condition:
        case None | Raised():
            return False
        case Not(inner):
            return looks_inside(inner)
        case All(parts) | Any(parts):
            return any(map(looks_inside, parts))
        case Truth():
            return True
        case Comparison(left, sign, right):
            has_length = isinstance(left, Length) or isinstance(right, Length)
            is_among = "in" in sign and isinstance(right, Named)
            return has_length or is_among or any(each.path.steps for each in named_in(condition))


def raises_in(condition: Condition | None) -> bool:
    """Whether a condition can hold only for calls that raised an exception."""
    match condition:
        case Raised():
            return True
        case All(parts):
            return any(map(raises_in, parts))
    return False
