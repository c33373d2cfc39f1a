"""`sleuth run`: record a program, then ask about the run."""

import argparse
import os
import signal
import sys
import time
import traceback
from collections.abc import Sequence
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path

from sleuth.errors import SleuthError, TraceError, TraceMissing, UsageError
from sleuth.oracles.table import ORACLES
from sleuth.record import launch
from sleuth.trace.reader import Trace
from sleuth.trace.values import escaped_lines
from sleuth.tree.transformations import named
from sleuth.views import trace_files
from sleuth.views.commands import against, ask
from sleuth.views.drawing.screen import Waiting, complain
from sleuth.views.prompt import name_lookup

_NOT_RUN = b"not run"
_PATIENCE = 30.0
"""Seconds to wait for the recorder."""


def main(argv: list[str]) -> int:
    """Carry out the command; the exit status is that of asking."""
    argv, asking = parted(argv)
    ours, program = launch.split(argv)
    options = parser().parse_args(ours)
    if not program:
        raise UsageError("The program is missing. Name it, for example: sleuth run prog.py")
    revision = against.revision(asking["--against"][-1]) if "--against" in asking else None
    process, status, started = recorded(argv)
    if not started:
        return status
    if not options.quiet:
        complain(f"sleuth: the program {against.ending(status)}")
    path = trace_of(process, options.output)
    await_end(path)
    if isinstance(sys.stdout, TextIOWrapper):
        # Only now, as the streams were the program's.  A character that the terminal can't show
        # must not end the command.
        sys.stdout.reconfigure(errors="backslashreplace")
    words = [
        f"{name}={value}" if _ASKING[name] else name
        for name, values in asking.items()
        if name != "--against"
        for value in values
    ]
    if revision is not None:
        words.append(f"--reference={against.announced(revision, argv, path)}")
    return ask.ask(path, words)


_ASKING = {
    "--strategy": True,
    "--transform": True,
    "--inline": True,
    "--answers": True,
    "--plain": False,
    "--against": True,
    "--unattended": False,
    "--without": True,
    **{each.flag: True for described in ORACLES.values() for each in described.settings},
}
"""Options for asking -> whether they take a value."""


def takes(names: Sequence[str]) -> bool:
    """Tell whether an option of `ask`, given by its names, is one of `run` too."""
    return any(name in _ASKING for name in names)


def parted(argv: list[str]) -> tuple[list[str], dict[str, list[str]]]:
    """Split the options into those for asking and those for recording."""
    index, kept, asking = 0, list[str](), dict[str, list[str]]()
    while index < len(argv) and argv[index].startswith("-"):
        word = argv[index]
        if word == "--" or word[:2] in ("-m", "-c"):
            break
        name, sign, value = word.partition("=")
        width = 2 if word in launch.WITH_VALUE or (_ASKING.get(name) and not sign) else 1
        if name in _ASKING:
            value = value if sign else "".join(argv[index + 1 : index + width])
            asking.setdefault(name, []).append(value)
            if _ASKING[name] and not value:
                raise UsageError(f"{name} needs a value; see sleuth run --help")
        else:
            kept += argv[index : index + width]
        index += width
    _check(asking)
    return kept + argv[index:], asking


def _check(asking: dict[str, list[str]]) -> None:
    """Refuse unknown transformations and strategies before the program runs."""
    for names in asking.get("--transform", ()):
        named(names.split(","))
    for name in asking.get("--strategy", ()):
        name_lookup.strategy(name)


def parser() -> argparse.ArgumentParser:
    """Return the parser of what precedes the program: that of `sleuth record`."""
    made = launch.parser()
    made.prog = "sleuth run"
    made.usage = (made.usage or "").replace("sleuth record", made.prog)
    made.description = (
        "Record a program, then ask about the run. The exit status is that of sleuth ask; "
        "the program's own is printed."
    )
    made.epilog = (
        "Also, as for ask: --strategy NAME, --transform NAME,..., --inline NAME, --answers FILE, "
        "--plain, --unattended, and the options of oracles (--spec, --memory, --reference, ...). "
        "--against REVISION: record the same command at this git "
        "revision too, in a temporary worktree, and compare the two runs."
    )
    return made


def recorded(argv: list[str]) -> tuple[int, int, bool]:
    """Record in a process of its own; return its id, its status and whether the program began."""
    read, write = os.pipe()  # closed when the program starts, which tells us so
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
    """Become the program; on an error print the message and exit."""
    status = SleuthError.exit_status
    try:
        status = launch.main(argv)
    except SleuthError as error:
        complain(f"sleuth: {escaped_lines(str(error))}")
        status = error.exit_status
    except SystemExit as end:  # argparse has printed the message already
        status = end.code if isinstance(end.code, int) else status
    except BaseException:  # noqa: BLE001 - this process must not go on as a second one of its caller
        traceback.print_exc()
    os.write(write, _NOT_RUN)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


def await_end(path: Path) -> None:
    """Wait until the trace is complete: a program that was killed did not wait."""
    waiting = Waiting()
    end = time.monotonic() + _PATIENCE
    while Trace(path).is_running and time.monotonic() < end:
        waiting.tell("waiting for the recorder to write the rest")
        time.sleep(0.05)
    waiting.done()


def trace_of(process: int, output: str | None) -> Path:
    """Find the trace of a process, as others may record into the same folder."""
    if output is not None:
        return Path(output)
    for path in trace_files.traces(Path(trace_files.FOLDER)):
        with suppress(TraceError):
            if Trace(path).meta.get("pid") == process:
                return path
    raise TraceMissing("The run left no trace. What can be recorded: sleuth record --help")
