"""`pytest --sleuth`: failing tests are run again, each recorded into a trace of its own."""

import json
import os
import subprocess
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sleuth.errors import SleuthError
from sleuth.record import launch
from sleuth.trace.values import escaped
from sleuth.views.store import typed
from sleuth.views.testing import again
from sleuth.views.testing.parts import shows_sections

if TYPE_CHECKING:
    from _pytest.terminal import TerminalReporter

ORDERS, TOLD = "orders.json", "told.json"
"""Files in the folder of `--sleuth-folder`: more words for the recorder, and what came of it."""
_MEASURING = ("COV_CORE_", "COVERAGE_PROCESS_")
"""How variables begin by which processes are told to measure their coverage."""
_MOST_LINES = 3


@dataclass(frozen=True, slots=True)
class Recorded:
    """What came of running a test again."""

    test: str
    trace: str
    """Empty: there is none."""
    status: int
    said: str
    """The last lines of what pytest said, if it could not run the test."""

    @property
    def words(self) -> list[str]:
        """How to go on."""
        if not self.trace:
            return [f"could not be recorded: {self.said}"]
        if self.status > 1:
            return [f"could not be run again (pytest ended with status {self.status}):", self.said]
        if self.status == 0:
            return [
                f"It did not fail again when it was recorded: {self.trace}",
                "Does it depend on other tests, on time or chance? See: pytest --sleuth=all",
            ]
        return [f"Find out why:  sleuth ask {typed(Path(self.trace))}"]


class Failing:
    """Gathers the failing tests of a session, and records them at its end."""

    def __init__(self, config: pytest.Config, *, is_first: bool) -> None:
        self._config = config
        self._is_first = is_first
        self._failed: dict[str, list[pytest.TestReport]] = {}
        self._recorded: list[Recorded] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note a failure, wherever the test ran."""
        if report.failed:
            self._failed.setdefault(report.nodeid, []).append(report)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        """Record them, before the failures are shown."""
        failed = list(self._failed.items())[: 1 if self._is_first else None]
        if failed:
            noun = "test" if len(failed) == 1 else f"{len(failed)} tests"
            self._say(f"sleuth: running the failing {noun} again, recorded")
        for test, reports in failed:
            try:
                recorded = self._record(test)
            except KeyboardInterrupt:
                self._say("sleuth: interrupted; the other failing tests are not recorded")
                break
            self._recorded.append(recorded)
            reports[0].sections.append(("sleuth", "\n".join(recorded.words)))
        self._tell()

    def pytest_terminal_summary(self, terminalreporter: "TerminalReporter") -> None:
        """Say how to go on where the failures are not shown."""
        if not shows_sections(self._config):
            for recorded in self._recorded:
                terminalreporter.write_line(f"sleuth: {recorded.test}: {recorded.words[-1]}")

    def _record(self, test: str) -> Recorded:
        here = self._config.invocation_params.dir
        try:
            trace = launch.new_test_file(test, here)
        except SleuthError as error:
            return Recorded(test, "", 2, str(error))
        with tempfile.TemporaryDirectory(prefix="sleuth-") as folder:
            words = again.command(self._config, test, trace, Path(folder))
            words[words.index("record") + 1 : words.index("record") + 1] = self._orders()
            done = subprocess.run(
                words,
                cwd=here,
                env=_environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                check=False,
            )
        said = done.stdout.decode("utf-8", "replace").strip().splitlines()[-_MOST_LINES:]
        shown = os.path.relpath(trace, here) if trace.exists() else ""
        return Recorded(test, shown, done.returncode, escaped("\n".join(said)))

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
            reporter.write(f"\n{words}", flush=True)  # the summary begins with a line's end


def _environment() -> dict[str, str]:
    """Return the environment without what would have the second run measured."""
    return {name: value for name, value in os.environ.items() if not name.startswith(_MEASURING)}
