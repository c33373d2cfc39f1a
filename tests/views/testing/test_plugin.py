"""The plugin for pytest: a trace for each test, and pytest's own output does not change."""

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import cast

import pytest

from sleuth.opening import Opened, opened
from sleuth.trace.reader import Trace
from sleuth.trace.store.check import check
from sleuth.views.trace_files import traces
from tests.views.testing.project import FAILING, PASSING, SKIPPED, make, reported, run

AGAIN = {name for name in FAILING if "TestCart" in name or "broken" in name}
Done = tuple[Path, subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Done:
    """Tests without us."""
    folder = make(tmp_path_factory.mktemp("plain"))
    return folder, run(folder, "pytest", "-q", "--junit-xml=report.xml", "tests")


@pytest.fixture(scope="module")
def failed(tmp_path_factory: pytest.TempPathFactory) -> Done:
    """Failing tests are recorded again, beside measured coverage, in several processes."""
    folder = make(tmp_path_factory.mktemp("failed"))
    words = ["-q", "--junit-xml=report.xml", "-n2", "--cov=shop", "--cov-report=", "--pdbcls=a:b"]
    return folder, run(folder, "pytest", *words, "--sleuth", "-k", "TestCart or broken", "tests")


@pytest.fixture(scope="module")
def every(tmp_path_factory: pytest.TempPathFactory) -> Done:
    """Every test is recorded as it runs."""
    folder = make(tmp_path_factory.mktemp("every"))
    return folder, run(folder, "pytest", "-q", "--junit-xml=report.xml", "--sleuth=all", "tests")


def by_test(folder: Path) -> dict[str, Path]:
    return {str(Trace(path).meta["test"]["id"]): path for path in traces(folder / ".sleuth")}


def failures(folder: Path) -> dict[str, Opened]:
    return {name: opened(path) for name, path in by_test(folder).items() if name in FAILING}


# --- What pytest says ----------------------------------------------------------------------------


@pytest.mark.slow
def test_outcomes_messages_and_status_are_those_of_plain_pytest(
    plain: Done, failed: Done, every: Done
) -> None:
    expected = reported(plain[0] / "report.xml")
    assert len(expected) == len(FAILING | PASSING | SKIPPED)
    for folder, ended in (failed, every):
        found = reported(folder / "report.xml")
        assert found == {name: expected[name] for name in found}
        assert ended.returncode == plain[1].returncode == 1
    assert len(reported(every[0] / "report.xml")) == len(expected)


def test_without_the_option_nothing_is_imported_or_written(plain: Done) -> None:
    assert not (plain[0] / ".sleuth").exists()
    code = "import sys, sleuth.views.pytest_plugin\nprint(*sys.modules)"
    loaded = run(plain[0], "sleuth.views.pytest_plugin").returncode
    assert loaded == 0
    words = [sys.executable, "-c", code]
    seen = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()
    ours = {name for name in seen if name.partition(".")[0] == "sleuth"}
    assert ours == {"sleuth", "sleuth.errors", "sleuth.views", "sleuth.views.pytest_plugin"}


def test_while_tests_run_that_may_be_recorded_hardly_anything_of_ours_is_loaded() -> None:
    code = "import sys, sleuth.views.testing.failing\nprint(*sys.modules)"
    words = [sys.executable, "-c", code]
    seen = subprocess.run(words, capture_output=True, text=True, check=True).stdout.split()
    ours = {name for name in seen if name.partition(".")[0] == "sleuth"}
    assert ours - {"sleuth", "sleuth.errors", "sleuth.views"} == {
        "sleuth.views.testing",
        "sleuth.views.testing.failing",
        "sleuth.views.testing.parts",
    }
    assert not {"numpy", "zstandard", "sqlite3"} & {*seen}


# --- One trace a test ----------------------------------------------------------------------------


@pytest.mark.slow
def test_each_failing_test_has_a_trace_and_a_line_says_how_to_go_on(failed: Done) -> None:
    folder, ended = failed
    found = by_test(folder)
    assert set(found) == AGAIN
    for path in found.values():
        assert f"Find out why:  sleuth ask {path.name}\n" in ended.stdout
    assert ended.stdout.count("- sleuth -") == len(AGAIN)


def test_what_the_first_run_wrote_is_not_written_over(failed: Done) -> None:
    data = Path(failed[0] / ".coverage")
    assert data.stat().st_size > 0
    assert len(reported(failed[0] / "report.xml")) > 1, "the report is of all tests"
    last = json.loads((failed[0] / ".pytest_cache/v/cache/lastfailed").read_text())
    assert set(last) == AGAIN


def test_every_test_has_a_sound_trace_with_its_outcome(every: Done) -> None:
    found = by_test(every[0])
    assert set(found) == FAILING | PASSING | SKIPPED
    for name, path in found.items():
        trace = Trace(path)
        outcome = "failed" if name in FAILING else "passed" if name in PASSING else "skipped"
        assert trace.meta["test"]["outcome"] == outcome
        assert trace.ending == {"how": outcome}
        assert not check(path).problems
    assert f"sleuth: {len(found)} tests recorded" in every[1].stderr


def test_a_trace_of_its_own_knows_objects_globals_and_fixtures_that_were_there_before(
    every: Done,
) -> None:
    trace = opened(by_test(every[0])["tests/test_all.py::test_error"]).trace
    call = next(call for call in trace.calls() if _name(trace, call.function) == "rate")
    function = trace.function(call.function)
    assert function is not None
    rates = trace.globals(function.module, call.first)["RATES"]
    shape = trace.shape(rates, call.first)  # type: ignore[arg-type]
    assert shape is not None
    assert shape.part("mapping") is not None
    assert trace.call_count == 2, "no other test is in it"
    recorded = {module.name for module in trace.modules() if module.is_recorded}
    assert recorded == {"test_all", "shop.cart"}, "of modules those that it needs"
    fixture = opened(by_test(every[0])["tests/test_all.py::test_fixture"]).trace
    names = [_name(fixture, call.function) for call in fixture.calls()]
    assert names == ["test_fixture", "Cart.total", "rebate"], "the fixture was made before"


def _name(trace: Trace, number: int) -> str:
    function = trace.function(number)
    return function.qualified_name if function else ""


# --- Why it failed -------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["failed", "every"])
def test_the_check_its_values_and_the_call_they_came_from_are_known(
    way: str, request: pytest.FixtureRequest
) -> None:
    folder, _ = request.getfixturevalue(way)
    found = {}
    for test, run_of in failures(folder).items():
        failure, trace = run_of.failure, run_of.trace
        assert failure is not None, test
        actual = failure.actual
        made = None
        if actual is not None and actual.call is not None:
            made = _name(trace, trace.call(actual.call).function)
        text = failure.check.text if failure.check else None
        found[test.rpartition("::")[2]] = text, failure.wanted, made
    expected = {
        "test_total[a [b] c]": ("total == sum(prices)", "", "Cart.total"),
        "test_fixture": ("12 == twelve.total()", "12", "Cart.total"),
        "test_old": ("self.assertEqual(Cart(30).total(), 29 + 1)", "", "Cart.total"),
        "test_later": ("await later(1) == 3", "3", "later"),
        "test_helper": ("left == right", "", "Cart.total"),
        "test_error": (None, "", None),
        "test_broken": (None, "", None),
    }
    assert found == {name: expected[name] for name in found}
    assert len(found) == len(expected if way == "every" else AGAIN)


# --- The options ---------------------------------------------------------------------------------


def test_a_value_stands_only_behind_an_equals_sign(plain: Done) -> None:
    folder, _ = plain
    ended = run(folder, "pytest", "--sleuth", "tests", "--co", "-q", "-k", "right or later")
    assert "2/10 tests collected" in ended.stdout
    wrong = run(folder, "pytest", "--sleuth=some", "tests")
    assert wrong.returncode == 4
    assert "some" in wrong.stderr


def test_the_second_run_has_the_same_options_but_for_what_chose_tests_or_asks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from _pytest.config import get_config  # noqa: PLC0415

    from sleuth.views.testing import again  # noqa: PLC0415

    (tmp_path / "tests").mkdir()
    monkeypatch.chdir(tmp_path)
    words = ["-k", "tests", "--sleuth", "tests", "--pdb", "-x", "-o", "addopts=-q", "tests"]
    config = get_config(words)
    config.parse(words)
    assert again.options(config) == ["-k", "tests", "-x", "-o", "addopts=-q"]
    more = again.overrides(config)
    assert "no:sleuth" in more
    assert f"--rootdir={tmp_path}" in more
    assert again.argument(config, "tests/a.py::b[c::d]") == f"{tmp_path}/tests/a.py::b[c::d]"


def test_a_test_that_hangs_ends_in_the_second_run_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    from sleuth.views.testing import again  # noqa: PLC0415

    class Config:
        option = argparse.Namespace(timeout=30.0)

        def getini(self, _name: str) -> str:
            return "5"

    monkeypatch.delenv("PYTEST_TIMEOUT", raising=False)
    config = cast("pytest.Config", Config())
    assert again.patience(config) == ["--timeout=300"]
    config.option.timeout = None
    assert again.patience(config) == ["--timeout=60"]  # of the file of settings
    config.option = argparse.Namespace()
    assert again.patience(config) == []


def test_how_each_test_went_is_shown_while_they_are_run_again(failed: Done) -> None:
    _, ended = failed
    line = next(line for line in ended.stdout.splitlines() if "again, recorded" in line)
    assert f"the failing {len(AGAIN)} tests" in line
    assert line.endswith(f" {'F' * len(AGAIN)}")
