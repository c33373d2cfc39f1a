"""The command that runs one test of a pytest session again, recorded, with the same options."""

import copy
import os
import sys
from pathlib import Path

import pytest

from sleuth.record.launch import RUNNERS, interpreter_options

_PATIENCE = 10
"""The factor for time limits: a recorded run is slower, but one that hangs must still end."""
_LEAST_SECONDS = 60
_LEFT_OUT = ("--pdb", "--trace", "--")
"""Options of the debugger, which would wait for input, and the separator."""
_OUR_OPTION = "--sleuth"
_CANCELLED = {
    # Options that would overwrite or disturb something, by their name in pytest's configuration.
    "numprocesses": "-n0",
    "no_cov": "--no-cov",
    "reruns": "--reruns=0",
    "xmlpath": "--junit-xml=",
    "htmlpath": "--html=",
    "report_log": "--report-log=",
}
_ALWAYS = ("numprocesses", "no_cov")
"""Overrides that are always given; the others only if the option is used."""


def command(config: pytest.Config, test: str, trace: Path, folder: Path) -> list[str]:
    """Return the command that records a test; `folder` is for pytest's own files."""
    return [
        sys.executable,
        *interpreter_options(sys.orig_argv),
        "-m",
        "sleuth",
        "record",
        "--quiet",
        f"--output={trace}",
        f"--project={config.rootpath}",
        f"--test={test}",
        *runner(),
        *options(config),
        *overrides(config),
        "-o",
        f"cache_dir={folder}",
        argument(config, test),
    ]


def runner() -> list[str]:
    """Return how pytest was started: the script has another module search path than `-m`."""
    program = Path(sys.argv[0])
    if program.name in RUNNERS and program.is_file():
        # The script itself is not part of the test.
        return [f"--exclude={program}", str(program)]
    return ["-m", "pytest"]


def argument(config: pytest.Config, test: str) -> str:
    """Return a test's id as an argument: ids are relative to the root folder."""
    file, sign, names = test.partition("::")
    return f"{config.rootpath / file}{sign}{names}"


def options(config: pytest.Config) -> list[str]:
    """Return the options of the pytest run, without those that select tests."""
    words = [os.fspath(word) for word in config.invocation_params.args]
    return [
        word
        for index, word in enumerate(words)
        if word not in _LEFT_OUT
        and not word.startswith(_OUR_OPTION)
        and not _is_positional(config, words, index)
    ]


def _is_positional(config: pytest.Config, words: list[str], index: int) -> bool:
    """Ask pytest's parser whether a word is a file or folder, and not an option's value."""
    if words[index] not in config.option.file_or_dir:
        return False
    mark = "\0"
    marked = [*words[:index], mark, *words[index + 1 :]]
    parser = config._parser  # noqa: SLF001 - there is no other way to ask
    found = parser.parse_known_args(marked, namespace=copy.copy(config.option))
    return mark in found.file_or_dir


def overrides(config: pytest.Config) -> list[str]:
    """Return options that undo others: one process, no report files, the same folders."""
    given = vars(config.option)
    words = [
        word
        for name, word in _CANCELLED.items()
        if given.get(name) or (name in given and name in _ALWAYS)
    ]
    words += patience(config)
    if isinstance(given.get("randomly_seed"), int):
        words += ["-p", f"randomly_seed={given['randomly_seed']}"]
    words += [f"--rootdir={config.rootpath}", "-c", str(config.inipath or os.devnull)]
    defaults = [*config.getini("addopts"), os.environ.get("PYTEST_ADDOPTS", "")]
    if any(_OUR_OPTION in word for word in defaults):
        return [*words, "--sleuth=off"]  # the plugin must stay, as the defaults have its option
    return [*words, "-p", "no:sleuth"]


def patience(config: pytest.Config) -> list[str]:
    """Return an option for a longer time limit, if pytest-timeout sets one."""
    if "timeout" not in vars(config.option):
        return []
    ways = (config.option.timeout, os.environ.get("PYTEST_TIMEOUT"), config.getini("timeout"))
    try:
        seconds = float(next((each for each in ways if each), 0))
    except ValueError:
        return []  # pytest-timeout reports it
    return [f"--timeout={max(seconds * _PATIENCE, _LEAST_SECONDS):g}"] if seconds else []
