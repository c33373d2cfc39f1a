"""In a process that is recorded: say where each test begins and ends.

The recorder listens to two audit events; for nobody else do they mean anything.
"""

import sys
from collections.abc import Generator

import pytest

_WORST_FIRST = ("failed", "passed", "skipped")


class Parts:
    """Has each test recorded into a trace of its own."""

    def __init__(self) -> None:
        self._names: list[str] = []
        self._outcomes: set[str] = set()

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None]:
        """Begin a trace, and end it."""
        self._names.clear()
        self._outcomes.clear()
        sys.audit("sleuth.test", item.nodeid, self._names)
        yield
        # Skipped while it was prepared, a test has "passed" what was cleaned up after it.
        is_skipped = "skipped" in self._outcomes and "failed" not in self._outcomes
        worst = next((each for each in _WORST_FIRST if each in self._outcomes), "interrupted")
        sys.audit("sleuth.tested", "skipped" if is_skipped else worst)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note what came of it, and say how to go on."""
        self._outcomes.add(report.outcome)
        if report.failed and self._names:
            report.sections.append(("sleuth", f"Find out why:  sleuth ask {self._names[0]}"))
            self._names.clear()
