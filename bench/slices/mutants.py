"""Slices checked by execution: a constant outside the relevant slice never changes the value."""

import ast
import contextlib
import io
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import CodeType, FrameType
from typing import Any

_MOST_LINES = 20_000
_FILE = "generated.py"


class _TooLong(Exception):
    """The program does not end soon."""


@dataclass
class Ran:
    """What a run printed, and the lines that ran."""

    printed: str = ""
    lines: set[int] = field(default_factory=set)
    has_ended: bool = True
    """False: by an exception, or not soon enough."""


def ran(source: str) -> Ran:
    """Run a program."""
    found = Ran()
    code: CodeType = compile(source, _FILE, "exec")
    count = 0

    def seen(frame: FrameType, event: str, _argument: object) -> Any:
        nonlocal count
        if frame.f_code.co_filename != _FILE:
            return None
        if event == "line":
            count += 1
            found.lines.add(frame.f_lineno)
            if count > _MOST_LINES:
                raise _TooLong
        return seen

    out = io.StringIO()
    before = sys.gettrace()
    sys.settrace(seen)
    try:
        with contextlib.redirect_stdout(out):
            exec(code, {"__name__": "__main__"})  # noqa: S102 - a program that was generated here
    except Exception:  # noqa: BLE001 - a mutant may fail in any way
        found.has_ended = False
    finally:
        sys.settrace(before)
    found.printed = out.getvalue()
    return found


def mutants(source: str, lines: set[int]) -> Iterator[tuple[int, str]]:
    """Yield a line and the source with another constant in it, for each constant of some lines."""
    text = source.splitlines()
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Constant) or type(node.value) is not int:
            continue
        line, start, end = node.lineno, node.col_offset, node.end_col_offset
        if line not in lines or end is None:
            continue
        for other in (node.value + 1, 3 * node.value + 40):
            row = text[line - 1]
            changed = f"{row[:start]}{other}{row[end:]}"
            yield line, "\n".join([*text[: line - 1], changed, *text[line:]]) + "\n"


@dataclass
class Checked:
    """What became of one program."""

    share: float
    """The share of the statements that ran that is in the slice."""
    tried: int = 0
    unended: int = 0
    """Mutants that failed or did not end: they print no value."""
    wrong: list[tuple[int, str]] = field(default_factory=list)
    """Lines outside the slice whose constant changed the value, and the mutants."""


def checked(source: str, slice_lines: set[int]) -> Checked:
    """Change all constants on lines that ran but are not in the slice."""
    right = ran(source)
    defines = {
        node.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
    }
    statements = right.lines - defines
    found = Checked(len(slice_lines & statements) / len(statements))
    for line, mutant in mutants(source, right.lines - slice_lines):
        then = ran(mutant)
        if not then.has_ended:
            found.unended += 1
            continue
        found.tried += 1
        if then.printed != right.printed:
            found.wrong.append((line, mutant))
    return found
