"""The table of turns: the rows that tell something, and what fits into them."""

from pathlib import Path

import pytest

from sleuth.views.cli import main
from tests.recorded import recorded

pytestmark = pytest.mark.two_versions

SPARSE = """
def large(numbers):
    found = []
    for n in numbers:
        if n % 13 == 0:
            found.append(n)
            print("took", n)
    return found

large(range(1, 42))
"""


def test_of_many_turns_those_are_shown_of_which_something_came(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = recorded(tmp_path, SPARSE).path
    answers = tmp_path / "answers.txt"
    answers.write_text("j large\nn\nturns 1 41\nq\n")
    capsys.readouterr()
    main(["ask", str(trace), "--answers", str(answers)])
    shown = capsys.readouterr().out
    rows = shown.rpartition("what came of it")[2].splitlines()[1:9]
    assert rows == [
        "     1  1   nothing changed",
        "   ...  11 more: nothing came of them",
        "    13  13  found[0] = 13, printed took 13",
        "   ...  12 more: nothing came of them",
        "    26  26  found[1] = 26, printed took 26",
        "   ...  12 more: nothing came of them",
        "    39  39  found[2] = 39, printed took 39",
        "   ...  1 more: nothing came of them",
    ], shown
