"""What only counts questions is the same on every version: it is tested on the default one."""

import pytest

from tests.effort import IS_DEFAULT


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    skipped = pytest.mark.skip(reason="tested on the default version")
    for item in items:
        if not IS_DEFAULT and "tests/bench/" in item.nodeid:
            item.add_marker(skipped)
