"""The shop, recorded once."""

import pytest

from sleuth.trace.reader import Trace
from tests.recorded import recorded
from tests.views.words.program import SHOP


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    return recorded(tmp_path_factory.mktemp("shop"), SHOP, name="shop.py")
