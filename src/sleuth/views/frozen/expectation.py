"""Expectations: the results that a call should have, as assert statements."""

import ast
import re
from contextlib import suppress
from dataclasses import dataclass

from sleuth.trace.heap.reachable import contents
from sleuth.trace.heap.recipe import Recipe, Unbuildable, has_state, recipe
from sleuth.trace.path import RETURN, PathError, Step, parse
from sleuth.trace.reader import Trace
from sleuth.trace.values import Atom, Constant, Ref, Value, escaped
from sleuth.tree.observe import behaviour as words
from sleuth.tree.observe.behaviour import Behaviour
from sleuth.views.frozen.importing import is_name
from sleuth.views.frozen.invocation import RECEIVER, RESULT, Invocation
from sleuth.views.frozen.naming import named_recipe
from sleuth.views.frozen.typed import value_text

_RAISES = re.compile(r"(?:raises?\s+)?([A-Za-z_][\w.]*(?:Error|Exception|Exit|Iteration))")
_NONE = Constant("None")


@dataclass(frozen=True, slots=True)
class Wanted:
    """The expected result of a call, as the user typed it."""

    value: str
    path: str = ""
    """The path of the value; empty: the result, or the only argument that the call changed."""

    @property
    def error(self) -> str:
        """The exception that should have been raised; empty: a value is expected."""
        found = _RAISES.fullmatch(self.value.strip())
        return found[1] if found else ""


@dataclass(slots=True)
class Expectation:
    """Writes the assertions about one call."""

    trace: Trace
    behaviour: Behaviour
    made: Invocation
    compares_objects: bool = False
    """Whether the function `state` is used."""

    @property
    def failure(self) -> str:
        """The exception with which the test fails while the call is wrong."""
        value = self.behaviour.outcome.value
        if self.behaviour.outcome.how == words.RAISED:
            return self._error_text(value.type_name) if isinstance(value, Ref) else "Exception"
        return "AssertionError"

    def wanted(self, wanted: Wanted) -> list[str]:
        """Assert the result that the user expects."""
        if wanted.error:
            return self._raising(self._error_text(wanted.error))
        value = value_text(wanted.value, self.made.writer.imports)
        target = self._target(wanted.path or self._meant())
        uses_result = re.match(rf"{RESULT}\b", target) is not None
        call = f"{RESULT} = {self.made.expression}" if uses_result else self.made.statement
        return [call, f"assert {target} == {value}"]

    def as_recorded(self) -> list[str]:
        """Assert that the call does what was recorded."""
        if self.behaviour.outcome.how == words.RAISED:
            return self._raising(self.failure)
        return self._compared("==")

    def not_as_recorded(self) -> list[str]:
        """Assert that the call does something else than what was recorded."""
        if self.behaviour.outcome.how == words.RAISED:
            return [self.made.statement]
        return self._compared("!=")

    # --- Inside ----------------------------------------------------------------------------------

    def _raising(self, error: str) -> list[str]:
        return [f"with pytest.raises({error}):", f"    {self.made.statement}"]

    def _error_text(self, name: str) -> str:
        function = self.behaviour.function
        if "." not in name and function is not None:
            known = self.trace.globals(function.module, self.behaviour.last)
            name = f"{function.module.name}.{name}" if name in known else name
        return self.made.writer.imports.type_text(name, name)

    def _meant(self) -> str:
        """Return the path of an expected value without one: the result, if there is any."""
        outcome = self.behaviour.outcome
        roots = {parse(change.path).start for change in self.behaviour.changes}
        if outcome.how == words.RAISED or outcome.value != _NONE or not self.made.variables:
            return RETURN
        if len(roots) == 1:
            return roots.pop()
        name = next(iter(self.made.variables))
        raise Unbuildable(
            self.behaviour.name,
            f"returned nothing; name the part, for example --expected '{name}=VALUE'",
        )

    def _target(self, path: str) -> str:
        try:
            parsed = parse(path)
        except PathError as problem:
            raise Unbuildable(escaped(path), f"is not a path ({problem})") from None
        known = {RETURN: RESULT} | self.made.variables
        if parsed.is_global or parsed.start not in known:
            raise Unbuildable(escaped(path), "is neither an argument of the call nor its result")
        start = known[parsed.start]
        if start == RESULT and self.made.is_constructor:
            start = RECEIVER
        return f"{start}{''.join(_step_text(step, path) for step in parsed.steps)}"

    def _compared(self, sign: str) -> list[str]:
        """Compare with everything that was recorded: the result and the changes."""
        if self.behaviour.stream is not None and self.behaviour.kind != words.COROUTINE:
            return self._streamed(sign)
        values = self._effects()
        built = named_recipe(self.made.writer.imports, values, self._at)
        texts = self.made.writer.written(built)
        lines, self.made.writer.lines = self.made.writer.lines, []
        left = ", ".join(map(self._target, texts))
        right = ", ".join(texts.values())
        if len(texts) > 1:
            left, right = f"({left})", f"({right})"
        if any(has_state(self.trace, each) for each in built.objects.values()) or _has_nan(built):
            self.compares_objects = True
            left, right = f"state({left})", f"state({right})"
        has_result = RETURN in values
        call = f"{RESULT} = {self.made.expression}" if has_result else self.made.statement
        return [*lines, call, f"assert {left} {sign} {right}"]

    @property
    def _at(self) -> int:
        return self.behaviour.last

    def _effects(self) -> dict[str, Value]:
        behaviour = self.behaviour
        given = {seen.path: seen.value for seen in behaviour.given}
        changed = dict.fromkeys(parse(each.path).start for each in behaviour.changes)
        after = {name: given[name] for name in changed if name in given}
        if self.made.is_constructor:
            return {"self": given["self"]} | after
        is_plain = behaviour.outcome.value == _NONE and after
        return after if is_plain else {RETURN: behaviour.outcome.value} | after

    def _streamed(self, sign: str) -> list[str]:
        stream = self.behaviour.stream
        seen = stream.given if stream else ()
        texts: list[str] = []
        for number, each in enumerate(seen):
            built = recipe(self.trace, {f"yielded[{number}]": each.value}, each.at)
            texts += self.made.writer.written(built).values()
            if any(has_state(self.trace, shape) for shape in built.objects.values()):
                raise Unbuildable(
                    self.behaviour.name, "yielded objects that may have changed later"
                )
        lines, self.made.writer.lines = self.made.writer.lines, []
        expected = f"[{', '.join(texts)}]"
        call = f"{RESULT} = {self.made.expression}"
        return [*lines, call, f"assert {RESULT} {sign} {expected}"]


def _step_text(step: Step, path: str) -> str:
    """Return one step of a path: a name, or a key that is a plain value."""
    if step.kind == "attribute" and is_name(step.text):
        return f".{step.text}"
    if step.kind != "attribute":
        with suppress(ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
            return f"[{ast.literal_eval(step.text)!r}]"
    raise Unbuildable(escaped(path), "can't be written in Python")


def _has_nan(built: Recipe) -> bool:
    """Tell whether a value contains a NaN, which does not equal itself."""
    values = [*built.values.values()]
    values += [each for shape in built.objects.values() for each in contents(shape)]
    return any(isinstance(each, Atom) and each.content != each.content for each in values)
