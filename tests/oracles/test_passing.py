"""Passing tests: calls whose results they assert are right; others only get less suspicious."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from sleuth.opening import Opened
from sleuth.oracles.asserted_calls import asserted_calls
from sleuth.oracles.passing import Passing, made
from sleuth.trace.reader import Trace

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.recorded import call_of

pytestmark = pytest.mark.two_versions

CODE = """
def double(n):
    return n * 2
def inner(n):
    return n + 1
def outer(n):
    return inner(n) * 2
def listed(n):
    return [n]
def put(xs, n):
    xs.append(n)
    return len(xs)
def says(n):
    print(n)
    return n
def price(n, rebate):
    if rebate:
        n = n - 3
    return n
def never(n):
    return n
"""
TESTS = """
from tested_code import *
def test_direct():
    assert double(2) == 4
def test_variable():
    result = outer(1)
    assert result == 4
def test_mutable():
    one = listed(1)
    one.append(2)
    assert one == [1, 2]
    assert listed(3) == [3]
def test_effects():
    assert put([], 1) == 1
    assert says(1) == 1
def test_each_other():
    assert double(3) == outer(2)
def test_price():
    assert price(5, False) == 5
def test_fails():
    double(2); double(3); outer(1); listed(3); listed(1); put([], 1); says(1)
    never(1); price(5, False)
    assert price(5, True) == 3
"""


@pytest.fixture(scope="module")
def traces(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Trace]:
    folder = tmp_path_factory.mktemp("passing")
    (folder / "tested_code.py").write_text(CODE)
    (folder / "test_code.py").write_text(TESTS)
    kept = {key: value for key, value in os.environ.items() if not key.startswith("PYT")}
    process = subprocess.run(
        [sys.executable, "-m", "pytest", "--sleuth=all", "-q", "-p", "no:cacheprovider"],
        cwd=folder,
        env=kept | {"XDG_CACHE_HOME": str(folder / "cache")},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "1 failed, 6 passed" in process.stdout, process.stdout + process.stderr
    found = [Trace(path) for path in (folder / ".sleuth").glob("*.trace")]
    return {trace.meta["test"]["id"].partition("::")[2]: trace for trace in found}


def names(trace: Trace) -> list[str]:
    functions = (trace.function(call.function) for call in asserted_calls(trace))
    return [function.name for function in functions if function]


@pytest.mark.parametrize(
    ("test", "about"),
    [
        ("test_direct", ["double"]),
        ("test_variable", ["outer"]),  # not inner, which may be wrong all the same
        ("test_mutable", ["listed"]),  # the second one: the first was changed before the assert
        ("test_effects", []),  # of what it changed and printed nothing is asserted
        ("test_each_other", []),
        ("test_fails", []),
    ],
)
def test_which_calls_a_test_is_about(traces: dict[str, Trace], test: str, about: list[str]) -> None:
    assert names(traces[test]) == about


@pytest.fixture(scope="module")
def run(traces: dict[str, Trace]) -> Opened:
    return Opened(traces["test_fails"])


@pytest.fixture(scope="module")
def passing(run: Opened) -> Passing:
    found = made(run.trace, {})
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("name", "number", "test"),
    [
        ("double", 0, "test_direct"),
        ("double", 1, ""),
        ("outer", 0, "test_variable"),
        ("inner", 0, ""),
        ("listed", 0, "test_mutable"),
        ("listed", 1, ""),
        ("put", 0, ""),
        ("says", 0, ""),
        ("never", 0, ""),
        ("price", 0, "test_price"),
        ("price", 1, ""),
    ],
)
def test_only_what_was_asserted_is_right(
    run: Opened, passing: Passing, name: str, number: int, test: str
) -> None:
    node = run.node_of(call_of(run.trace, name, number).id)
    answer = passing.answer(run.session(transform=()).question(node))
    found = None if answer is None else (answer.by, answer.verdict.value, answer.note)
    expected = ("passing", "right", f"asserted in test_code.py::{test}") if test else None
    assert found == expected
    asked = passing.may_answer(run.tree, np.arange(len(run.tree)))
    assert answer is None or node in asked


def test_what_ran_in_passing_tests_is_less_suspicious(run: Opened, passing: Passing) -> None:
    factors = passing.factors(run.tree)

    def of(name: str, number: int = 0) -> tuple[float, str]:
        node = run.node_of(call_of(run.trace, name, number).id)
        return float(factors[node]), passing.reason(run.tree, node)

    assert of("double") < of("put") < of("never")
    assert of("double")[1] == "its function ran in 2 of 6 passing tests"
    assert of("never")[1] == "its function ran in none of 6 passing tests"
    assert of("price", 1)[0] > of("price", 0)[0]
    assert of("price", 1)[1] == "it ran line 18, which no passing test ran"
    assert passing.reason(run.tree, 0) == ""


def test_it_is_there_only_beside_a_failing_test_or_with_runs_that_are_named(
    traces: dict[str, Trace],
) -> None:
    assert made(traces["test_direct"], {}) is None
    named = {"passing": [str(traces["test_price"].path)]}
    assert made(traces["test_direct"], named) is not None
