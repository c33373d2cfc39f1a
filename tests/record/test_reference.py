"""Recorded contents of objects are the same as those of a slow, obviously right recorder.

Left out: programs that use `id`, `weakref`, `__del__` or threads, which the reference disturbs;
and generators with `yield from`, for which a tracing function gets other events.
"""

import ast
import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from sleuth.trace import conventions
from sleuth.trace.events import Call, EventKind, Outcome
from sleuth.trace.reader import Trace
from sleuth.trace.values import Atom, Constant, Ref, Value
from tests.effort import share
from tests.record import programs

ITERATORS = {name.rpartition(".")[2] for name in conventions.of("python").opaque}
UNKEPT = ITERATORS | {"function", "type", "module", "builtin_function_or_method", "generator"}
EXAMPLES = sorted(Path(__file__).parents[2].glob("examples/*.py"))
REFERENCE = Path(__file__).with_name("reference.py")


def text_of(value: Value) -> str:
    assert isinstance(value, Atom)
    return str(value.content)


class Rebuilder:
    """Builds the graph of objects, as the reference does, from a trace at a moment."""

    def __init__(self, trace: Trace, at: int) -> None:
        self.trace = trace
        self.at = at
        self.numbers: dict[int, int] = {}
        self.nodes: list[dict[str, Any]] = []

    def value(self, value: Value) -> Any:
        if isinstance(value, Atom):
            return [type(value.content).__name__, repr(value.content)]
        if isinstance(value, Constant):
            names = {"None": "NoneType", "True": "bool", "False": "bool"}
            # The rest are types, of which the reference keeps nothing.
            return [names[value.name], value.name] if value.name in names else ["opaque", "type"]
        assert isinstance(value, Ref), value
        if value.id in self.numbers:
            return ["ref", self.numbers[value.id]]
        shape = self.trace.shape(value, self.at)
        name = value.type_name.rpartition(".")[2]
        if name in UNKEPT or shape is None or not shape.parts:
            return ["opaque", name]
        number = self.numbers[value.id] = len(self.nodes)
        node: dict[str, Any] = {"type": name}
        self.nodes.append(node)
        for part in sorted(shape.parts, key=lambda part: part.kind == "attributes"):
            if part.kind in ("mapping", "attributes"):
                pairs = list(part.pairs)
                if part.kind == "attributes":
                    pairs.sort(key=lambda pair: (text_of(pair[0]) != "args", text_of(pair[0])))
                node[part.kind] = [[self.value(key), self.value(item)] for key, item in pairs]
            elif part.kind == "set":
                node["set"] = sorted((self.value(item) for item in part.items), key=lambda v: v[1])
            else:
                node[part.kind] = [self.value(item) for item in part.items]
        return ["ref", number]


def rebuilt(trace: Trace, call: Call, roots: list[Value], at: int) -> dict[str, Any]:
    builder = Rebuilder(trace, at)
    function = trace.function(call.function)
    assert function is not None
    there = {
        f"global {name}": value
        for name, value in trace.globals(function.module, at).items()
        if not name.startswith("__") and not is_code(value)
    }
    names = {**trace.closure(call, at), **there}
    return {
        "roots": [builder.value(root) for root in roots],
        "names": [[name, builder.value(names[name])] for name in sorted(names)],
        "nodes": builder.nodes,
    }


def is_code(value: Value) -> bool:
    return isinstance(value, Ref) and value.type_name in ("type", "function", "module")


def stretches(trace: Trace, call: Call) -> list[tuple[int, int | None, Value | None]]:
    """Give where each stretch of a call begins and ends, and what it gave; raising gives None."""
    if not call.is_resumable:
        came = call.outcome is Outcome.RETURNED
        return [(call.first, call.last, trace.result(call) if came else None)]
    found: list[tuple[int, int | None, Value | None]] = []
    for event in trace.events(call.first, trace.event_count, call=call.id):
        match event.kind:
            case EventKind.RESUME:
                found.append((event.moment, None, None))
            case EventKind.SUSPEND | EventKind.RETURN:
                found[-1] = (found[-1][0], event.moment, event.values[0])
            case EventKind.UNWIND:
                found[-1] = (found[-1][0], event.moment, None)
                if getattr(event.values[0], "type_name", "") == "GeneratorExit":
                    found.pop()  # a tracing function is not told that it was closed
    return found


