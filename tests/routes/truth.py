"""Compares the code that each activation ran, according to a tracer and to the trace."""

import ast
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from sleuth.trace.events import Call, EventKind, Outcome
from sleuth.trace.flow.lines import Lines
from sleuth.trace.flow.table import Flow, Step
from sleuth.trace.reader import Trace
from tests.ready import ran
from tests.routes.layout import Layout, is_of, layouts
from tests.routes.steps import StepRoutes

TRACER = Path(__file__).with_name("tracer.py")
END_OF_WAITING = "end of async for"
"""The end of `async for`: its iterator may end at once, or when it is awaited."""
CODES = 1 << 16
"""As the tracer packs them."""
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_BLOCKS = ("body", "handlers", "cases", "orelse", "finalbody")
_EXPRESSIONS = ("<lambda>", "<genexpr>")


@dataclass(frozen=True)
class Activation:
    """The lines and steps of one call, from the tracer (seen) and from the trace (told)."""

    name: str
    line: int
    seen: tuple[int, ...]
    """Lines."""
    told: tuple[int, ...] | None
    seen_steps: tuple[int, ...]
    """Steps, by number; those that share an instruction have one number."""
    told_steps: tuple[int, ...] | None
    doubtful: tuple[str, ...] = ()
    """Steps that ran but are not certain: their kinds of statement, or END_OF_WAITING."""

    @property
    def is_same(self) -> bool:
        """Whether the tracer and the trace agree."""
        return self.seen == self.told and self.seen_steps == self.told_steps

    @property
    def is_sure(self) -> bool:
        """Whether the tracer saw all steps of the trace, in this order."""
        seen = iter(self.seen_steps)
        return self.told_steps is not None and all(step in seen for step in self.told_steps)


@dataclass(frozen=True)
class _Statement:
    start: tuple[int, int]
    end: tuple[int, int]
    line: int
    counts: bool
    scope: tuple[str, int]


def activations(
    source: Path,
    folder: Path,
    *,
    tests: str = "",
    arguments: Sequence[str] = (),
    most: int = 10**6,
    most_instructions: int = 3 * 10**6,
) -> list[Activation]:
    """Run a module recorded and under the tracer, and return each activation as both saw it."""
    trace_path, out = folder / "run.trace", folder / "seen.json"
    command = ["record", "--quiet", "--output", str(trace_path)]
    command += ["--include", str(source), "--exclude", str(TRACER), "--"]
    command += [str(TRACER), str(source), str(out)]
    command += ["--tests", tests] if tests else arguments
    kept = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    limits = {"MOST_ACTIVATIONS": str(most), "MOST_INSTRUCTIONS": str(most_instructions)}
    environment = kept | {"XDG_CACHE_HOME": str(folder / "cache")} | limits
    ended = ran(command, cwd=folder, env=environment, timeout=600)
    assert out.exists(), ended.stderr
    return list(_Comparison(source, Trace(trace_path), json.loads(out.read_text())).all())


