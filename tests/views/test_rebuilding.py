"""Values that are rebuilt from a trace equal the recorded ones: as data, and as source."""

import datetime as dt
import random
import re
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from sleuth.oracles.behaviour_json import parcel
from sleuth.spec.build import built
from sleuth.trace.heap.recipe import Unbuildable, recipe
from sleuth.trace.reader import Trace
from sleuth.tree.observe.calls import behaviour_of
from sleuth.views.frozen.importing import Imports
from sleuth.views.frozen.rebuilding import Writer
from tests.recorded import recorded

ATOMS = (0, -1, 1 << 90, 2.5, -0.0, 1e300, "", "tea", "ä'\"\n", b"", b"\x00x", None, True, ..., 3j)
WRITTEN_AS_CALLS = (
    range(2, 9, 3),
    slice(1, None, 2),
    dt.date(2024, 2, 29),
    dt.datetime(2024, 2, 29, 1, 2, 3, 4),  # noqa: DTZ001 - as it is
    dt.datetime(2024, 2, 29, 1, tzinfo=dt.UTC, fold=1),
    dt.time(5, 6, fold=1),
    Decimal("1.10"),
    dt.timedelta(-1, 5, 6),
    re.compile("a(b)", re.IGNORECASE),
)
KINDS: tuple[Callable[[list[Any]], Any], ...] = (
    list,
    tuple,
    lambda items: dict(enumerate(items)),
    lambda items: {str(item): item for item in items},
    deque,
    lambda items: OrderedDict(enumerate(items)),
    lambda items: {repr(item) for item in items},
    lambda items: frozenset(map(repr, items)),
    lambda items: Counter(map(repr, items)),
    lambda items: bytearray(len(items)),
)


def random_value(chance: random.Random, depth: int = 4) -> Any:
    if depth == 0 or chance.random() < 0.3:
        return chance.choice(ATOMS)
    items = [random_value(chance, depth - 1) for _ in range(chance.randrange(4))]
    return chance.choice(KINDS)(items)


def shown(value: Any) -> str:
    """Return a text that says all, with sets in order."""
    if isinstance(value, set | frozenset):
        return f"{type(value)}{sorted(map(shown, value))}"
    if isinstance(value, Counter):  # its repr has another order
        return f"Counter{sorted(value.items())}"
    if isinstance(value, dict):
        return f"{type(value)}{[(shown(key), shown(item)) for key, item in value.items()]}"
    if isinstance(value, list | tuple | deque):
        return f"{type(value)}{[*map(shown, value)]}"
    return repr(value)


VALUES = [random_value(random.Random(seed)) for seed in range(150)]
VALUES += [[each] for each in WRITTEN_AS_CALLS]
HEAD = (
    "import datetime, re\nfrom collections import *\nfrom decimal import Decimal\n"
    "def f(value):\n    pass\n"
)
PROGRAM = HEAD + "".join(f"f({value!r})\n" for value in VALUES)


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    return recorded(tmp_path_factory.mktemp("rebuilt"), PROGRAM)


def test_values_come_back_as_data_and_as_source(trace: Trace) -> None:
    calls = [call for call in trace.calls() if call.parent is not None]
    assert len(calls) == len(VALUES)
    for call, value in zip(calls, VALUES, strict=True):
        behaviour = behaviour_of(trace, call)
        told = parcel(trace, behaviour)["inputs"]
        assert not told["unknown"]
        assert shown(built(told)["value"]) == shown(value)
        writer = Writer(Imports(trace))
        made = recipe(trace, {"value": behaviour.given[0].value}, call.first)
        text = writer.written(made)["value"]
        source = "\n".join([*writer.imports.lines, *writer.lines, f"rebuilt = {text}"])
        names: dict[str, Any] = {}
        exec(source, names)
        assert shown(names["rebuilt"]) == shown(value), source


LINKED = """
    class Node:
        def __init__(self, below):
            self.below = below
            self.own = self
    def f(value):
        pass
    below = None
    for _ in range(300):
        below = Node([below])
    f(below)
    f(iter([1]))
    f(property())
    f(list(range(20_000)))
    """


def test_what_is_deep_shared_or_cyclic_comes_back_and_what_is_not_known_is_named(
    tmp_path: Path,
) -> None:
    trace = recorded(tmp_path, LINKED)
    deep, *others = [
        call for call in trace.calls()
        if (function := trace.function(call.function)) and function.name == "f"
    ]  # fmt: skip
    node = built(parcel(trace, behaviour_of(trace, deep))["inputs"])["value"]
    writer = Writer(Imports(trace))
    values = {"value": behaviour_of(trace, deep).given[0].value}
    writer.written(recipe(trace, values, deep.first))
    assert max(line.count("(") for line in writer.lines) < 20  # no statement is too deep
    for _ in range(300):
        assert node.own is node
        node = node.below[0]
    assert node is None
    for call, why in zip(
        others, ("more than is recorded", "not recorded", "too long"), strict=True
    ):
        with pytest.raises(Unbuildable, match=why):
            recipe(trace, {"value": behaviour_of(trace, call).given[0].value}, call.first)
