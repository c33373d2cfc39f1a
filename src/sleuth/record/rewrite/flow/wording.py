"""The wording of a function: facts of its text that readers of the trace can't get from its code.

These are annotations, defaults, decorators, the spans of assert conditions, and digests: see
`trace/flow/wording.py`.  They are written down because readers of a trace don't parse Python.
"""

import ast
import re
from collections.abc import Iterator
from types import CodeType
from typing import Any, TypeAlias

from sleuth.record.rewrite.flow.digests import FUNCTIONS, Digests, Piece
from sleuth.record.rewrite.flow.statements import Body, Statements, first_line
from sleuth.record.rewrite.syntax import span_of
from sleuth.trace.flow.wording import CUT

Told: TypeAlias = dict[str, Any]
"""The wording as the trace has it, with the keys of `documents.WORDING`; no empty values."""

_MOST = 200
"""Longer texts are cut after this many characters."""
_NAMES = {ast.Lambda: "<lambda>", ast.GeneratorExp: "<genexpr>"}
_NEWLINE = re.compile(r"\r\n?|\n")


class Wordings:
    """The wordings of all functions of a module."""

    def __init__(self, tree: ast.Module, text: str, statements: Statements) -> None:
        self.statements = statements
        self._lines = [line.encode("utf-8", "surrogatepass") for line in _NEWLINE.split(text)]
        self._digests = Digests(tree)
        self._pieces: dict[tuple[str, int], list[Piece]] = {}
        for piece in self._digests.pieces:
            key = _key(piece.node)
            if key is not None:
                self._pieces.setdefault(key, []).append(piece)

    def of(self, code: CodeType, body: Body | None) -> Told | None:
        """Return the wording of a function; None: its part of the text was not found."""
        is_module = code.co_name == "<module>"
        pieces = self._pieces.get((code.co_name, 1 if is_module else code.co_firstlineno))
        if not pieces:
            return None
        told: Told = {"digest": self._digests.of(pieces)}
        alike = [each for each in pieces if _has_parameters(each.node, code)]
        if len(alike) == 1:
            told |= self._head(alike[0].node)
        if body is not None:
            told["conditions"] = [[number, *span] for number, span in body.conditions]
            told["digests"] = [
                [number, digest]
                for node, digest in self._digests.of_statements(pieces[0])
                if (number := self.statements.find(span_of(node), body)) >= 0
            ]
        return {key: value for key, value in told.items() if value}

    def _head(self, node: ast.AST) -> Told:
        told: Told = {}
        if isinstance(node, (*FUNCTIONS, ast.Lambda)):
            told["annotations"] = self._trimmed(each.annotation for each in _given(node.args))
            told["defaults"] = self._trimmed(_defaults(node.args))
        if isinstance(node, FUNCTIONS) and node.returns is not None:
            told["returns"] = self._text(node.returns)
        if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            told["decorators"] = [self._decorator(each) for each in node.decorator_list]
        return told

    def _trimmed(self, nodes: Iterator[ast.expr | None]) -> list[str]:
        """Return the texts of expressions, empty for None; empty ones at the end are left out."""
        found = ["" if node is None else self._text(node) for node in nodes]
        while found and not found[-1]:
            found.pop()
        return found

    def _decorator(self, node: ast.expr) -> list[Any]:
        """Return a decorator's name, its first and last line, and the text of its first line."""
        called = node.func if isinstance(node, ast.Call) else node
        name: list[str] = []
        while isinstance(called, ast.Attribute):
            name.insert(0, called.attr)
            called = called.value
        if isinstance(called, ast.Name):
            name.insert(0, called.id)
        else:
            name = []
        line, column, end_line, end_column = span_of(node)
        begins = self._lines[line - 1][column : end_column if end_line == line else None]
        return [".".join(name), line, end_line, _cut(f"@{_decoded(begins)}")]

    def _text(self, node: ast.expr) -> str:
        """Return the text of an expression on one line: as written, or unparsed if it has more."""
        line, column, end_line, end_column = span_of(node)
        if line != end_line or line > len(self._lines):
            return _cut(ast.unparse(node))
        return _cut(_decoded(self._lines[line - 1][column:end_column]))


def _key(node: ast.AST) -> tuple[str, int] | None:
    """Return the name and first line of a piece's code object; None: it has no code object."""
    if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
        return node.name, first_line(node)
    if isinstance(node, (ast.Lambda, ast.GeneratorExp)):
        return _NAMES[type(node)], node.lineno
    return ("<module>", 1) if isinstance(node, ast.Module) else None


def _has_parameters(node: ast.AST, code: CodeType) -> bool:
    """Tell whether a lambda has the parameters of a code object: several can begin on one line."""
    if not isinstance(node, ast.Lambda):
        return True
    names = [each.arg for each in _given(node.args)]
    return len(names) == _count(code) and tuple(names) == code.co_varnames[: len(names)]


def _count(code: CodeType) -> int:
    flags = (code.co_flags >> 2 & 1) + (code.co_flags >> 3 & 1)
    return code.co_argcount + code.co_kwonlyargcount + flags


def _given(arguments: ast.arguments) -> Iterator[ast.arg]:
    """Yield the parameters in the order in which the code object names them."""
    yield from arguments.posonlyargs
    yield from arguments.args
    yield from arguments.kwonlyargs
    yield from filter(None, (arguments.vararg, arguments.kwarg))


def _defaults(arguments: ast.arguments) -> Iterator[ast.expr | None]:
    """Yield the default of each parameter in the same order; None: it has none."""
    places = len(arguments.posonlyargs) + len(arguments.args)
    yield from [None] * (places - len(arguments.defaults))
    yield from arguments.defaults
    yield from arguments.kw_defaults


def _decoded(text: bytes) -> str:
    return text.decode("utf-8", "replace").strip()


def _cut(text: str) -> str:
    return text if len(text) <= _MOST else text[:_MOST] + CUT
