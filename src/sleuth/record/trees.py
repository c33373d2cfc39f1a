"""Unpacks the syntax trees that the program's process sends: see `_core/process/trees.c`."""

import ast
import marshal
from typing import Any

from sleuth.record.rewrite import LeftPlain

_MOST_LINES = 1 << 30


def unpacked(data: bytes) -> ast.mod:
    """Build the tree; LeftPlain: it is no whole tree, or has impossible line numbers."""
    tree = _value(marshal.loads(data))  # noqa: S302 - from our own core
    if not isinstance(tree, ast.mod):
        raise LeftPlain("what was compiled is no whole tree")
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 1)
        end = getattr(node, "end_lineno", None)
        if not (0 <= line < _MOST_LINES and line <= (line if end is None else end) < _MOST_LINES):
            raise LeftPlain("its syntax tree has lines that no source has")
    return tree


def _value(packed: Any) -> Any:
    if isinstance(packed, list):
        return [_value(each) for each in packed]
    if not isinstance(packed, dict):
        return packed
    fields = {name: _value(value) for name, value in packed.items() if name}
    return getattr(ast, packed[""])(**fields)
