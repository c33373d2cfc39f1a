"""Operations: the reads, calls, sums and stores in a function's source, and their inputs."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from sleuth.trace.events import Span

NONE = -1
_MOST = 1 << 22
"""An upper bound of lines and columns."""
MAKES_CODE = frozenset({"function", "class"})
HAS_VALUE = MAKES_CODE | {"constant"}
NAMELESS = frozenset(
    {
        "constant",
        "item",
        "store item",
        "delete item",
        "slice",
        "add",
        "extend",
        "iterate",
        "next",
        "branch",
        "return",
        "yield",
        "wait",
        "raise",
        "caught",
        "enter",
        "leave",
    }
)
"""Kinds of operations without a name."""
KINDS = NAMELESS | {
    "read",
    "store",
    "delete",
    "attribute",
    "store attribute",
    "delete attribute",
    "call",
    "compute",
    "make",
    "unpack",
    "function",
    "class",
    "import",
    "other",
}


class Made(NamedTuple):
    """An output of an operation; most have only output 0."""

    operation: int
    output: int


class Input(NamedTuple):
    """A value that an operation needs."""

    role: str
    """object, key, callee, receiver, position, name, operand, value, ...; depends on the kind."""
    made: tuple[Made, ...]
    """Outputs it can come from: it comes from the one that ran last in the same call."""


class Operation(NamedTuple):
    """One read, call, computation, store ... in the source."""

    kind: str
    name: str
    """A variable, attribute, operator, module, type of container; a call's argument names."""
    scope: str
    """For a variable: local, cell, global, class; inner: of a comprehension."""
    value: object
    """For a constant: as in the table.  For functions and classes: the number of the function."""
    statement: int
    """-1: no statement."""
    span: Span | None
    """None: it has no text in the source."""
    inputs: tuple[Input, ...]


def unpacked(
    columns: Sequence[Any], statements: Sequence[int]
) -> tuple[tuple[Operation, ...], list[tuple[int, ...]]]:
    """Read the columns of operations, and return the operations and which of them each step has.

    Forms: kind, scope, roles of inputs; the form of each; names and values of those that have one;
    inputs of all: a distance back, or [[distance, output], ...]; line as distance, column, how many
    lines more, and the end column, on the same line as a distance; of each step: how many
    operations it has that no step before has, or a list of them.  `statements` are those of steps.
    """
    forms, form_of, names, values, inputs, *spans, told_steps = columns
    of_steps = _of_steps(told_steps, len(form_of))
    statement_of: dict[int, int] = {}
    for statement, numbers in zip(statements, of_steps, strict=True):
        for number in numbers:
            statement_of.setdefault(number, statement)
    told, named, given = iter(values), iter(names), iter(inputs)
    made: list[Operation] = []
    for number, (at, span) in enumerate(zip(form_of, _spans(spans), strict=True)):
        kind, scope, *roles = forms[at]
        if kind not in KINDS or at < 0:
            raise ValueError("there is no such kind of operation")
        made.append(
            Operation(
                kind,
                "" if kind in NAMELESS else str(_next(named)),
                str(scope),
                _value(kind, told),
                statement_of.get(number, NONE),
                span,
                tuple([_input(number, role, _next(given), len(form_of)) for role in roles]),
            )
        )
    if any(next(each, _MISSING) is not _MISSING for each in (told, named, given)):
        raise ValueError("operations are not what their forms say")
    return tuple(made), of_steps


def _of_steps(told: Sequence[Any], count: int) -> list[tuple[int, ...]]:
    found: list[tuple[int, ...]] = []
    known = 0
    for new in told:
        if isinstance(new, list):
            numbers = tuple(map(int, new))
            known = max([known, *(number + 1 for number in numbers)])
        elif not 0 <= new <= count:
            raise ValueError("a step has operations that are not there")
        else:
            numbers = tuple(range(known, known + new))
            known += new
        if any(not 0 <= number < count for number in numbers):
            raise ValueError("a step has operations that are not there")
        found.append(numbers)
    return found


def _next(column: Iterator[Any]) -> Any:
    found = next(column, _MISSING)
    if found is _MISSING:
        raise ValueError("operations are not what their forms say")
    return found


_MISSING = object()


def _value(kind: str, told: Iterator[object]) -> object:
    if kind not in HAS_VALUE:
        return None
    value = _next(told)
    if kind in MAKES_CODE and not isinstance(value, int | None):
        raise ValueError("a function is not named by its number")
    return value


def _input(number: int, role: str, told: Any, count: int) -> Input:
    pairs = told if isinstance(told, list) else ((told, 0),)
    made = tuple([Made(number - int(back), int(output)) for back, output in pairs])
    for operation, output in made:
        if not 0 <= operation < count or output < 0:
            raise ValueError("an operation gets its value from nowhere")
    if not made:
        raise ValueError("an operation gets its value from nowhere")
    return Input(str(role), made)


def _spans(columns: Sequence[Sequence[Any]]) -> Iterator[Span | None]:
    line = 0
    for distance, column, more, end in zip(*columns, strict=True):
        line += int(distance)
        if min(line, column, more) < 0 or max(line + more, column, abs(end)) >= _MOST:
            raise ValueError("an operation stands nowhere")
        if more:
            yield Span(line, int(column), line + int(more), int(end))
        else:
            yield Span(line, int(column), line, int(column + end)) if end else None
