"""The command `sleuth slice`."""

import json
from pathlib import Path

import pytest

from sleuth.views.cli import main
from tests.recorded import recorded

pytestmark = pytest.mark.two_versions
SOURCE = "a = 1\nb = 2\nc = a + 1\nif b > 5:\n    c = 7\nprint(c)\n"


def test_json_has_the_lines_of_statements(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = recorded(tmp_path, SOURCE)
    assert main(["slice", str(trace.path), "stdout[0]", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "is": "slice",
        "lines": {"prog.py": [1, 3, 6]},
        "calls": [0],
        "unknown": [],
    }


def test_the_terminal_shows_marked_source(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = recorded(tmp_path, SOURCE)
    assert main(["slice", str(trace.path), "c", "--relevant"]) == 0
    marked = [line for line in capsys.readouterr().out.splitlines() if line.startswith(">")]
    assert [line.split()[1] for line in marked] == ["1", "2", "3", "4"]


def test_bad_input_is_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace = recorded(tmp_path, SOURCE)
    for given in (["nothing"], ["c", "--call", "99"], ["c", "--at", "9999"]):
        assert main(["slice", str(trace.path), *given]) == 2
        assert capsys.readouterr().err.startswith("sleuth: ")
