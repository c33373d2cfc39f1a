"""The flow table is read as it was written; a wrong one is refused."""

import json
from typing import Any

import pytest

from sleuth.record.rewrite import rewrite
from sleuth.trace.flow import names, rules, wording
from sleuth.trace.flow.table import FlowRow, unpacked
from sleuth.trace.store.writer import flow_batches, to_json

SOURCE = "def f(a, b):\n    c = a and b\n    for i in c:\n        g(i, k=1)\n    return lambda: c\n"
OPERATIONS = 5
FORMS, FORM_OF, NAMES, VALUES, INPUTS, LINES, STEPS = 0, 1, 2, 3, 4, 5, -1


def rows(source: str = SOURCE) -> list[FlowRow]:
    made = rewrite(source, "x.py", source)
    return [
        FlowRow(
            each.function,
            each.statements,
            each.steps_from(1),
            each.loops_from(1),
            each.parameters,
            each.operations_from(0),
            each.wording,
        )
        for each in made.flows
    ]


def row() -> list[Any]:
    found = rows()[1]
    parts = [found.id, found.statements, found.steps, found.loops]
    written = to_json([*parts, found.parameters, found.operations, found.wording])
    read: list[Any] = json.loads(written)
    return read


def test_what_was_written_is_read() -> None:
    flow = unpacked(row())
    assert flow.parameters == ("plain", "plain")
    assert [each.kind for each in flow.operations if each.name == "c"] == ["store", "read"]
    assert list(rules.broken(flow)) == []
    assert rules.functions(flow) == {2}


@pytest.mark.parametrize(
    ("column", "at", "value"),
    [
        (FORM_OF, 0, 99),
        (FORM_OF, 0, -1),
        (FORMS, 0, ["dance", "local"]),
        (FORMS, 0, ["store", "local", "value"]),
        (INPUTS, 0, 99),
        (INPUTS, 0, -99),
        (INPUTS, 0, [[1, -1]]),
        (INPUTS, 0, []),
        (VALUES, -1, "a text"),
        (LINES, 0, -5),
        (STEPS, 0, 999),
        (STEPS, 0, -1),
        (STEPS, 0, [999]),
        (STEPS, 0, [-1]),
    ],
)
def test_numbers_that_lead_nowhere_are_refused(column: int, at: int, value: object) -> None:
    wrong = row()
    wrong[OPERATIONS][column][at] = value
    with pytest.raises((ValueError, TypeError, LookupError)):
        unpacked(wrong)


@pytest.mark.parametrize("column", [NAMES, VALUES, INPUTS])
def test_columns_that_are_too_long_or_too_short_are_refused(column: int) -> None:
    longer, shorter = row(), row()
    longer[OPERATIONS][column].append(1)
    shorter[OPERATIONS][column].pop()
    for wrong in (longer, shorter):
        with pytest.raises((ValueError, TypeError, LookupError)):
            unpacked(wrong)


def test_rows_without_a_wording_say_that_it_is_not_known() -> None:
    older = row()[:6]
    assert wording.unpacked(older) is None
    assert wording.unpacked([*older, None]) is None
    assert unpacked(older).parameters == ("plain", "plain")


@pytest.mark.parametrize(
    "told",
    [
        [],
        "text",
        {"digest": 3},
        {"annotations": "int"},
        {"annotations": [1]},
        {"defaults": [None]},
        {"returns": []},
        {"decorators": [["name", 1]]},
        {"decorators": [["name", -9, 1, "@name"]]},
        {"digests": {"1": "a"}},
        {"digests": [[-1, "a"]]},
        {"digests": [[1 << 60, "a"]]},
        {"conditions": [[0, 1, 2, 3]]},
        {"conditions": [[0, 1, 2, 3, "4"]]},
    ],
)
def test_wordings_of_another_form_are_refused(told: object) -> None:
    wrong = [*row()[:6], told]
    with pytest.raises(ValueError, match="form"):
        wording.unpacked(wrong)


def test_a_wording_that_names_what_is_not_there_breaks_a_law() -> None:
    flow = unpacked(row())
    for told in ({"digests": [[99, "a"]]}, {"conditions": [[99, 1, 0, 1, 1]]}):
        found = wording.unpacked([*row()[:6], told])
        assert found is not None
        assert [*rules.misworded(flow, found)] == [
            "its wording names a statement that is not there"
        ]
    found = wording.unpacked([*row()[:6], {"annotations": ["int"] * 3}])
    assert found is not None
    assert [*rules.misworded(flow, found)] == ["its wording has more parameters than it"]


def test_names_are_read_without_the_rest() -> None:
    said = names.unpacked(row())
    assert said is not None
    assert said.names == {"a", "b", "c", "i", "g", "k", "lambda"}
    assert said.functions == (2,)
    without = row()
    without[OPERATIONS] = []
    assert names.unpacked(without) is None


@pytest.mark.parametrize(("column", "value"), [(NAMES, 7), (NAMES, []), (FORM_OF, "x")])
def test_names_that_are_none_are_refused(column: int, value: object) -> None:
    wrong = row()
    wrong[OPERATIONS][column][0] = value
    with pytest.raises((ValueError, TypeError, LookupError)):
        names.unpacked(wrong)


def test_a_circle_without_an_event_breaks_a_law() -> None:
    flow = unpacked(row())
    steps = list(flow.steps)
    silent = next(at for at, step in enumerate(steps) if step.event is None)
    steps[silent] = steps[silent]._replace(next=(silent,))
    object.__setattr__(flow, "steps", tuple(steps))
    assert list(rules.broken(flow)) == ["it can go round in a circle without an event"]


@pytest.mark.slow
def test_long_modules_have_several_batches_and_long_functions_no_operations() -> None:
    short = rows("def f(a):\n    return a\n" * 40)
    batches = list(flow_batches(short * 200))
    assert len(batches) > 1
    assert sum(map(len, batches)) == len(short) * 200
    for batch in batches:
        text = to_json([[each.statements, each.steps, each.operations] for each in batch])
        assert sum(map(text.count, ",[{")) < 400_000
    (long,) = rows("x = 1\n" * 12_000)
    ((told,),) = flow_batches([long])
    assert told.operations == ()
    assert told.steps == long.steps
