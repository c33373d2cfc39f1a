"""Runs a failing test again, recorded, and says how to go on."""

import os
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from sleuth.errors import SleuthError
from sleuth.record import launch
from sleuth.trace.values import escaped
from sleuth.views.testing import again
from sleuth.views.trace_files import typed

_MEASURING = ("COV_CORE_", "COVERAGE_PROCESS_")
"""Prefixes of the environment variables that start coverage in child processes."""
_MOST_LINES = 3


@dataclass(frozen=True, slots=True)
class Recorded:
    """The result of running a test again."""

    test: str
    trace: str
    """The trace's path; empty: there is no trace."""
    status: int
    said: str
    """The last lines of pytest's output, if it could not run the test."""

    @property
    def sign(self) -> str:
        """One letter for the result, as pytest has them: F means that it failed again."""
        return "F" if self.trace and self.status == 1 else "." if not self.status else "E"

    @property
    def words(self) -> list[str]:
        """Lines that say how to go on."""
        if not self.trace:
            return [f"could not be recorded: {self.said}"]
        if self.status > 1:
            return [f"could not be run again (pytest ended with status {self.status}):", self.said]
        if self.status == 0:
            return [
                f"It did not fail again when it was recorded: {self.trace}",
                "If it depends on other tests, record all of them: pytest --sleuth=all",
            ]
        return [f"Find out why:  sleuth ask {typed(Path(self.trace))}"]


def record(config: pytest.Config, test: str, orders: Sequence[str]) -> Recorded:
    """Run a test of a session again; `orders` are more options for the recorder."""
    here = config.invocation_params.dir
    try:
        trace = launch.new_test_file(test, here)
    except SleuthError as error:
        return Recorded(test, "", 2, escaped(str(error)))
    with tempfile.TemporaryDirectory(prefix="sleuth-") as folder:
        words = again.command(config, test, trace, Path(folder))
        words[words.index("record") + 1 : words.index("record") + 1] = orders
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


def _environment() -> dict[str, str]:
    """Return the environment without the variables that start coverage."""
    return {name: value for name, value in os.environ.items() if not name.startswith(_MEASURING)}
