"""Modules of the standard library are rewritten, and all that is made of them is sound.

A part of the library in each run, another part on each version; all of it with WHOLE_LIBRARY=1.
"""

import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sleuth.record.rewrite import Rewritten, rewrite
from sleuth.record.rewrite.flow import table as flow_module
from sleuth.record.rewrite.flow.operands import Uneven
from sleuth.record.rewrite.flow.operations import operations_of
from sleuth.trace.flow import rules
from sleuth.trace.flow.table import unpacked
from sleuth.trace.store.writer import to_json
from tests.record.rewrite.library import codes, compiled, some_of_the_library
from tests.record.rewrite.test_twins import checked, twins


@pytest.mark.slow
def test_the_library_is_rewritten_with_plain_twins_and_lawful_flows(monkeypatch) -> None:
    uneven = []

    def noting(steps, functions):
        try:
            return operations_of(steps, functions)
        except Uneven:
            uneven.append(steps[0].frame.code)
            raise

    monkeypatch.setattr(flow_module, "operations_of", noting)
    twin_count = flow_count = 0
    for path, source in some_of_the_library():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made = rewrite(source, str(path), source.decode("utf-8", "replace"))
        assert all(site[4] >= 0 for site in made.sites), path
        twin_count += plain_twins(made, path, source)
        flow_count += lawful_flows(made, path)
    assert uneven == []
    assert twin_count > 500
    assert flow_count > 1000


def plain_twins(made: Rewritten, path: Path, source: bytes) -> int:
    """Check that the twins are the plainly compiled code; return their number."""
    plain = list(codes(compiled(source, path)))
    found = list(twins(made.twins))
    assert len(found) == len(plain), path
    count = 0
    for ours, theirs, (stack, parts) in zip(plain, codes(made.code), found, strict=True):
        if parts[0]:  # the hidden scopes of type parameters have no probes
            checked(ours, theirs, stack, parts)
            count += 1
    return count


def lawful_flows(made: Rewritten, path: Path) -> int:
    """Check that the flow tables break no law when they are read again; return their number."""
    count = 0
    for name, row in rows_of(made):
        assert list(rules.broken(unpacked(row))) == [], (path, name)
        count += 1
    return count


def rows_of(made: Rewritten) -> Iterator[tuple[str, Any]]:
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
