"""Runs a command and measures its cost.

CPU time is the kernel's count for the command's own process (`wait4`).  `sleuth record` becomes the
program without starting a new process, so its count includes the launcher's work, about 0.1 s.
The collector is detached from it.  This process adopts orphans, so it can wait for the collector,
too, and get its CPU time.
"""

import ctypes
import os
import select
import signal
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36
LOOK_EVERY = 20
"""Milliseconds between two readings of the peak of memory."""


class CommandFailed(Exception):
    """A measured command did not end well; the text says how."""


class TimeIsUp(CommandFailed):
    """A measured command was stopped because it took too long."""

    def __init__(self, text: str, cpu: float) -> None:
        super().__init__(text)
        self.cpu = cpu
        """The CPU seconds that it had used when it was stopped."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What one run took, and what it wrote."""

    cpu: float
    """Seconds, user and system, of the command's process."""
    wall: float
    """Seconds until the command returned."""
    memory: int
    """Peak of resident memory, in bytes."""
    other_cpu: float
    """Seconds of the processes that it left behind: the collector."""
    out: str
    err: str


def adopt_orphans() -> None:
    """Become the parent of processes that the commands leave behind."""
    ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def run(
    command: Sequence[str], environment: Mapping[str, str], folder: Path, *, limit: float = 3600
) -> Cost:
    """Run a command to its end, with its output in files of `folder`."""
    out, err = folder / "stdout", folder / "stderr"
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    start = time.perf_counter()
    pid = os.posix_spawn(
        command[0],
        list(command),
        dict(environment),
        file_actions=[
            (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
            (os.POSIX_SPAWN_OPEN, 1, os.fspath(out), flags, 0o600),
            (os.POSIX_SPAWN_OPEN, 2, os.fspath(err), flags, 0o600),
        ],
    )
    memory = _peak_until_end(pid, start + limit)
    wall = time.perf_counter() - start
    _, status, usage = os.wait4(pid, 0)
    other_cpu = _wait_for_orphans()
    cost = Cost(
        cpu=usage.ru_utime + usage.ru_stime,
        wall=wall,
        memory=memory,
        other_cpu=other_cpu,
        out=out.read_text(errors="replace"),
        err=err.read_text(errors="replace"),
    )
    if os.WIFSIGNALED(status) and wall > limit:
        raise TimeIsUp(f"{' '.join(command)} was stopped after {limit:g} s", cost.cpu)
    if status != 0:
        code = os.waitstatus_to_exitcode(status)
        raise CommandFailed(f"{' '.join(command)} ended with {code}\n{cost.err[-2000:]}")
    return cost


def _peak_until_end(pid: int, deadline: float) -> int:
    """Wait for a process, kill it at the deadline; give the peak of its memory.

    `ru_maxrss` would be simpler, but exec keeps it: it never falls below the size that this process
    had when it started the command.
    """
    ended = select.poll()
    descriptor = os.pidfd_open(pid)
    ended.register(descriptor, select.POLLIN)
    peak = 0
    while not ended.poll(LOOK_EVERY):
        peak = _peak(pid) or peak
        if time.perf_counter() > deadline:
            os.kill(pid, signal.SIGKILL)
    os.close(descriptor)
    return peak


def _peak(pid: int) -> int:
    """Read the peak of a process's present program; 0 when it has just ended."""
    try:
        text = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
    except OSError:
        return 0
    for line in text.splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return 0


def _wait_for_orphans() -> float:
    seconds = 0.0
    while True:
        try:
            _, _, usage = os.wait4(-1, 0)
        except ChildProcessError:
            return seconds
        seconds += usage.ru_utime + usage.ru_stime
