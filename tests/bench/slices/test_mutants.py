"""Slices by execution: a constant outside the relevant slice never changes the value."""

from pathlib import Path

import pytest

from bench.slices.generated import program
from bench.slices.mutants import checked, ran
from sleuth.trace.slices.slice import sliced
from tests.effort import share
from tests.recorded import recorded

pytestmark = pytest.mark.slow
FIRST = 7_000


def test_a_constant_outside_the_relevant_slice_never_changes_the_value(tmp_path: Path) -> None:
    tried = 0
    for seed in range(FIRST, FIRST + share(8, 2)):
        source = program(seed)
        if not ran(source).has_ended:
            continue
        trace = recorded(tmp_path / str(seed), source)
        lines = sliced(trace, "stdout[0]", trace.call(0), is_relevant=True).lines
        found = checked(source, {line for each in lines.values() for line in each})
        assert not found.wrong, (seed, found.wrong[0][0])
        assert found.share < 1
        tried += found.tried
    assert tried > 20


def test_a_mutant_is_seen_to_print_something_else() -> None:
    found = checked("a = 3\nb = 4\nprint(a)\n", {3})
    assert {line for line, _ in found.wrong} == {1}
    assert found.tried == 4
