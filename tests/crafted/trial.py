"""Tries every command that opens a trace, within limits of time and memory."""

import io
import os
import resource
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from functools import partial
from itertools import islice
from pathlib import Path
from random import Random
from traceback import format_exception
from types import FrameType
from typing import NamedTuple

import sleuth
from sleuth.errors import SleuthError, TraceError
from sleuth.trace.events import Call
from sleuth.trace.reader import Trace
from sleuth.trace.values import Ref
from sleuth.views import cli

SECONDS = 10.0
"""A command that needs more time of the processor counts as hanging."""
MEMORY = 170 << 20
"""The memory that a command may use in addition to that of the process: 256 MB in all."""
if os.environ.get("SLEUTH_NO_MEMORY_LIMIT"):  # the address sanitizer takes terabytes
    MEMORY = 1 << 45
_STATUSES = (0, 1, 2, 3)
_SHAPES: tuple[str, ...] = (
    "none",
    "loops",
    "streams",
    "balance",
    "balance-chains",
    "collapse",
    "forward",
)
_SHAPES += ("compress", "compress-all", "loops,streams,forward,compress,balance", "default")
_STRATEGIES = ("bisection", "path", "worst-case", "top-down", "divide-by-rules", "optimal")
_TYPED = (
    *("y", "n", "d", "i", "t", "T", "s", "u", "U", "e", "c", "a", "q", "O", "?", "g", "x", ""),
    *("n 5", "w return", "w return = 3", "w self.x", "A y", "o return", "o self", "turns", "calls"),
    *("first 2", "name it", "fold", "unfold all", "only 2", "inline f", "j 0", "j 3", "f x"),
    *("a 1 -", "a 1 n", "x loops,streams", "x none", "x compress", "x balance", "fold 2", "1"),
)
_SENT = (
    *('{"verdict": "right"}', '{"verdict": "wrong"}', '{"verdict": "unknown"}', '{"do": "undo"}'),
    *('{"verdict": "wrong", "path": "return"}', '{"turns": [1, 3]}', '{"calls": [1, 3]}', "[]"),
    *('{"transform": ["loops"]}', '{"strategy": "path"}', '{"verdict": "inadmissible"}'),
)


class TooLong(BaseException):
    """The time is up."""


class Ended(NamedTuple):
    """How one command ended."""

    words: list[str]
    status: int
    problem: str
    """The problem; empty: there is none."""