def simple(graph: dict[str, Any]) -> dict[str, Any]:
    """Order what has no order, after the references have been numbered."""
    for node in graph["nodes"]:
        if "set" in node:
            node["set"].sort(key=lambda v: str(v[1]))
    return graph


def compare(
    source: str, record: Any, tmp_path: Path, environment: dict[str, str], *, every: int = 1
) -> int:
    """Record a program twice and compare every so many stretches; give how many there were."""
    library = tmp_path / "library"
    library.mkdir(exist_ok=True)
    (library / "lib.py").write_text(programs.LIBRARY)
    environment["PYTHONHASHSEED"] = "0"  # what set.pop() gives depends on it
    run = record(source.replace("LIB)", f"{str(library)!r})", 1))
    out = tmp_path / "out.json"
    reference = subprocess.run(
        [sys.executable, REFERENCE, tmp_path / "work" / "prog.py", out],
        check=False,
        capture_output=True,
        env=environment,
        cwd=tmp_path / "work",
    )
    assert run.process.returncode == reference.returncode, run.process.stderr
    left_out = delegating(source)
    expected = [call for call in json.loads(out.read_text()) if call["name"] not in left_out]
    trace = run.trace
    names = {call.id: name for name, call in run.calls()}
    ran = sorted(
        (
            (start, end, call.id, result)
            for call in trace.calls()
            if is_function(trace, call) and names[call.id] not in left_out
            for start, end, result in stretches(trace, call)
        ),
        key=lambda stretch: stretch[0],
    )
    # What is closed at the very end runs where the reference looks no more.
    assert [names[call] for _, _, call, _ in ran][: len(expected)] == [
        call["name"] for call in expected
    ]
    for (start, end, number, result), wanted in list(zip(ran, expected, strict=False))[::every]:
        call = trace.call(number)
        given = list(trace.arguments(call))
        where = f"call {call.id} {wanted['name']} at {start}"
        assert simple(rebuilt(trace, call, given, start)) == simple(wanted["before"]), where
        if wanted["after"] is not None:
            assert result is not None
            assert end is not None
            found = rebuilt(trace, call, [*given, result], end)
            assert simple(found) == simple(wanted["after"]), where
    return len(expected)


def delegating(source: str) -> set[str]:
    found = set()

    def visit(node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            inner = prefix
            if isinstance(child, ast.FunctionDef | ast.ClassDef):
                inner = f"{prefix}{child.name}"
                if isinstance(child, ast.FunctionDef):
                    if any(isinstance(each, ast.YieldFrom) for each in ast.walk(child)):
                        found.add(inner)
                    inner += ".<locals>"
                inner += "."
            visit(child, inner)

    visit(ast.parse(source), "")
    return found


def is_function(trace: Trace, call: Call) -> bool:
    function = trace.function(call.function)
    kinds = ("function", "generator")
    return bool(function and function.kind in kinds and not function.name.startswith("<"))


@pytest.mark.sampled
@pytest.mark.parametrize("seed", range(12))
def test_contents_around_every_stretch_of_a_call_are_those_of_the_reference(
    record, tmp_path, environment, seed
):
    assert compare(programs.program(random.Random(seed)), record, tmp_path, environment) > 30


@pytest.mark.sampled
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_contents_in_the_examples_are_those_of_the_reference(record, tmp_path, environment, path):
    assert compare(path.read_text(), record, tmp_path, environment)


@pytest.mark.slow
@settings(
    max_examples=share(12, 4), suppress_health_check=list(HealthCheck), phases=list(Phase)[1:]
)
@given(st.randoms(use_true_random=False))
def test_any_program_has_the_contents_that_the_reference_saw(record, tmp_path, environment, dice):
    # Neighbours differ by a write or two: many programs find more than every stretch of a few.
    assert compare(programs.program(dice), record, tmp_path, environment, every=7)
