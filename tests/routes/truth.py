"""Which lines an activation ran, by the instructions that a tracer saw; and by the trace."""

import ast
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sleuth.trace.events import Call, EventKind
from sleuth.trace.lines import Lines
from sleuth.trace.reader import Trace

TRACER = Path(__file__).with_name("tracer.py")
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_BLOCKS = ("body", "handlers", "cases", "orelse", "finalbody")
_EXPRESSIONS = ("<lambda>", "<genexpr>")


@dataclass(frozen=True)
class Activation:
    """One call, as the tracer and as the trace tell it."""

    name: str
    line: int
    seen: tuple[int, ...]
    told: tuple[int, ...] | None


@dataclass(frozen=True)
class _Statement:
    start: tuple[int, int]
    end: tuple[int, int]
    line: int
    counts: bool
    scope: tuple[str, int]


def activations(
    source: Path, folder: Path, tests: str = "", *, most: int = 10**6
) -> list[Activation]:
    """Run a module under the tracer, recorded, and compare what both say of each activation."""
    trace_path, out = folder / "run.trace", folder / "seen.json"
    command = [sys.executable, "-m", "sleuth", "record", "--quiet", "--output", str(trace_path)]
    command += ["--include", str(source), "--exclude", str(TRACER), "--"]
    command += [str(TRACER), str(source), str(out), *([tests] if tests else [])]
    kept = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    environment = kept | {"XDG_CACHE_HOME": str(folder / "cache"), "MOST_ACTIVATIONS": str(most)}
    ran = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert out.exists(), ran.stderr
    statements = list(_statements(ast.parse(source.read_bytes())))
    return list(_compared(Trace(trace_path), json.loads(out.read_text()), statements))


def _compared(
    trace: Trace, rows: list[tuple[str, int, list[list[int]]]], statements: list[_Statement]
) -> Iterator[Activation]:
    told = {call.id: ran for call, ran in Lines(trace).all()}
    known: dict[str, tuple[int, ...]] = {}
    for call, (name, line, spans) in zip(_begun(trace), rows, strict=False):
        function = trace.function(call.function)
        assert function is not None
        assert function.name == name, "the tracer and the trace saw other activations"
        ran = told[call.id]
        lines = None if ran is None else ran.lines
        key = json.dumps((name, line, spans))
        if key not in known:
            known[key] = _seen(name, line, spans, statements)
        seen = known[key] if name not in _EXPRESSIONS else lines or ()
        yield Activation(function.qualified_name, line, seen, lines)


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
    name: str, line: int, spans: list[list[int]], statements: list[_Statement]
) -> tuple[int, ...]:
    scope = name, 1 if name == "<module>" else line
    found = set()
    for first, last, column, end_column in spans:
        if first == last and column == end_column == 0:
            continue  # of the activation as a whole
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
