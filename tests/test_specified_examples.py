"""Three examples are solved by a specification, without one answer of a person."""

import contextlib
import io
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sleuth.views.cli import main

EXAMPLES = Path(__file__).parents[1] / "examples"
GUILTY = {"merge_sort": "merge", "castling": "Chess.castling", "shop": "Cart.apply"}


@pytest.mark.parametrize("name", GUILTY)
def test_a_specification_finds_the_mistake_of_an_example(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    shutil.copy(EXAMPLES / f"{name}.py", tmp_path)
    shutil.copytree(EXAMPLES / "specs", tmp_path / "specs")
    monkeypatch.chdir(tmp_path)
    subprocess.run(
        [sys.executable, "-m", "sleuth", "record", "--quiet", "--output", "x.trace", f"{name}.py"],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        status = main(
            ["ask", "x.trace", "--unattended", "--json", "--spec", f"specs/{name}_spec.py"]
        )
    report = json.loads(out.getvalue())
    assert (status, report["state"]) == (0, "found")
    assert report["diagnosis"]["function"] == GUILTY[name]
    by = {answer["by"] for answer in report["answers"]}
    assert by <= {"specification", "unattended"}
    evidence = report["diagnosis"]["evidence"]
    used = {each["by"] for each in report["answers"] if each["number"] in evidence}
    assert used == {"specification"}
    assert report["remarks"] == []


def test_every_specification_belongs_to_an_example() -> None:
    found = {path.stem.removesuffix("_spec") for path in (EXAMPLES / "specs").glob("*.py")}
    assert found == {*GUILTY}


WRONG = """
from sleuth.spec import predicate

@predicate("Position.locate", total=True)
def nobody_goes_to_the_middle(call):
    return call.inputs.x != 5
"""


def test_a_wrong_specification_is_named_and_once_it_is_overruled_the_mistake_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copy(EXAMPLES / "castling.py", tmp_path)
    (tmp_path / "wrong_spec.py").write_text(WRONG)
    (tmp_path / "overruled.txt").write_text("a 1 y\nj Chess.castling\nn\n" + 5 * "y\n")
    monkeypatch.chdir(tmp_path)
    subprocess.run(
        [sys.executable, "-m", "sleuth", "record", "--quiet", "--output", "x.trace", "castling.py"],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    assert main(["ask", "x.trace", "--unattended", "--json", "--spec", "wrong_spec.py"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["diagnosis"]["function"] == "Position.locate"
    given = {each["number"]: each for each in report["answers"]}
    listed = [given[number] for number in report["diagnosis"]["evidence"]]
    assert [(each["number"], each["by"]) for each in listed] == [(1, "specification")]
    assert listed[0]["note"] == "nobody_goes_to_the_middle: the predicate is false"
    main(["ask", "x.trace", "--spec", "wrong_spec.py", "--answers", "overruled.txt"])
    capsys.readouterr()
    assert main(["report", "x.trace", "--format", "json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["diagnosis"]["function"] == "Chess.castling"
