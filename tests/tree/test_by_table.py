"""Facts that come from the flow table and not from the text: the layout of code has no effect."""

import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))
from sleuth.trace.events import EventKind, Span
from sleuth.trace.reader import Trace
from sleuth.tree.dependence.forwarding import Forwarders
from sleuth.tree.failing.variables_named import variables_in
from sleuth.tree.loops.made import _Run
from sleuth.tree.node_kinds import kind_of
from tests.recorded import call_of, calls_of, recorded

PROGRAM = """
    class Point:
        __slots__ = ("_x",)
        def __init__(self, x): self.x = x
        @property
        def x(self): return (
            self._x  # a comment
        )
        @x.setter
        def x(self, value): self._x = value
        @property
        def __size(self):
            "A text: return self._x"
            return self._x
        def size(self): return self.__size
        def method(self): return 1
        def called(self): return self . method ( )
        def not_a_getter(self): return -self._x
    def made(xs):
        plain = [x for x in xs]
        one = two = [x for x in xs]
        told: list = (
            [x for x in xs]  # ] = [
        )
        other = sorted([x for x in xs])
        pair = [x for x in xs], 1
        return [x for x in xs]
    def named(a, b, *, c):
        k = 1
        return a + len([b for b in c]) + sum(k for _ in c) + (lambda a: a + b)(1)
    def inner(a, b): return a
    def passes(a, b): return inner(
        a,  # the first
        b=b,
    )
    def passes_all(*a, **b): return inner(*a, **b)
    def adds(a, b): return inner(a, 3)
    def packs(a, b): return inner([a], b)
    p = Point(1)
    p.x, p.size(), p.called(), p.not_a_getter()
    made([1, 2])
    named(1, 2, c=[3])
    passes(1, 2), passes_all(1, b=2), adds(1, 3), packs(1, 2)
"""


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    return recorded(tmp_path_factory.mktemp("table"), PROGRAM)


def numbers(trace: Trace) -> Mapping[str, int]:
    return {each.qualified_name: int(each.id) for each in trace.functions()}


@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("Point.x", ["property"] * 2),
        ("Point.__size", ["property"]),
        ("Point.size", ["method"]),
        ("Point.method", ["method"]),
    ],
)
def test_what_is_only_named_is_a_property(trace: Trace, name: str, kinds: list[str]) -> None:
    calls = calls_of(trace, name)
    assert [kind_of(trace, each, trace.function(each.function)) for each in calls] == kinds


def test_a_getter_may_be_written_on_several_lines(trace: Trace) -> None:
    found, number = Forwarders(trace), numbers(trace)
    getters = [name for name in number if found.is_getter(number[name])]
    assert getters == ["Point.__size", "Point.size"]


def test_calls_forward_however_they_are_laid_out(trace: Trace) -> None:
    found = Forwarders(trace)
    calls = [call_of(trace, name) for name in ("passes", "passes_all", "adds", "packs")]
    inner = [next(trace.children(each.id)) for each in calls]
    told = [found.only_forwards(one.id, two.id) for one, two in zip(calls, inner, strict=True)]
    assert told == [True, True, False, False]


def test_what_a_comprehension_made_is_known_where_it_alone_is_taken(trace: Trace) -> None:
    call = call_of(trace, "made")
    function = trace.function(call.function)
    assert function is not None
    starts = [
        event
        for event in trace.events(call.first, call.last or 0, call=call.id)
        if event.kind is EventKind.LOOP
    ]
    found = []
    for event in starts:
        site = trace.site(event.site) if event.site else None
        assert site is not None
        run = _Run(trace, call, function, site, event.moment)
        found.append((run.is_list, run.result() is not None))
    assert found == [(True, True)] * 3 + [(True, False)] * 2 + [(True, True)]


def test_variables_are_those_of_the_function(trace: Trace) -> None:
    number = numbers(trace)["named"]
    function = trace.function(number)
    assert function is not None
    whole = Span(function.first_line, 0, function.last_line, 200)
    assert variables_in(trace, number, whole) == {"a", "len", "c", "sum", "k", "b"}
    line = function.last_line
    assert variables_in(trace, number, Span(line, 11, line, 36)) == {"a", "len", "c"}
