"""Modules that count as tests: only if tests are run, and not plugins that pytest rewrites."""

from pathlib import Path

import pytest

from sleuth.record.announcements import Announcements
from sleuth.record.keeping import Keeping
from sleuth.record.scope import Scope
from sleuth.record.service import Service

TESTS = b"import x\n\n\nasync def test_it():\n    pass\n"
PLUGIN = b"def pytest_addoption(parser):\n    pass\n"


@pytest.mark.parametrize(
    ("name", "source", "for_pytest", "expected"),
    [
        ("test_cart.py", b"", False, True),
        ("conftest.py", b"", True, True),
        ("tests/helpers.py", b"", False, True),
        ("shop/testing.py", TESTS, False, False),
        ("checks/check_cart.py", TESTS, True, True),
        ("shop/plugin.py", PLUGIN, True, False),
    ],
)
def test_a_module_is_a_test_by_its_name_its_folder_or_by_what_pytest_finds_in_it(
    tmp_path: Path, name: str, source: bytes, *, for_pytest: bool, expected: bool
) -> None:
    folder = tmp_path / "tests" / "project"  # where the project lies says nothing
    for is_testing in (True, False):
        scope = Scope(folder=folder, is_testing=is_testing)
        service = Service(Announcements(None), scope, Keeping(), full=True)
        found = service._is_test(str(folder / name), source, for_pytest=for_pytest)
        assert found == (expected and is_testing)
