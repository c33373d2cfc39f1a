"""A process for the user's specifications: has a time limit, and restarts if it hangs."""

import json
import os
import select
import subprocess
import sys
import time
import weakref
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import PurePath
from typing import Any

from sleuth.search.question import Answer, Question, Verdict
from sleuth.trace.reader import Trace

Reply = dict[str, Any]
SECONDS = 10.0
"""Time limit of a question."""
_TO_BEGIN = 30.0
_MOST_FAILURES = 5
"""Crashes and time-outs after which it is not asked any more."""
_MOST_BYTES = 10_000_000


class JudgeFailed(Exception):
    """The process gave no usable answer; the message is the reason."""


class Judging:
    """The process."""

    def __init__(
        self, trace: Trace, *, specs: Sequence[str] = (), function: str = "", seconds: float
    ) -> None:
        self._request = {
            "do": "load",
            "specs": list(specs),
            "function": function,
            "paths": ["", *_program_folder(trace)],
        }
        self._seconds = seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._failures = 0
        self.loaded = self._begin()
        """Its first reply, about what was loaded."""

    def ask(self, request: Mapping[str, Any]) -> Reply:
        """Return its reply; JudgeFailed: it crashed, took too long, or replied with nonsense."""
        if self._failures >= _MOST_FAILURES:
            raise JudgeFailed(f"it failed {self._failures} times and is not asked again")
        try:
            if self._process is None:
                self._begin()
            return self._exchange(request, self._seconds)
        except JudgeFailed:
            self._failures += 1
            raise

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            _ended(process)

    def _begin(self) -> Reply:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "sleuth.spec.serve"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        weakref.finalize(self, _ended, self._process)
        return self._exchange(self._request, max(_TO_BEGIN, self._seconds))

    def _exchange(self, request: Mapping[str, Any], seconds: float) -> Reply:
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            raise JudgeFailed("it has ended")
        try:
            process.stdin.write(json.dumps(request).encode() + b"\n")
            process.stdin.flush()
            line = _line(process.stdout.fileno(), seconds)
            reply = json.loads(line)
        except TimeoutError:
            self.close()
            raise JudgeFailed(f"it took longer than {seconds:g} seconds") from None
        except (OSError, ValueError, RecursionError):
            self.close()
            raise JudgeFailed(f"its process ended ({_how(process)})") from None
        if not isinstance(reply, dict):
            raise JudgeFailed("its reply was not an answer")
        if "problem" in reply:
            raise JudgeFailed(str(reply["problem"]))
        return reply


def answered(question: Question, verdict: Verdict, said: Reply, *, by: str) -> Answer:
    """Return an answer with the texts of a reply."""
    return Answer(
        question.about,
        verdict,
        by=by,
        path=str(said.get("path") or ""),
        expected=str(said.get("expected") or ""),
        note=str(said.get("note") or ""),
    )


def _program_folder(trace: Trace) -> list[str]:
    """Return where the recorded program's modules are: a specification may want to use them."""
    program, cwd = str(trace.meta.get("program") or ""), str(trace.meta.get("cwd") or "")
    found = [str(PurePath(program).parent)] if program.startswith("/") else []
    return [*found, cwd] if cwd else found


def _line(file: int, seconds: float) -> bytes:
    """Read a line; TimeoutError: it did not come in time."""
    end = time.monotonic() + seconds
    found = b""
    while not found.endswith(b"\n"):
        left = end - time.monotonic()
        if left <= 0 or not select.select([file], [], [], left)[0]:
            raise TimeoutError
        more = os.read(file, 1 << 16)
        if not more or len(found) > _MOST_BYTES:
            raise OSError
        found += more
    return found


def _how(process: "subprocess.Popen[bytes]") -> str:
    status = process.poll()
    return "killed" if status is None else f"status {status}"


def _ended(process: "subprocess.Popen[bytes]") -> None:
    """End a process, and close its pipes."""
    process.kill()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):  # unwritten data has no reader any more
                pipe.close()
    process.wait()
