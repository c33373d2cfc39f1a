"""`sleuth travel`: whole sessions."""

from pathlib import Path

import pytest

from sleuth.views.cli import main
from sleuth.views.commands.travel import ROWS
from tests.recorded import recorded

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("travel")
    source = (ROOT / "examples/merge_sort.py").read_text()
    return str(recorded(folder, source, name="merge_sort.py").path)


def _played(path: str, folder: Path, lines: list[str], *options: str) -> int:
    file = folder / "typed.txt"
    file.write_text("\n".join(lines))
    return main(["travel", path, "--answers", str(file), *options])


@pytest.mark.parametrize("columns", ["80", "120"])
def test_the_wrong_write_of_merge_sort_is_found_from_its_item(
    path: str,
    tmp_path: Path,
    columns: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    lines = ["p c", "hist c[2]", "prev c[2]", "l", "p left_b", "prev c[2]", "p c[2]", "q"]
    assert _played(path, tmp_path, lines, "--call", "merge#3") == 0
    shown = capsys.readouterr().out
    assert "c = [1, 4, 9, 7]" in shown
    history = shown.split("travel> hist c[2]\n")[1].split("travel>")[0].splitlines()
    assert [line.split()[1] for line in history] == ["1", "1", "7", "9"]
    assert ">    18          c[left_b] = a[left_a]" in shown
    assert "left_b = 2" in shown
    assert "c[2] = 7" in shown
    assert all(len(line) <= int(columns) for line in shown.splitlines())


def test_every_command_works_or_says_why_not(
    path: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [f"{row.key} {'size' if row.takes.endswith('PATH') else ''}" for row in ROWS[:-1]]
    lines += ["w", "u", "d", "p", "at x", "at 99999", "at", "nonsense", "n 3", "q"]
    assert _played(path, tmp_path, lines, "--call", "sort") == 0
    shown = capsys.readouterr().out
    assert "There is no moment 99999" in shown
    assert "x is not a moment" in shown
    assert "Type it like this: at MOMENT" in shown
    assert "There is no command nonsense" in shown


@pytest.mark.parametrize("columns", ["40", "80", "200"])
def test_lines_fit_the_terminal(
    path: str,
    columns: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert _played(path, tmp_path, ["?", "b", "bs", "p", "w", "l", "q"], "--call", "merge#3") == 0
    assert all(len(line) <= int(columns) for line in capsys.readouterr().out.splitlines())


def test_the_commands_are_documented() -> None:
    page = (ROOT / "docs/reference/commands.md").read_text()
    for row in ROWS:
        assert f"| `{f'{row.key} {row.takes}'.strip()}` | {row.help} |" in page
