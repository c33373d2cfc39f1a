"""Origins in small programs."""

from pathlib import Path

import pytest

from sleuth.trace.events import EventKind, Moment
from sleuth.trace.reader import Trace
from tests.recorded import calls_of, recorded
from tests.trace.origin.vectors import FLOW, OWN, Vector, value_of

pytestmark = pytest.mark.sampled
VECTORS = FLOW | OWN


@pytest.mark.parametrize("name", VECTORS)
def test_the_origin_is_the_operation_that_made_the_value(tmp_path: Path, name: str) -> None:
    wanted = VECTORS[name]
    trace = recorded(tmp_path, wanted.source + "\n")
    call = calls_of(trace, wanted.function)[-1] if wanted.function else None
    found = trace.why(wanted.path, call=call, at=_moment(trace, wanted))
    assert found.text.startswith(wanted.text)
    assert wanted.value is ... or found.value == value_of(wanted.value)
    assert (found.unknown is not None) == wanted.is_open
    if wanted.line:
        assert found.line == wanted.line
    if wanted.inputs is not None:
        values = [each.value for each in found.inputs]
        assert len(values) == len(wanted.inputs)
        for told, value in zip(wanted.inputs, values, strict=True):
            assert told is ... or value == value_of(told)


def _moment(trace: Trace, wanted: Vector) -> Moment | None:
    if not wanted.at_line:
        return None
    return next(
        event.moment
        for event in trace.events(0, trace.event_count - 1, kind=EventKind.BIND)
        if event.site is not None
        and (site := trace.site(event.site))
        and site.span.line == wanted.at_line
    )


def test_the_item_of_a_comprehension_comes_from_the_turn_that_added_it(tmp_path: Path) -> None:
    trace = recorded(tmp_path, FLOW["comprehension"].source + "\n")
    item, offset = trace.why("m").inputs
    assert (item.line, offset.line) == (1, 3)
    assert item.value == value_of(3)
    assert {each.line for each in item.through} == {4}


def test_a_caught_exception_leads_through_the_calls_that_it_left(tmp_path: Path) -> None:
    vector = FLOW["exception"]
    trace = recorded(tmp_path, vector.source + "\n")
    found = trace.why("e", at=_moment(trace, vector))
    assert found.function == "parse"
    assert 9 in {each.line for each in found.through}
    assert trace.why("r").inputs[0].value == value_of(-7)


def test_results_of_callbacks_are_listed_with_the_inputs(tmp_path: Path) -> None:
    trace = recorded(tmp_path, "xs = [3, 1]\nr = max(xs, key=lambda x: -x)\n")
    found = trace.why("r")
    assert found.text.startswith("max(")
    assert found.unknown is not None
    assert "from <lambda>" in [each.path for each in found.inputs]
