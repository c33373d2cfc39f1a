"""The statements of a module: the kind, span and enclosing statement of each."""

import ast
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from sleuth.record.rewrite.bytecode import Span
from sleuth.record.rewrite.syntax import span_of

NOWHERE = -1
"""The index that means "no statement"."""

Row: TypeAlias = tuple[str, int, str, Span]
"""Kind, index of the statement around it or -1, block of that statement, span."""

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_KINDS: dict[type[ast.AST], str] = {
    ast.If: "branch",
    ast.Match: "branch",
    ast.match_case: "case",
    ast.For: "loop",
    ast.AsyncFor: "loop",
    ast.While: "loop",
    ast.Try: "try",
    ast.TryStar: "try",
    ast.ExceptHandler: "handler",
    ast.With: "with",
    ast.AsyncWith: "with",
    ast.FunctionDef: "define",
    ast.AsyncFunctionDef: "define",
    ast.ClassDef: "define",
    ast.Return: "return",
    ast.Raise: "raise",
    ast.Break: "break",
    ast.Continue: "continue",
    ast.Assert: "check",
    ast.Global: "other",
    ast.Nonlocal: "other",
}
_BLOCKS = (
    ("body", "body"),
    ("handlers", "handlers"),
    ("cases", "cases"),
    ("orelse", "else"),
    ("finalbody", "finally"),
)
_DOCSTRING = "docstring"


@dataclass(slots=True)
class _Statement:
    span: Span
    scope: int
    """The number of the function's, class's or module's body that it belongs to."""
    index: int
    """Its number among the statements of that body."""
    around: int
    """The enclosing statement, in the same or an outer body; -1: none."""


@dataclass(slots=True)
class Body:
    """The statements of one function, class or module."""

    scope: int
    rows: list[Row] = field(default_factory=list)
    conditions: list[tuple[int, Span]] = field(default_factory=list)
    """The assert statements, each with the span of its condition."""


class Statements:
    """All statements of a module; finds them by their spans."""

    def __init__(self, tree: ast.mod) -> None:
        self._all: list[_Statement] = []
        self._bodies: list[Body] = [Body(0)]
        self._scope_of: dict[tuple[str, int], int] = {}
        if not isinstance(tree, ast.Expression):  # an expression has no statements
            self._scope_of["<module>", 1] = 0
        self._collect(tree)
        order = sorted(range(len(self._all)), key=lambda at: _outer_first(self._all[at].span))
        self._sorted = order
        self._starts = [self._all[at].span[:2] for at in order]

    def body(self, name: str, first_line: int) -> Body | None:
        """Return the statements of a function, by its name and the first line of its code.

        None: it has no statements, as a lambda.
        """
        scope = self._scope_of.get((name, first_line))
        return None if scope is None else self._bodies[scope]

    def find(self, span: Span | None, body: Body) -> int:
        """Return the innermost statement of a body around a span; -1: there is none."""
        if span is None:
            return NOWHERE
        at = bisect_right(self._starts, span[:2]) - 1
        while at > 0 and self._ends_before(at, span) and self._starts[at - 1] == self._starts[at]:
            at -= 1  # a statement added by pytest: it has an empty span where another one begins
        number = self._sorted[at] if at >= 0 else NOWHERE
        while number >= 0 and self._all[number].span[2:] < span[2:]:
            number = self._all[number].around
        if number < 0 or self._all[number].scope != body.scope:
            return NOWHERE
        return self._all[number].index

    def _ends_before(self, at: int, span: Span) -> bool:
        return self._all[self._sorted[at]].span[2:] < span[2:]

    def _collect(self, tree: ast.mod) -> None:
        """Add all statements, without recursion: a long chain of `elif` is a deep tree."""
        work = [(node, 0, NOWHERE, block) for node, block in _inside(tree)][::-1]
        while work:
            node, scope, around, block = work.pop()
            number = self._add(node, scope, around, block)
            inner = self._open(node) if isinstance(node, _SCOPES) else scope
            work += [(each, inner, number, name) for each, name in _inside(node)][::-1]

    def _open(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> int:
        scope = len(self._bodies)
        self._bodies.append(Body(scope))
        self._scope_of[node.name, first_line(node)] = scope
        return scope

    def _add(self, node: ast.AST, scope: int, around: int, block: str) -> int:
        body = self._bodies[scope]
        is_same = around >= 0 and self._all[around].scope == scope
        parent = self._all[around].index if is_same else NOWHERE
        kind = "other" if block == _DOCSTRING else _KINDS.get(type(node), "simple")
        span = _span(node)
        body.rows.append((kind, parent, "body" if not is_same else block, span))
        if isinstance(node, ast.Assert):
            body.conditions.append((len(body.rows) - 1, span_of(node.test)))
        self._all.append(_Statement(span, scope, len(body.rows) - 1, around))
        return len(self._all) - 1


def first_line(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> int:
    """Return the line that a definition begins with: that of its first decorator, if any."""
    return min([node.lineno, *(each.lineno for each in node.decorator_list)])


def _inside(node: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """Yield the statements directly inside a node, each with its block, in source order."""
    for name, block in _BLOCKS:
        inner = getattr(node, name, None)
        if not isinstance(inner, list):
            continue
        for position, each in enumerate(inner):
            if isinstance(each, (ast.stmt, ast.ExceptHandler, ast.match_case)):
                is_first = not position and isinstance(node, (ast.Module, *_SCOPES))
                yield each, _DOCSTRING if is_first and is_text(each) else block


def is_text(node: ast.AST) -> bool:
    """Tell whether a statement is nothing but a text, as a docstring is."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _span(node: ast.AST) -> Span:
    if isinstance(node, ast.match_case):
        start, end = node.pattern, node.body[-1]
        return start.lineno, start.col_offset, end.end_lineno or 0, end.end_col_offset or 0
    assert isinstance(node, (ast.stmt, ast.ExceptHandler))  # noqa: S101 - what `_inside` gives
    line, column = node.lineno, node.col_offset
    decorators = getattr(node, "decorator_list", ())
    if decorators:
        # The statement begins with the `@`; its column is not known, so 0 is taken.
        line, column = min((each.lineno, 0) for each in decorators)
    return line, column, node.end_lineno or line, node.end_col_offset or column


def _outer_first(span: Span) -> tuple[int, int, int, int]:
    return span[0], span[1], -span[2], -span[3]
