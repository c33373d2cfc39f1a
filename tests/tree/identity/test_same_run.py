"""Equality of two behaviours, and how hard they are to judge."""

from pathlib import Path

from sleuth.trace.reader import Trace
from sleuth.tree.effort import effort
from sleuth.tree.identity.same_run import fingerprint
from tests.recorded import call_of, recorded

SOURCE = """
    class Box:
        def __init__(self, n):
            self.n = n
            self.own = self
    LIMIT = 3
    def look(box, extra):
        return box.n + len(extra) + LIMIT
    def put(box, n):
        box.n = n
    def twice(one, two):
        return one.n + two.n
    def closed(k):
        def inner(z):
            return z + k
        return inner
    def text(t):
        return t
    look(Box(1), [1, {"a": Box(2)}])
    look(Box(1), [1, {"a": Box(2)}])
    look(Box(1), [1, {"a": Box(3)}])
    LIMIT = 4
    look(Box(1), [1, {"a": Box(2)}])
    same = Box(1)
    twice(same, same)
    twice(Box(1), Box(1))
    twice(same, same)
    put(Box(1), 5)
    put(Box(1), 5)
    put(Box(2), 5)
    closed(1)(1)
    closed(2)(1)
    text("x")
    text("x" * 5000)
    from functools import partial
    text(partial(text, 1))
    text(partial(text, 2))
    text(Box)
    text(int.__class__)
    class Other:
        pass
    text(Other)
    """


def trace_of(tmp_path: Path) -> Trace:
    return recorded(tmp_path, SOURCE)


def test_equal_inputs_and_effects_are_equal_whoever_the_objects_are(tmp_path: Path) -> None:
    trace = trace_of(tmp_path)
    look = [fingerprint(trace, call_of(trace, "look", number)) for number in range(4)]
    assert look[0] == look[1]
    assert hash(look[0]) == hash(look[1])
    assert look[0] != look[2], "something deep inside is different"
    assert look[0] != look[3], "a global that it used is different"
    assert look[0] != "look"


def test_how_objects_are_linked_counts(tmp_path: Path) -> None:
    trace = trace_of(tmp_path)
    twice = [fingerprint(trace, call_of(trace, "twice", number)) for number in range(3)]
    assert twice[0] == twice[2]
    assert twice[0] != twice[1]


def test_the_contents_before_a_call_count(tmp_path: Path) -> None:
    trace = trace_of(tmp_path)
    put = [fingerprint(trace, call_of(trace, "put", number)) for number in range(3)]
    assert put[0] == put[1]
    assert put[0] != put[2]


def test_variables_of_functions_around_count(tmp_path: Path) -> None:
    trace = trace_of(tmp_path)
    inner = [fingerprint(trace, call_of(trace, "closed.<locals>.inner", n)) for n in range(2)]
    assert inner[0] != inner[1]


def test_long_values_are_harder_than_short_ones(tmp_path: Path) -> None:
    trace = trace_of(tmp_path)
    short, long = (effort(trace, call_of(trace, "text", number)) for number in range(2))
    assert 0 < short < long
    assert effort(trace, call_of(trace, "<module>")) > short


def test_what_can_not_be_looked_into_equals_only_itself(tmp_path: Path) -> None:
    trace = trace_of(tmp_path)
    prints = [fingerprint(trace, call_of(trace, "text", number)) for number in (2, 3, 4, 6)]
    partial, other_partial, box, other_class = prints
    assert partial != other_partial
    assert box != other_class