@contextmanager
def limited() -> Iterator[None]:
    """Stop whatever takes too long or too much."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    most = used * resource.getpagesize() + MEMORY
    handler = signal.signal(signal.SIGPROF, _late)
    resource.setrlimit(resource.RLIMIT_AS, (most, before[1]))
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, handler)
        resource.setrlimit(resource.RLIMIT_AS, before)


def _late(_signal: int, _frame: FrameType | None) -> None:
    raise TooLong


def called(words: list[str], folder: Path, typed: str = "") -> tuple[int, str, str]:
    """Carry out a command in a folder; return its status, what it printed, and errors."""
    out, errors = io.StringIO(), io.StringIO()
    stdin, sys.stdin = sys.stdin, io.StringIO(typed)
    try:
        with chdir(folder), redirect_stdout(out), redirect_stderr(errors):
            status = cli.main(words)
    finally:
        sys.stdin = stdin
    return status, out.getvalue(), errors.getvalue()


def tried(path: Path, chance: Random, commands: int | None = None) -> Iterator[Ended]:
    """Try commands, all or some of them."""
    chosen = _commands(path, chance)
    if commands is not None:
        chosen = chance.sample(chosen, commands)
    for words, typed in chosen:
        yield _ended(words, partial(_status, words, path.parent, typed))
    yield _ended(["sleuth.open"], partial(_looked, path))


def _ended(words: list[str], run: Callable[[], tuple[int, str]]) -> Ended:
    try:
        with limited():
            return Ended(words, *run())
    except TooLong as error:
        return Ended(words, -1, f"takes more than {SECONDS} s\n{_story(error)}")
    except Exception as error:  # noqa: BLE001 - that is what is looked for
        return Ended(words, -1, _story(error))


def _story(error: BaseException) -> str:
    lines = "".join(format_exception(error)).splitlines()
    return "\n".join(line[:300] for line in (lines if len(lines) < 60 else lines[:6] + lines[-40:]))


def _status(words: list[str], folder: Path, typed: str) -> tuple[int, str]:
    status, _, errors = called(words, folder, typed)
    if status not in _STATUSES:
        return status, f"has status {status}"
    if "Traceback" in errors:
        return status, errors
    is_said = words[0] == "doctor" or (errors.startswith("sleuth: ") and "." in errors)
    if status == TraceError.exit_status and not is_said:
        return status, f"says no sentence but {errors[:200]!r}"
    return status, ""


def _commands(path: Path, chance: Random) -> list[tuple[list[str], str]]:
    name = str(path)
    typed = "\n".join(chance.choices(_TYPED, k=25)) + "\n"
    sent = "\n".join(chance.choices(_SENT, k=12)) + "\n"
    (path.parent / "answers.txt").write_text(typed, encoding="utf-8")
    ask = ["ask", name, "--plain", "--transform", chance.choice(_SHAPES)]
    ask += ["--strategy", chance.choice(_STRATEGIES)]
    call, moment = str(chance.randrange(12)), str(chance.randrange(90))
    show: tuple[list[str], ...] = (
        *([], ["--json"], ["--depth", "9"], ["--depth", "4", "--json"], ["--call", call]),
        *(["--call", call, "--json"], ["--at", moment], ["--at", moment, "--json"], ["--events"]),
        *(["--events", "--json"], ["--events", "--call", call], ["--modules"]),
        *(["--modules", "--json"], ["--call", call, "--at", moment]),
    )
    return [
        *((["show", name, *words], "") for words in show),
        ([*ask, "--answers", str(path.parent / "answers.txt")], ""),
        (["ask", name, "--json", "--transform", chance.choice(_SHAPES)], sent),
        ([*ask, "--unattended", "--restart"], ""),
        (["ask", name, "--unattended", "--json", "--reference", name], ""),
        *(([*words], "") for words in (["list"], ["list", "--json"])),
        (["suspects", name], ""),
        (["suspects", name, "--json", "--passing", name], ""),
        *((["report", name, "--format", each], "") for each in ("md", "json", "sarif")),
        *((["doctor", name, *words], "") for words in ([], ["--json"])),
        (["freeze", name, "--call", call, "--output", "-"], ""),
        (["freeze", name, "--output", "-", "--right"], ""),
        (["replay", name, "--recorded", name], ""),
        (["replay", name, "--recorded", name, "--json"], ""),
    ]


def _looked(path: Path) -> tuple[int, str]:
    """Read a trace through the Python API."""
    try:
        _asked(path)
    except SleuthError as error:
        return error.exit_status, "" if "." in str(error) else f"says only {error}"
    return 0, ""


def _asked(path: Path) -> None:
    found = sleuth.open(path)
    trace, end = found.trace, found.trace.event_count
    for call in trace.children(None):
        trace.arguments(call)
    for call in islice(trace.calls(), 40):
        _looked_at_call(trace, call, end)
    for module in trace.modules():
        trace.globals(module, end)
        trace.raw_source(module)
    assert None not in (dict(trace.sources()), trace.threads, trace.tasks)
    assert None not in (trace.processes, trace.stops)
    for function in trace.functions():
        trace.sites_of(function)
    session = found.session(transform=("loops", "streams", "balance"))
    for _ in range(6):
        if not isinstance(session.pending, sleuth.Question):
            break
        session = session.given(sleuth.Answer(session.pending.about, sleuth.Verdict.WRONG))
    found.left()


def _looked_at_call(trace: Trace, call: Call, end: int) -> None:
    trace.variables(call, call.first + 1)
    trace.changed(call)
    assert None not in (trace.before(call), trace.after(call))
    trace.call_site(call)
    for event in trace.events(call.first, min(call.first + 30, end), call=call.id):
        trace.place_of(event)
        for value in event.values:
            if isinstance(value, Ref):
                trace.shape(value, event.moment)
