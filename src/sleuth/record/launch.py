"""`sleuth record`: parse the command line, start the collector, become the program.

The program runs in the process that the user started: same process id, same parent, same terminal,
same files.  This process replaces itself by a fresh interpreter, which loads the C core and no
other module of Sleuth.
"""

import argparse
import os
import re
import shutil
import signal
import sys
import time
import tomllib
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from sleuth import _core
from sleuth.errors import RecordError, SleuthError, UsageError
from sleuth.help_layout import HelpLayout
from sleuth.record import collector, keeping, places
from sleuth.record.collector import LEAST_FREE, Order
from sleuth.record.keeping import Keeping
from sleuth.record.memory import Memory
from sleuth.record.scope import Pattern, Scope, project_folder
from sleuth.trace.values import escaped

USAGE = """sleuth record [options] [--] prog.py args...
       sleuth record [options] -m module args...
       sleuth record [options] -c 'code' args..."""
RUNNERS = ("pytest", "py.test", "unittest")
"""Programs that run tests."""
MEASURERS = ("coverage", "coverage3")
"""Programs that can run a test runner: `coverage run -m pytest`."""
_LAST_STREAM = 2
SIZES = {"": 1, "B": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


@dataclass(slots=True)
class Program:
    """The program to be run, and the words that `python` would get for it."""

    kind: str
    """"s" script, "m" module, "c" code, "d" folder or zip file."""
    target: str
    arguments: list[str]
    first_path: str | None
    """The first entry of the module search path."""
    words: list[str] = field(default_factory=list)
    """The arguments that `python` would get to run the program."""

    @property
    def name(self) -> str:
        """A short name for the trace's file."""
        text = "command" if self.kind == "c" else self.target
        if self.kind in "sd":
            text = os.path.basename(os.path.normpath(self.words[0])).removesuffix(".py")
        return places.file_name(text) or "program"

    @property
    def is_testing(self) -> bool:
        """Whether the program is a test runner."""
        name = os.path.basename(self.target) if self.kind == "s" else self.target
        is_within = name in MEASURERS and not {*RUNNERS}.isdisjoint(self.arguments)
        return self.kind in "sm" and (name in RUNNERS or is_within)

    @property
    def argv(self) -> list[str]:
        """`sys.argv` as the program first sees it."""
        first = {"m": "-m", "c": "-c"}.get(self.kind, self.words[0] if self.words else "")
        return [first, *self.arguments]


def main(argv: Sequence[str]) -> int:
    """Carry out `sleuth record`; returns only if the program could not be started."""
    _occupy_closed_streams()
    ours, program_words = split(list(argv))
    options = parser().parse_args(ours)
    program = understood(program_words)
    settings, project = _settings(program, options.project)
    scope = _scope(program, options, settings, project)
    kept = keeping.from_settings(settings)
    if options.each_test:
        places.prepared()  # an unusable folder is reported now, not at the first test
    memory = _memory()
    while True:
        order = Order(
            output=None if options.each_test else _output(options.output, program),
            folder=Path.cwd(),
            scope=scope,
            keeping=kept,
            full=not options.calls_only,
            max_size=size_in_bytes(options.max_size),
            meta=_meta(program, options, kept) | {"options": kept_options(ours)},
        )
        try:
            collector.start(memory, order)
        except FileExistsError:
            continue  # another recording has just taken the name
        except (SleuthError, OSError) as error:
            raise RecordError(f"nothing was run: {error}") from None
        break
    _become(program, memory, quiet=options.quiet)
    return 2


def _occupy_closed_streams() -> None:
    """Fill the descriptors 0 to 2 that are closed, so that no file of ours gets their numbers.

    The fillers are closed by `exec`: the program finds these streams closed, as it should.
    """
    while (fd := os.open(os.devnull, os.O_RDWR)) <= _LAST_STREAM:
        pass
    os.close(fd)


def _memory() -> Memory:
    try:
        return Memory()
    except OSError as error:
        raise RecordError(
            f"nothing was run: the recorder's memory can't be made: {error.strerror}; "
            "see the limits of ulimit -f and ulimit -v"
        ) from None


# --- the command line ------------------------------------------------------------------------


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        super().error(escaped(message))


def parser() -> argparse.ArgumentParser:
    """Return the parser of the options that stand before the program."""
    made = _Parser(
        formatter_class=HelpLayout,
        prog="sleuth record",
        usage=USAGE,
        description="Run a program and record what it does into a trace.",
        epilog="Everything after the program (or -m module, -c code) belongs to the program. "
        "Patterns can also stand in [tool.sleuth] of pyproject.toml.",
    )
    made.add_argument("--output", metavar="FILE", help="the trace (default: a new one in .sleuth/)")
    made.add_argument(
        "--include",
        metavar="PATTERN",
        action="append",
        default=[],
        help="record these modules too: pkg.sub, or a path (file, folder, glob)",
    )
    made.add_argument(
        "--exclude",
        metavar="PATTERN",
        action="append",
        default=[],
        help="don't record these; wins over --include",
    )
    made.add_argument(
        "--calls-only", action="store_true", help="record calls, arguments and results only"
    )
    made.add_argument(
        "--max-size",
        metavar="SIZE",
        default="4G",
        help="stop recording when the trace reaches this size (default 4G)",
    )
    made.add_argument(
        "--project",
        metavar="FOLDER",
        help="what lies in it is recorded, unless it is installed (default: of a script the "
        "project that it lies in, else the working folder)",
    )
    made.add_argument(
        "--test", metavar="ID", default="", help="which test is run, to be noted in the trace"
    )
    made.add_argument("--each-test", action="store_true", help=argparse.SUPPRESS)
    made.add_argument("--quiet", action="store_true", help="say nothing on stderr")
    return made


WITH_VALUE = ("--output", "--include", "--exclude", "--max-size", "--project", "--test")


def split(argv: list[str]) -> tuple[list[str], list[str]]:
    """Split the command line into Sleuth's options and the program with its arguments."""
    index = 0
    while index < len(argv):
        word = argv[index]
        if word == "--":
            return argv[:index], argv[index + 1 :]
        if word[:2] in ("-m", "-c") or not word.startswith("-"):
            return argv[:index], argv[index:]
        index += 2 if word in WITH_VALUE else 1
    return argv, []


def kept_options(ours: Sequence[str]) -> list[str]:
    """Return Sleuth's options without --output, so that the run can be recorded again."""
    found: list[str] = []
    words = iter(ours)
    for word in words:
        name = word.partition("=")[0]
        value = [next(words, "")] if word in WITH_VALUE else []
        if name != "--output":
            found += [word, *value]
    return found


def size_in_bytes(text: str) -> int:
    """Read a size such as 500M or 4GB."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)i?B?", text.strip().upper())
    if not found or float(found[1]) <= 0:
        raise UsageError(f"--max-size: {text!r} is no size; write for example 500M or 4G")
    return int(float(found[1]) * SIZES[found[2]])


def understood(words: list[str]) -> Program:
    """Parse the words that name the program, and check that the program exists."""
    if not words:
        raise UsageError("The program is missing. Name it, for example: sleuth record prog.py")
    first = words[0]
    if first[:2] in ("-m", "-c"):
        rest = [first[2:], *words[1:]] if len(first) > 2 else words[1:]
        if not rest:
            raise UsageError(f"{first} needs {'a module' if first == '-m' else 'code'} behind it")
        kind = first[1]
        first_path = os.getcwd() if kind == "m" else ""
        return Program(kind, rest[0], rest[1:], first_path, words)
    if not os.path.exists(first):
        hint = f"; for a module write -m {first}" if re.fullmatch(r"[\w.]+", first) else ""
        raise RecordError(f"there is no program {first!r} here{hint}")
    if not os.access(first, os.R_OK):
        raise RecordError(f"the program {first!r} can't be read")
    if os.path.isdir(first) or zipfile.is_zipfile(first):
        if os.path.isdir(first) and not os.path.exists(os.path.join(first, "__main__.py")):
            raise RecordError(f"the folder {first!r} has no __main__.py to run")
        return Program("d", "__main__", words[1:], _absolute(first), words)
    folder = os.path.dirname(os.path.realpath(first))
    return Program("s", _absolute(first), words[1:], folder, words)


def _absolute(path: str) -> str:
    """Make a path absolute the way the interpreter does for the main script."""
    if os.path.isabs(path):
        return path
    return os.getcwd() if path == "." else os.path.join(os.getcwd(), path)


# --- scope and place -------------------------------------------------------------------------


def _start_folder(program: Program) -> Path:
    if program.kind == "s":
        return Path(program.first_path or "/")
    if program.kind == "d":
        path = Path(os.path.realpath(program.first_path or "."))
        return path if path.is_dir() else path.parent
    return Path.cwd()


def _settings(program: Program, folder: str | None) -> tuple[dict[str, object], Path]:
    """Return [tool.sleuth] of the project's pyproject.toml, and the folder of that file."""
    start = Path(os.path.realpath(folder)) if folder else _start_folder(program)
    file = project_folder(start) / "pyproject.toml"
    if not file.exists():
        return {}, start
    try:
        found = tomllib.loads(file.read_text(encoding="utf-8")).get("tool", {}).get("sleuth", {})
    except (OSError, ValueError) as error:
        raise UsageError(f"{file} can't be read: {error}") from None
    if not isinstance(found, dict):
        raise UsageError(f"{file}: [tool.sleuth] must be a table")
    return found, file.parent


def _listed(settings: dict[str, object], key: str, folder: Path) -> list[Pattern]:
    found = settings.get(key, [])
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        raise UsageError(f"[tool.sleuth] {key} must be a list of patterns")
    return [Pattern(str(each), folder) for each in found]


def _scope(
    program: Program, options: argparse.Namespace, settings: dict[str, object], project: Path
) -> Scope:
    here = Path.cwd()
    folder = project_folder(_start_folder(program)) if program.kind in "sd" else here
    if options.project:
        folder = Path(options.project)
    return Scope(
        folder=Path(os.path.realpath(folder)),
        package=program.target.partition(".")[0] if program.kind == "m" else "",
        include=[
            *(Pattern(text, here) for text in options.include),
            *_listed(settings, "include", project),
        ],
        exclude=[
            *(Pattern(text, here) for text in options.exclude),
            *_listed(settings, "exclude", project),
        ],
        is_testing=program.is_testing,
    )


def _output(wanted: str | None, program: Program) -> Path:
    if wanted is not None:
        path = Path(os.path.abspath(wanted))
        if path.exists() or path.is_symlink():
            raise RecordError(f"{wanted} exists already; choose another --output or remove it")
        if not path.parent.is_dir():
            raise RecordError(f"{wanted} can't be written: there is no folder {path.parent}")
    else:
        path = places.new_file(program.name)
    if shutil.disk_usage(path.parent).free < LEAST_FREE:
        raise RecordError(
            f"less than 1 GB is free on the disk of {path.parent}; make room or use --output"
        )
    return path


def new_test_file(test: str, folder: Path) -> Path:
    """Return a file for the trace of a test that is run in that folder."""
    return places.new_file(places.test_name(test), folder)


def _meta(program: Program, options: argparse.Namespace, kept: Keeping) -> dict[str, object]:
    return {
        "language": "Python",
        "python": sys.version.split()[0],
        "argv": [*program.words],
        "program": program.target if program.kind != "d" else program.first_path,
        "cwd": os.getcwd(),
        "started": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "pid": os.getpid(),
        "mode": "calls" if options.calls_only else "full",
        "identity": "numbered",
        "contents": kept.contents and not options.calls_only,
        "limits": {
            "text": kept.max_text,
            "items": kept.max_items,
            "array_items": kept.max_array_items,
            "integer_bytes": 1024,
            "arguments": 255,
        },
        **({"test": {"id": options.test}} if options.test else {}),
    }


# --- becoming the program --------------------------------------------------------------------


def interpreter_options(words: Sequence[str]) -> list[str]:
    """Return the interpreter's own options, of the words that an interpreter was started with."""
    return started_with(words)[0]


def started_with(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Split the words that an interpreter was started with: its own options, and the program."""
    taken: list[str] = []
    index = 1
    while index < len(words):
        word = words[index]
        if not word.startswith("-") or word in ("-", "--"):
            break
        if word in ("-W", "-X", "--check-hash-based-pycs"):
            taken += words[index : index + 2]
            index += 2
            continue
        if not word.startswith(("-W", "-X", "--")) and word[-1] in "mc":
            if len(word) > 2:
                taken.append(word[:-1])
            return taken, [f"-{word[-1]}", *words[index + 1 :]]
        taken.append(word)
        index += 1
    return taken, list(words[index:])


def _become(program: Program, memory: Memory, *, quiet: bool) -> None:
    options = interpreter_options(sys.orig_argv)
    original = [sys.orig_argv[0], *options, *program.words]
    first_path = "-"
    if program.first_path is not None and not sys.flags.safe_path:
        first_path = f"={program.first_path}"
    elif program.first_path is not None and program.kind == "d":
        first_path = f"+{program.first_path}"  # with -P as well: __main__.py is found through it
    bootstrap = os.path.join(os.path.dirname(__file__), "bootstrap.py")
    os.set_inheritable(memory.fd, True)
    for each in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(each, signal.SIG_DFL)  # Python ignores them, and exec would keep that
    for stream in filter(None, (sys.stdout, sys.stderr)):
        stream.flush()
    os.execv(  # noqa: S606 - that is the job
        sys.executable,
        [
            sys.executable,
            *options,
            bootstrap,
            str(_core.__file__),
            str(memory.fd),
            str(int(quiet)),
            program.kind,
            program.target,
            first_path,
            str(len(original)),
            *original,
            *program.argv,
        ],
    )
