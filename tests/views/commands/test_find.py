"""`sleuth find` as a command."""

import json
import re
from pathlib import Path

import pytest

from sleuth.views.cli import main
from tests.recorded import recorded

pytestmark = pytest.mark.two_versions
ROOT = Path(__file__).parents[3]
JSON_PAGE = (ROOT / "docs/reference/json.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    page = (ROOT / "docs/reference/queries.md").read_text(encoding="utf-8")
    source = re.search(r"```python\n(.*?)```", page, re.DOTALL)
    assert source
    return str(recorded(tmp_path_factory.mktemp("find"), source[1], name="shop.py").path)


def test_a_line_for_each_hit(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["find", path, "calls of apply where percent > 1"]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert len(rows) == 2
    assert rows[0].split()[0] == "7"
    assert "percent=300" in rows[0]
    assert all(row.endswith("shop.py:11") for row in rows)


def test_moments_writes_threads_and_output(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    for query, words in (
        ("first moment where total < 0", "total = -11.0"),
        ("last write to Order.total", "<Order #"),
        ("threads at 20", "thread 1"),
        ("output where 'pays' in text", "stdout[1]  pays -11.0"),
        ("count calls of apply", "3"),
    ):
        assert main(["find", path, query]) == 0
        (row,) = capsys.readouterr().out.splitlines()
        assert words in row


def test_exit_statuses(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["find", path, "calls of apply where percent > 1000"]) == 1
    assert "Nothing was found." in capsys.readouterr().err
    assert main(["find", path, "count calls of apply where percent > 1000"]) == 1
    assert capsys.readouterr().out == "0\n"
    assert main(["find", path, "calls of apply where percnt > 3"]) == 2
    said = capsys.readouterr().err
    page = (ROOT / "docs/reference/queries.md").read_text(encoding="utf-8")
    assert said in page
    assert main(["find", path, "calls", "of", "apply"]) == 2
    assert "a query with spaces needs quotes" in capsys.readouterr().err
    assert main(["find", f"{path}.not", "calls"]) == 3


def test_what_could_not_be_decided_is_counted(
    path: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["find", path, "calls of apply where self.totla < 0"]) == 1
    said = capsys.readouterr().err
    assert "3 calls could not be decided: an object did not have the attribute" in said
    assert "Did you mean total?" in said


def test_hidden_values_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace = recorded(tmp_path, "def f(password):\n    pass\nf('a')\nf('b')\n")
    assert main(["find", str(trace.path), "calls of f where password == 'a'"]) == 1
    said = capsys.readouterr().err
    assert "2 calls could not be decided: their values were not recorded." in said


@pytest.mark.parametrize(
    ("query", "kind"),
    [
        ("first moment where total < 0", "moment"),
        ("threads at 20", "thread"),
        ("output where 'pays' in text", "output"),
        ("count calls", "count"),
    ],
)
def test_json_has_the_documented_fields(
    path: str, query: str, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["find", path, query, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    row = re.search(rf"^\| `{kind}` \| (.*) \|$", JSON_PAGE.partition("## find")[2], re.MULTILINE)
    assert row
    without_remarks = re.sub(r"\(.*?\)", "", row[1])
    assert [*told] == ["is", *re.findall(r"`(\w+)`", without_remarks)]
    assert told["is"] == kind


def test_a_moment_as_json(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["find", path, "first moment where order.total < 0 in checkout", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told == {
        "is": "moment",
        "moment": told["moment"],
        "file": "shop.py",
        "line": 14,
        "function": "Order.apply",
        "call": 8,
    }


def test_calls_are_those_of_show_and_writes_those_of_history(
    path: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def lines(*argv: str) -> list[dict[str, object]]:
        assert main([*argv, "--json"]) == 0
        return [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    (found,) = lines("find", path, "first call of apply")
    shown = next(each for each in lines("show", path) if each.get("id") == found["id"])
    assert {**shown, "name": "Order.apply", "file": "shop.py", "line": 11} == found
    assert lines("find", path, "writes to order.total") == lines("history", path, "order.total")


@pytest.mark.parametrize("columns", ["60", "80", "200"])
def test_lines_fit_the_terminal(
    path: str, columns: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    for query in ("calls", "moments where total < 0", "threads at 20", "output"):
        assert main(["find", path, query]) == 0
        assert all(len(row) <= int(columns) for row in capsys.readouterr().out.splitlines())
