"""`sleuth report` says what `sleuth ask --unattended` said, whatever helped it."""

import json
import re
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[3]))
from sleuth.views.cli import main
from tests.recorded import recorded

pytestmark = pytest.mark.two_versions

EXAMPLES = Path(__file__).parents[3] / "examples"
CRASHING = ("template",)
ANNOTATED = """\
def parsed(text: str) -> int:
    return text.strip()
def price(text: str) -> int:
    return len(parsed(text)) * 3
def shown(text: str) -> str:
    return f"{price(text)} EUR"
def main():
    assert shown(" 2 ") == "6 EUR!"
main()
"""


def edited(source: str) -> str:
    """Return another version of a program: some functions have one more line."""
    return re.sub(r"^( +)return ", r"\1edited = 0\n\1return ", source, count=2, flags=re.MULTILINE)


def told(capsys: pytest.CaptureFixture[str], *argv: str) -> dict[str, Any]:
    capsys.readouterr()
    main(list(argv))
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    found.pop("remarks", None)
    return found


def compare(capsys: pytest.CaptureFixture[str], trace: Path, *options: str) -> dict[str, Any]:
    """Return what both said."""
    asked = told(capsys, "ask", str(trace), "--restart", "--unattended", "--json", *options)
    assert told(capsys, "report", str(trace), "--format", "json") == asked
    main(["report", str(trace)])
    markdown = capsys.readouterr().out
    if asked["diagnosis"] is not None:
        assert asked["diagnosis"]["function"] in markdown.partition("\n")[0]
    return asked


@pytest.mark.slow
@pytest.mark.parametrize("program", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_the_report_says_what_an_unattended_search_said(
    program: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = program.read_text()
    shutil.copytree(EXAMPLES / "specs", tmp_path / "specs")
    (tmp_path / "other").mkdir()
    status = int(program.stem in CRASHING)
    trace = recorded(tmp_path, source, name=program.name, status=status).path
    other = recorded(tmp_path / "other", edited(source), name=program.name, status=status).path
    compare(capsys, trace)
    compare(capsys, trace, "--reference", str(other))
    # Only the hint, which makes edited code more suspicious.
    compare(capsys, trace, "--reference", str(other), "--without", "reference")
    specification = tmp_path / "specs" / f"{program.stem}_spec.py"
    if specification.exists():
        compare(capsys, trace, "--spec", str(specification))


def test_hints_that_need_no_file_count_in_the_report_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = recorded(tmp_path, ANNOTATED, status=1).path
    assert compare(capsys, trace)["diagnosis"]["function"] == "parsed"
    assert compare(capsys, trace, "--without", "annotations")["diagnosis"]["function"] != "parsed"


def test_the_report_says_that_a_run_is_gone_which_the_search_compared_with(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "other").mkdir()
    source = (EXAMPLES / "shop.py").read_text()
    trace = recorded(tmp_path, source).path
    other = recorded(tmp_path / "other", edited(source)).path
    main(["ask", str(trace), "--unattended", "--reference", str(other)])
    capsys.readouterr()
    other.unlink()
    assert main(["report", str(trace)]) == 0
    assert "used a run that can't be read now" in capsys.readouterr().err
