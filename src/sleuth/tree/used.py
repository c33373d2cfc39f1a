"""What a call used that is no argument: globals, and variables of functions around its own.

Reads are not recorded.  What is told is the value at the beginning of each variable whose name
stands in a line that the call itself ran; a name behind a dot is that of an attribute.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sleuth.trace import conventions
from sleuth.trace.events import Call, Function
from sleuth.trace.path import name_text
from sleuth.trace.reader import Trace
from sleuth.trace.values import Absent, Ref, Value
from sleuth.tree.behaviour import Seen
from sleuth.tree.coverage import coverage

_WORD = re.compile(r"(?<![\w.])[^\W\d]\w*")
_MOST_MOMENTS = 20_000
_MOST_AROUND = 1000
"""So many callers are looked at for the activation that a function was made in."""
_BODIES = ("module body", "class body")


@dataclass(frozen=True, slots=True)
class Used:
    """What was found."""

    values: tuple[Seen, ...]
    unknown: str
    """The function whose variables may be used too; nothing if there is none."""


def used_by(trace: Trace, call: Call, function: Function | None) -> Used:
    """Return what a call used that is no argument, as it was when the call began."""
    if function is None:
        return Used((), "")
    named = _named(trace, call, function)
    own = {*function.parameters} | {
        site.name for site in trace.sites_of(function) if site.kind not in ("global", "nonlocal")
    }
    found: dict[str, Seen] = {}
    around, unknown = _around(trace, call, function)
    if around is not None:
        for name, value in trace.variables(around, call.first).items():
            if name in named - own and not _is_code(trace, value, call.first):
                found[name] = Seen(name_text(name), value, call.first, "closure")
    for name, value in trace.globals(function.module, call.first).items():
        if name in named - own - found.keys() and not _is_code(trace, value, call.first):
            found[name] = Seen(name_text(name), value, call.first, "global")
    return Used(tuple(found.values()), unknown)


def _named(trace: Trace, call: Call, function: Function) -> set[str]:
    """Return the words in the lines that the call ran."""
    covered = coverage(trace, call, most_moments=_MOST_MOMENTS)
    lines = covered.lines if covered.is_whole else covered.code
    source = trace.sources().get(function.module.path, "").splitlines()
    text = "\n".join(source[line - 1] for line in lines if 0 < line <= len(source))
    return set(_WORD.findall(text))


def _is_code(trace: Trace, value: Value, at: int) -> bool:
    """Whether nothing is to be judged of it: a function, a type, what has no contents."""
    if not isinstance(value, Ref):
        return isinstance(value, Absent)
    code = conventions.of(trace.meta.get("language")).code
    return value.type_name in code or (trace.has_contents and trace.shape(value, at) is None)


def _around(trace: Trace, call: Call, function: Function) -> tuple[Call | None, str]:
    """Return the running call that this one's function was made in; or its name if it is over."""
    for caller in _callers(trace, call):
        other = trace.function(caller.function)
        if other is not None and _is_inside(function, other):
            return caller, ""
    inner = conventions.of(trace.meta.get("language")).inner
    return None, function.qualified_name.rpartition(inner)[0] if inner != "." else ""


def _callers(trace: Trace, call: Call) -> Iterator[Call]:
    for _ in range(_MOST_AROUND):
        if call.parent is None:
            return
        call = trace.call(call.parent)
        yield call


def _is_inside(inner: Function, outer: Function) -> bool:
    return (
        inner.module.id == outer.module.id
        and inner.id != outer.id
        and outer.kind not in _BODIES
        and outer.first_line <= inner.first_line
        and inner.last_line <= outer.last_line
        and inner.qualified_name.startswith(outer.qualified_name)
    )
