"""The operand stack is followed correctly through the standard library.

A tenth of the library in each run; all of it with WHOLE_LIBRARY=1.
"""

import dis
import json
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from sleuth.record.rewrite import Rewritten, bytecode, rewrite
from sleuth.record.rewrite.flow import table as flow_module
from sleuth.record.rewrite.flow.opcodes import Rule, rules_of
from sleuth.record.rewrite.flow.operands import Uneven
from sleuth.record.rewrite.flow.operations import operations_of
from sleuth.trace.flow import rules
from sleuth.trace.flow.table import unpacked
from sleuth.trace.store.writer import to_json
from tests.effort import IS_WHOLE
from tests.record.rewrite.test_bytecode import codes, library_files

EVERY = 1 if IS_WHOLE else 10
FIRST = sys.version_info.minor % EVERY
"""Chooses different modules on each version."""


def library() -> Iterator[tuple[Path, bytes]]:
    for path in library_files()[FIRST::EVERY]:
        yield path, path.read_bytes()


def compiled(source: bytes, path: Path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return compile(source, str(path), "exec", dont_inherit=True)


def sum_of(rule: Rule, *, jump: bool) -> int:
    takes, gives = rule.jump if jump and rule.jump is not None else (rule.takes, rule.gives)
    return len(gives) - takes


def effect_of(name: str, arg: int, *, jump: bool) -> int:
    if name == "RETURN_GENERATOR":
        return 1  # what is sent first lies there; the table of some versions leaves it out
    op = dis.opmap[name]
    found = dis.stack_effect(op, arg if op >= dis.HAVE_ARGUMENT else None, jump=jump)
    if name == "CALL" and "PRECALL" in dis.opmap:
        return found + dis.stack_effect(dis.opmap["PRECALL"], arg)
    return found


def test_what_is_taken_and_given_agrees_with_the_interpreter() -> None:
    seen = {
        (each.name, each.arg if each.target < 0 else 1)
        for path, source in library()
        for code in codes(compiled(source, path))
        for each in bytecode.take_apart(code).instructions
    }
    wrong = [
        (name, arg, jump)
        for name, arg in sorted(seen)
        if name not in ("KW_NAMES", "PRECALL", "CACHE")
        for jump in (False, True)
        if sum(sum_of(rule, jump=jump) for _, rule in rules_of(name, arg))
        != effect_of(name, arg, jump=jump)
    ]
    assert wrong == []
    assert len({name for name, _ in seen}) > 80


def rows_of(made: Rewritten):
    for flow in made.flows:
        row = [
            flow.function,
            flow.statements,
            flow.steps,
            flow.loops,
            flow.parameters,
            flow.operations,
        ]
        yield made.functions[flow.function].qualified_name, json.loads(to_json(row))


@pytest.mark.slow
def test_the_library_has_no_uneven_stack_and_breaks_no_law(monkeypatch) -> None:
    uneven = []
    count = 0
    real = operations_of

    def noting(steps, functions):
        try:
            return real(steps, functions)
        except Uneven:
            uneven.append(steps[0].frame.code)
            raise

    monkeypatch.setattr(flow_module, "operations_of", noting)
    broken = []
    for path, source in library():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made = rewrite(source, str(path), source.decode("utf-8", "replace"))
        for name, row in rows_of(made):
            count += 1
            flow = unpacked(row)
            broken += [(str(path), name, text) for text in rules.broken(flow)]
    assert uneven == []
    assert broken == []
    assert count > 1000
