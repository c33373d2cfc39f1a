"""Used variables: globals and variables of enclosing functions that a call used.

Reads are not recorded.  A variable counts as used if a line that the call ran names it; its value
is that at the beginning of the call.
"""

from dataclasses import dataclass

from sleuth.trace import conventions
from sleuth.trace.events import Call, Function
from sleuth.trace.path import name_text
from sleuth.trace.reader import Trace
from sleuth.trace.values import Absent, Ref, Value
from sleuth.tree.coverage import coverage
from sleuth.tree.names.text_namespaces import namespaces_of
from sleuth.tree.observe import behaviour as words
from sleuth.tree.observe.behaviour import Seen


@dataclass(frozen=True, slots=True)
class Used:
    """The used variables of a call."""

    values: tuple[Seen, ...]
    unknown: str
    """The enclosing function whose variables may be used, too; empty: none."""
    not_found: tuple[str, ...] = ()
    """Variables that it used, whose values are not known."""


def used_by(trace: Trace, call: Call, function: Function | None) -> Used:
    """Return the used variables of a call, with their values at its beginning."""
    if function is None:
        return Used((), "")
    covered = coverage(trace, call)
    lines = {*(covered.lines if covered.is_known else (line for _, line in function.uses))}
    if function.kind in (words.CODE_BODY, words.EXPRESSION):
        return _used_by_text(trace, call, function, lines)
    closure = trace.closure(call, call.first)
    there = trace.globals(function.module, call.first)
    found: dict[str, Seen] = {}
    for name in dict.fromkeys(name for name, line in function.uses if line in lines):
        kind = "closure" if name in function.free else "global"
        value = (closure if kind == "closure" else there).get(name)
        if value is not None and not is_code(trace, value, call.first):
            found[name] = Seen(name_text(name), value, call.first, kind)
    return Used(tuple(found.values()), _unknown(trace, function))


def _used_by_text(trace: Trace, call: Call, function: Function, lines: set[int]) -> Used:
    """Return the variables that a text of `exec` or `eval` used from its namespace."""
    builtin = conventions.of(trace.meta.get("language")).builtin
    set_inside = {each.name for each in trace.sites_of(function)}
    names = dict.fromkeys(name for name, line in function.uses if line in lines)
    there = namespaces_of(trace, call)
    found, missing = [], []
    for name in (each for each in names if each not in set_inside):
        value = there.get(name)
        if value is None and name not in builtin:
            missing.append(name)
        elif value is not None and not is_code(trace, value, call.first):
            found.append(Seen(name_text(name), value, call.first, words.NAMESPACE))
    return Used(tuple(found), "", tuple(missing))


def _unknown(trace: Trace, function: Function) -> str:
    """Return the enclosing function, if the shared variables were not recorded."""
    inner = conventions.of(trace.meta.get("language")).inner
    is_unknown = function.free and not function.cells and inner in function.qualified_name
    return function.qualified_name.rpartition(inner)[0] if is_unknown else ""


def is_code(trace: Trace, value: Value, at: int) -> bool:
    """Whether a value can't be judged: a function, a type, an object without contents."""
    if not isinstance(value, Ref):
        return isinstance(value, Absent)
    code = conventions.of(trace.meta.get("language")).code
    return value.type_name in code or (trace.has_contents and trace.shape(value, at) is None)
