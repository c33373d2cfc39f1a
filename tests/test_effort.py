"""Tests that are left out in one run of the tests are made in another run."""

import os
import subprocess
from pathlib import Path

import pytest

from tests import effort

pytestmark = pytest.mark.one_version

ROOT = Path(__file__).parents[1]
NAMES = [f"tests/test_it.py::test_it[{number}]" for number in range(1000)]


def left_out(*marks: str) -> int:
    return sum(effort.is_left_out(name, set(marks)) for name in NAMES)


def at(monkeypatch: pytest.MonkeyPatch, level: str) -> None:
    monkeypatch.setattr(effort, "LEVEL", level)
    monkeypatch.setattr(effort, "IS_FULL", level == "full")


def test_a_full_run_leaves_nothing_out(monkeypatch: pytest.MonkeyPatch) -> None:
    at(monkeypatch, "full")
    assert left_out("any_version", "one_version", "two_versions", "sampled", "slow") == 0
    assert effort.share(20, 6) == 20
    assert effort.examples(80) == 80


def test_a_part_is_a_fifth_of_what_is_the_same_everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    at(monkeypatch, "part")
    assert left_out() == left_out("slow") == 0
    assert left_out("one_version") == 1000
    assert 750 < left_out("any_version") < 850
    assert 450 < left_out("sampled") == left_out("two_versions") < 550
    assert effort.share(20, 6) == 6
    assert [effort.examples(each) for each in (500, 80, 12, 3)] == [100, 16, 5, 3]


@pytest.mark.parametrize("mark", ["sampled", "two_versions"])
def test_half_is_tested_on_each_of_two_other_versions(
    mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    at(monkeypatch, "part")
    kept = []
    for minor in (12, 13):
        monkeypatch.setattr(effort, "MINOR", minor)
        kept += [name for name in NAMES if not effort.is_left_out(name, {mark})]
    assert sorted(kept) == sorted(NAMES)


def test_a_fast_run_leaves_out_what_is_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    at(monkeypatch, "fast")
    assert left_out() == 0
    assert left_out("slow") == left_out("one_version") == 1000
    assert 750 < left_out("sampled") < 850
    assert 850 < left_out("any_version") < 950
    assert 450 < left_out("two_versions") < 550
    assert effort.examples(500) == 50


def test_make_test_makes_all_of_it_on_exactly_one_version() -> None:
    kept = {key: text for key, text in os.environ.items() if key not in ("EFFORT", "MAKEFLAGS")}
    said = subprocess.run(
        ["make", "--dry-run", "test"],
        cwd=ROOT,
        env=kept,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    runs = [line.split() for line in said.splitlines() if "-m pytest" in line]
    assert [words[0] for words in runs].count("EFFORT=full") == 1
    assert {words[0] for words in runs} <= {"EFFORT=full", "EFFORT=part"}
