"""The flow table of a function: its statements, steps and operations, in words of no language."""

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from types import CodeType
from typing import Any

from sleuth.record.rewrite.flow.operands import Uneven
from sleuth.record.rewrite.flow.operations import Made, Operation, Operations, operations_of
from sleuth.record.rewrite.flow.statements import NOWHERE, Body, Row, Statements
from sleuth.record.rewrite.flow.steps import NO_STEP, Step, Woven, steps_of
from sleuth.record.rewrite.flow.wording import Told, Wordings
from sleuth.record.rewrite.probes import Site, Table
from sleuth.trace.flow.operations import HAS_VALUE, MAKES_CODE, NAMELESS

_OF_FRAMES = frozenset({"RESUME", "RETURN_GENERATOR", "MAKE_CELL", "COPY_FREE_VARS"})
"""Instructions that belong to the call as a whole."""
_SITES = 4
"""Index of the column with the sites, among those of the steps."""
_FORMS, _FORM_OF, _NAMES, _VALUES = range(4)
"""Indexes of the columns of the operations."""


@dataclass(slots=True)
class Flow:
    """The shape of one function's code as the trace has it; see `trace/flow/table.py`."""

    function: int
    statements: list[list[Any]]
    steps: list[list[Any]]
    loops: list[list[Any]]
    parameters: list[str]
    operations: list[list[Any]]
    wording: Told | None = None
    """None: not known."""

    def steps_from(self, first_site: int) -> list[list[Any]]:
        """Return the columns of the steps with sites numbered from `first_site`."""
        sites = [site + first_site - 1 if site else 0 for site in self.steps[_SITES]]
        return [*self.steps[:_SITES], sites, *self.steps[_SITES + 1 :]]

    def loops_from(self, first_site: int) -> list[list[Any]]:
        """Return the loops with sites numbered from `first_site`."""
        return [[site + first_site, *more] for site, *more in self.loops]

    def operations_from(self, first_function: int) -> list[list[Any]]:
        """Return the columns of the operations with functions numbered from `first_function`."""
        return _with_functions_from(self.operations, first_function)


def flow_of(
    function: int,
    woven: Woven,
    table: Table,
    wordings: Wordings,
    functions: Mapping[int, int],
) -> Flow:
    """Return the flow of one function; `functions` are the numbers of all by id of their code."""
    code, statements = woven.code, wordings.statements
    steps = steps_of(woven, table.probes)
    first = 1 if code.co_name == "<module>" else code.co_firstlineno
    body = statements.body(code.co_name, first)
    if body is None:
        rows, found = [_expression(steps)], [_only(step) for step in steps]
    else:
        rows, found = body.rows, [_statement(step, statements, body) for step in steps]
    sites = [site for site in table.sites if site.function == function and site.loop is not None]
    loops = [_loop(site, statements, body) for site in sites]
    try:
        operations = operations_of(steps, functions)
    except Uneven:
        operations = Operations([], [()] * len(steps))
    return Flow(
        function,
        _statement_columns(rows),
        _step_columns(steps, found),
        loops,
        _parameters(code),
        _operation_columns(operations),
        wordings.of(code, body),
    )


def _parameters(code: CodeType) -> list[str]:
    """Return the kind of each parameter, in the order of the code object's names."""
    words = ["plain"] * code.co_argcount + ["keyword"] * code.co_kwonlyargcount
    words += ["collects positions"] * bool(code.co_flags & inspect.CO_VARARGS)
    return words + ["collects names"] * bool(code.co_flags & inspect.CO_VARKEYWORDS)


def _loop(site: Site, statements: Statements, body: Body | None) -> list[Any]:
    """Return the site of a loop, its statement, the span that it repeats, and its variables."""
    loop = site.loop
    assert loop is not None  # noqa: S101 - by the choice of sites
    is_statement = loop.kind != "comprehension" and body is not None
    statement = statements.find(loop.span, body) if body and is_statement else NOWHERE
    return [site.id, statement, *loop.body, list(loop.names)]


def _statement_columns(rows: Sequence[Row]) -> list[list[Any]]:
    flat = [(kind, parent, block, *span) for kind, parent, block, span in rows]
    return [[row[at] for row in flat] for at in range(7)]


def _step_columns(steps: Sequence[Step], statements: Sequence[int]) -> list[list[Any]]:
    places = [0, *(step.place for step in steps)]
    events = [step.event or (0, 0) for step in steps]
    return [
        [after - before for before, after in pairwise(places)],
        list(statements),
        [step.span[0] if step.span else 0 for step in steps],
        [kind for kind, _ in events],
        [site for _, site in events],
        [0 if step.next == [at + 1] else step.next for at, step in enumerate(steps)],
        [step.handler for step in steps],
        [at for at, step in enumerate(steps) if step.passes_on],
        [[at, step.within] for at, step in enumerate(steps) if step.within != NO_STEP],
    ]


def _statement(step: Step, statements: Statements, body: Body) -> int:
    return statements.find(step.span, body) if _is_own(step) else NOWHERE


def _only(step: Step) -> int:
    return 0 if _is_own(step) and step.span is not None else NOWHERE


def _is_own(step: Step) -> bool:
    """Tell whether a step belongs to the body of a function, and not to the call as a whole."""
    return step.instruction is None or step.instruction.name not in _OF_FRAMES


def _expression(steps: Sequence[Step]) -> Row:
    """Return the one statement of a lambda or a generator expression, as a `return`."""
    spans = [step.span for step in steps if _only(step) == 0 and step.span is not None]
    start = min((span[:2] for span in spans), default=(1, 0))
    end = max((span[2:] for span in spans), default=start)
    return "return", NOWHERE, "body", (*start, *end)


def _operation_columns(found: Operations) -> list[list[Any]]:
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


def _with_functions_from(columns: list[list[Any]], first: int) -> list[list[Any]]:
    """Return the columns with `first` added to the numbers of functions."""
    forms = [str(form[0]) for form in columns[_FORMS]]
    all_kinds = [forms[at] for at in columns[_FORM_OF]]
    kinds = [kind for kind in all_kinds if kind in HAS_VALUE]
    values = [
        value + first if kind in MAKES_CODE and isinstance(value, int) else value
        for kind, value in zip(kinds, columns[_VALUES], strict=True)
    ]
    return [*columns[:_VALUES], values, *columns[_VALUES + 1 :]]