class _Comparison:
    """Compares the rows of a tracer with the calls of a trace."""

    def __init__(self, source: Path, trace: Trace, seen: dict[str, Any]) -> None:
        self._trace = trace
        self._source = source
        self._codes: list[tuple[str, int, str]] = seen["codes"]
        self._rows: list[tuple[int, list[int]]] = seen["rows"]
        self._statements = list(_statements(ast.parse(source.read_bytes())))
        self._layouts = layouts(source)
        self._known: dict[tuple[int, frozenset[int]], tuple[int, ...]] = {}

    def all(self) -> Iterator[Activation]:
        trace = self._trace
        lines = {call.id: ran for call, ran in Lines(trace).all()}
        steps = StepRoutes(trace).all()
        for call, (code, units) in zip(self._watched(), self._rows, strict=False):
            function = trace.function(call.function)
            name, line, _ = self._codes[code]
            assert function is not None
            assert function.name == name, "the tracer and the trace saw other activations"
            ran = lines[call.id]
            told = None if ran is None else ran.lines
            seen = told or () if name in _EXPRESSIONS else self._lines(code, units)
            seen_steps, told_steps, doubtful = self._steps(call, units, steps[call.id])
            if not _is_over(call):
                seen = told or ()
            yield Activation(
                function.qualified_name, line, seen, told, seen_steps, told_steps, doubtful
            )

    def _watched(self) -> Iterator[Call]:
        """Yield the calls of the source's own code: the tracer follows no code of other names."""
        path = str(self._source.resolve())
        for call in _begun(self._trace):
            module = self._trace.module_of(call.function)
            if module is not None and module.path == path:
                yield call

    def _lines(self, code: int, units: list[int]) -> tuple[int, ...]:
        key = code, frozenset(units)
        if key not in self._known:
            positions = [
                self._layouts.positions[self._codes[unit % CODES][2]][unit // CODES]
                for unit in key[1]
            ]
            spans = sorted(span for span in positions if None not in span)
            self._known[key] = _seen(*self._codes[code][:2], spans, self._statements)
        return self._known[key]

    def _steps(
        self, call: Call, units: list[int], told: tuple[int, ...] | None
    ) -> tuple[tuple[int, ...], tuple[int, ...] | None, tuple[str, ...]]:
        layout, flow = self._layout(call)
        seen = layout.seen([(self._codes[unit % CODES][2], unit // CODES) for unit in units])
        if told is None:
            return tuple(seen), None, ()
        groups = layout.told(told)
        if not _is_over(call):
            seen = seen[: len(groups)]  # the trace does not have what ran since its last event
        missing = _untold(seen, groups)
        doubtful = {
            _doubt(flow, step)
            for step, group in zip(flow.steps, layout.group_of_step, strict=True)
            if group in missing
        }
        return tuple(seen), tuple(groups), tuple(sorted(doubtful))

    def _layout(self, call: Call) -> tuple[Layout, Flow]:
        flow = self._trace.flow(call.function)
        module = self._trace.module_of(call.function)
        assert flow is not None
        assert module is not None
        number = call.function - self._first[module.id]
        assert is_of(self._layouts.functions[number], flow)
        return self._layouts.functions[number], flow

    @cached_property
    def _first(self) -> dict[int, int]:
        """The first function of each module."""
        found: dict[int, int] = {}
        for function in self._trace.functions():
            found.setdefault(function.module.id, function.id)
        return found


def _is_over(call: Call) -> bool:
    return call.outcome in (Outcome.RETURNED, Outcome.RAISED)


def _doubt(flow: Flow, step: Step) -> str:
    """Return the kind of statement of a step that is missing in the trace, or END_OF_WAITING."""
    near = (step, *(flow.steps[after] for after in step.next))
    if any(each.handler >= 0 and each.handler in each.next for each in near):
        return END_OF_WAITING
    return flow.statements[step.statement].kind if step.statement >= 0 else "none"


def _untold(seen: list[int], told: list[int]) -> set[int]:
    """Return the seen steps that are missing in the trace, whose steps must all have been seen."""
    waiting = iter([*told, None])
    expected = next(waiting)
    missing = set()
    for step in seen:
        if step == expected:
            expected = next(waiting)
        else:
            missing.add(step)
    return missing


def _begun(trace: Trace) -> list[Call]:
    """Return the calls in the order in which their code began to run."""
    found = []
    for call in trace.calls():
        start: int | None = call.first
        if call.is_resumable and not call.parent_is_resumer:
            last = trace.event_count - 1 if call.last is None else call.last
            resumed = trace.events(call.first, last, call=call.id, kind=EventKind.RESUME)
            start = next((event.moment for event in resumed), None)
        if start is not None:
            found.append((start, call))
    return [call for _, call in sorted(found, key=lambda each: each[0])]


def _seen(
    name: str, line: int, spans: Sequence[Sequence[int]], statements: list[_Statement]
) -> tuple[int, ...]:
    scope = name, 1 if name == "<module>" else line
    found = set()
    for first, last, column, end_column in spans:
        if first == last and column == end_column == 0:
            continue  # the span of the whole activation
        around = [
            each
            for each in statements
            if each.start <= (first, column) and (last, end_column) <= each.end
        ]
        if around:
            innermost = max(around, key=lambda each: (each.start, tuple(-n for n in each.end)))
            if innermost.scope == scope and innermost.counts:
                found.add(innermost.line)
    return tuple(sorted(found))


def _statements(tree: ast.Module) -> Iterator[_Statement]:
    work: list[tuple[ast.AST, tuple[str, int]]] = [(tree, ("<module>", 1))]
    while work:
        node, scope = work.pop()
        for block in _BLOCKS:
            inner = getattr(node, block, None)
            for at, each in enumerate(inner if isinstance(inner, list) else ()):
                if not isinstance(each, (ast.stmt, ast.ExceptHandler, ast.match_case)):
                    continue
                is_text = at == 0 and block == "body" and isinstance(node, (ast.Module, *_SCOPES))
                found = _statement(each, scope, is_text=is_text)
                yield found
                own = (each.name, found.line) if isinstance(each, _SCOPES) else scope
                work.append((each, own))


def _statement(node: ast.AST, scope: tuple[str, int], *, is_text: bool) -> _Statement:
    if isinstance(node, ast.match_case):
        start, end = node.pattern, node.body[-1]
        first = start.lineno, start.col_offset
        return _Statement(
            first,
            (end.end_lineno or 0, end.end_col_offset or 0),
            first[0],
            counts=True,
            scope=scope,
        )
    assert isinstance(node, (ast.stmt, ast.ExceptHandler))
    decorators = [each.lineno for each in getattr(node, "decorator_list", ())]
    line = min([node.lineno, *decorators])
    is_docstring = (
        is_text
        and isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )
    nothing = (ast.Try, ast.TryStar, ast.Global, ast.Nonlocal)
    return _Statement(
        (line, 0 if decorators else node.col_offset),
        (node.end_lineno or line, node.end_col_offset or 0),
        line,
        counts=not is_docstring and not isinstance(node, nothing),
        scope=scope,
    )
