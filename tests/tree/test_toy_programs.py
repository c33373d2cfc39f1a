"""Any program of another language has behaviours, lines and words."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sleuth.trace.reader import Trace
from sleuth.tree.coverage import coverage
from sleuth.tree.effort import effort
from sleuth.tree.identity.same_run import fingerprint
from sleuth.tree.observe.inside import reached, starts
from sleuth.tree.observe.nodes import behaviour_at
from sleuth.views.drawing.styled import plain, width
from sleuth.views.words.question import question_lines
from sleuth.views.words.source import code_lines
from tests import toy
from tests.effort import examples

pytestmark = pytest.mark.any_version
PIECES = st.sampled_from(
    [
        ["push 3", "store x"],
        ["load a0", "store y"],
        ["push 2", "print"],
        ["load a0", "push 1", "add", "call leaf 1", "store z"],
        ["push 2", "array", "store xs", "load xs", "push 0", "push 5", "set"],
        ["push 3", "array", "call order 1", "store w"],
        ["fail too-bad"],
    ]
)
PROGRAMS = st.lists(PIECES, max_size=8).map(
    lambda pieces: {
        "main": ["push 4", "call work 1", "return"],
        "work": [*(line for piece in pieces for line in piece), "push 1", "return"],
        "leaf": ["load a0", "return"],
        "order": ["load a0", "push 0", "push 9", "set", "load a0", "sort", "load a0", "return"],
    }
)


@settings(max_examples=examples(40))
@given(PROGRAMS)
def test_every_call_can_be_asked_about(program: toy.Program) -> None:
    with TemporaryDirectory() as folder:
        trace = Trace(toy.record(Path(folder) / "toy.trace", program, []))
        for call in trace.calls():
            behaviour = behaviour_at(trace, call.id)
            shown = [
                *question_lines(trace, behaviour, width=80),
                *code_lines(trace, call, width=80),
            ]
            assert all(text.isprintable() and width(text) <= 80 for text in plain(shown))
            covered = coverage(trace, call)
            assert covered.is_known
            assert set(covered.lines) <= set(covered.code)
            assert fingerprint(trace, call) == fingerprint(trace, call, behaviour=behaviour)
            assert effort(trace, call) > 0
            for start in starts(trace, behaviour):
                reached(trace, behaviour, start)
