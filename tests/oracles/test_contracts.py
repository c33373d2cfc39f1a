"""Asserts and conditions that fail convict; annotations that are broken are only hints."""

import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest

from sleuth.opening import Opened
from sleuth.oracles.annotations import Annotations, allowed
from sleuth.oracles.contracts import Contracts, made
from sleuth.views.cli import main

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.recorded import call_of, recorded

# Packages like icontract and deal, as far as a trace sees of them; they are not recorded.
PACKAGE = """
import functools
class ViolationError(AssertionError):
    pass
class PreContractError(ViolationError):
    pass
class RaisesContractError(ViolationError):
    pass
for _each in (ViolationError, PreContractError, RaisesContractError):
    _each.__module__ = __name__
def require(condition):
    def decorate(function):
        @functools.wraps(function)
        def wrapper(n):
            if not condition(n):
                raise ViolationError("pre")
            return function(n)
        return wrapper
    return decorate
def ensure(condition):
    def decorate(function):
        @functools.wraps(function)
        def wrapper(n):
            result = function(n)
            if not condition(result):
                raise ViolationError("post")
            return result
        return wrapper
    return decorate
def raises(*kinds):
    def decorate(function):
        @functools.wraps(function)
        def wrapper(n):
            try:
                return function(n)
            except Exception as error:
                raise RaisesContractError from error
        return wrapper
    return decorate
def invariant(condition):
    def decorate(kind):
        for name, function in list(vars(kind).items()):
            if callable(function):
                def wrapper(self, *args, function=function):
                    if function.__name__ != "__init__" and not condition(self):
                        raise ViolationError("before")
                    result = function(self, *args)
                    if not condition(self):
                        raise ViolationError("after")
                    return result
                setattr(kind, name, wrapper)
        return kind
    return decorate
"""
PROGRAM = """
    import sys
    sys.path.insert(0, {packages!r})
    import deal
    import icontract
    def positive(n):
        assert n > 0, "not positive"
        return n
    def doubled(n):
        result = n * 2 + (n == 3)
        assert result % 2 == 0
        return result
    def emptied(xs):
        xs.clear()
        assert xs
    def filled(xs):
        assert all(x > 0 for x in xs) and len(xs) < 9
    def told(n):
        low = -n
        assert n > 0, low
    def named(max):
        assert max > 0
    def compared(n):
        low = n + 1
        assert all(x > low for x in [n])
    def long(n):
        assert (
            n > 0 and
            "low" != [low for low in "n"]
        ), "low"
    def assert_small(n):
        assert_small.n = n; raise AssertionError
    def passes(n):
        return positive(n)
    def catches(n):
        try:
            assert n > 10
        except AssertionError:
            return n
    def other(n):
        raise AssertionError("not by an assert")
    @icontract.require(lambda n: n > 0)
    @icontract.ensure(
        lambda result: result % 2 == 0
    )
    def even(n):
        return n * 2 + (n == 3)
    @deal.raises(KeyError)
    def throws(n):
        return [][n]
    @icontract.invariant(lambda self: self.n >= 0)
    class Box:
        def __init__(self, n):
            self.n = n
        def take(self, k):
            self.n -= k
    def attempt(function, *args):
        try:
            function(*args)
        except Exception:
            pass
    for function, n in [
        (passes, -1), (doubled, 1), (doubled, 3), (catches, 1), (other, 1), (emptied, [1]),
        (filled, [0]), (told, 0), (named, 0), (compared, 0), (long, 0), (assert_small, 0),
        (even, 1), (even, 3), (even, -1), (throws, 1),
    ]:
        attempt(function, n)
    attempt(lambda n: [even(1), even(-1)], 1)
    box = Box(2)
    attempt(box.take, 1)
    attempt(box.take, 5)
    """


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Opened:
    packages = tmp_path_factory.mktemp("packages")
    for name in ("icontract", "deal"):
        (packages / f"{name}.py").write_text(PACKAGE)
    folder = tmp_path_factory.mktemp("contracts")
    return Opened(recorded(folder, PROGRAM.format(packages=str(packages))))


