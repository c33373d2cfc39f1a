"""Fixtures that record small programs and read their traces."""

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest

import sleuth
from sleuth.trace.events import Call, Event, EventKind
from sleuth.trace.reader import Trace
from tests.ready import ran


def name_of(trace: Trace, number: int) -> str:
    function = trace.function(number)
    assert function is not None
    return function.qualified_name


@dataclass
class Run:
    """A recorded run: what the user saw, and the trace."""

    process: subprocess.CompletedProcess[str]
    path: Path

    @cached_property
    def trace(self) -> Trace:
        return sleuth.open(self.path).trace

    def calls(self) -> list[tuple[str, Call]]:
        trace = self.trace
        return [(name_of(trace, call.function), call) for call in trace.calls()]

    def events(self) -> list[Event]:
        """Return all events; the values of an `enter` are the arguments only."""
        trace = self.trace
        return [
            event
            if event.kind is not EventKind.ENTER or event.call is None
            else event._replace(values=trace.arguments(trace.call(event.call)))
            for event in trace.events(0, trace.event_count)
        ]

    def told(self) -> list[str]:
        """Return each event in a few words: kind, name or kind of its site, values."""
        trace = self.trace
        lines = []
        for event in self.events():
            words = [event.kind.name.lower()]
            if event.kind.name in SITED:
                site = trace.site(event.number)
                assert site is not None
                words += [site.kind, site.name, str(site.span.line)]
            elif event.kind.name == "ENTER":
                words.append(name_of(trace, event.number))
            values = [
                getattr(value, "content", getattr(value, "name", "?")) for value in event.values
            ]
            lines.append(" ".join([*filter(None, words), *map(repr, values)]))
        return lines


# Jobs in the background ignore interrupts, and their children inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

SITED = {
    "LOOP",
    "TURN",
    "ARM",
    "BIND",
    "UNBIND",
    "SET_ATTRIBUTE",
    "DELETE_ATTRIBUTE",
    "SET_ITEM",
    "DELETE_ITEM",
    "SET_SLICE",
    "DELETE_SLICE",
    "CATCH",
}
Recorder = Callable[..., Run]


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    kept = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith("PYTHON") or key == "PYTHONMALLOC"  # of `make sanitize`
    }
    return kept | {"XDG_CACHE_HOME": str(tmp_path / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}


@pytest.fixture
def record(request: pytest.FixtureRequest, tmp_path: Path, environment: dict[str, str]) -> Recorder:
    """Give a function that records a program's text (or a command line) in a folder of its own."""
    work = tmp_path / "work"
    work.mkdir()
    count = 0

    def run(
        source: str | None = None,
        *arguments: str,
        options: tuple[str, ...] = (),
        python: tuple[str, ...] = (),
        program: tuple[str, ...] = ("prog.py",),
        text: str = "",
        timeout: float = 60,
    ) -> Run:
        nonlocal count
        count += 1
        if source is not None:
            (work / "prog.py").write_text(textwrap.dedent(source), encoding="utf-8")
        path = tmp_path / f"{count}.trace"
        words = ["record", "--output", str(path), *options, "--", *program, *arguments]
        process = ran(
            words,
            python=python,
            is_anew="finds_collector" in request.keywords,
            cwd=work,
            env=environment,
            text=text,
            timeout=timeout,
        )
        return Run(process, path)

    return run


@pytest.fixture
def plain(
    tmp_path: Path, environment: dict[str, str]
) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Give a function that runs the program last written by `record` without recording it."""

    def run(
        *arguments: str,
        python: tuple[str, ...] = (),
        program: tuple[str, ...] = ("prog.py",),
        text: str = "",
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *python, *program, *arguments],
            cwd=tmp_path / "work",
            env=environment,
            input=text,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    return run
