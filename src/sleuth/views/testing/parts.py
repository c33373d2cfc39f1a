"""Marks the beginning and the end of each test, in a process that is recorded.

The marks are two audit events that only the recorder listens to.
"""

import sys
from collections.abc import Generator

import pytest

TYPE_CHECKING = False  # this runs in the recorded process, so it imports as little as possible
if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter

_NO_SECTIONS = ("no", "line")


def shows_sections(config: pytest.Config) -> bool:
    """Tell whether pytest will show the sections of a failure."""
    option = config.option
    is_silent = option.showcapture == "no" or option.tbstyle in _NO_SECTIONS
    return not is_silent and not option.usepdb


class Parts:
    """Has each test recorded into a trace of its own."""

    def __init__(self, config: pytest.Config) -> None:
        self._shows_sections = shows_sections(config)
        self._names: list[str] = []
        self._failed: dict[str, str] = {}
        self._outcomes: set[tuple[str, str]] = set()
        """Phases and outcomes of the running test."""

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None]:
        """Begin the test's trace, and end it."""
        self._names.clear()
        self._outcomes.clear()
        sys.audit("sleuth.test", item.nodeid, self._names)
        yield
        sys.audit("sleuth.tested", self._outcome())

    def _outcome(self) -> str:
        """Return the outcome of the test; a test has passed only if it ran to its end."""
        outcomes = {outcome for _, outcome in self._outcomes}
        for each in ("failed", "skipped"):
            if each in outcomes:
                return each
        return "passed" if ("call", "passed") in self._outcomes else "interrupted"

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note the outcome; add to a failure how to go on."""
        self._outcomes.add((report.when or "", report.outcome))
        if report.failed and self._names:
            self._failed[report.nodeid] = f"Find out why:  sleuth ask {self._names[0]}"
            if self._shows_sections:
                report.sections.append(("sleuth", self._failed[report.nodeid]))
            self._names.clear()

    def pytest_terminal_summary(self, terminalreporter: "TerminalReporter") -> None:
        """Print how to go on if pytest does not show the failures."""
        if not self._shows_sections:
            for test, words in self._failed.items():
                terminalreporter.write_line(f"sleuth: {test}: {words}")