@pytest.mark.parametrize(
    ("name", "number", "verdict", "note"),
    [
        ("positive", 0, "inadmissible", 'assert n > 0, "not positive"'),
        ("passes", 0, "", ""),  # it is not its own assert
        ("doubled", 0, "", ""),
        ("doubled", 1, "wrong", "assert result % 2 == 0"),
        ("emptied", 0, "wrong", "assert xs"),
        ("filled", 0, "inadmissible", "assert all(x > 0 for x in xs) and len(xs) < 9"),
        ("told", 0, "inadmissible", "assert n > 0, low"),  # not the message
        ("named", 0, "inadmissible", "assert max > 0"),
        ("compared", 0, "wrong", "assert all(x > low for x in [n])"),
        ("long", 0, "inadmissible", "assert ("),
        ("assert_small", 0, "", ""),  # it is called so
        ("catches", 0, "", ""),
        ("other", 0, "", ""),
        ("even", 0, "", ""),
        ("even", 1, "wrong", "@icontract.ensure("),
        ("even", 2, "", ""),  # what was broken is the precondition of the next call
        ("throws", 0, "wrong", "it raised an exception that its contract does not allow"),
        ("Box.take", 0, "", ""),
        ("Box.take", 1, "wrong", "@icontract.invariant(lambda self: self.n >= 0)"),
        ("Box.__init__", 0, "", ""),
    ],
)
def test_what_broken_promises_say_of_a_call(
    run: Opened, name: str, number: int, verdict: str, note: str
) -> None:
    call = call_of(run.trace, name, number)
    answer = Contracts(run.trace).answer(run.session(transform=()).question(run.node_of(call.id)))
    found = ("", "") if answer is None else (answer.verdict.value, answer.note)
    assert (found[0], re.sub(r"^(its assert failed, )?line \d+: ", "", found[1])) == (verdict, note)
    nodes = Contracts(run.trace).may_answer(run.tree, np.arange(len(run.tree)))
    assert not verdict or run.node_of(call.id) in nodes


TYPED = """
    from typing import Optional
    class Item: pass
    def whole(n: int) -> int: return n
    def real(x: float) -> str: return x
    def maybe(x: Optional[int], y: "str | None" = None, z: int = None): return x
    def listed(xs: list[
        int  # whole ones
    ], *more: str, **names: int) -> None: return None
    def own(item: Item) -> Item: return item
    def plain(n): return n
    whole(1); whole("1"); whole(True)
    real(1)
    maybe(None); maybe("x")
    listed([1], "a", b=2); listed((1,))
    own(3); plain(4)
    """


@pytest.mark.parametrize(
    ("annotation", "types"),
    [
        ("int", {"int", "bool"}),
        ("list[int] | None", {"list", "None"}),
        ("Optional[Dict[str, int]]", {"dict", "None"}),
        ("dict[str, int | None]", {"dict"}),
        ("Item", set()),
        ("int | Item", set()),
        ("Iterable[int]", set()),
        ("", set()),
    ],
)
def test_which_types_an_annotation_allows(annotation: str, types: set[str]) -> None:
    assert allowed(annotation) == types


def test_a_broken_annotation_makes_a_call_suspicious_and_is_told(tmp_path: Path) -> None:
    run = Opened(recorded(tmp_path, TYPED))
    hint = Annotations(run.trace)
    factors = hint.factors(run.tree)
    told = {
        run.trace.function(int(run.tree.routine[node])).name: hint.reason(run.tree, node)  # type: ignore[union-attr]
        for node in np.flatnonzero(factors > 1).tolist()
    }
    assert told == {
        "whole": "n is annotated int, and was given str",
        "real": "its result is annotated str, and was int",
        "maybe": "x is annotated Optional[int], and was given str",
        "listed": "xs is annotated list[int], and was given tuple",
    }
    assert np.count_nonzero(factors > 1) == 4
    assert hint.reason(run.tree, 0) == ""


def test_a_broken_annotation_is_shown_at_the_question(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = recorded(tmp_path, "def whole(n: int):\n    return n\nwhole('1')\n")
    played = tmp_path / "answers.txt"
    played.write_text("j whole\ne\nq\n")
    main(["ask", str(trace.path), "--answers", str(played), "--plain"])
    shown = capsys.readouterr().out
    assert "Note: n is annotated int, and was given str" in shown
    assert "Also: n is annotated int, and was given str." in shown
    main(["ask", str(trace.path), "--json"])
    first = json.loads(capsys.readouterr().out.splitlines()[0])
    assert first.get("hints") == ["n is annotated int, and was given str"]
    main(["ask", str(trace.path), "--json", "--without", "annotations"])
    assert "hints" not in json.loads(capsys.readouterr().out.splitlines()[0])


def test_contracts_are_asked_only_where_there_can_be_any(tmp_path: Path) -> None:
    raising = "def f(n): {}\ntry: f(0)\nexcept Exception: pass\n"
    without = recorded(tmp_path / "without", "text = 'assert this'\n" + raising.format("1 / n"))
    assert made(without, {}) is None
    with_one = recorded(tmp_path / "with", raising.format("assert n"))
    assert made(with_one, {}) is not None


def test_a_function_is_decorated_if_the_table_says_so(run: Opened) -> None:
    functions = {each.qualified_name: int(each.id) for each in run.trace.functions()}
    found = Contracts(run.trace)
    assert [
        name for name in ("even", "throws", "positive") if found._is_promising(functions[name])
    ] == [
        "even",
        "throws",
    ]
