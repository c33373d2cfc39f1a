"""Fixtures for all tests: a recorded program in which every kind of question occurs."""

import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

sys.path.insert(0, str(Path(__file__).parents[1]))
from sleuth.trace.reader import Trace
from tests.effort import examples, is_left_out
from tests.recorded import recorded
from tests.shop import SHOP

# No deadlines, and always the same examples; `make fuzz` looks for new ones.
settings.register_profile("fuzz", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile(
    "steady", settings.get_profile("fuzz"), derandomize=True, max_examples=examples(100)
)
settings.load_profile("steady")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the tests that another run makes (`tests/effort.py`)."""
    marks = {item: {mark.name for mark in item.iter_markers()} for item in items}
    left_out = [item for item in items if is_left_out(item.nodeid, marks[item])]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not is_left_out(item.nodeid, marks[item])]


@pytest.fixture(autouse=True)
def _usual_width(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no test depend on the terminal that it is started from."""
    monkeypatch.delenv("COLUMNS", raising=False)


@pytest.fixture(scope="session")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    """The shop, recorded once."""
    return recorded(tmp_path_factory.mktemp("shop"), SHOP, name="shop.py")
