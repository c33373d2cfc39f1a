"""`sleuth travel`: commands, bad input, and what is shown."""

from pathlib import Path

import pytest

from sleuth.views.cli import main
from sleuth.views.travel.table import ROWS
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


def _shown(shown: str, command: str) -> str:
    return shown.split(f"travel> {command}\n")[1].split("travel>", maxsplit=1)[0]


@pytest.mark.parametrize("columns", ["80", "120"])
def test_the_wrong_write_of_merge_sort_is_found_from_its_item(
    path: str,
    tmp_path: Path,
    columns: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    lines = ["p c", "hist c[2]", "prev c[2]", "l", "p left_b", "prev", "p c[2]", "q"]
    assert _played(path, tmp_path, lines, "--call", "merge#3") == 0
    shown = capsys.readouterr().out
    assert "c = [1, 4, 9, 7]" in shown
    history = _shown(shown, "hist c[2]").splitlines()
    assert [line.split()[1] for line in history] == ["1", "1", "7", "9"]
    assert ">    18          c[left_b] = a[left_a]" in shown
    assert "left_b = 2" in shown
    assert "c[2] = 7" in shown
    assert all(len(line) <= int(columns) for line in shown.splitlines())


def test_a_location_stays_selected_in_calls_that_name_it_otherwise(
    path: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = ["hist a[2]", "prev", "prev", "prev", "prev", "prev"]
    assert _played(path, tmp_path, lines, "--call", "sort") == 0
    shown = capsys.readouterr().out
    assert shown.count("merge_sort.py:18") >= 2
    assert "a[2] is not written before this moment." in shown


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("at x", "x is not a moment; type a number: at 120"),
        ("at 99999", "There is no moment 99999: they go from 0 to 126."),
        ("at", "Type it like this: at MOMENT"),
        ("nonsense", "There is no command nonsense."),
        ("thread", "Type it like this: thread N"),
        ("threds", "Did you mean threads?"),
        ("n 3", "Type it like this: n"),
        ("p sizes", "There is no sizes here. Did you mean size?"),
        ("p a[9]", "There is no a[9]; there is [0] to [3]."),
        ("prev", "No path is selected; type one, as in: prev total"),
        ("hist", "No path is selected; type one: hist total"),
        ("why", "No path is selected; type one: why total"),
        ("open 1", "No events are listed; ev lists them."),
        ("more", "No events are listed; ev lists them."),
        ("ev 3", "The call has no moment 3: it ran from 9 to 122."),
        ("line 3", "There is no code on line 3 of this function; the nearest is line 39."),
        ("line nowhere.py:3", "There is merge_sort.py."),
        ("thread 9", "There is no thread 9; threads lists them."),
        ("from 500", "There is no moment 500: they go from 0 to 126."),
        ("turn", "This is the last turn of the loop."),
    ],
)
def test_bad_input_is_answered_by_what_there_is(
    path: str, tmp_path: Path, line: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _played(path, tmp_path, [line, "q"], "--call", "sort") == 0
    assert words in " ".join(capsys.readouterr().out.split())


def test_every_command_works_or_says_why_not(
    path: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = {"PATH": "size", "[PATH]": "size", "LINE": "44", "MOMENT": "20", "N": "1"}
    lines = ["ev", *(f"{row.key} {given.get(row.takes, '')}".strip() for row in ROWS[:-1]), "q"]
    assert _played(path, tmp_path, lines, "--call", "sort") == 0
    shown = capsys.readouterr().out
    assert all(f"travel> {line}\n" in shown for line in lines)


def test_entries_of_the_event_list_open_and_are_gone_to(
    path: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = ["mark a[2]", "ev", "open 8", "open 2", "go 2", "st", "q"]
    assert _played(path, tmp_path, lines, "--call", "sort") == 0
    shown = capsys.readouterr().out
    assert "len([4, 9, 1, 7])" in _shown(shown, "ev")
    assert "(not recorded)" in _shown(shown, "ev")


def test_a_history_can_be_that_of_the_call_alone(
    path: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = ["chist c[2]", "chist b[0]", "q"]
    assert _played(path, tmp_path, lines, "--call", "merge#3") == 0
    shown = capsys.readouterr().out
    assert [line.split()[1] for line in _shown(shown, "chist c[2]").splitlines()] == ["7", "9"]
    assert _shown(shown, "chist b[0]") == "b[0] is not written in this call.\n"


@pytest.mark.parametrize("columns", ["40", "80", "200"])
def test_lines_fit_the_terminal(
    path: str,
    columns: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    lines = ["?", "b", "bs", "p", "w", "l", "ev", "st", "st c", "threads", "p c", "out", "q"]
    assert _played(path, tmp_path, lines, "--call", "merge#3") == 0
    assert all(len(line) <= int(columns) for line in capsys.readouterr().out.splitlines())


def test_the_commands_are_documented() -> None:
    page = (ROOT / "docs/reference/commands.md").read_text()
    for row in ROWS:
        assert f"| `{row.typed}` | {row.help} |" in page
