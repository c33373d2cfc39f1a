"""What should come of a call, as assert statements."""

import ast
import re
from dataclasses import dataclass

from sleuth.trace.path import RETURN, PathError, parse
from sleuth.trace.reader import Trace
from sleuth.trace.recipe import Unbuildable, recipe
from sleuth.trace.values import Constant, Ref, Value, escaped
from sleuth.tree import behaviour as words
from sleuth.tree.behaviour import Behaviour
from sleuth.views.frozen.invocation import RECEIVER, RESULT, Invocation
from sleuth.views.frozen.naming import code_texts

_RAISES = re.compile(r"(?:raises?\s+)?([A-Za-z_][\w.]*(?:Error|Exception|Exit|Iteration))")
_NONE = Constant("None")


@dataclass(frozen=True, slots=True)
class Wanted:
    """What should have come of a call, as somebody wrote it."""

    value: str
    path: str = ""
    """The part that is meant; nothing: what it returned, or the one thing that it changed."""

    @property
    def error(self) -> str:
        """The exception that should have been raised; nothing: it is a value."""
        found = _RAISES.fullmatch(self.value.strip())
        return found[1] if found else ""


@dataclass(slots=True)
class Expectation:
    """Writes what is to be asserted of one call."""

    trace: Trace
    behaviour: Behaviour
    made: Invocation
    compares_objects: bool = False
    """Whether the function `state` is used."""

    @property
    def failure(self) -> str:
        """How the call shows that it is wrong, as the test sees it."""
        value = self.behaviour.outcome.value
        if self.behaviour.outcome.how == words.RAISED:
            return self._error_text(value.type_name) if isinstance(value, Ref) else "Exception"
        return "AssertionError"

    def wanted(self, wanted: Wanted) -> list[str]:
        """Write that it should give what somebody wants."""
        if wanted.error:
            return self._raising(self._error_text(wanted.error))
        value = _literal(wanted.value)
        target = self._target(wanted.path or self._meant())
        uses_result = re.match(rf"{RESULT}\b", target) is not None
        call = f"{RESULT} = {self.made.expression}" if uses_result else self.made.statement
        return [call, f"assert {target} == {value}"]

    def as_recorded(self) -> list[str]:
        """Write that it should do what it did."""
        if self.behaviour.outcome.how == words.RAISED:
            return self._raising(self.failure)
        return self._compared("==")

    def not_as_recorded(self) -> list[str]:
        """Write that it should not do what it did."""
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
        """Return what a value is about, if it was not said: the result, if there is one."""
        outcome = self.behaviour.outcome
        roots = {parse(change.path).start for change in self.behaviour.changes}
        if outcome.how == words.RAISED or outcome.value != _NONE or not self.made.variables:
            return RETURN
        if len(roots) == 1:
            return roots.pop()
        name = next(iter(self.made.variables))
        raise Unbuildable(
            self.behaviour.name,
            f"returned nothing; say what the value is of, for example --expected '{name}=VALUE'",
        )

    def _target(self, path: str) -> str:
        try:
            parsed = parse(path)
        except PathError as problem:
            raise Unbuildable(escaped(path), f"is no path ({problem})") from None
        known = {RETURN: RESULT} | self.made.variables
        if parsed.is_global or parsed.start not in known:
            raise Unbuildable(escaped(path), "is no object that the call was given, nor returned")
        start = known[parsed.start]
        if start == RESULT and self.made.is_constructor:
            start = RECEIVER
        text = f"{start}{''.join(map(str, parsed.steps))}"
        try:
            compile(text, "<path>", "eval")
        except (SyntaxError, ValueError):
            raise Unbuildable(escaped(path), "can't be written in Python") from None
        return text

    def _compared(self, sign: str) -> list[str]:
        """Compare with all that was recorded: what it returned, and what it changed."""
        if self.behaviour.stream is not None and self.behaviour.kind != words.COROUTINE:
            return self._streamed(sign)
        values = self._effects()
        names = code_texts(self.trace, self.made.writer.imports, values.values(), self._at)
        built = recipe(self.trace, values, self._at, names=names)
        texts = self.made.writer.written(built)
        lines, self.made.writer.lines = self.made.writer.lines, []
        left = ", ".join(map(self._target, texts))
        right = ", ".join(texts.values())
        if len(texts) > 1:
            left, right = f"({left})", f"({right})"
        if any(shape.part("attributes") for shape in built.objects.values()):
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
            if any(shape.part("attributes") for shape in built.objects.values()):
                raise Unbuildable(self.behaviour.name, "gave objects that may change afterwards")
        lines, self.made.writer.lines = self.made.writer.lines, []
        expected = f"[{', '.join(texts)}]"
        call = f"{RESULT} = {self.made.expression}"
        return [*lines, call, f"assert {RESULT} {sign} {expected}"]


def _literal(text: str) -> str:
    """Return a value as it is written in a test; floats may differ by noise."""
    written = text.strip()
    try:
        value = ast.literal_eval(written)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        raise Unbuildable(
            f"what was expected, {escaped(written)},",
            "is no value of Python; write one, for example --expected '[1, 2]'",
        ) from None
    return f"pytest.approx({written})" if isinstance(value, float) else written
