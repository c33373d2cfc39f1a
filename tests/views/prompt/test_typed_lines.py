"""Lines that are played instead of typed."""

from pathlib import Path

import pytest

from sleuth.errors import UsageError
from sleuth.views.prompt.typed_lines import file_lines


def test_comments_and_empty_lines_are_not_played(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "answers.txt"
    file.write_text("# first\n\ny\n  n 3 # that is not so\nw a['#x']\n")
    lines = file_lines(str(file))
    assert [lines.read("? ") for _ in range(4)] == ["y", "n 3", "w a['#x']", None]
    assert capsys.readouterr().out == "? y\n? n 3\n? w a['#x']\n?\n"
    assert lines.number == 5


def test_a_comment_may_be_empty_or_indented_and_stand_behind_a_tab(tmp_path: Path) -> None:
    file = tmp_path / "answers.txt"
    file.write_text("\ufeffy\t# first\n\t#second\nn #\nf #13\n", encoding="utf-8")
    lines = file_lines(str(file))
    assert [lines.read("? ") for _ in range(4)] == ["y", "n", "f #13", None]


def test_a_file_that_can_not_be_read_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="No such file"):
        file_lines(str(tmp_path / "nothing.txt"))
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="not text"):
        file_lines(str(binary))
