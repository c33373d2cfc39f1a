"""The shop, recorded once."""

from pathlib import Path

import pytest

from sleuth.trace.reader import Trace
from tests.recorded import recorded
from tests.views.words.program import SHOP


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    folder: Path = tmp_path_factory.mktemp("shop")
    return recorded(folder, SHOP, name="shop.py")
