"""`pytest --sleuth=all`: start again as a process that is recorded."""

import os
import sys
from pathlib import Path
from typing import NoReturn

import pytest

from sleuth.record.launch import MEASURERS, interpreter_options, started_with
from sleuth.views.testing.again import runner


def become_recorded(config: pytest.Config) -> NoReturn:
    """Replace this process by the same one under the recorder."""
    words = [os.fspath(word) for word in config.invocation_params.args]
    if words != sys.argv[1:]:
        raise pytest.UsageError(
            "--sleuth=all needs a process of its own. Run the command: pytest --sleuth=all"
        )
    if config.known_args_namespace.numprocesses if _has_workers(config) else None:
        print("sleuth: every test is recorded in one process (-n0)", file=sys.stderr, flush=True)
    os.execv(  # noqa: S606 - that is the job
        sys.executable,
        [
            sys.executable,
            *interpreter_options(sys.orig_argv),
            "-m",
            "sleuth",
            "record",
            "--each-test",
            f"--project={config.rootpath}",
            *(_measured(words) or runner()),
            *_with(words, ["--sleuth=recording", *(["-n0"] if _has_workers(config) else [])]),
        ],
    )


def _measured(words: list[str]) -> list[str]:
    """Return the command of a pytest that `coverage run` started, so that coverage goes on."""
    start = started_with(sys.orig_argv)[1]
    head = start[: len(start) - len(words)]
    name = Path((head[1:2] if head[:1] == ["-m"] else head[:1] or [""])[0]).name
    if name not in MEASURERS or start[len(head) :] != words:
        return []
    return head if head[0] == "-m" else [f"--exclude={head[0]}", *head]


def _has_workers(config: pytest.Config) -> bool:
    return hasattr(config.known_args_namespace, "numprocesses")


def _with(words: list[str], more: list[str]) -> list[str]:
    """Return the words with overriding options inserted: after the others, but before `--`."""
    end = words.index("--") if "--" in words else len(words)
    return [*words[:end], *more, *words[end:]]
