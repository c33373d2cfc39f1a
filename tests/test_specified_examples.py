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
    assert report["diagnosis"]["certain"]
    by = {answer["by"] for answer in report["answers"]}
    assert by <= {"specification", "unattended"}
    evidence = report["diagnosis"]["evidence"]
    used = {each["by"] for each in report["answers"] if each["number"] in evidence}
    assert used == {"specification"}
    assert report["remarks"] == []


def test_every_specification_belongs_to_an_example() -> None:
    found = {path.stem.removesuffix("_spec") for path in (EXAMPLES / "specs").glob("*.py")}
    assert found == {*GUILTY}
