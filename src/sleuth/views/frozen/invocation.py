"""A recorded call as source: statements that make its inputs, and an expression that calls."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePath

from sleuth.trace import conventions
from sleuth.trace.events import Function, Outcome
from sleuth.trace.flow.wording import COLLECTS_NAMES, COLLECTS_POSITIONS, KEYWORD, PLAIN
from sleuth.trace.heap.recipe import Unbuildable, recipe
from sleuth.trace.reader import Trace
from sleuth.trace.values import Ref, escaped
from sleuth.tree.observe import behaviour as words
from sleuth.tree.observe.behaviour import Behaviour
from sleuth.views.frozen.importing import Imports, is_name
from sleuth.views.frozen.naming import named_recipe
from sleuth.views.frozen.rebuilding import Writer, quoted

RESULT = "result"
RECEIVER = "receiver"
"""The name of `self` in a test."""
_TAKEN = {RESULT, RECEIVER, "pytest", "made", "state", "monkeypatch"}
_REFUSED = {
    words.RUN: "is the whole run, not a call",
    words.LAMBDA: "has no name that could be imported",
    words.CODE_BODY: "is a text that the program compiled, which has no name to be imported by",
    words.EXPRESSION: "is a text that the program compiled, which has no name to be imported by",
    words.CLASS_BODY: "is the body of a class, which runs when it is imported",
    words.MODULE_BODY: "is the body of a module, which runs when it is imported",
}
_UNENDED = {
    words.UNFINISHED: "never ended",
    words.LOST: "ended, but how was not recorded",
    words.NEVER_STARTED: "was created, but never started",
    words.CLOSED: "was closed before its end",
    words.NOT_REQUESTED: "was not run to its end",
}
_MARKS = {PLAIN: "", COLLECTS_POSITIONS: "*", KEYWORD: "{name}=", COLLECTS_NAMES: "**"}
"""Formats of arguments by the kind of their parameter, in the order of writing."""


@dataclass(slots=True)
class Invocation:
    """A call as source."""

    expression: str
    is_constructor: bool
    """Whether the call creates the object that the test calls `receiver`."""
    writer: Writer
    variables: dict[str, str] = field(default_factory=dict)
    """The variables of the arguments that are objects."""
    before: list[str] = field(default_factory=list)
    """Statements that make the inputs."""
    patches: list[str] = field(default_factory=list)
    """Statements that give globals the values they had."""
    remarks: list[str] = field(default_factory=list)
    """Notes for the user."""

    @property
    def statement(self) -> str:
        """The call as a statement that ignores the result."""
        return f"{RECEIVER} = {self.expression}" if self.is_constructor else self.expression


def invocation(trace: Trace, behaviour: Behaviour, imports: Imports) -> Invocation:
    """Write a call; Unbuildable: it can't be made again, for this reason."""
    function = _checked(trace, behaviour)
    writer = Writer(imports, taken=set(_TAKEN))
    called = writer.imports.text(function.module, function.qualified_name)
    writer.taken.add(called.partition(".")[0])
    is_constructor = _is_constructor(trace, behaviour, function)
    found = Invocation("", is_constructor, writer)
    given = _given(behaviour, found)
    found.remarks += _runs_when_imported(trace, function)
    _set_globals(trace, behaviour, function, found)
    expression = _Call(trace, behaviour, function, called).written(
        given, is_constructor=is_constructor
    )
    found.expression = _streamed(behaviour, expression, writer)
    found.before, writer.lines = writer.lines, []
    return found


def _checked(trace: Trace, behaviour: Behaviour) -> Function:
    function = behaviour.function
    name = behaviour.name
    if function is None or behaviour.kind in _REFUSED:
        raise Unbuildable(name, _REFUSED.get(behaviour.kind, "is not known"))
    inner = conventions.of(trace.meta.get("language")).inner
    if inner not in name and not (is_name(function.qualified_name) and is_name(function.name)):
        raise Unbuildable(name, "has a name that can't be imported")
    if inner in name:
        raise Unbuildable(
            name, f"is defined in {name.rpartition(inner)[0]}() and can't be imported"
        )
    if behaviour.outcome.how in _UNENDED:
        raise Unbuildable(name, _UNENDED[behaviour.outcome.how])
    if behaviour.stream is not None and behaviour.stream.sent:
        raise Unbuildable(name, "was sent values while it ran")
    if behaviour.rests_on_others:
        raise Unbuildable(name, "used objects that other threads or tasks changed while it ran")
    return function


