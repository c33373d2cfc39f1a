"""The commands, from the command line to what is printed."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import sleuth
from sleuth.errors import SleuthError
from sleuth.trace.events import EventKind, FunctionRow, SiteRow
from sleuth.trace.numbers import EnterFlag
from sleuth.trace.store.encode import Segment
from sleuth.trace.store.writer import Writer
from sleuth.trace.values import ABSENT, Atom, Constant, Part, Ref
from sleuth.views.cli import COMMANDS, main

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests import toy

pytestmark = pytest.mark.two_versions

SOURCE = b"""def total(xs):
    result = 0
    for x in xs:
        result += x
    return result
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".sleuth").mkdir()
    return tmp_path / ".sleuth"


@pytest.fixture
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give lines more room than they need."""
    monkeypatch.setenv("COLUMNS", "200")


@pytest.fixture
def fact(folder: Path) -> Path:
    return toy.record(folder / "fact-1.trace", toy.FACTORIAL, [])


def hostile(path: Path) -> Path:
    """A run in which all that can be strange is."""
    writer = Writer.create(
        path,
        {"argv": ["run\x1b[31m.py", "-x"], "cwd": "/w", "python": "3.12", "stopped": "limit\x07"},
    )
    module = writer.add_module(
        name="run", path="/w/run.py", recorded=True, reason="it is the program", source=SOURCE
    )
    writer.add_module(name="os\x1b", path="", recorded=False, reason="stdlib\x1b", source=None)
    rows = [
        FunctionRow(1, "total", "total", "function", 1, 5, "ab", ("xs",), [(4, 3, 9, 3, 11)]),
        FunctionRow(2, "gen\x1b", "gen\x1b", "generator", 6, 7, "cd", (), []),
    ]
    writer.add_functions(module, rows)
    writer.add_sites(
        module,
        [
            SiteRow(1, 1, "for", "x", 3, 4, 4, 19, 0),
            SiteRow(2, 1, "local", "result", 4, 8, 4, 19, 1),
        ],
    )
    segment = Segment()
    segment.name(1, 0, "main\x1b")
    segment.enter(1, [Ref("builtins.list\x1b", 7)])
    segment.at(EventKind.LOOP, 1, Ref("builtins.list", 7))
    for number in range(3):
        segment.at(EventKind.TURN, 1, Atom(number))
        segment.at(EventKind.BIND, 2, Atom("\x1b[2J" * number))
    segment.enter(2, [], flags=EnterFlag.DEFERRED, place=4)
    segment.resume(1)
    segment.suspend(Constant("None"))
    segment.enter(2, [], flags=EnterFlag.DEFERRED)
    for number in range(15):
        segment.enter(1, [Atom(number)], place=4)
        segment.leave(Atom(number))
    segment.enter(1, [Atom("x" * 500)])
    segment.raises(Ref("builtins.ValueError", 3), [Atom("bad\x1b")])
    segment.unwind(Ref("builtins.ValueError", 3))
    segment.enter(1, [ABSENT])
    segment.at(EventKind.CHILD, 5, Atom("fork\x1b"))
    writer.write_segment(0, segment.data, closed=True)
    writer.finish({"how": "killed", "signal": 11})
    return path


def lines(capsys: pytest.CaptureFixture[str], *argv: str) -> list[str]:
    assert main(list(argv)) == 0
    return capsys.readouterr().out.splitlines()


def documents(capsys: pytest.CaptureFixture[str], *argv: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines(capsys, *argv, "--json")]


def test_help_and_version_are_short(capsys: pytest.CaptureFixture[str]) -> None:
    assert len(lines(capsys, "--help")) < 24, "it fits on a screen"
    assert all(name in "\n".join(lines(capsys)) for name in COMMANDS)
    assert lines(capsys, "--version") == [f"sleuth {sleuth.__version__}"]


@pytest.mark.parametrize(
    ("argv", "status", "words"),
    [
        (["bogus"], 2, "There is no command bogus."),
        (["show"], 3, "Record one: sleuth record"),
        (["show", "nothing"], 3, "no trace nothing"),
        (["doctor"], 3, "Record one: sleuth record"),
        (["rm", "x"], 3, "no trace x"),
        (["rm"], 2, "usage"),
        (["show", "--depth", "x"], 2, "usage"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(
    capsys: pytest.CaptureFixture[str], argv: list[str], status: int, words: str
) -> None:
    assert main(argv) == status
    captured = capsys.readouterr()
    assert words in captured.err
    assert captured.out == ""


def test_the_tree_shows_calls_with_arguments_and_results(
    capsys: pytest.CaptureFixture[str], fact: Path
) -> None:
    assert lines(capsys, "show") == [
        "main.toy  (exited)",
        "7 calls, 22 events  2026-01-02T03:04:05  toy",
        "",
        "     0  main() -> 120                                                  toy.txt:1",
        "     1    fact(a0=5) -> 120                                            toy.txt:9",
        "     2      fact(a0=4) -> 24                                           toy.txt:9",
        "              ... made 1 call",
    ]
    assert len(lines(capsys, "show", "fact", "--depth", "10")) == 10


def test_the_tree_is_bounded_and_says_what_it_leaves_out(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    hostile(folder / "odd.trace")
    shown = lines(capsys, "show")
    text = "\n".join(shown)
    assert "killed by signal 11" in text
    assert "! Recording stopped early: limit\\x07." in text
    assert "! Modules that ran unrecorded: 1." in text
    assert "! What process 5 did (fork\\x1b) is not in this trace." in text
    assert "gen\\x1b() [generator] gave None, then not requested" in text
    assert "gen\\x1b() [generator] (never started)" in text
    assert "(never ended)" in text
    assert "... 9 more calls of total" in text
    assert max(map(len, shown)) <= 80


def test_nothing_of_a_trace_reaches_the_terminal_unescaped(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    hostile(folder / "odd.trace")
    for argv in (
        ["show"],
        ["show", "--events"],
        ["show", "--modules"],
        ["show", "--call", "0"],
        ["show", "--call", "0", "--events"],
        ["show", "--call", "18"],
        ["list"],
        ["doctor"],
        ["show", "--json"],
        ["show", "--json", "--events"],
        ["show", "--json", "--modules"],
        ["list", "--json"],
        ["doctor", "--json"],
        ["show", "--call", "0", "--json"],
        ["show", "--at", "3"],
        ["show", "--at", "3", "--json"],
    ):
        main(argv)
        captured = capsys.readouterr()
        assert "\x1b" not in captured.out + captured.err, argv
        assert "\x07" not in captured.out + captured.err, argv


def test_one_call_is_told_in_full(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    hostile(folder / "odd.trace")
    text = "\n".join(lines(capsys, "show", "--call", "1"))
    assert "called     by call 0, total, run.py:3 columns 9 to 11" in text
    assert "thread     0 (main\\x1b)" in text
    raiser = "\n".join(lines(capsys, "show", "--call", "18"))
    assert "raised ValueError('bad\\x1b')" in raiser
    assert main(["show", "--call", "20"]) == 2
    assert "they go from 0 to 19" in capsys.readouterr().err


def test_a_call_can_be_named_by_its_function(
    capsys: pytest.CaptureFixture[str], fact: Path
) -> None:
    def shown(name: str) -> tuple[str, str]:
        assert main(["show", "--call", name]) == 0
        told = capsys.readouterr()
        return told.out.splitlines()[0], told.err

    assert shown("main") == shown("0"), "the only one needs no remark"
    first, remark = shown("fact")
    assert first == shown("1")[0]
    assert remark.startswith("sleuth: fact was called 6 times; this is the first, call 1. ")
    assert remark.endswith("The others: --call 'fact#2' to 'fact#6'\n")
    assert shown("fact#3") == shown("3")
    assert documents(capsys, "show", "--call", "fact#3")[0]["id"] == 3
    for name, words in [
        ("fact#7", "fact was called 6 times, so there is no fact#7. They go from fact#1 to fact#6"),
        ("fact#0", "there is no fact#0"),
        ("fcat", "There is no call of fcat in this trace. Did you mean fact?"),
        ("-1", "There is no call -1: they go from 0 to 6."),
    ]:
        assert main(["show", f"--call={name}"]) == 2
        assert words in capsys.readouterr().err


def test_events_are_told_in_words(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    hostile(folder / "odd.trace")
    text = "\n".join(lines(capsys, "show", "--call", "0", "--events"))
    assert "line 3: for x in xs begins over <builtins.list #7>" in text
    assert "turn 3 of for x in xs (line 3): 2" in text
    assert "line 4: result = '\\x1b[2J'" in text
    assert "begins: total(3)" not in text, "only its own"
    assert "begins: total(3)" in "\n".join(lines(capsys, "show", "--events"))


def test_modules_are_told_with_reasons(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    hostile(folder / "odd.trace")
    text = "\n".join(lines(capsys, "show", "--modules"))
    assert text.index("it is the program") < text.index("Not recorded (1):") < text.index("stdlib")


def test_json_says_the_same(capsys: pytest.CaptureFixture[str], folder: Path, fact: Path) -> None:
    trace, *calls = documents(capsys, "show", "fact")
    assert (trace["is"], trace["calls"], len(calls)) == ("trace", 7, 7)
    assert [call["id"] for call in documents(capsys, "show", "--depth", "2")[1:]] == [0, 1]
    (call,) = documents(capsys, "show", "--call", "1")
    assert call["arguments"] == [{"kind": "integer", "value": 5}]
    assert call["result"] == {"kind": "integer", "value": 120}
    assert call["children"] == [2]
    events = documents(capsys, "show", "--events")
    assert [event["moment"] for event in events] == list(range(22))
    own = documents(capsys, "show", "--events", "--call", "1")
    assert [event["kind"] for event in own] == ["enter", "bind", "return"]
    (module,) = documents(capsys, "show", "--modules")
    assert module["source"].startswith("main:\n")


def test_every_field_of_the_json_is_documented(
    capsys: pytest.CaptureFixture[str], folder: Path, fact: Path
) -> None:
    hostile(folder / "odd.trace")
    page = (Path(__file__).parents[2] / "docs/reference/json.md").read_text()
    for argv in (
        ["show"],
        ["show", "--events"],
        ["show", "--modules"],
        ["show", "--call", "3"],
        ["show", "--at", "5"],
        ["list"],
        ["doctor"],
    ):
        for document in documents(capsys, *argv):
            for name in [*document, *(document.get("about") or ())]:
                assert f"`{name}`" in page, (argv, name)
    toy.record(folder / "zz.trace", toy.ARRAYS, [])
    (call,) = documents(capsys, "show", "zz", "--call", "1")
    for inner in (call["changed"], call["changed"]["changes"][0], *call["objects"].values()):
        for name in inner:
            assert f"`{name}`" in page, name


def shop(path: Path) -> Path:
    """A run with objects in which all that can be strange is."""
    writer = Writer.create(path, {"argv": ["shop.py"], "cwd": "/w", "identity": "numbered"})
    module = writer.add_module(
        name="shop", path="/w/shop.py", recorded=True, reason="it is the program", source=SOURCE
    )
    writer.add_functions(
        module,
        [
            FunctionRow(1, "<module>", "<module>", "module body", 1, 9, "a", (), []),
            FunctionRow(
                2, "add", "Cart.add", "function", 1, 9, "b", ("self", "xs"), [(4, 31, 0, 31, 9)]
            ),
        ],
    )
    names = [(1, "global", "RATES"), (1, "global", "again"), (2, "attribute", "price\x1b")]
    names += [(2, "item", ""), (2, "local", "n")]
    writer.add_sites(
        module,
        [
            SiteRow(n, function, kind, name, n, 0, n, 1, 0)
            for n, (function, kind, name) in enumerate(names, 1)
        ],
    )
    cart, lines, line = Ref("shop.Cart", 2), Ref("list", 4), Ref("shop.Line\x1b", 7)
    rates, many = Ref("dict", 8), Ref("list", 10)
    s = Segment()
    s.enter(1, [])  # 0
    s.contents(8, Part("mapping", (Atom(1), rates), 2, (Atom("a\x1b"), Atom("self"))))
    s.at(EventKind.BIND, 1, rates)  # 1
    s.at(EventKind.BIND, 2, rates)  # 2
    s.contents(
        2,
        Part("attributes", (Atom("eva"), lines), 2, (Atom("owner"), Atom("lines"))),
        has_more=True,
    )
    s.contents(4, Part("sequence", (line, Atom(1)), 2))
    s.contents(7, Part("attributes", (Atom(20),), 1, (Atom("price\x1b"),)))
    s.contents(10, Part("sequence", (Atom(0), Atom(1)), 40_000, (), False))
    s.enter(2, [cart, many], place=4)  # 3
    s.at(EventKind.SET_ATTRIBUTE, 3, line, Atom(18))  # 4
    s.spliced(4, 2, 0, [Atom("\x1b")], place=4)  # 5
    s.changed(8, Part("mapping", (Atom(2),), 1, (Atom("a\x1b"),)), since=2)  # 6
    s.at(EventKind.BIND, 5, Atom(3))  # 7
    s.unsure(2)
    s.leave(lines)  # 8
    writer.write_segment(0, s.data, closed=True)
    writer.finish({"how": "exited", "status": 0})
    return path


@pytest.mark.usefixtures("wide")
def test_a_call_shows_what_it_changed_as_paths(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    shop(folder / "shop.trace")
    text = "\n".join(lines(capsys, "show", "--call", "1"))
    assert "given      self = <Cart #1 owner='eva' lines=[2 items]>" in text
    assert "given      xs = [0, 1, ... 39,998 more, not kept]" in text
    assert "outcome    -> [<Line\\x1b #3?" in text
    assert "self.lines[0].'price\\x1b': 20 -> 18" in text
    by = "(by the call at line 31)"
    assert f"self.lines[2]: added '\\x1b'  {by}" in text
    since = "(also again)  (by code that is not recorded, some time after moment 2)"
    assert f"RATES['a\\x1b']: 1 -> 2  {since}" in text
    assert "RATES['self']: removed" in text
    assert "not kept   xs: 2 of 40,000 items are kept" in text
    assert "unsure     self: may have been changed by code that is not recorded" in text
    assert "same" not in text
    (call,) = documents(capsys, "show", "--call", "1")
    paths = {change["path"]: change for change in call["changed"]["changes"]}
    assert paths["self.lines[2]"]["cause"]["recorded"] is False
    assert paths["self.lines[0].'price\\x1b'"]["new"] == {"kind": "integer", "value": 18}
    assert call["changed"]["not_kept"] == [{"path": "xs", "kept": 2, "length": 40000}]


@pytest.mark.usefixtures("wide")
def test_the_tree_shows_what_objects_contain(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    toy.record(folder / "toy.trace", toy.ARRAYS, [])
    text = "\n".join(lines(capsys, "show"))
    assert "main() -> <array #1 [0, 7, 9]>" in text
    assert "order(a0=<array #1 [0, 7, 0]>) -> 1" in text
    shop(folder / "zshop.trace")
    tree = "\n".join(lines(capsys, "show", "zshop"))
    assert "-> [<Line\\x1b #3? price\\x1b=18>, 1, '\\x1b']" in tree


@pytest.mark.usefixtures("wide")
def test_all_variables_at_a_moment_are_shown(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    shop(folder / "shop.trace")
    unsure = "  (may have been changed by code that is not recorded)"
    assert lines(capsys, "show", "--at", "8") == [
        "moment 8, in call 1: Cart.add",
        f"    self = <Cart #1 owner='eva' lines=[3 items]>{unsure}",
        "    xs = [0, 1, ... 39,998 more, not kept]",
        "    n = 3",
        "  globals of shop",
        "    RATES = {'a\\x1b': 2}",
        "    again = {'a\\x1b': 2}  (the same object as RATES, #4)",
    ]
    at_first = "\n".join(lines(capsys, "show", "--at", "3"))
    assert "RATES = {'a\\x1b': 1, 'self': <... #4>}" in at_first
    assert "self = <Cart #1" in at_first
    assert lines(capsys, "show", "--at", "2", "--call", "0")[1:] == [
        "    RATES = {'a\\x1b': 1, 'self': <... #4>}"
    ]
    (state,) = documents(capsys, "show", "--at", "8")
    assert state["variables"]["n"] == {"kind": "integer", "value": 3}
    assert state["objects"]["2"]["sure"] is False
    assert state["objects"]["7"]["probable"] is True
    assert main(["show", "--at", "10"]) == 2
    assert "they go from 0 to 9" in capsys.readouterr().err


@pytest.mark.usefixtures("wide")
def test_what_an_unrecorded_call_did_is_told_among_the_events(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    shop(folder / "shop.trace")
    text = "\n".join(lines(capsys, "show", "--events"))
    assert "line 3: <Line\\x1b #3?>.price\\x1b = 18" in text
    assert "object #2 was changed by code that is not recorded: from item 2 on 0 removed" in text
    assert "contains 1 items now, some time after moment 2" in text
    assert "\x1b" not in text


def test_every_error_has_its_place_in_the_messages() -> None:
    page = (Path(__file__).parents[2] / "docs/messages.md").read_text()
    kinds = [SleuthError]
    for kind in kinds:
        kinds += kind.__subclasses__()
        assert f"## {kind.slug}\n" in page


def test_the_newest_is_meant_and_names_may_be_short(
    capsys: pytest.CaptureFixture[str], folder: Path, fact: Path
) -> None:
    failing = toy.record(folder / "fail-2.trace", toy.FAILING, [])
    os.utime(fact, (1, 1))
    shown = lines(capsys, "list")
    assert [line.split()[0] for line in shown[::2]] == ["fail-2.trace", "fact-1.trace"]
    assert "exited with status 1" in lines(capsys, "show")[0]
    for name in ("fact-1.trace", "fact-1", "fac", str(fact)):
        assert lines(capsys, "show", name)[0] == "main.toy  (exited)"
    assert main(["show", "fa"]) == 0
    told = capsys.readouterr()
    assert "exited with status 1" in told.out
    assert told.err == "sleuth: 2 traces begin with fa; this is the newest: fail-2.trace\n"
    assert main(["rm", "fa"]) == 2, "what is removed is never guessed"
    assert "fail-2.trace, fact-1.trace. Give more of the name." in capsys.readouterr().err
    assert failing.exists()


def test_rm_removes_all_or_nothing(capsys: pytest.CaptureFixture[str], folder: Path) -> None:
    toy.record(folder / "a.trace", toy.FAILING, [])
    toy.record(folder / "b.trace", toy.FAILING, [])
    precious = Path("precious.txt")
    precious.write_text("mine")
    assert main(["rm", "a", "precious.txt"]) == 3
    assert main(["rm", "a", "nothing"]) == 3
    assert len(list(folder.iterdir())) == 2
    capsys.readouterr()
    assert lines(capsys, "rm", "a", "b") == ["removed .sleuth/a.trace", "removed .sleuth/b.trace"]
    assert list(folder.iterdir()) == []
    assert precious.exists()
    assert "There is no trace" in lines(capsys, "list")[0]


def test_the_doctor_tells_sound_from_damaged(
    capsys: pytest.CaptureFixture[str], folder: Path, fact: Path
) -> None:
    assert lines(capsys, "doctor") == [
        ".sleuth/fact-1.trace is sound: everything that was written can be read."
    ]
    plain = fact.read_bytes()
    at = plain.index(b"\x28\xb5\x2f\xfd") + 9
    fact.write_bytes(plain[:at] + bytes([plain[at] ^ 1]) + plain[at + 1 :])
    assert main(["doctor"]) == 3
    captured = capsys.readouterr()
    assert "wrong    " in captured.out
    assert "Record the run again if you can." in captured.out
    assert main(["doctor", "--json"]) == 3
    assert json.loads(capsys.readouterr().out)["sound"] is False


@pytest.mark.usefixtures("wide")
def test_list_names_what_is_damaged(
    capsys: pytest.CaptureFixture[str], folder: Path, fact: Path
) -> None:
    fact.write_bytes(fact.read_bytes()[:5000])
    first, second = lines(capsys, "list")
    assert "fact-1.trace" in first
    assert "damaged" in second
    assert documents(capsys, "list")[0]["is"] == "unreadable"


def test_a_reader_that_goes_away_is_no_error(folder: Path) -> None:
    hostile(folder / "odd.trace")
    shell = shutil.which("sh") or "sh"
    command = f"{sys.executable} -m sleuth show --events | head -1"
    seen = subprocess.run([shell, "-c", command], capture_output=True, text=True, check=True)
    assert seen.stderr == ""
    assert len(seen.stdout.splitlines()) == 1


def test_nothing_is_written_while_looking(folder: Path, fact: Path) -> None:
    before = fact.read_bytes(), fact.stat().st_mtime_ns
    for argv in (["show"], ["list"], ["doctor"], ["show", "--events"]):
        main(argv)
    assert (fact.read_bytes(), fact.stat().st_mtime_ns) == before
    assert list(folder.iterdir()) == [fact]


def test_a_recursion_deeper_than_the_stack_is_shown(
    capsys: pytest.CaptureFixture[str], folder: Path
) -> None:
    writer = Writer.create(folder / "deep.trace", {})
    segment = Segment()
    for number in range(5000):
        segment.enter(1, [Atom(number)])
    writer.write_segment(0, segment.data, closed=True)
    writer.finish({"how": "killed", "signal": 9})
    shown = lines(capsys, "show", "--depth", "5000")
    assert "(4999 deep) function 1(4999) (never ended)" in shown[-1]
    assert max(map(len, shown)) < 90


def test_a_terminal_that_knows_only_ascii_gets_escapes(folder: Path) -> None:
    writer = Writer.create(folder / "e.trace", {"argv": ["caf\u00e9"]})
    writer.finish({"how": "exited", "status": 0})
    seen = subprocess.run(
        [sys.executable, "-m", "sleuth", "show"],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
    )
    assert seen.stdout.startswith("caf\\xe9")
