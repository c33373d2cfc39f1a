"""Symptoms in tests of all sorts: subtests, values of fixtures, computed values."""

import subprocess
import sys
from pathlib import Path

import pytest

from sleuth.opening import Opened, opened
from sleuth.oracles.asserted_calls import asserted_calls
from sleuth.trace.reader import Trace
from sleuth.tree.failing.test import Failure
from sleuth.views.prompt.first_screen import introduction
from sleuth.views.prompt.inquiry import looked_at
from sleuth.views.trace_files import traces
from sleuth.views.words.failure import failure_lines
from tests.views.testing.project import run

pytestmark = pytest.mark.two_versions

CODE = """
from datetime import date


class Shelf:
    def __init__(self, *books):
        self.books = books

    def __len__(self):
        return len(self.books)

    def __iter__(self):
        return iter(self.books[1:])


def bonus(count):
    return 1 if count >= 2 else 0


def day(number):
    return date(2024, 1, number)


def pairs(count):
    for number in range(count):
        yield number, number


async def later(value):
    return value + 1
"""
TESTS = """
import unittest
from datetime import date
import pytest
from goods import Shelf, bonus, day, later, pairs


class PartsTest(unittest.TestCase):
    def test_parts(self):
        for count, wanted in [(1, 0), (2, 0), (3, 1)]:
            with self.subTest(count=count):
                self.assertEqual(bonus(count), wanted)


class RaisingTest(unittest.TestCase):
    def test_raising(self):
        with self.subTest("a"):
            day(40)


class LaterTest(unittest.IsolatedAsyncioTestCase):
    async def test_later(self):
        self.assertEqual(await later(1), 3)


def test_listed():
    assert list(Shelf(1, 2)) == [1, 2]


def test_day():
    days = [day(1), day(2)]
    assert days[-1] == date(2024, 1, 3)


def test_collected():
    found = list(pairs(2))
    assert found == [(0, 0), (1, 2)]


def test_in_between():
    items = [3, 1]
    bonus(1)
    day(2)
    found = sorted([bonus(count) for count in items])
    assert found == [0, 0]


def test_repeated():
    for count in (1, 2, 3):
        assert str(bonus(count)) == "0"


@pytest.fixture
def two():
    return bonus(2)


def test_fixture(two):
    assert two == 0


@pytest.mark.xfail(strict=True)
def test_passes():
    assert bonus(1) == 0


def test_only_tried():
    with pytest.raises(AssertionError):
        assert bonus(2) == 0
    assert len(Shelf(1)) == 1
    assert list(Shelf(1)) == []


def test_interrupted():
    bonus(2)
    raise KeyboardInterrupt
"""
Done = tuple[Path, subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> Done:
    """Every test is recorded, by a pytest that is measured."""
    folder = tmp_path_factory.mktemp("symptoms")
    (folder / "goods.py").write_text(CODE)
    (folder / "test_goods.py").write_text(TESTS)
    words = ("run", "-m", "pytest", "-q", "-p", "no:cacheprovider", "--sleuth=all")
    return folder, run(folder, "coverage", *words)


@pytest.fixture(scope="module")
def runs(done: Done) -> dict[str, Opened]:
    found = traces(done[0] / ".sleuth")
    return {str(Trace(path).meta["test"]["id"]).rpartition("::")[2]: opened(path) for path in found}


def failure(run_of: Opened) -> Failure:
    assert run_of.failure is not None
    return run_of.failure


def first_asked(run_of: Opened) -> str:
    pending = run_of.session(transform=()).pending
    function = run_of.trace.function(run_of.trace.call(pending.about.call).function)  # type: ignore[union-attr]
    assert function is not None
    return function.name


def test_a_subtest_that_failed_is_the_symptom(runs: dict[str, Opened]) -> None:
    found = failure(runs["test_parts"])
    assert (found.check.text if found.check else "") == "self.assertEqual(bonus(count), wanted)"
    assert [*failure_lines(runs["test_parts"].trace, found, 80)][1:] == [
        "  bonus(count) was 1",
        "  expected 0",
    ]
    call = runs["test_parts"].trace.call(found.asked_first[0])
    assert runs["test_parts"].trace.arguments(call)[0].content == 2  # type: ignore[union-attr]


def test_a_subtest_can_be_left_by_an_exception_of_what_it_tests(runs: dict[str, Opened]) -> None:
    found = failure(runs["test_raising"])
    assert found.check is None
    assert "ValueError" in " ".join(failure_lines(runs["test_raising"].trace, found, 80))
    assert first_asked(runs["test_raising"]) == "day"


def test_what_is_awaited_in_a_method_is_known(runs: dict[str, Opened]) -> None:
    found = failure(runs["test_later"])
    assert "  await later(1) was 2" in failure_lines(runs["test_later"].trace, found, 80)
    assert found.wanted == "3"


def test_what_a_builtin_called_on_the_way_is_not_what_was_compared(
    runs: dict[str, Opened],
) -> None:
    found = failure(runs["test_listed"])
    assert found.actual is not None
    assert found.actual.call is None
    assert "  list(Shelf(1, 2)) was [2]" in failure_lines(runs["test_listed"].trace, found, 80)


def test_values_that_are_written_like_calls_are_shown(runs: dict[str, Opened]) -> None:
    lines = [*failure_lines(runs["test_day"].trace, failure(runs["test_day"]), 80)]
    assert lines[1:] == ["  days[-1] was date(2024, 1, 2)", "  expected date(2024, 1, 3)"]


def test_of_a_generator_all_that_it_gave_is_what_was_compared(runs: dict[str, Opened]) -> None:
    found = failure(runs["test_collected"])
    assert found.actual is not None
    assert found.actual.call in found.asked_first
    assert first_asked(runs["test_collected"]) == "pairs"
    assert found.wanted == "[(0, 0), (1, 2)]"


def arguments(run_of: Opened) -> list[object]:
    """Return the first arguments of the calls that made the checked value."""
    calls = map(run_of.trace.call, failure(run_of).asked_first)
    return [run_of.trace.arguments(each)[0].content for each in calls]  # type: ignore[union-attr]


def test_calls_before_the_statement_that_set_the_value_did_not_make_it(
    runs: dict[str, Opened],
) -> None:
    assert arguments(runs["test_in_between"]) == [3, 1]


def test_of_a_repeated_check_the_turn_that_failed_counts(runs: dict[str, Opened]) -> None:
    assert arguments(runs["test_repeated"]) == [2]


@pytest.mark.parametrize(
    ("test", "name"), [("test_day", "day"), ("test_fixture", "bonus"), ("test_passes", "bonus")]
)
def test_what_made_the_value_is_asked_about_first(
    runs: dict[str, Opened], test: str, name: str
) -> None:
    assert first_asked(runs[test]) == name


def test_a_check_that_was_meant_to_fail_says_nothing_is_right(runs: dict[str, Opened]) -> None:
    trace = runs["test_only_tried"].trace
    functions = [trace.function(call.function) for call in asserted_calls(trace)]
    assert [function.name for function in functions if function] == ["__len__"]


def test_a_test_that_was_interrupted_has_not_passed(runs: dict[str, Opened]) -> None:
    assert runs["test_interrupted"].trace.meta["test"]["outcome"] == "interrupted"
    assert runs["test_only_tried"].trace.meta["test"]["outcome"] == "passed"


def test_coverage_is_measured_as_without_us(done: Done) -> None:
    folder, ended = done
    assert ended.returncode == 2, ended.stdout + ended.stderr
    told = subprocess.run(
        [sys.executable, "-m", "coverage", "report", "--include=goods.py"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "100%" in told.stdout


def test_that_tests_are_trusted_is_said_also_where_the_search_is_outside_of_the_test(
    runs: dict[str, Opened],
) -> None:
    said = introduction(looked_at(runs["test_fixture"].trace.path), 80)
    assert any("Tests and fixtures are trusted" in str(line) for line in said)
