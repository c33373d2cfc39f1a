"""What tests of several packages share: a program in which every kind of question occurs."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))
from sleuth.trace.reader import Trace
from tests.recorded import recorded
from tests.shop import SHOP


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    """The shop, recorded once."""
    return recorded(tmp_path_factory.mktemp("shop"), SHOP, name="shop.py")
