"""`pytest --sleuth`: failing tests are run again, each recorded into a trace of its own.

While the tests run, only this module of Sleuth is loaded, so that they see nothing else of it.
"""

import json
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
        self._recorded: list[Recorded] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note a failure, in whichever process the test ran."""
        if report.failed:
            self._failed.setdefault(report.nodeid, []).append(report)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        """Record the failing tests, before pytest shows the failures."""
        failed = list(self._failed.items())[: 1 if self._is_first else None]
        if failed:
            noun = "test" if len(failed) == 1 else f"{len(failed)} tests"
            more = "" if len(failed) == 1 else " (Ctrl-C leaves out the rest)"
            self._say(f"\nsleuth: running the failing {noun} again, recorded{more} ")
        for test, reports in failed:
            try:
                recorded = self._record(test)
            except KeyboardInterrupt:
                left = len(failed) - len(self._recorded)
                self._say(f"\nsleuth: interrupted; {left} of the failing tests were not recorded")
                break
            self._say(recorded.sign)
            self._recorded.append(recorded)
            if shows_sections(self._config):
                reports[0].sections.append(("sleuth", "\n".join(recorded.words)))
        self._tell()

    def _record(self, test: str) -> "Recorded":
        from sleuth.views.testing import rerun  # noqa: PLC0415 - the tests have run

        return rerun.record(self._config, test, self._orders())

    def pytest_terminal_summary(self, terminalreporter: "TerminalReporter") -> None:
        """Print how to go on if pytest does not show the failures."""
        if not shows_sections(self._config):
            for recorded in self._recorded:
                terminalreporter.write_line(f"sleuth: {recorded.test}: {recorded.words[-1]}")

    def _orders(self) -> list[str]:
        folder = self._config.getoption("sleuth_folder")
        if not folder:
            return []
        words: list[str] = json.loads(Path(folder, ORDERS).read_text("utf-8"))
        return words

    def _tell(self) -> None:
        folder = self._config.getoption("sleuth_folder")
        if folder:
            told = [asdict(each) for each in self._recorded]
            Path(folder, TOLD).write_text(json.dumps(told), "utf-8")

    def _say(self, words: str) -> None:
        reporter = self._config.pluginmanager.get_plugin("terminalreporter")
        if reporter is not None:
            reporter.write(words, flush=True)  # the summary begins with a newline
