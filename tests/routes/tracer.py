"""Runs a module and writes down the instructions that each of its activations ran.

usage: tracer.py MODULE.py OUT.json [--tests TEST_MODULE] [ARGUMENTS ...]

With tests: the module is imported, and its tests run.  Else it runs as a program, once for each
text of arguments.  The tracer runs in the recorded program, but is not recorded itself.  It writes
the code that ran (name, first line, digest of the plain code) and a row for each activation, in the
order they began: its code, and the instructions that ran, each as offset and code in one number.
"""

import hashlib
import importlib
import importlib.util
import json
import os
import sys
import threading
import time
import unittest
from contextlib import suppress
from types import CodeType, FrameType
from typing import Any

PARTS = {"<listcomp>", "<setcomp>", "<dictcomp>"}
"""Code that counts as part of the frame that called it."""
MOST_ACTIVATIONS = int(os.environ.get("MOST_ACTIVATIONS", "1000000"))
MOST_INSTRUCTIONS = int(os.environ.get("MOST_INSTRUCTIONS", "3000000"))
MOST_SECONDS = 60.0
CODES = 1 << 16
"""More than a module has code objects."""
MONITORING: Any = getattr(sys, "monitoring", None)
Row = tuple[int, list[int]]


class Tracer:
    """Notes what the activations of one file's code run."""

    def __init__(self, path: str, out: str) -> None:
        self.path = path
        self.rows: list[Row] = []
        self._out = out
        self._left = MOST_INSTRUCTIONS
        self._known: dict[int, Row] = {}
        self._codes: dict[int, int] = {}
        self._told: list[tuple[str, int, str]] = []
        self._kept: list[FrameType | CodeType] = []
        """Frames and code whose addresses are keys; kept alive so that none is reused."""

    def note(self, frame: FrameType) -> Row | None:
        """Find the row of an activation, or begin it."""
        while frame.f_code.co_name in PARTS and frame.f_back is not None:
            frame = frame.f_back
        row = self._known.get(id(frame))
        if row is None and len(self.rows) < MOST_ACTIVATIONS:
            row = self._number(frame.f_code), []
            self._known[id(frame)] = row
            self._kept.append(frame)
            self.rows.append(row)
        return row

    def ran(self, frame: FrameType) -> None:
        """Note the instruction that a frame is about to run."""
        row = self.note(frame)
        if row is None:
            return
        row[1].append(frame.f_lasti // 2 * CODES + self._number(frame.f_code))
        self._left -= 1
        if not self._left:
            self.end()

    def _number(self, code: CodeType) -> int:
        found = self._codes.get(id(code))
        if found is None:
            found = self._codes[id(code)] = len(self._told)
            self._kept.append(code)
            about = f"{code.co_name} {code.co_firstlineno} ".encode()
            digest = hashlib.blake2b(about + code.co_code + code.co_linetable).hexdigest()
            self._told.append((code.co_name, code.co_firstlineno, digest))
        return found

    # --- 3.11: by a tracing function

    def watch(self, frame: FrameType, event: str, _argument: object) -> Any:
        """Follow the frames of the file."""
        if event == "call" and frame.f_code.co_filename == self.path and self.note(frame):
            frame.f_trace_opcodes = True
            frame.f_trace_lines = False
            return self._local
        return None

    def _local(self, frame: FrameType, event: str, _argument: object) -> Any:
        if event == "opcode":
            self.ran(frame)
        return self._local

    # --- Later versions: by events of instructions

    def instruction(self, code: CodeType, _offset: int) -> Any:
        """Note an instruction; code of other files is left alone."""
        if code.co_filename != self.path:
            return MONITORING.DISABLE
        self.ran(sys._getframe(1))
        return None

    def start(self) -> None:
        """Begin to watch."""
        if sys.version_info < (3, 12):
            threading.settrace(self.watch)
            sys.settrace(self.watch)
            return
        tool, events = 3, MONITORING.events
        MONITORING.use_tool_id(tool, "routes")
        MONITORING.register_callback(tool, events.INSTRUCTION, self.instruction)
        MONITORING.set_events(tool, events.INSTRUCTION)

    def _stop(self) -> None:
        if sys.version_info < (3, 12):
            sys.settrace(None)
        else:
            MONITORING.set_events(3, 0)

    def end(self) -> None:
        """Stop watching, write down the instructions, and end the process at once."""
        self._stop()
        with open(self._out, "w", encoding="ascii") as file:
            json.dump({"codes": self._told, "rows": self.rows}, file)
        sys.stdout.flush()
        os._exit(0)  # even if tests have left threads running


class _Result(unittest.TestResult):
    def __init__(self, tracer: Tracer) -> None:
        super().__init__()
        self._tracer = tracer
        self._until = time.monotonic() + MOST_SECONDS

    def startTest(self, test: unittest.TestCase) -> None:  # noqa: N802 - unittest's name
        super().startTest(test)
        if len(self._tracer.rows) >= MOST_ACTIVATIONS or time.monotonic() > self._until:
            self.stop()


def _run_tests(name: str, tracer: Tracer) -> None:
    module = importlib.import_module(name)
    unittest.defaultTestLoader.loadTestsFromModule(module).run(_Result(tracer))


def _run_program(path: str, arguments: str) -> None:
    sys.argv = [path, *arguments.split()]
    spec = importlib.util.spec_from_file_location("__main__", path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules["__main__"] = importlib.util.module_from_spec(spec)
    with suppress(SystemExit):
        spec.loader.exec_module(module)


def main() -> None:
    """Run the module, or its tests, and write down the instructions."""
    path, out, *more = sys.argv[1:]
    path = os.path.abspath(path)
    name = os.path.basename(path).removesuffix(".py")
    sys.path.insert(0, os.path.dirname(path))
    sys.modules.pop(name, None)
    tracer = Tracer(path, out)
    tracer.start()
    try:
        if more[:1] == ["--tests"]:
            importlib.import_module(name)
            _run_tests(more[1], tracer)
        else:
            for arguments in more or [""]:
                _run_program(path, arguments)
    finally:
        tracer.end()


main()
