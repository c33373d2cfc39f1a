"""The constants and tables of a module or a class that guilty code read."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sleuth.trace import columns, conventions
from sleuth.trace.events import Call, Function, Moment
from sleuth.trace.history.locations import Global, Inside, Variable
from sleuth.trace.history.writes import MADE
from sleuth.trace.path import name_text
from sleuth.trace.reader import Trace
from sleuth.trace.values import Atom, Ref, Value
from sleuth.tree.failing.operands import Checking
from sleuth.tree.observe.used import is_code
from sleuth.views.guilty_code import Guilt

_BASE = "base 0"
_SECOND = "base 1"
_MOST_BASES = 20


@dataclass(frozen=True, slots=True)
class Table:
    """A value of a module or a class that guilty code read."""

    name: str
    value: Value
    at: Moment
    line: int | None
    """Where it was set."""
    function: Function | None
    """The code that set it: the body of the module or the class."""


def tables(trace: Trace, best: Guilt, function: Function, tree: ast.Module) -> Iterator[Table]:
    """Yield the values in the guilty lines that the body of a module or a class set."""
    yield from _of_module(trace, best, function)
    yield from _of_classes(trace, best, function, tree)


def inside(tree: ast.Module, best: Guilt) -> Iterator[ast.expr]:
    """Yield the expressions in the guilty lines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.expr) and node.lineno in best.coverage.lines:
            yield node


def _of_module(trace: Trace, best: Guilt, function: Function) -> Iterator[Table]:
    """Yield the globals in the guilty lines that the body of a module set."""
    lines, first = {*best.coverage.lines}, best.behaviour.first
    there = trace.globals(function.module, first)
    names = dict.fromkeys(name for name, line in function.uses if line in lines)
    for name in names:
        value = there.get(name)
        if value is None or name in function.free or is_code(trace, value, first):
            continue
        location = Global(function.module, name)
        write = next(iter(trace.writes(location, 0, first, back=True)), None)
        setter = None if write is None or write.call is None else trace.call(write.call)
        by = None if setter is None else trace.function(setter.function)
        if write is not None and by is not None and by.kind == "module body":
            yield Table(name_text(name), value, first, write.line, by)


# --- Attributes of classes -----------------------------------------------------------------------


def _of_classes(trace: Trace, best: Guilt, function: Function, tree: ast.Module) -> Iterator[Table]:
    """Yield the attributes of classes: `self.RATE`, if the object itself has no RATE."""
    checking = Checking(trace, best.behaviour.call, best.behaviour.last)
    names = [node for node in inside(tree, best) if isinstance(node, ast.Attribute)]
    for text in dict.fromkeys(ast.unparse(node) for node in names):
        start, _, name = text.rpartition(".")
        owner = checking.at_path(start) if start.isidentifier() else None
        if not isinstance(owner, Ref) or (not _is_class(trace, owner) and checking.at_path(text)):
            continue
        found = _attribute(trace, _class_of(trace, owner, function, checking.at), name, checking.at)
        if found is not None and not is_code(trace, found[1], checking.at):
            holder, value = found
            yield Table(text, value, checking.at, *_set_in_class(trace, holder, name, checking.at))


def _is_class(trace: Trace, ref: Ref) -> bool:
    return ref.type_name in conventions.of(trace.meta.get("language")).code


def _class_of(trace: Trace, owner: Ref, function: Function, at: int) -> Ref | None:
    """Return the class of an object, if the module of the code has it as a global."""
    if _is_class(trace, owner):
        return owner
    module, _, name = owner.type_name.rpartition(".")
    found = trace.globals(function.module, at).get(name) if module == function.module.name else None
    return found if isinstance(found, Ref) and _is_class(trace, found) else None


def _attribute(trace: Trace, owner: Ref | None, name: str, at: int) -> tuple[Ref, Value] | None:
    """Return the class that has an attribute, and its value; None: not known for sure."""
    for _ in range(_MOST_BASES):
        shape = trace.shape(owner, at) if owner is not None else None
        part = shape.part("attributes") if shape is not None else None
        held = dict(part.pairs) if part is not None and part.is_complete else {}
        if owner is None or Atom(name) in held:
            return None if owner is None else (owner, held[Atom(name)])
        base = held.get(Atom(_BASE))
        # With several bases, it depends on their order.
        owner = base if isinstance(base, Ref) and Atom(_SECOND) not in held else None
    return None


def _set_in_class(
    trace: Trace, holder: Ref, name: str, at: Moment
) -> tuple[int | None, Function | None]:
    """Return the line that set an attribute of a class, and the code with that line."""
    write = next(
        iter(trace.writes(Inside(holder, "attributes", Atom(name)), 0, at - 1, back=True)), None
    )
    if write is None:
        return None, None
    if write.how != MADE:
        setter = None if write.call is None else trace.call(write.call)
        return write.line, None if setter is None else trace.function(setter.function)
    body = _body_before(trace, int(write.moment))
    found = (
        None
        if body is None
        else next(iter(trace.writes(Variable(body.id, name), 0, at, back=True)), None)
    )
    return (
        (None, None)
        if body is None or found is None
        else (found.line, trace.function(body.function))
    )


def _body_before(trace: Trace, moment: int) -> Call | None:
    """Return the class body that ended just before a class was made."""
    ended = np.flatnonzero(columns.calls(trace).last == moment - 1)
    bodies = (trace.call(int(number)) for number in ended)
    kinds = ((body, trace.function(body.function)) for body in bodies)
    return next((body for body, of in kinds if of is not None and of.kind == "class body"), None)
