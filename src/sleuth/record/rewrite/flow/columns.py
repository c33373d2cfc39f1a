"""Packs operations into the columns of the flow table, as small numbers."""

from collections.abc import Sequence
from typing import Any

from sleuth.record.rewrite.flow.operations import Made, Operation, Operations
from sleuth.trace.flow.operations import HAS_VALUE, MAKES_CODE, NAMELESS

_FORMS, _FORM_OF, _NAMES, _VALUES = range(4)
"""Indexes of columns."""


def of_operations(found: Operations) -> list[list[Any]]:
    """Return the columns that `trace.flow.operations.unpacked` reads."""
    operations = found.all
    forms: dict[tuple[str, ...], int] = {}
    form_of: list[int] = []
    for each in operations:
        form = each.kind, each.scope, *[role for role, _ in each.inputs]
        form_of.append(forms.setdefault(form, len(forms)))
    return [
        [list(form) for form in forms],
        form_of,
        [each.name for each in operations if each.kind not in NAMELESS],
        [each.value for each in operations if each.kind in HAS_VALUE],
        [_input(number, made) for number, each in enumerate(operations) for _, made in each.inputs],
        *_spans(operations),
        _of_steps(found.of_steps),
    ]


def _input(number: int, made: tuple[Made, ...]) -> object:
    """Return the distance to the operation that made the value, as a number if there is only one.

    Else a list: distance and number of the output, for each operation that can have made it.
    """
    if len(made) == 1 and not made[0][1]:
        return number - made[0][0]
    return [[number - maker, out] for maker, out in made]


def _spans(operations: Sequence[Operation]) -> list[list[Any]]:
    lines: list[Any] = []
    columns: list[Any] = []
    heights: list[Any] = []
    ends: list[Any] = []
    before = 0
    for each in operations:
        span = each.span or (before, 0, before, 0)
        lines.append(span[0] - before)
        columns.append(span[1])
        heights.append(span[2] - span[0])
        ends.append(span[3] if span[2] > span[0] else span[3] - span[1])
        before = span[0]
    return [lines, columns, heights, ends]


def _of_steps(found: Sequence[tuple[int, ...]]) -> list[Any]:
    """Return the operations of each step: the number of new ones, or a list if some are known."""
    known = 0
    told: list[Any] = []
    for numbers in found:
        count = len(numbers)
        if all(number == known + at for at, number in enumerate(numbers)):
            told.append(count)
            known += count
        else:
            told.append(list(numbers))
            known = max(known, *[number + 1 for number in numbers])
    return told


def numbered_from(columns: list[list[Any]], first: int) -> list[list[Any]]:
    """Return the columns with `first` added to the numbers of functions."""
    forms = [str(form[0]) for form in columns[_FORMS]]
    all_kinds = [forms[at] for at in columns[_FORM_OF]]
    kinds = [kind for kind in all_kinds if kind in HAS_VALUE]
    values = [
        value + first if kind in MAKES_CODE and isinstance(value, int) else value
        for kind, value in zip(kinds, columns[_VALUES], strict=True)
    ]
    return [*columns[:_VALUES], values, *columns[_VALUES + 1 :]]
