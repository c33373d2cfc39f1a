"""`pytest --sleuth`: failing tests are run again, each recorded into a trace of its own.

While the tests run, only this module of Sleuth is loaded, so that they see nothing else of it.
"""

import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sleuth.views.testing.parts import shows_sections

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter

    from sleuth.views.testing.rerun import Recorded

ORDERS, TOLD = "orders.json", "told.json"
"""Files in the folder of `--sleuth-folder`: options for the recorder, and the results."""


class Failing:
    """Collects the failing tests of a session, and records them at its end."""

    def __init__(self, config: pytest.Config, *, is_first: bool) -> None:
        self._config = config
        self._is_first = is_first
        self._failed: dict[str, list[pytest.TestReport]] = {}
        self._running: dict[str, float] = {}
        """The tests that run now, and when each began."""
        self._hung: dict[str, float] = {}
        """The test that Ctrl-C stopped, and the seconds that it had run."""
        self._recorded: list[Recorded] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note a failure, in whichever process the test ran."""
        if report.failed:
            self._failed.setdefault(report.nodeid, []).append(report)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """Note that a test runs."""
        self._running[nodeid] = time.monotonic()

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        """Note that a test has ended."""
        self._running.pop(nodeid, None)

    def pytest_keyboard_interrupt(self, excinfo: "pytest.ExceptionInfo[BaseException]") -> None:
        """Note the test that Ctrl-C stopped; only `sleuth test` asks about it."""
        if self._running and self._folder and isinstance(excinfo.value, KeyboardInterrupt):
            test, began = min(self._running.items(), key=lambda each: each[1])
            self._hung[test] = time.monotonic() - began

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        """Record the failing tests, before pytest shows the failures."""
        hung: dict[str, list[pytest.TestReport]] = {test: [] for test in self._hung}
        failed = list((self._failed | hung).items())[: 1 if self._is_first else None]
        if failed:
            noun = "test" if len(failed) == 1 else f"{len(failed)} tests"
            more = "" if len(failed) == 1 else " (Ctrl-C leaves out the rest)"
            if failed[0][0] in self._hung:
                noun, more = "test that was interrupted", " (it is stopped after a while)"
            kind = "" if self._hung else "failing "
            self._say(f"\nsleuth: running the {kind}{noun} again, recorded{more} ")
        for test, reports in failed:
            try:
                recorded = self._record(test)
            except KeyboardInterrupt:
                left = len(failed) - len(self._recorded)
                self._say(f"\nsleuth: interrupted; {left} of the failing tests were not recorded")
                break
            self._say(recorded.sign)
            self._recorded.append(recorded)
            if reports and shows_sections(self._config):
                reports[0].sections.append(("sleuth", "\n".join(recorded.words)))
        self._tell()

    def _record(self, test: str) -> "Recorded":
        from sleuth.views.testing import rerun  # noqa: PLC0415 - the tests have run

        return rerun.record(self._config, test, self._orders(), hung_for=self._hung.get(test))

    def pytest_terminal_summary(self, terminalreporter: "TerminalReporter") -> None:
        """Print how to go on if pytest does not show the failures."""
        if not shows_sections(self._config):
            for recorded in self._recorded:
                terminalreporter.write_line(f"sleuth: {recorded.test}: {recorded.words[-1]}")

    @property
    def _folder(self) -> str:
        """The folder of `sleuth test`; empty: pytest was started by somebody else."""
        return str(self._config.getoption("sleuth_folder") or "")

    def _orders(self) -> list[str]:
        if not self._folder:
            return []
        words: list[str] = json.loads(Path(self._folder, ORDERS).read_text("utf-8"))
        return words

    def _tell(self) -> None:
        if self._folder:
            told = [asdict(each) for each in self._recorded]
            Path(self._folder, TOLD).write_text(json.dumps(told), "utf-8")

    def _say(self, words: str) -> None:
        reporter = self._config.pluginmanager.get_plugin("terminalreporter")
        if reporter is not None:
            reporter.write(words, flush=True)  # the summary begins with a newline
