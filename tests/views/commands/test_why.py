"""The command `sleuth why`."""

import json
from pathlib import Path

import pytest

from sleuth.views.cli import main
from tests.recorded import recorded

pytestmark = pytest.mark.two_versions
SOURCE = "a = 5\nc = a\ne = c + 2\nprint(e, 'kg')\n"


def test_json_has_the_operation_its_copies_and_its_inputs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = recorded(tmp_path, SOURCE)
    assert main(["why", str(trace.path), "e", "--json", "--depth", "1"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [*told] == [
        *("is", "path", "value", "operation", "text", "file", "line", "function", "call"),
        *("moment", "through", "inputs", "unknown"),
    ]
    assert (told["is"], told["path"], told["text"]) == ("origin", "e", "c + 2")
    assert (told["file"], told["line"], told["call"]) == ("prog.py", 3, 0)
    assert [each["value"]["value"] for each in told["inputs"]] == [5, 2]
    assert [each["line"] for each in told["inputs"][0]["through"]] == [3, 2, 2, 1]
    assert told["inputs"][0]["inputs"] == []


def test_the_terminal_shows_a_tree(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    trace = recorded(tmp_path, SOURCE)
    assert main(["why", str(trace.path), 'text:"kg"']) == 0
    rows = capsys.readouterr().out.splitlines()
    assert rows[0] == "text:\"kg\" = '7 kg'"
    assert rows[1] == "  print(e, 'kg')  prog.py:4  <module>, call 0"
    assert "  e = 7" in rows


def test_bad_input_is_a_sentence_with_what_there_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = recorded(tmp_path, SOURCE)
    for given, words in (
        (["ee"], "Did you mean e?"),
        (["e", "--call", "99"], "99"),
        (["e", "--at", "9999"], "they go from 0"),
        (["stdout[7]"], "there is [0]"),
        (['text:"lb"'], "7 kg"),
        (["e[0]"], "e is 7"),
    ):
        assert main(["why", str(trace.path), *given]) == 2, given
        assert words in capsys.readouterr().err


MISSED = """\
def find(xs, wanted):
    i = 0
    place = -1
    while i < len(xs):
        if xs[i] == wanted:
            place = i
        i += 1
    return place
find([4, 5], 6)
"""


def test_not_shows_the_decisions_and_that_none_need_be_wrong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = recorded(tmp_path, MISSED)
    assert main(["why", str(trace.path), "place", "--not", "--call", "find"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "prog.py:4  find, call 1",
        "  `i < len(xs)` gave False: i = 2, len(xs) (not known)",
        "  the other way: line 6: place = i (perhaps)",
        "prog.py:5  find, call 1",
        "  `xs[i] == wanted` gave False: xs[i] = 5, wanted = 6",
        "  the other way: line 6: place = i",
        "  and 1 time before",
        "Neither need be wrong: the write may be missing from the code altogether.",
    ]


def test_not_gives_a_json_object_for_each_decision(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = recorded(tmp_path, MISSED)
    assert main(["why", str(trace.path), "place", "--not", "--call", "find", "--json"]) == 0
    ended, last, first = map(json.loads, capsys.readouterr().out.splitlines())
    assert [*ended] == [
        *("is", "text", "value", "file", "line", "function", "call", "moment", "inputs"),
        *("would", "unknown"),
    ]
    assert (ended["is"], ended["text"], ended["file"]) == ("decision", "i < len(xs)", "prog.py")
    assert [each["value"] for each in ended["inputs"]] == [{"kind": "integer", "value": 2}, None]
    assert last["moment"] > first["moment"]


def test_not_says_when_there_is_no_decision(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = recorded(tmp_path, SOURCE)
    assert main(["why", str(trace.path), "e", "--not"]) == 1
    assert "missing from the code altogether" in capsys.readouterr().out
    assert main(["why", str(trace.path), "ee", "--not"]) == 2
