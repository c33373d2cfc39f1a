"""A small project with tests of all sorts, some of which fail; and how pytest is run on it."""

import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

from tests.ready import ran

FILES = {
    "pyproject.toml": '[tool.pytest.ini_options]\nasyncio_mode = "auto"\n'
    'asyncio_default_fixture_loop_scope = "function"\n',
    "shop/__init__.py": "",
    "shop/cart.py": '''
RATES = {"tea": 2}


def rebate(amount):
    """Take 1 off from 20 on."""
    return amount - 1 if amount > 10 else amount


class Cart:
    def __init__(self, *prices):
        self.prices = list(prices)

    def total(self):
        return rebate(sum(self.prices))

    def names(self):
        return [f"{price} EUR" for price in self.prices]


def rate(name):
    return RATES[name]


async def later(value):
    return value + 1
''',
    "tests/conftest.py": """
import pytest
from shop.cart import Cart


@pytest.fixture(scope="module")
def twelve():
    yield Cart(5, 7)


@pytest.fixture
def broken():
    return Cart().missing
""",
    "tests/helpers.py": "def same(left, right):\n    assert left == right\n",
    "tests/test_all.py": """
import unittest
import pytest
from shop.cart import Cart, later, rate
from helpers import same


def test_right(twelve):
    assert twelve.names() == ["5 EUR", "7 EUR"]


class TestCart:
    @pytest.mark.parametrize("prices", [(3, 4), (6, 6)], ids=["small", "a [b] c"])
    def test_total(self, prices):
        total = Cart(*prices).total()
        assert total == sum(prices), "the sum"


def test_fixture(twelve):
    assert 12 == twelve.total()


class OldTest(unittest.TestCase):
    def test_old(self):
        self.assertEqual(Cart(30).total(), 29 + 1)


async def test_later():
    assert await later(1) == 3


def test_helper():
    same(Cart(15).total(), 15)


def test_error():
    assert rate("rum")


def test_broken(broken):
    pass


@pytest.mark.skip
def test_skipped():
    assert Cart()
""",
}
FAILING = {
    "tests/test_all.py::TestCart::test_total[a [b] c]",
    "tests/test_all.py::test_fixture",
    "tests/test_all.py::OldTest::test_old",
    "tests/test_all.py::test_later",
    "tests/test_all.py::test_helper",
    "tests/test_all.py::test_error",
    "tests/test_all.py::test_broken",
}
PASSING = {
    "tests/test_all.py::test_right",
    "tests/test_all.py::TestCart::test_total[small]",
}
SKIPPED = {"tests/test_all.py::test_skipped"}


def make(folder: Path) -> Path:
    """Write the files."""
    for name, text in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    return folder


def run(folder: Path, *words: str, text: str = "") -> subprocess.CompletedProcess[str]:
    """Run a module with arguments there."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTEST_", "COV", "SLEUTH"))
    }
    env = kept | {"COLUMNS": "80", "NO_COLOR": "1"}
    if words[0] == "sleuth":
        return ran(words[1:], cwd=folder, env=env, text=text, timeout=240)
    return subprocess.run(
        [sys.executable, "-m", *words],
        cwd=folder,
        input=text,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
        env=env,
    )


def reported(file: Path) -> dict[str, tuple[str, str]]:
    """Return of each test its outcome and pytest's message, without addresses."""
    found = {}
    for case in ET.parse(file).iter("testcase"):
        result = next(iter(case), None)
        words = "" if result is None else f"{result.get('message')}\n{result.text}"
        outcome = "passed" if result is None else result.tag
        name = f"{case.get('classname')}.{case.get('name')}"
        found[name] = outcome, re.sub(r"0x[0-9a-f]+|/\S*/tests/", "", words)
    return found
