"""The marks beside the code of a call."""

from pathlib import Path

import pytest

from sleuth.trace.reader import Trace
from sleuth.tree.dependence import needed as finding
from sleuth.tree.dependence.needed import needed
from sleuth.tree.observe.calls import behaviour_of
from sleuth.views.drawing.styled import plain, width
from sleuth.views.words.source import code_lines
from tests.recorded import call_of, recorded

pytestmark = pytest.mark.two_versions
SOURCE = """\
def work(items, log):
    total = 0
    noise = 1
    for item in items:
        noise += item
        total += item
        log.append(
            item)
    return total
work([1, 2], [])
"""


def drawn(trace: Trace, path: str = "", columns: int = 80) -> list[str]:
    call = call_of(trace, "work")
    found = needed(trace, behaviour_of(trace, call), path)
    return [*plain(code_lines(trace, call, needed=found, width=columns))]


def marks(rows: list[str]) -> str:
    return "".join(row[4] for row in rows if row[:3].strip().isdigit())


def test_lines_that_were_needed_are_told_from_those_that_only_ran(tmp_path: Path) -> None:
    rows = drawn(recorded(tmp_path, SOURCE))
    assert marks(rows)[1:6] == "*.*.*"
    assert rows[-1] == "  . ran in this call   * ran, needed for what is shown"


def test_lines_needed_for_the_part_called_wrong_have_a_mark_of_their_own(tmp_path: Path) -> None:
    rows = drawn(recorded(tmp_path, SOURCE), "return")
    assert marks(rows)[1:6] == "#.#.#"
    assert marks(rows)[6] == "*"
    assert rows[-1].endswith("# ran, needed for return")


def test_the_legend_fits_on_a_narrow_terminal(tmp_path: Path) -> None:
    rows = drawn(recorded(tmp_path, SOURCE), "return", columns=40)
    assert all(width(row) <= 40 for row in rows)
    assert rows[-3:] == [
        "  . ran in this call",
        "  * ran, needed for what is shown",
        "  # ran, needed for return",
    ]


def test_a_run_that_is_too_long_shows_what_ran_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = recorded(tmp_path, SOURCE)
    monkeypatch.setattr(finding, "_BUDGET", -1.0)
    rows = drawn(trace)
    assert set(marks(rows)) <= {".", " "}
    text = " ".join(row.strip() for row in rows)
    assert "Which lines were needed is left out" in text
    assert "PATH --call 1" in text


def test_only_the_call_itself_counts_and_not_another_one_of_the_same_function(
    tmp_path: Path,
) -> None:
    source = """\
def work(n):
    if n == 0:
        extra = 7
        return extra
    extra = 8
    return work(n - 1)
work(1)
"""
    rows = drawn(recorded(tmp_path, source))
    assert marks(rows) == " *  .*"
