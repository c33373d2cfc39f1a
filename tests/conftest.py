"""What tests of several packages share: a program in which every kind of question occurs."""

import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

sys.path.insert(0, str(Path(__file__).parents[1]))
from sleuth.trace.reader import Trace
from tests.recorded import recorded
from tests.shop import SHOP

# No test is timed; and what was green stays green: new examples are looked for by `make fuzz`.
settings.register_profile("fuzz", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("steady", settings.get_profile("fuzz"), derandomize=True)
settings.load_profile("steady")


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    """The shop, recorded once."""
    return recorded(tmp_path_factory.mktemp("shop"), SHOP, name="shop.py")
