"""A slow, obviously right recorder of the contents of each call's inputs, before and after.

    python reference.py prog.py out.json

Runs the program under `sys.settrace`.  When a call begins or goes on, and when it returns or
yields, it copies the structure of all objects that the arguments, the variables shared with
enclosing functions, and the program's globals lead to; and of the result.  It keeps references, so
it is not usable for programs with `id`, `weakref`, `__del__` or threads.
"""

import collections
import datetime as dt
import functools
import gc
import json
import re
import sys
from pathlib import Path
from types import FrameType, FunctionType, ModuleType
from typing import Any

ATOMS = (int, float, str, bytes, complex, bool, type(None))
FIELDS: dict[type, tuple[str, ...]] = {
    range: ("start", "step", "stop"),
    slice: ("start", "step", "stop"),
    functools.partial: ("args", "func", "keywords"),
    re.Pattern: ("flags", "pattern"),
    dt.date: ("day", "month", "year"),
    dt.timedelta: ("days", "microseconds", "seconds"),
}
VIEWS: tuple[type, ...] = (type({}.keys()), type({}.values()), type({}.items()))
Graph = dict[str, Any]


class Copier:
    """Numbers objects in the order of a walk and copies the contents of each."""

    def __init__(self) -> None:
        self.numbers: dict[int, int] = {}
        self.nodes: list[Graph] = []
        self.kept: list[object] = []

    def value(self, value: object) -> Any:
        if type(value) in ATOMS:
            return [type(value).__name__, repr(value)]
        if id(value) in self.numbers:
            return ["ref", self.numbers[id(value)]]
        fields = fields_of(value)
        parts = parts_of(value) if fields is None else {"attributes": fields}
        if parts is None:
            return ["opaque", type(value).__name__]
        number = self.numbers[id(value)] = len(self.nodes)
        self.kept.append(value)
        node: Graph = {"type": type(value).__name__}
        self.nodes.append(node)
        for kind, items in parts.items():
            if kind in ("mapping", "attributes"):
                node[kind] = [[self.value(key), self.value(item)] for key, item in items]
            else:
                node[kind] = [self.value(item) for item in items]
        return ["ref", number]


def fields_of(value: Any) -> list[Any] | None:
    """Give what an object stands for: a range, a view, a partial function."""
    if type(value) in FIELDS:
        return [(name, getattr(value, name)) for name in FIELDS[type(value)]]
    if isinstance(value, VIEWS):
        return [("of", gc.get_referents(value)[0])]
    return None


def parts_of(value: Any) -> dict[str, list[Any]] | None:
    """Give the parts of an object, None if nothing is kept of its kind."""
    parts: dict[str, list[Any]] = {}
    if isinstance(value, (list, tuple, collections.deque)):
        parts["sequence"] = list(value)
    elif isinstance(value, dict):
        parts["mapping"] = list(dict.items(value))
    elif isinstance(value, (set, frozenset)):
        parts["set"] = sorted(value, key=repr)
    elif isinstance(value, bytearray):
        parts["bytes"] = [bytes(value)]
    if isinstance(value, BaseException):
        parts["attributes"] = [("args", value.args), *sorted(vars(value).items())]
    elif type(value).__flags__ & 1 << 9 and not isinstance(value, (type, collections.deque)):
        names = dict(getattr(value, "__dict__", {}))
        for owner in type(value).__mro__:
            for name in getattr(owner, "__slots__", ()):
                if hasattr(value, name):
                    names[name] = getattr(value, name)
        parts["attributes"] = sorted(names.items())
    return parts or None


def around(frame: FrameType) -> dict[str, object]:
    """Give what a call shares with functions around it, and the program's globals."""
    free = {name: frame.f_locals[name] for name in frame.f_code.co_freevars}
    there = {
        f"global {name}": value
        for name, value in frame.f_globals.items()
        if not name.startswith("__") and not isinstance(value, (type, FunctionType, ModuleType))
    }
    return {name: value for name, value in {**free, **there}.items() if name != "__class__"}


def copied(roots: list[object], names: dict[str, object]) -> Graph:
    copier = Copier()
    return {
        "roots": [copier.value(root) for root in roots],
        "names": [[name, copier.value(names[name])] for name in sorted(names)],
        "nodes": copier.nodes,
    }


class Watcher:
    """Notes calls of the program's own functions."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.calls: list[dict[str, Any]] = []
        self.given: dict[int, list[object]] = {}
        self.frames: list[FrameType] = []  # so that no two have the same id

    def trace(self, frame: FrameType, event: str, _arg: object) -> Any:
        code = frame.f_code
        if event != "call" or code.co_filename != self.path or code.co_name.startswith("<"):
            return None
        if not code.co_flags & 1:
            return None
        count = code.co_argcount + code.co_kwonlyargcount
        count += bool(code.co_flags & 4) + bool(code.co_flags & 8)
        given = self.given.setdefault(
            id(frame), [frame.f_locals[name] for name in code.co_varnames[:count]]
        )
        self.frames.append(frame)
        is_first = frame.f_lasti <= 0 or code.co_flags & 0x20 == 0
        before = copied(given, around(frame))
        name = code.co_qualname
        call = {"name": name, "frame": id(frame), "before": before, "after": None}
        call["first"] = bool(is_first)
        self.calls.append(call)
        state = {"raised": False}

        def local(_frame: FrameType, event: str, arg: object) -> Any:
            if event == "exception":
                state["raised"] = True
            elif event == "line":
                state["raised"] = False
            elif event == "return" and not (state["raised"] and arg is None):
                call["after"] = copied([*given, arg], around(_frame))
            return local

        return local


def main() -> None:
    path, out = sys.argv[1:3]
    sys.argv = [path]
    code = compile(Path(path).read_bytes(), path, "exec")
    watcher = Watcher(path)
    space = {"__name__": "__main__", "__file__": path, "__builtins__": __builtins__}
    sys.settrace(watcher.trace)
    try:
        exec(code, space)
    finally:
        sys.settrace(None)
        Path(out).write_text(json.dumps(watcher.calls), encoding="utf-8")


if __name__ == "__main__":
    main()
