"""What is said of failures, oracles and counts is true."""

import json
import subprocess
from pathlib import Path

import pytest

from sleuth.opening import Opened
from sleuth.oracles import table
from sleuth.oracles.table import ORACLES, author
from sleuth.search.question import USER
from sleuth.trace.events import Moment
from sleuth.tree.failing.operands import Side, is_told_apart, told_apart
from tests.ready import ran
from tests.recorded import call_of, recorded

SHOP = """
def price(net):
    return net + net * 0.25

def listing(nets):
    return [price(net) for net in nets]
"""


def sleuth(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return ran(words, cwd=folder)


def shop_of(folder: Path, test: str) -> Path:
    """Record tests of a small shop with unittest."""
    (folder / "shop.py").write_text(SHOP)
    (folder / "test_shop.py").write_text(
        "import unittest\nimport shop\n\nEXPECTED = [2.2]\n\n\n"
        f"class Shop(unittest.TestCase):\n    def test_shop(self):\n        {test}\n"
    )
    sleuth(folder, "record", "--quiet", "--output", "shop.trace", "-m", "unittest", "test_shop")
    return folder


def asked(folder: Path, *answers: str) -> str:
    (folder / "answers.txt").write_text("".join(f"{each}\n" for each in answers))
    return sleuth(folder, "ask", "--answers", "answers.txt", "shop.trace").stdout


@pytest.mark.parametrize(
    ("test", "actual", "expected"),
    [
        ("self.assertEqual(2.2, shop.price(2))", "shop.price(2) was 2.5", "2.2"),
        ("self.assertEqual(shop.price(2), 2.2)", "shop.price(2) was 2.5", "2.2"),
        ("self.assertEqual(EXPECTED, shop.listing([2]))", "shop.listing([2]) was [2.5]", "[2.2]"),
        ("self.assertEqual(shop.listing([2]), EXPECTED)", "shop.listing([2]) was [2.5]", "[2.2]"),
        ("got = shop.price(2) + 0; self.assertEqual(2.2, got)", "got was 2.5", "2.2"),
        ("got = sorted(shop.listing([2])); self.assertEqual(EXPECTED, got)", "got was", "[2.2]"),
    ],
)
def test_the_literal_or_constant_side_is_the_expected_one(
    tmp_path: Path, test: str, actual: str, expected: str
) -> None:
    shown = asked(shop_of(tmp_path, test))
    assert f"  {actual}" in shown
    assert f"  expected {expected}\n" in shown


def test_where_no_side_is_known_to_be_expected_both_are_shown(tmp_path: Path) -> None:
    test = "a = sorted(shop.listing([2])); b = sorted([2.2]); self.assertEqual(a, b)"
    shown = asked(shop_of(tmp_path, test))
    assert "  a was [2.5]\n  b was [2.2]\n" in shown
    assert "expected" not in shown
    words = sleuth(tmp_path, "ask", "--json", "--restart", "shop.trace").stdout
    test_document = json.loads(words.splitlines()[0])["test"]
    assert test_document["compared"] == ["[2.5]", "[2.2]"]
    assert test_document["expected"] is None


def test_a_constant_is_expected_and_a_name_for_what_is_expected_goes_before_it() -> None:
    def side(text: str) -> Side:
        return Side(text, None, Moment(0), is_literal=False, call=None)

    for first, second in (("RATES", "got"), ("expected", "RATES"), ("mod.RATES", "got.x")):
        sides = [side(first), side(second)]
        assert is_told_apart(sides)
        assert told_apart(sides) == (sides[1], sides[0])
        assert told_apart(sides[::-1]) == (sides[1], sides[0])
    assert not is_told_apart([side("a"), side("b")])


def test_a_test_of_unittest_is_named_with_its_subtest(tmp_path: Path) -> None:
    test = "for n in (0, 2):\n            with self.subTest(n=n):\n"
    test += "                self.assertEqual(shop.price(n), n * 1.1)"
    shown = asked(shop_of(tmp_path, test))
    assert "Shop.test_shop, subtest (n=2), failed at test_shop.py:11:" in shown


def test_a_call_that_returned_was_not_left_by_an_exception(tmp_path: Path) -> None:
    folder = shop_of(tmp_path, "self.assertEqual(shop.price(2), 2.2)")
    suspects = sleuth(folder, "suspects", "shop.trace").stdout
    assert "the value that the test checks came from it" in suspects
    assert "exception" not in suspects
    said = asked(folder, "e")
    assert "The value that the test checks came from it." in said
    assert "exception" not in said


def test_a_call_that_an_exception_left_is_said_to_be(tmp_path: Path) -> None:
    recorded(tmp_path, "def f(x):\n    return 1 // x\nf(0)\n", status=1)
    assert "the uncaught exception left it" in sleuth(tmp_path, "suspects", "prog.trace").stdout


def test_one_call_is_not_called_calls(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("x = 1\n")
    said = sleuth(tmp_path, "record", "one.py").stderr
    assert "1 call, " in said
    shown = sleuth(tmp_path, "ask", "--answers", "/dev/null").stdout
    assert "1 calls" not in shown
    assert "1 call" in shown


@pytest.mark.parametrize("command", ["run", "record"])
def test_a_missing_program_is_told_in_the_same_words(tmp_path: Path, command: str) -> None:
    said = sleuth(tmp_path, command).stderr
    assert said == (
        f"sleuth: The program is missing. Name it, for example: sleuth {command} prog.py\n"
    )


def test_oracles_have_names_that_fit_into_a_sentence() -> None:
    assert author(USER) == "you"
    assert author("specification") == "your specification"
    assert author("somebody") == "somebody"
    assert all(bool(each.source) == bool(each.author) for each in ORACLES.values())


REFERENCE = """
class Cart:
    def __init__(self):
        self.lines = [1, 2]
        self.total = 0
    def add(self):
        self.total = sum(self.lines){more}
def number(x):
    return x{more}
def several(x):
    return [x, {{"a": x{more}}}]
def fails(x):
    return [x][0{more}]
cart = Cart()
cart.add()
def main():
    assert cart.total + number(3) + several(4)[1]["a"] + fails(5) == 15
main()
"""


@pytest.mark.parametrize(
    ("function", "words"),
    [
        ("number", "it returned 4 here and 3 in call "),
        ("several", "return[1]['a'] is 5 here and 4 in call "),
        ("fails", "it raised IndexError('list index out of range') here and returned 5 in call "),
        ("Cart.add", "self.total is 4 here and 3 in call "),
    ],
)
def test_an_answer_of_the_reference_says_what_differed(
    tmp_path: Path, function: str, words: str
) -> None:
    good = REFERENCE.format(more="")
    recorded(tmp_path / "good", good)
    head = good.index(f"def {function.rpartition('.')[2]}(")
    wrong = REFERENCE.format(more=" + 1").splitlines()
    lines = good.splitlines()
    at = good[:head].count("\n") + 1
    lines[at] = wrong[at]
    trace = recorded(tmp_path / "bad", "\n".join(lines) + "\n", status=1)
    opened = Opened(trace)
    settings = {"reference": [str(tmp_path / "good" / "prog.trace")]}
    oracle = next(o for o in table.helpers(trace, settings).oracles if o.name == "reference")
    question = opened.session(transform=()).question(opened.node_of(call_of(trace, function).id))
    answer = oracle.answer(question)
    assert answer is not None
    assert answer.note.startswith(words)
    assert answer.note.endswith(" of prog.trace")
