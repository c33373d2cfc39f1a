"""The name by which a person knows a call: that of what a decorator wraps."""

from pathlib import Path

import pytest

from sleuth.trace.reader import Trace
from sleuth.tree.build import tree_of
from sleuth.tree.dependence.forwarding import Forwarders
from sleuth.tree.names.known_names import known_as
from sleuth.tree.transformations.forward import Forwarding
from sleuth.tree.transformations.outline import Outline
from tests.recorded import calls_of, recorded

_PROGRAM = """
    import functools
    import time

    def timed(func):
        @functools.wraps(func)
        def wrapper(*args, **kwargs):
            start = time.time()
            result = func(*args, **kwargs)
            spent = time.time() - start
            return result
        return wrapper

    def retry(times):
        def decorate(func):
            @functools.wraps(func)
            def again(*args):
                for _ in range(times):
                    try:
                        return func(*args)
                    except ValueError:
                        pass
            return again
        return decorate

    def guarded(func):
        def checked(n):
            if n < 0:
                return None
            return func(n)
        return checked

    class Counted:
        def __init__(self, func):
            self.func = func
            self.calls = 0
        def __call__(self, n):
            self.calls += 1
            return self.func(n)

    class Bare:
        def __init__(self, func):
            self.func = func
        def __call__(self, n):
            return self.func(n)

    def doubled(func):
        def twice(n):
            return func(2 * n)
        return twice

    @timed
    def parse(text):
        return int(text)

    class Service:
        @timed
        def run(self, n):
            return n

    tries = []
    @retry(3)
    def risky(n):
        tries.append(n)
        if len(tries) < 2:
            raise ValueError(n)
        return n

    @Counted
    def counted(n):
        return n

    @Bare
    def bare(n):
        return n

    @guarded
    def root(n):
        return n ** 0.5

    @timed
    @doubled
    def stacked(n):
        return n

    def compose(f, g):
        def both(n):
            return f(g(n))
        return both

    @functools.singledispatch
    def show(x):
        return "?"
    @show.register
    def _(x: int):
        return "int"

    parse("1"); Service().run(2); risky(3); counted(4); bare(5); root(4); root(-1); stacked(3)
    compose(parse, len)("ab"); show(1)
    """


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    return recorded(tmp_path_factory.mktemp("known"), _PROGRAM)


def names(trace: Trace, function: str) -> list[str | None]:
    found = [known_as(trace, each) for each in calls_of(trace, function)]
    return [None if each is None else each.text for each in found]


@pytest.mark.parametrize(
    ("function", "known"),
    [
        ("retry.<locals>.decorate.<locals>.again", ["risky, as decorated by retry"]),
        ("Counted.__call__", ["counted, as decorated by Counted"]),
        ("doubled.<locals>.twice", ["stacked, as decorated by doubled"]),
        (
            "timed.<locals>.wrapper",
            [
                "parse, as decorated by timed",
                "Service.run, as decorated by timed",
                "stacked, as decorated by timed",
                "parse, as decorated by timed",
            ],
        ),
        ("_", ["_, as decorated by show.register"]),
    ],
)
def test_a_wrapper_is_known_as_what_it_wraps(trace: Trace, function: str, known: list[str]) -> None:
    assert names(trace, function) == known


def test_a_wrapper_that_did_not_come_to_what_it_wraps_is_known_by_its_caller(
    trace: Trace,
) -> None:
    assert names(trace, "guarded.<locals>.checked") == ["root, as decorated by guarded"] * 2


@pytest.mark.parametrize("function", ["parse", "compose.<locals>.both", "<module>", "timed"])
def test_what_is_no_wrapper_has_the_name_of_its_code(trace: Trace, function: str) -> None:
    assert set(names(trace, function)) == {None}


@pytest.mark.parametrize(
    ("function", "is_passed"),
    [
        ("timed.<locals>.wrapper", True),
        ("Bare.__call__", True),
        ("Counted.__call__", False),
        ("retry.<locals>.decorate.<locals>.again", False),
        ("doubled.<locals>.twice", False),
    ],
)
def test_only_wrappers_that_do_nothing_that_can_be_seen_are_passed_over(
    trace: Trace, function: str, *, is_passed: bool
) -> None:
    made = Forwarding(trace)(tree_of(trace), Outline())
    left = [made.find_call(each.id) is not None for each in calls_of(trace, function)]
    assert left == [not is_passed] * len(left)


def test_a_wrapper_that_returns_something_else_does_not_pass_on(tmp_path: Path) -> None:
    source = """
        def rounded(func):
            def wrapper(n):
                result = func(n)
                return round(result)
            return wrapper
        @rounded
        def half(n):
            return n / 2
        half(3)
        half(4)
        """
    trace = recorded(tmp_path, source)
    outer, inner = calls_of(trace, "rounded.<locals>.wrapper"), calls_of(trace, "half")
    told = [Forwarders(trace).passes_on(a.id, b.id) for a, b in zip(outer, inner, strict=True)]
    assert told == [False, False]


def test_a_generated_method_is_known_as_one_of_its_class(tmp_path: Path) -> None:
    source = """
        def generate(cls):
            def __init__(self, x):
                self.x = x
            def __eq__(self, other):
                return self.x == other.x
            cls.__init__ = __init__
            cls.__eq__ = __eq__
            return cls
        @generate
        class Point:
            pass
        class Special(Point):
            def __init__(self):
                super().__init__(1)
        Point(1) == Point(2)
        Special()
        """
    trace = recorded(tmp_path, source)
    inits = names(trace, "generate.<locals>.__init__")
    assert inits == ["Point.__init__", "Point.__init__", None]
    assert names(trace, "generate.<locals>.__eq__") == ["Point.__eq__"]
    assert names(trace, "Special.__init__") == [None]
