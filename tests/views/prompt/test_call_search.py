"""Calls are found by name, arguments, result, stores, output and exception."""

import sys
from pathlib import Path

import pytest

from sleuth.trace.reader import Trace
from sleuth.views.prompt.call_search import Found, Searched, calls_with

sys.path.insert(0, str(Path(__file__).parents[3]))
from tests import toy

PROGRAM = {
    "main": ["push 7", "call twice 1", "print", "push 3", "call twice 1", "return"],
    "twice": ["load a0", "push 2", "mul", "store double", "load double", "return"],
}


def found(trace: Trace, text: str) -> list[tuple[int, str]]:
    return [(each.call, each.where) for each in calls_with(trace, text) if isinstance(each, Found)]


@pytest.fixture
def trace(tmp_path: Path) -> Trace:
    return Trace(toy.record(tmp_path / "find.trace", PROGRAM, []))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("TWICE", [(1, "its function"), (2, "its function")]),
        ("a0=3", [(2, "a0=3")]),
        ("double = 14", [(1, "set double = 14")]),
        ("returned 6", [(0, "returned 6"), (2, "returned 6")]),
        ("printed 14", []),
        ("nowhere", []),
    ],
)
def test_a_text_is_found_in_any_part_of_a_call(
    trace: Trace, text: str, expected: list[tuple[int, str]]
) -> None:
    assert sorted(found(trace, text)) == expected


def test_output_and_exceptions_are_searched_too(tmp_path: Path) -> None:
    trace = Trace(
        toy.record(
            tmp_path / "fail.trace",
            {"main": ["push 5", "print", "fail overflow"]},
            [],
        )
    )
    assert found(trace, "overflow")
    assert found(trace, "printed")


def test_the_search_says_how_far_it_is(trace: Trace) -> None:
    assert isinstance(next(calls_with(trace, "x")), Searched)
