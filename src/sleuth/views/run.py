"""`sleuth run`: record a program, then ask about the run."""

import argparse
import os
import signal
import sys
import time
import traceback
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path

from sleuth.errors import SleuthError, TraceError, TraceMissing, UsageError
from sleuth.record import launch
from sleuth.trace.reader import Trace
from sleuth.tree.transformations import named
from sleuth.views import store, terminal
from sleuth.views.screen import Waiting

_NOT_RUN = b"not run"
_PATIENCE = 30.0
"""Seconds to wait for the recorder."""


def main(argv: list[str]) -> int:
    """Carry out the command; the exit status is that of asking."""
    argv, transform = without_transform(argv)
    ours, program = launch.split(argv)
    options = parser().parse_args(ours)
    if not program:
        raise UsageError("Which program? Write for example: sleuth run prog.py")
    process, status, started = recorded(argv)
    if not started:
        return status
    if not options.quiet:
        print(f"sleuth: the program {ending(status)}", file=sys.stderr, flush=True)
    path = trace_of(process, options.output)
    await_end(path)
    if isinstance(sys.stdout, TextIOWrapper):
        # Not before: the program has its own. What the terminal can't show must not stop us.
        sys.stdout.reconfigure(errors="backslashreplace")
    return terminal.ask(path, transform=transform)


def without_transform(argv: list[str]) -> tuple[list[str], str]:
    """Take the option that is for asking out of those for recording."""
    index = 0
    while index < len(argv) and argv[index].startswith("-"):
        word = argv[index]
        if word in ("--", "-m", "-c"):
            break
        name, sign, value = word.partition("=")
        if name == "--transform":
            used = 1 if sign else 2
            value = value if sign else "".join(argv[index + 1 : index + 2])
            return argv[:index] + argv[index + used :], _checked(value)
        index += 2 if word in launch.WITH_VALUE else 1
    return argv, ""


def _checked(names: str) -> str:
    """Refuse what is no transformation before the program runs."""
    named(names.split(","))
    return names


def parser() -> argparse.ArgumentParser:
    """Return what can stand before the program: the same as for `sleuth record`."""
    made = launch.parser()
    made.prog = "sleuth run"
    made.usage = (made.usage or "").replace("sleuth record", made.prog)
    made.description = (
        "Record a program, then ask about the run. The exit status is that of sleuth ask; "
        "the program's own is printed."
    )
    made.epilog = "Also --transform NAME,...: which tree is asked about, as for sleuth ask."
    return made


def ending(status: int) -> str:
    """Say how a program ended, by the status of its process."""
    if status >= 0:
        return f"ended with status {status}"
    with suppress(ValueError):
        return f"was killed by {signal.Signals(-status).name}"
    return f"was killed by signal {-status}"


def recorded(argv: list[str]) -> tuple[int, int, bool]:
    """Record in a process of its own; return its id, its status and whether the program began."""
    read, write = os.pipe()  # closed when the program begins, so that we learn of it
    process = os.fork()
    if process == 0:
        os.close(read)
        _become(argv, write)
    # Ctrl-C is the program's, as without us.
    kept = {each: signal.signal(each, signal.SIG_IGN) for each in (signal.SIGINT, signal.SIGQUIT)}
    os.close(write)
    with os.fdopen(read, "rb") as said:
        started = said.read() != _NOT_RUN
    _, raw = os.waitpid(process, 0)
    for each, handler in kept.items():
        signal.signal(each, handler)
    return process, os.waitstatus_to_exitcode(raw), started


def _become(argv: list[str], write: int) -> None:
    """Become the program; if that can't be, say so and end."""
    status = SleuthError.exit_status
    try:
        status = launch.main(argv)
    except SleuthError as error:
        print(f"sleuth: {error}", file=sys.stderr)
        status = error.exit_status
    except SystemExit as end:  # argparse has said it already
        status = end.code if isinstance(end.code, int) else status
    except BaseException:  # noqa: BLE001 - this process must not go on as a second one of its caller
        traceback.print_exc()
    os.write(write, _NOT_RUN)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def await_end(path: Path) -> None:
    """Wait until the trace is whole: a program that was killed can't do that itself."""
    waiting = Waiting()
    end = time.monotonic() + _PATIENCE
    while Trace(path).is_running and time.monotonic() < end:
        waiting.tell("waiting for the recorder to write the rest")
        time.sleep(0.05)
    waiting.done()


def trace_of(process: int, output: str | None) -> Path:
    """Find the trace that was just written: others may record into the same folder."""
    if output is not None:
        return Path(output)
    for path in store.traces(Path(store.FOLDER)):
        with suppress(TraceError):
            if Trace(path).meta.get("pid") == process:
                return path
    raise TraceMissing("The run left no trace. See what can be recorded: sleuth record --help")