def _runs_when_imported(trace: Trace, function: Function) -> list[str]:
    """Note that the program runs when a test imports it; Unbuildable: it fails then."""
    module = function.module
    if module.name != "__main__" or "__name__" in trace.source(module):
        return []
    file = escaped(PurePath(module.path).name)
    body = next(trace.children(None), None)
    if body is None or body.outcome is not Outcome.RETURNED:
        raise Unbuildable(
            file,
            "runs and fails when it is imported; put its main code under "
            'if __name__ == "__main__":',
        )
    return [f'{file} has no if __name__ == "__main__": it runs when the test imports it.']


def _given(behaviour: Behaviour, found: Invocation) -> dict[str, str]:
    """Return an expression for each argument; objects get a variable of their name."""
    writer = found.writer
    left_out = "self" if found.is_constructor else ""
    values = {seen.path: seen.value for seen in behaviour.given if seen.path != left_out}
    made = named_recipe(writer.imports, values, behaviour.first)
    texts = writer.written(made)
    for path, value in values.items():
        if isinstance(value, Ref) and value.id not in made.named:
            name = RECEIVER if path == "self" else writer.name_for(path)
            writer.lines.append(f"{name} = {texts[path]}")
            texts[path] = found.variables[path] = name
    if found.is_constructor:
        found.variables["self"] = RECEIVER
    return texts


def _set_globals(trace: Trace, behaviour: Behaviour, function: Function, found: Invocation) -> None:
    for seen in behaviour.used:
        if seen.scope != "global":
            continue
        writer = found.writer
        try:
            made = recipe(trace, {seen.path: seen.value}, seen.at)
            text = writer.written(made)[seen.path]
            module = writer.imports.module_text(function.module)
        except Unbuildable as problem:
            found.remarks.append(f"{problem}; the test uses this global as it is.")
            continue
        found.patches.append(f"monkeypatch.setattr({module}, {quoted(seen.path)}, {text})")


def _is_constructor(trace: Trace, behaviour: Behaviour, function: Function) -> bool:
    """Tell whether a call is an `__init__` of exactly the class that defines it."""
    if behaviour.kind != words.CONSTRUCTOR or not behaviour.given:
        return False
    value = behaviour.given[0].value
    owner = f"{function.module.name}.{function.qualified_name.rpartition('.')[0]}"
    shape = trace.shape(value, behaviour.first) if isinstance(value, Ref) else None
    is_new = shape is not None and not any(part.items for part in shape.parts)
    return is_new and isinstance(value, Ref) and value.type_name == owner


@dataclass(slots=True)
class _Call:
    """Writes the expression of one call."""

    trace: Trace
    behaviour: Behaviour
    function: Function
    called: str

    def written(self, given: dict[str, str], *, is_constructor: bool) -> str:
        """Return the expression."""
        rest = dict(given)
        first = next(iter(given), "")
        if is_constructor:
            return f"{self.called.rpartition('.')[0]}({self._arguments(rest)})"
        is_method = "." in self.function.qualified_name and first in ("self", "cls")
        if not is_method or self.behaviour.kind == words.CONSTRUCTOR:
            return f"{self.called}({self._arguments(rest)})"
        receiver, name = rest.pop(first), _mangled(self.function)
        if self.behaviour.kind == words.PROPERTY:
            if self.behaviour.is_set:
                return f"setattr({receiver}, {name!r}, {', '.join(rest.values())})"
            return f"{receiver}.{name}"
        return f"{receiver}.{name}({self._arguments(rest)})"

    def _arguments(self, given: Mapping[str, str]) -> str:
        if not given:
            return ""
        flow = self.trace.flow(self.function.id)
        passed = dict(zip(self.function.parameters, flow.parameters if flow else (), strict=False))
        if any(passed.get(name) not in _MARKS for name in given):
            raise Unbuildable(
                self.behaviour.name,
                "has arguments, and the trace does not say how they are passed: record again",
            )
        return ", ".join(
            mark.format(name=name) + given[name]
            for how, mark in _MARKS.items()
            for name, each in passed.items()
            if each == how and name in given
        )


def _mangled(function: Function) -> str:
    """Return the name of a method outside of its class, where private names are mangled."""
    name = function.name
    if name.startswith("__") and not name.endswith("__"):
        return f"_{function.qualified_name.split('.')[-2].lstrip('_')}{name}"
    return name


def _streamed(behaviour: Behaviour, call: str, writer: Writer) -> str:
    if behaviour.kind == words.COROUTINE:
        return f"{writer.imports.type_text('asyncio.run', call)}({call})"
    if behaviour.stream is None:
        return call
    stream = behaviour.stream
    if not stream.is_whole or len(stream.given) < stream.count:
        raise Unbuildable(behaviour.name, "yielded more values than can be compared")
    return f"list({call})"
