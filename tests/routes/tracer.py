"""Run a module and note, instruction by instruction, what each of its activations ran.

usage: tracer.py MODULE.py OUT.json [TEST_MODULE]

It runs recorded but is not recorded itself.  What it writes is a row for each activation, in the
order they began: name, first line, and the spans of the instructions that ran.
"""

import importlib
import json
import os
import sys
import time
import unittest
from types import CodeType, FrameType
from typing import Any

PARTS = {"<listcomp>", "<setcomp>", "<dictcomp>"}
"""Code that counts as part of the frame that called it."""
MOST_ACTIVATIONS = int(os.environ.get("MOST_ACTIVATIONS", "1000000"))
MOST_SECONDS = 60.0
MONITORING: Any = getattr(sys, "monitoring", None)
Row = tuple[str, int, set[Any]]


class Tracer:
    """Notes what the activations of one file's code run."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.rows: list[Row] = []
        self._known: dict[int, Row] = {}
        self._positions: dict[int, list[Any]] = {}
        self._kept: list[FrameType | CodeType] = []
        """Frames and code whose addresses are keys: they must not be used again."""

    def note(self, frame: FrameType) -> Row | None:
        """Find the row of an activation, or begin it."""
        while frame.f_code.co_name in PARTS and frame.f_back is not None:
            frame = frame.f_back
        row = self._known.get(id(frame))
        if row is None and len(self.rows) < MOST_ACTIVATIONS:
            row = frame.f_code.co_name, frame.f_code.co_firstlineno, set()
            self._known[id(frame)] = row
            self._kept.append(frame)
            self.rows.append(row)
        return row

    def ran(self, frame: FrameType) -> None:
        """Note the instruction that a frame is about to run."""
        row, code = self.note(frame), frame.f_code
        if row is None:
            return
        if id(code) not in self._positions:
            self._positions[id(code)] = list(code.co_positions())
            self._kept.append(code)
        row[2].add(self._positions[id(code)][frame.f_lasti // 2])

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
            sys.settrace(self.watch)
            return
        tool, events = 3, MONITORING.events
        MONITORING.use_tool_id(tool, "routes")
        MONITORING.register_callback(tool, events.INSTRUCTION, self.instruction)
        MONITORING.set_events(tool, events.INSTRUCTION)

    def stop(self) -> None:
        """Watch no longer."""
        if sys.version_info < (3, 12):
            sys.settrace(None)
        else:
            MONITORING.set_events(3, 0)


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


def main() -> None:
    """Run the module, or its tests, and write down what was seen."""
    path, out, *tests = sys.argv[1:]
    path = os.path.abspath(path)
    name = os.path.basename(path).removesuffix(".py")
    sys.path.insert(0, os.path.dirname(path))
    sys.modules.pop(name, None)
    tracer = Tracer(path)
    tracer.start()
    try:
        importlib.import_module(name)
        for test in tests:
            _run_tests(test, tracer)
    finally:
        tracer.stop()
        rows = [
            (name, line, sorted(span for span in spans if None not in span))
            for name, line, spans in tracer.rows
        ]
        with open(out, "w", encoding="ascii") as file:
            json.dump(rows, file)
    sys.stdout.flush()
    os._exit(0)  # whatever tests have left running


main()
