"""The first screen about a failed assert or check: its text, what was compared, who said what."""

import textwrap
from pathlib import Path

import pytest

from sleuth.views.cli import main
from tests.ready import ran
from tests.recorded import recorded


def shown(
    folder: Path,
    capsys: pytest.CaptureFixture[str],
    source: str,
    *lines: str,
    name: str = "prog.py",
) -> str:
    trace = recorded(folder, source, status=1).path
    return asked(trace, capsys, *lines)


def first_screen(folder: Path, capsys: pytest.CaptureFixture[str], source: str) -> str:
    """Record a failing test, and return the first screen."""
    (folder / "shop.py").write_text(SHOP)
    (folder / "test_shop.py").write_text(textwrap.dedent(source))
    path = folder / "shop.trace"
    words = ["-m", "pytest", "-q", "-p", "no:cacheprovider", "test_shop.py"]
    ended = ran(["record", "--output", str(path), *words], cwd=folder)
    assert ended.returncode == 1, ended.stderr
    return asked(path, capsys)


def asked(trace: Path, capsys: pytest.CaptureFixture[str], *lines: str) -> str:
    answers = trace.parent / "answers.txt"
    answers.write_text("\n".join(lines))
    capsys.readouterr()
    main(["ask", str(trace), "--answers", str(answers)])
    return capsys.readouterr().out


ROMAN = """
    def to_roman(n):
        return "I" * n
    def from_roman(text):
        return len(text)
    def check(n):
        text = to_roman(n)
        assert from_roman(text) == n
        assert len(text) <= 15 and "IIII" not in text, text
        return text
    check(4)
"""


def test_an_assert_that_ended_the_run_is_shown_with_its_values(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = shown(tmp_path, capsys, ROMAN).partition("Question 1")[0]
    assert 'The run ended at prog.py:9: assert len(text) <= 15 and "IIII" not in text\n' in said
    assert "  text was 'IIII'\n" in said
    assert "passed through" not in said


@pytest.mark.parametrize(
    ("condition", "lines"),
    [
        ("len(found) == 4", ["  len(found) was 3", "  expected 4", "  found was [1, 2, 3]"]),
        ("found[1] == 4", ["  found[1] was 2", "  expected 4", "  found was [1, 2, 3]"]),
        ("box.items == []", ["  box.items was [1, 2, 3]", "  expected []"]),
        ("made() == 7", ["  made() was 5", "  expected 7"]),
        ("found == (\n        []\n    )", ["  found was [1, 2, 3]", "  expected []"]),
    ],
)
def test_what_an_assert_compared_is_looked_up(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], condition: str, lines: list[str]
) -> None:
    source = (
        "class Box:\n    pass\ndef made():\n    return 5\n"
        "def main():\n    found = [1, 2, 3]\n    box = Box()\n    box.items = found\n"
        f"    assert {condition}\nmain()\n"
    )
    said = shown(tmp_path, capsys, source).partition("Question 1")[0].splitlines()
    at = next(at for at, each in enumerate(said) if each.startswith("The run ended at"))
    assert said[at + 1 : at + 1 + len(lines)] == lines


def test_answers_of_oracles_are_not_the_users(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = recorded(tmp_path, ROMAN, status=1).path
    asked(trace, capsys)
    said = asked(trace, capsys)
    assert "Continuing with 1 earlier answer, not by you; `a` lists them.\n" in said
    assert "The run ended at prog.py:9" in said
    asked(trace, capsys, "y")
    assert "Continuing with 2 earlier answers, 1 of them not by you;" in asked(trace, capsys)


TESTED = """
    import unittest
    from shop import Shop, report

    class ShopTest(unittest.TestCase):
        def test_errors(self):
            self.shop = Shop()
            self.shop.run()
            self.assertEqual(self.shop.errors, ["late"])
"""
SHOP = """
class Shop:
    def __init__(self):
        self.errors = []
    def run(self):
        self.errors.append("late")
        self.errors.append("lost")
def report():
    return {"shops": {"north": 1, "south": 2}, "best": ["pen"]}
"""


def test_parts_of_variables_in_a_check_have_values(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    said = first_screen(tmp_path, capsys, TESTED)
    assert "  self.shop.errors was ['late', 'lost']\n  expected ['late']\n" in said


def test_the_expected_part_of_a_result_is_shown_with_the_call(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = """
        from shop import report

        def test_report():
            result = report()
            assert result["shops"] == {
                "north": 1, "south": 3,
            }
    """
    said = first_screen(tmp_path, capsys, source)
    assert 'failed at test_shop.py:6: assert result["shops"] == { ...\n' in said
    question = said.partition("Question 1")[2]
    assert '  expected  return["shops"] = { "north": 1, "south": 3' in question
    assert "  (the test)\n" in question
    assert "  differs   return[\"shops\"]['south']  2, expected 3\n" in question
