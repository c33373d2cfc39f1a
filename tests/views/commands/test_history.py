"""`sleuth history` as a command."""

import json
from pathlib import Path

import pytest

from sleuth.views.cli import main
from tests.recorded import recorded

EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("sorting")
    source = (EXAMPLES / "merge_sort.py").read_text()
    return str(recorded(folder, source, name="merge_sort.py").path)


def test_a_line_for_each_write(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history", path, "c[2]", "--call", "merge#3"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[1] for line in lines] == ["1", "1", "7", "9"]
    assert lines[0].endswith("merge_sort.py:51  main, call 1  (made)")
    assert lines[-1].endswith("merge_sort.py:18  merge, call 7")


def test_json_has_the_documented_fields(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history", path, "size", "--call", "sort", "--json"]) == 0
    found = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [each["value"]["value"] for each in found] == [1, 2, 4]
    assert found[0] == {
        "is": "write",
        "path": "size",
        "value": {"kind": "integer", "value": 1},
        "moment": found[0]["moment"],
        "file": "merge_sort.py",
        "line": 42,
        "function": "sort",
        "call": 2,
        "how": "set",
    }


def test_a_path_that_leads_nowhere_is_a_mistake_of_use(
    path: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["history", path, "c[9]", "--call", "merge"]) == 2
    assert "There is no c[9]; there is [0] to [3]." in capsys.readouterr().err


@pytest.mark.parametrize("columns", ["40", "80", "200"])
def test_lines_fit_the_terminal(
    path: str, columns: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert main(["history", path, "a", "--call", "sort"]) == 0
    assert all(len(line) <= int(columns) for line in capsys.readouterr().out.splitlines())
