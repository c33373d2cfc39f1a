"""In a process that is recorded: say where each test begins and ends.

The recorder listens to two audit events; for nobody else do they mean anything.
"""

import sys
from collections.abc import Generator

import pytest

TYPE_CHECKING = False  # this runs in the recorded process: nothing is imported that need not be
if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter

_NO_SECTIONS = ("no", "line")


def shows_sections(config: pytest.Config) -> bool:
    """Tell whether pytest will show what belongs to a failure."""
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
        """Of the test that runs: phase and outcome."""

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None]:
        """Begin a trace, and end it."""
        self._names.clear()
        self._outcomes.clear()
        sys.audit("sleuth.test", item.nodeid, self._names)
        yield
        sys.audit("sleuth.tested", self._outcome())

    def _outcome(self) -> str:
        """Return what came of the test: only what was run to its end has passed."""
        outcomes = {outcome for _, outcome in self._outcomes}
        for each in ("failed", "skipped"):
            if each in outcomes:
                return each
        return "passed" if ("call", "passed") in self._outcomes else "interrupted"

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note what came of it, and say how to go on."""
        self._outcomes.add((report.when or "", report.outcome))
        if report.failed and self._names:
            self._failed[report.nodeid] = f"Find out why:  sleuth ask {self._names[0]}"
            if self._shows_sections:
                report.sections.append(("sleuth", self._failed[report.nodeid]))
            self._names.clear()

    def pytest_terminal_summary(self, terminalreporter: "TerminalReporter") -> None:
        """Say it where the failures are not shown."""
        if not self._shows_sections:
            for test, words in self._failed.items():
                terminalreporter.write_line(f"sleuth: {test}: {words}")
