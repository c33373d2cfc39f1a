"""`sleuth test`: run pytest, record the first failing test, ask about it."""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from io import TextIOWrapper
from pathlib import Path
from typing import Any

from sleuth.errors import SleuthError, UsageError
from sleuth.views.commands import against, ask
from sleuth.views.drawing.screen import complain
from sleuth.views.prompt.inquiry import Ended
from sleuth.views.testing.failing import ORDERS, TOLD
from sleuth.views.testing.rerun import Recorded

_RECORDING = {"--include": "PATTERN", "--exclude": "PATTERN", "--max-size": "SIZE"}
_ENDINGS = {
    # Pytest's exit statuses when no test failed.
    0: "No test failed: there is nothing to ask about.",
    1: "Pytest could not collect all tests: see its messages above. Fix that first; a module that "
    "can't be imported can be recorded: sleuth run -c 'import MODULE'",
    2: "Pytest was interrupted, or could not collect all tests: see its messages above. "
    "Fix that first; a module that can't be imported can be recorded: "
    "sleuth run -c 'import MODULE'",
    3: "Pytest had an internal error: see its messages above.",
    4: "Pytest does not understand its arguments: see its messages above.",
    5: "Pytest found no tests. Name some, for example: sleuth test tests/test_cart.py",
}
_USAGE = 4
_AGAINST = "--against"
_CACHE = "cache_dir=.pytest_cache"
"""Pytest's own files of a run in a worktree, with which they are removed."""


def main(argv: list[str]) -> int:
    """Carry out the command; the exit status is that of asking."""
    ours, recording, words = split(argv)
    options = parser().parse_args(ours)
    revision = against.revision(options.against) if options.against else None
    if find_spec("pytest") is None:
        raise UsageError("pytest is not installed here. Install it: pip install pytest")
    with tempfile.TemporaryDirectory(prefix="sleuth-") as folder:
        Path(folder, ORDERS).write_text(json.dumps(recording), "utf-8")
        status = _run(words, folder, is_json=options.json)
        told = _told(Path(folder, TOLD))
    if not told:
        return _ended(status, _misplaced(words) if status == _USAGE else "")
    failed = Recorded(**told[0])
    if not failed.is_askable:
        _say(failed)
        return Ended.WITHOUT
    trace = Path(failed.trace)
    asking = _without_against(ours)
    if revision is not None:
        asking.append(f"--reference={_at(revision, failed, trace)}")
    if isinstance(sys.stdout, TextIOWrapper):
        # Only now, as the streams were pytest's.  A character that the terminal can't show must not
        # end the command.
        sys.stdout.reconfigure(errors="backslashreplace")
    return ask.ask(trace, asking)


def _at(revision: against.Revision, failed: Recorded, trace: Path) -> Path:
    """Record the test at another revision; the test itself is the one of the user's folder."""
    words = [_CACHE if word.startswith("cache_dir=") else word for word in failed.command]
    file = Path(words[-1].partition("::")[0])
    is_inside = file.resolve().is_relative_to(revision.root.resolve())
    return against.announced(revision, words, trace, bring=[file] if is_inside else [])


def _without_against(words: list[str]) -> list[str]:
    """Return the options for asking without `--against`."""
    found, index = [], 0
    while index < len(words):
        name, sign, _ = words[index].partition("=")
        if name != _AGAINST:
            found.append(words[index])
        elif not sign:
            index += 1
        index += 1
    return found


def parser() -> argparse.ArgumentParser:
    """Return the parser that prints the help."""
    made = ask.parser(has_trace=False)
    made.prog = "sleuth test"
    made.usage = "sleuth test [options] [--] [pytest's arguments]"
    made.description = (
        "Run pytest up to the first failing test, record that test by running it again, and ask "
        "about it. Tests and fixtures are trusted. The first word that is none of these options "
        "begins the arguments of pytest."
    )
    made.epilog = f"{made.epilog or ''} No test failed: 1."
    made.add_argument(
        _AGAINST,
        metavar="REVISION",
        help="record the failing test at this git revision too, in a temporary worktree, and "
        "compare the two runs",
    )
    for name, words in _RECORDING.items():
        made.add_argument(name, metavar=words, help="as for sleuth record")
    return made


def _options() -> dict[str, argparse.Action]:
    """Return Sleuth's options by name; each says whether it takes a value."""
    return parser()._option_string_actions  # noqa: SLF001 - it has no other way to tell


def split(argv: list[str]) -> tuple[list[str], list[str], list[str]]:
    """Split the words into those for asking, for recording and for pytest."""
    known = _options()
    ours: list[str] = []
    recording: list[str] = []
    index = 0
    while index < len(argv):
        name, sign, _ = argv[index].partition("=")
        if argv[index] == "--":
            return ours, recording, argv[index + 1 :]
        if name not in known:
            break
        count = 1 if sign or known[name].nargs == 0 else 2
        (recording if name in _RECORDING else ours).extend(argv[index : index + count])
        index += count
    return ours, recording, argv[index:]


def _run(words: list[str], folder: str, *, is_json: bool) -> int:
    """Run pytest as the user would; with `--json`, stdin and stdout are not pytest's."""
    ours = ["--maxfail=1", "--sleuth=first", f"--sleuth-folder={folder}"]
    if os.environ.get("PYTEST_DISABLE_PLUGIN_AUTOLOAD"):
        ours = ["-p", "sleuth.views.pytest_plugin", *ours]
    kept = {each: signal.signal(each, signal.SIG_IGN) for each in (signal.SIGINT, signal.SIGQUIT)}
    try:
        process = subprocess.Popen(
            [sys.executable, "-m", "pytest", *ours, *words],
            stdin=subprocess.DEVNULL if is_json else None,
            stdout=sys.stderr if is_json else None,
            preexec_fn=_with_signals,  # noqa: PLW1509 - this process has one thread
        )
        return process.wait()  # Ctrl-C is pytest's
    finally:
        for each, handler in kept.items():
            signal.signal(each, handler)


def _with_signals() -> None:
    for each in (signal.SIGINT, signal.SIGQUIT):
        signal.signal(each, signal.SIG_DFL)


def _told(file: Path) -> list[dict[str, Any]]:
    if not file.exists():
        return []
    told: list[dict[str, Any]] = json.loads(file.read_text("utf-8"))
    return told


def _misplaced(words: list[str]) -> str:
    """Name an option of `sleuth test` among the arguments that pytest did not understand."""
    known = _options()
    names = [name for word in words if (name := word.partition("=")[0]) in known]
    if not names:
        return ""
    return f" {names[0]} is an option of sleuth test: write it before the arguments of pytest."


def _ended(status: int, hint: str) -> int:
    words = _ENDINGS.get(status, f"Pytest ended with status {status}: see its messages above.")
    complain(f"sleuth: {words}{hint}")
    return SleuthError.exit_status if status == _USAGE else Ended.WITHOUT


def _say(failed: Recorded) -> None:
    """Print why there is nothing to ask about a failing test."""
    for words in failed.words:
        complain(f"sleuth: {words}")
