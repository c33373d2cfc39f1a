"""Values in normal form: what generators, coroutines, futures delivered; what is not known."""

import re
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))
from sleuth.trace.reader import Trace
from sleuth.tree.observe.calls import behaviour_of
from sleuth.views.drawing.picture import Pictures
from sleuth.views.drawing.styled import plain
from sleuth.views.wire.questions import claims
from sleuth.views.words.question import question_lines
from tests.recorded import recorded

PROGRAM = """
import asyncio
import re
from datetime import datetime, timedelta, timezone
from functools import partial
from concurrent.futures import Future


def evens(n):
    for i in range(n):
        yield 2 * i


def boom():
    yield 1
    raise ValueError("bad")


def show(x, y=None):
    return x


def make(n):
    return evens(n)


async def work(x):
    await asyncio.sleep(0)
    return x * 2


async def waits():
    one = work(4)
    show(one)
    await one
    show(one)


def main():
    g = evens(5)
    show(g)
    next(g)
    next(g)
    show(g)
    list(g)
    show(g)
    show(evens(100))
    show(make(1))
    b = boom()
    try:
        list(b)
    except ValueError:
        pass
    show(b)
    evens(7)
    show(g)
    pair = (evens(1), evens(2))
    show(pair[0])
    both = show(g, evens(3))
    future = Future()
    show(future)
    future.set_result([5])
    show(future)
    failed = Future()
    failed.set_exception(KeyError(1))
    show(failed)
    long = evens(50)
    list(long)
    show(long)
    show({1: 2}.items())
    show(range(2, 9, 2))
    show(partial(make, 3, n=4))
    show(zip([1, 2], iter((3,))))
    show(map(str, [1]))
    show(reversed([1]))
    show(enumerate({5: 6}))
    show(datetime(2024, 2, 29, 13, 5))
    show(datetime(2024, 2, 29, tzinfo=timezone.utc).date())
    show(timedelta(hours=30))
    show(slice(1, None))
    show(re.compile("a+"))
    asyncio.run(waits())


main()
"""
SHOWN = [
    "<generator evens #N?: nothing requested yet>",
    "<generator evens #N?: 0, 2 so far>",
    "<generator evens #N?: 0, 2, 4, 6, 8, then stopped>",
    "<generator evens #N?: never requested>",
    "<generator evens #N?: never requested>",
    "<generator boom #N?: 1, then raised>",
    # Another generator was made and thrown away just before.
    "<generator evens #N?: 0, 2, 4, 6, 8, then stopped>",
    # Nothing recorded mentions it where it is made.
    "<generator #N?>",
    # Two are mentioned at once: the one that a variable holds is known.
    "<generator evens #N?: 0, 2, 4, 6, 8, then stopped>",
    "<Future #N no result yet>",
    "<Future #N gave [5]>",
    "<Future #N raised <KeyError #N>>",
    "<generator evens #N?: 0, 2, ... 48 more, then stopped>",
    "<dict_items #N of {1: 2}>",
    "range(2, 9, 2)",
    "partial(<function make>, 3, n=4)",
    "<zip #N over (<list_iterator #N over [1, 2]>, ... 1 more)>",
    "<map #N over (<list_iterator #N over [1]>,)>",
    "<list_reverseiterator #N over [1]>",
    "<enumerate #N over <dict_keyiterator #N over {5: 6}>>",
    "datetime(2024, 2, 29, 13, 5, 0, 0)",
    "date(2024, 2, 29)",
    "timedelta(1, 21600, 0)",
    "slice(1, None, None)",
    "Pattern('a+', 32)",
    "<coroutine work #N?: not awaited yet>",
    "<coroutine work #N?: returned 8>",
]


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    return recorded(tmp_path_factory.mktemp("delivered"), PROGRAM)


def test_what_was_delivered_is_shown_as_it_was_then(trace: Trace) -> None:
    pictures = Pictures(trace)
    found = [
        re.sub(r"#\d+", "#N", pictures.of(trace.arguments(call)[0], call.first, width=60))
        for call in trace.calls()
        if (function := trace.function(call.function)) and function.name == "show"
    ]
    assert found == SHOWN


def test_programs_get_the_same(trace: Trace) -> None:
    shows = [
        call
        for call in trace.calls()
        if (function := trace.function(call.function)) and function.name == "show"
    ]
    value = claims(trace, behaviour_of(trace, shows[1]))["inputs"][0]["value"]
    gave = value["delivered"]
    assert (gave["function"], gave["state"], gave["count"]) == ("evens", "so far", 2)
    assert [each["value"] for each in gave["values"]] == [0, 2]
    value = claims(trace, behaviour_of(trace, shows[-1]))["inputs"][0]["value"]
    assert value["delivered"]["result"] == {"kind": "integer", "value": 8}


def test_a_question_says_what_is_not_recorded(trace: Trace) -> None:
    shows = [
        call
        for call in trace.calls()
        if (function := trace.function(call.function)) and function.name == "show"
    ]
    (row,) = [
        line
        for line in plain(question_lines(trace, behaviour_of(trace, shows[16]), width=80))
        if "not known" in line
    ]
    assert row == "  not known x, return: how far they have gone is not recorded"
