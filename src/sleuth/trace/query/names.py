"""Names in a query: the functions and threads that they mean, else the nearest ones."""

from collections.abc import Iterable
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sleuth.trace.columns import Columns
from sleuth.trace.events import Function
from sleuth.trace.function_names import names_of
from sleuth.trace.history.steps import hint
from sleuth.trace.path import RAISED, RETURN
from sleuth.trace.query.mistakes import QueryError
from sleuth.trace.query.syntax import Named, Pattern, Query, Strand

if TYPE_CHECKING:
    from sleuth.trace.reader import Trace

Mask = npt.NDArray[np.bool_]
_MODULE_BODY = "module body"
_NO_VARIABLE = ("attribute", "comprehension", "global")
"""Kinds of sites that set no variable of the call itself."""


def fits(pattern: str, names: Iterable[str]) -> bool:
    """Whether one of the names fits a pattern; only * and ? stand for other characters."""
    if "*" not in pattern and "?" not in pattern:
        return pattern in names
    shell = pattern.replace("[", "[[]")
    return any(fnmatchcase(name, shell) for name in names)


def type_names(type_name: str) -> tuple[str, ...]:
    """Return the names of a class: `shop.rules.Order`, `rules.Order`, `Order`."""
    parts = type_name.split(".")
    return tuple(".".join(parts[at:]) for at in range(len(parts)))


class Called:
    """The functions that were called in a run."""

    def __init__(self, trace: "Trace", columns: Columns) -> None:
        self._trace = trace
        self.all = [
            function
            for number in np.unique(columns.function).tolist()
            if (function := trace.function(number)) is not None
        ]

    def fitting(self, pattern: Pattern, query: Query) -> list[Function]:
        """Return the called functions with a name; QueryError: there is none."""
        found = [each for each in self.all if fits(pattern.text, names_of(each))]
        if found:
            return found
        known = {name for each in self.all for name in names_of(each)}
        near = get_close_matches(pattern.text, known, n=3)
        words = f" Did you mean {' or '.join(near)}?" if near else ""
        if any(fits(pattern.text, names_of(each)) for each in self._trace.functions()):
            words = " It is there, but it was not called."
        raise QueryError(
            f"There is no call of {pattern.text} in this trace.{words}", query.text, pattern.at
        )


def own_names(trace: "Trace", function: Function) -> set[str]:
    """Return the variables of a function itself; for the body of a module its globals."""
    if function.kind == _MODULE_BODY:
        return {site.name for site in trace.sites_of(function) if site.kind == "global"}
    bound = {
        site.name
        for site in trace.sites_of(function)
        if site.name and site.kind not in _NO_VARIABLE and site.kind != "nonlocal"
    }
    return {*function.parameters, *function.cells, *bound} - {*function.free, ""}


def is_local(trace: "Trace", function: Function, name: str) -> bool:
    """Whether a variable belongs to the calls of a function alone: no other code sets it."""
    return (
        function.kind != _MODULE_BODY
        and name not in function.cells
        and name not in function.free
        and name in own_names(trace, function)
    )


def known_names(trace: "Trace", function: Function) -> set[str]:
    """Return all names that a function can use: its own, those around it, its module's globals."""
    around = trace.globals(function.module, trace.event_count)
    return {*own_names(trace, function), *function.free, *around}


def checked(
    trace: "Trace", functions: list[Function], names: Iterable[Named], query: Query
) -> None:
    """QueryError: a path begins with a name that none of the functions knows."""
    known: set[str] | None = None
    for named in names:
        if named.path.is_global or named.path.start in (RETURN, RAISED):
            continue
        if any(named.path.start in own_names(trace, each) for each in functions):
            continue
        if known is None:
            known = set[str]().union(*(known_names(trace, each) for each in functions))
        if named.path.start not in known:
            where = functions[0].qualified_name if len(functions) == 1 else "these functions"
            own = sorted(set[str]().union(*(own_names(trace, each) for each in functions)))
            near = get_close_matches(named.path.start, sorted(known), n=3)
            words = f" Did you mean {' or '.join(near)}?" if near else hint("", own)
            raise QueryError(
                f"There is no variable {named.path.start} in {where}.{words}",
                query.text,
                named.at,
            )


def within(
    trace: "Trace", columns: Columns, query: Query, called: Called, *, is_included: bool
) -> Mask:
    """Return which calls were made by calls of the functions behind `in`.

    is_included: those calls themselves count, too.
    """
    found = np.ones(len(columns), np.bool_)
    for pattern in query.inside:
        numbers = [each.id for each in called.fitting(pattern, query)]
        found &= below(columns, np.isin(columns.function, numbers), is_included=is_included)
    if query.strand is not None:
        column = columns.thread if query.strand.kind == "thread" else columns.task
        found &= np.isin(column, _strands(trace, columns, query.strand, query))
    return found


def below(columns: Columns, chosen: Mask, *, is_included: bool) -> Mask:
    """Return which calls were made, directly or not, by chosen ones."""
    marks = bytearray(chosen.tobytes())
    found = bytearray(len(marks))
    # A call has a greater number than its caller, so one pass in order is enough.
    for number, parent in enumerate(columns.parent.tolist()):
        if parent >= 0 and (marks[parent] or found[parent]):
            found[number] = 1
    inner = np.frombuffer(bytes(found), np.bool_)
    return inner | chosen if is_included else inner


def _strands(trace: "Trace", columns: Columns, strand: Strand, query: Query) -> list[int]:
    """Return the numbers of threads or tasks; QueryError: there is none."""
    names = trace.threads if strand.kind == "thread" else trace.tasks
    column = columns.thread if strand.kind == "thread" else columns.task
    there = [number for number in np.unique(column).tolist() if number or strand.kind == "thread"]
    found = [
        number
        for number in there
        if number == strand.which or fits(str(strand.which), [names.get(number, "")])
    ]
    if found:
        return found
    shown = ", ".join(f"{each} {names.get(each, '')}".strip() for each in there[:6])
    more = ", ..." if len(there) > 6 else ""
    raise QueryError(
        f"There is no such {strand.kind}. There is {shown or 'none'}{more}.", query.text, strand.at
    )
