"""What the trace says that objects contained is what a slow and obviously right recorder saw.

Left out: programs that use `id`, `weakref`, `__del__` or threads, which the reference disturbs.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sleuth.trace.reader import Trace
from sleuth.trace.values import Atom, Constant, Ref, Value
from tests.record import programs

UNKEPT = {"function", "type", "module", "builtin_function_or_method", "generator"}
REFERENCE = Path(__file__).with_name("reference.py")


def text_of(value: Value) -> str:
    assert isinstance(value, Atom)
    return str(value.content)


class Rebuilder:
    """Builds the same graph from a trace at a moment."""

    def __init__(self, trace: Trace, at: int) -> None:
        self.trace = trace
        self.at = at
        self.numbers: dict[int, int] = {}
        self.nodes: list[dict[str, Any]] = []

    def value(self, value: Value) -> Any:
        if isinstance(value, Atom):
            return [type(value.content).__name__, repr(value.content)]
        if isinstance(value, Constant):
            return [{"None": "NoneType"}.get(value.name, "bool"), value.name]
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


def rebuilt(trace: Trace, roots: list[Value], at: int) -> dict[str, Any]:
    builder = Rebuilder(trace, at)
    return {"roots": [builder.value(root) for root in roots], "nodes": builder.nodes}


def simple(graph: dict[str, Any]) -> dict[str, Any]:
    """Order what has no order, after the references have been numbered."""
    for node in graph["nodes"]:
        if "set" in node:
            node["set"].sort(key=lambda v: str(v[1]))
    return graph


@pytest.mark.parametrize("seed", range(24))
def test_contents_before_and_after_every_call_are_those_of_the_reference(
    record, plain, tmp_path, environment, seed
):
    library = tmp_path / "library"
    library.mkdir()
    (library / "lib.py").write_text(programs.LIBRARY)
    environment["PYTHONHASHSEED"] = "0"  # what set.pop() gives depends on it
    source = programs.program(seed).replace("LIB)", f"{str(library)!r})", 1)
    run = record(source)
    assert run.process.returncode == 0, run.process.stderr
    out = tmp_path / "out.json"
    subprocess.run(
        [sys.executable, REFERENCE, tmp_path / "work" / "prog.py", out],
        check=True,
        env=environment,
        cwd=tmp_path / "work",
    )
    expected = json.loads(out.read_text())
    trace = run.trace
    calls = [
        call
        for name, call in run.calls()
        if not name.startswith(("<", "Data", "Child", "Plain")) or "." in name
    ]
    calls = [call for call in calls if trace.function(call.function).kind == "function"]
    assert [trace.function(call.function).qualified_name for call in calls] == [
        call["name"] for call in expected
    ]
    for call, wanted in zip(calls, expected, strict=True):
        given = list(trace.arguments(call))
        where = f"call {call.id} {wanted['name']}"
        assert simple(rebuilt(trace, given, call.first)) == simple(wanted["before"]), where
        if wanted["after"] is not None:
            roots = [*given, trace.result(call)]
            assert simple(rebuilt(trace, roots, call.last)) == simple(wanted["after"]), where
