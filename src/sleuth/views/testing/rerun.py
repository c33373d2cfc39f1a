"""Runs a failing test again, recorded, and says how to go on."""

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from sleuth.errors import SleuthError
from sleuth.record import launch
from sleuth.trace.reader import Trace
from sleuth.trace.values import escaped
from sleuth.views.testing import again
from sleuth.views.trace_files import typed

_MEASURING = ("COV_CORE_", "COVERAGE_PROCESS_")
"""Prefixes of the environment variables that start coverage in child processes."""
_MOST_LINES = 3
_PATIENCE = 2
"""How much longer a test may take that hung: a recorded one is slower."""
_LONGEST = 60.0
_GLANCE = 0.2
"""Seconds between two looks at the growing trace."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """The result of running a test again."""

    test: str
    trace: str
    """The trace's path; empty: there is no trace."""
    status: int
    said: str
    """The last lines of pytest's output, if it could not run the test."""
    command: tuple[str, ...] = ()
    """The words behind `sleuth record`."""
    is_hung: bool = False
    """Whether it was stopped while it ran, as it was the first time."""

    @property
    def sign(self) -> str:
        """One letter for the result, as pytest has them: F means that it failed again."""
        return "F" if self.is_askable else "." if not self.status else "E"

    @property
    def is_askable(self) -> bool:
        """Whether it failed again, or hung again, so that there is something to ask about."""
        return bool(self.trace) and (self.status == 1 or self.is_hung)

    @property
    def words(self) -> list[str]:
        """Lines that say how to go on."""
        if not self.trace:
            return [f"could not be recorded: {self.said}"]
        if self.status > 1 and not self.is_hung:
            return [f"could not be run again (pytest ended with status {self.status}):", self.said]
        if self.status == 0:
            return [
                f"It did not fail again when it was recorded: {self.trace}",
                "If it depends on other tests, record all of them: pytest --sleuth=all",
            ]
        return [f"Find out why:  sleuth ask {typed(Path(self.trace))}"]


def record(
    config: pytest.Config, test: str, orders: Sequence[str], *, hung_for: float | None = None
) -> Recorded:
    """Run a test of a session again; `orders` are more options for the recorder.

    hung_for: the seconds after which the user stopped it; it is stopped again by the same signal.
    """
    here = config.invocation_params.dir
    try:
        trace = launch.new_test_file(test, here)
    except SleuthError as error:
        return Recorded(test, "", 2, escaped(str(error)))
    with tempfile.TemporaryDirectory(prefix="sleuth-") as folder:
        words = again.command(config, test, trace, Path(folder))
        words[words.index("record") + 1 : words.index("record") + 1] = orders
        output = Path(folder, "output")
        with output.open("wb") as file:
            process = subprocess.Popen(
                words,
                cwd=here,
                env=_environment(),
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
            )
            stopped = _awaited(process, trace, test, hung_for)
        lines = output.read_bytes().decode("utf-8", "replace").strip().splitlines()
    said = lines[-_MOST_LINES:]
    shown = os.path.relpath(trace, here) if trace.exists() else ""
    is_hung = stopped and process.returncode not in (0, 1)
    command = tuple(words[words.index("record") + 1 :])
    return Recorded(test, shown, process.returncode, escaped("\n".join(said)), command, is_hung)


def _awaited(
    process: "subprocess.Popen[bytes]", trace: Path, test: str, hung_for: float | None
) -> bool:
    """Wait for the end; a test that hung before is stopped, and True is returned."""
    try:
        if hung_for is None:
            process.wait()
            return False
        end = time.monotonic() + _LONGEST
        while process.poll() is None and time.monotonic() < end and not _has_begun(trace, test):
            time.sleep(_GLANCE)
        process.wait(min(_PATIENCE * hung_for + 1, _LONGEST))
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
        process.wait()
        return True
    except KeyboardInterrupt:
        if hung_for is None:
            process.kill()
            process.wait()
            raise
        process.wait()  # the terminal has sent the signal to both
        return True
    return False


def _has_begun(trace: Path, test: str) -> bool:
    """Tell whether the recorder has seen the function of a test."""
    name = test.partition("[")[0].rpartition("::")[2]
    with suppress(SleuthError):
        return any(function.name == name for function in Trace(trace).functions())
    return False


def _environment() -> dict[str, str]:
    """Return the environment without the variables that start coverage."""
    return {name: value for name, value in os.environ.items() if not name.startswith(_MEASURING)}
