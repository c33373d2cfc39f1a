"""Which functions of a run read the same in another one: blind to comments and annotations."""

import ast
import itertools
import re
from collections.abc import Hashable, Iterator, Mapping
from difflib import SequenceMatcher
from functools import cached_property
from textwrap import dedent

from sleuth.oracles.versions import is_called_version
from sleuth.trace.events import Function
from sleuth.trace.reader import Trace

_MODULE_BODY = "module body"
_NAME = re.compile(r"[^\W\d]\w*")


def name_of(function: Function) -> Hashable:
    """Return what a function is called: in another version its code may be another."""
    return function.module.name, function.qualified_name


def is_body(function: Function) -> bool:
    """Whether it is the body of a module or class."""
    return function.kind.endswith(" body")


class Edition:
    """The functions of a run, compared with those of another: which were edited, and where."""

    def __init__(self, trace: Trace, other: Trace) -> None:
        self._trace = trace
        self._other = other

    @cached_property
    def _twins(self) -> Mapping[Hashable, list[Function]]:
        """The functions there by name: several can have the same, as those without one do."""
        found: dict[Hashable, list[Function]] = {}
        for function in self._other.functions():
            found.setdefault(name_of(function), []).append(function)
        return found

    def _twin(self, function: Function) -> Function | None:
        """Return the function there that this one was, or is to be."""
        able = self._twins.get(name_of(function), [])
        same = [each for each in able if each.identity == function.identity]
        near = sorted(able, key=lambda each: abs(each.first_line - function.first_line))
        return next(iter(same or near), None)

    @cached_property
    def is_same(self) -> Mapping[int, bool]:
        """Function -> whether it reads the same there, called or not."""
        return {int(each.id): self._reads_the_same(each) for each in self._trace.functions()}

    def _reads_the_same(self, function: Function) -> bool:
        twin = self._twin(function)
        if twin is None:
            return False
        if twin.identity == function.identity:
            return True
        one, two = (_text(*each) for each in ((self._trace, function), (self._other, twin)))
        return one == two

    @cached_property
    def is_affected(self) -> Mapping[int, bool]:
        """Function -> whether it names something that an edited body sets to something else.

        What a class sets is used by its own functions, what a module sets by those who name it.
        """
        found = dict.fromkeys(self.is_same, False)
        for body in filter(is_body, self._trace.functions()):
            names = set(self._set_otherwise(body))
            for each in self._trace.functions() if names else ():
                is_near = body.kind == _MODULE_BODY or _is_within(each, body)
                if is_near and not names.isdisjoint(self._names_in(each)):
                    found[int(each.id)] = True
        return found

    def is_unedited(self, function: int) -> bool:
        """Whether a function reads the same, and so does what it names."""
        return self.is_same.get(function, False) and not self.is_affected.get(function, False)

    @property
    def is_other_version(self) -> bool:
        """Whether anything was edited at all."""
        return not all(self.is_same.values())

    def edited_lines(self, function: Function) -> frozenset[int]:
        """Return the lines of a function that were edited, or stand where others were put in."""
        twin = self._twin(function)
        mine = _lines(self._trace, function)
        theirs = [] if twin is None else _lines(self._other, twin)
        start = 1 if function.kind == _MODULE_BODY else function.first_line
        matcher = SequenceMatcher(None, _stripped(mine), _stripped(theirs), autojunk=False)
        found: set[int] = set()
        for tag, low, high, put_in, _ in matcher.get_opcodes():
            if tag == "insert":
                found |= set(_beside(mine, low, theirs[put_in]))
            elif tag != "equal":
                found |= set(range(low, high))
        return frozenset(start + each for each in found if 0 <= each < len(mine))

    def _names_in(self, function: Function) -> set[str]:
        text = "" if is_body(function) else "\n".join(_lines(self._trace, function))
        return set(_NAME.findall(text))

    def _set_otherwise(self, function: Function) -> Iterator[str]:
        """Yield what an edited body sets to something else."""
        twin = self._twin(function)
        if not is_body(function) or twin is None or self.is_same[int(function.id)]:
            return
        there = {ast.dump(each) for each in _statements(self._other, twin)}
        for statement in _statements(self._trace, function):
            if ast.dump(statement) not in there:
                yield from itertools.filterfalse(is_called_version, _targets(statement))


def _is_within(function: Function, body: Function) -> bool:
    return (
        function.module.id == body.module.id
        and body.first_line <= function.first_line <= function.last_line <= body.last_line
    )


def _lines(trace: Trace, function: Function) -> list[str]:
    lines = trace.sources().get(function.module.path, "").splitlines()
    if function.kind == _MODULE_BODY:
        return lines
    return lines[function.first_line - 1 : function.last_line]


def _beside(lines: list[str], at: int, put_in: str) -> Iterator[int]:
    """Yield the lines beside which another one was put in: those of the same block, if any."""
    around = [each for each in (at - 1, at) if 0 <= each < len(lines)]
    same = [each for each in around if _indent(lines[each]) == _indent(put_in)]
    yield from same or around


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _stripped(lines: list[str]) -> list[str]:
    return [line.strip() for line in lines]


def _parsed(trace: Trace, function: Function) -> ast.Module | None:
    try:
        return ast.parse(dedent("\n".join(_lines(trace, function))))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _statements(trace: Trace, function: Function) -> list[ast.stmt]:
    """Return what stands directly in a body."""
    parsed = _parsed(trace, function)
    match parsed.body if parsed else []:
        case [ast.ClassDef(body=body)]:
            return body
        case body:
            return body


def _targets(statement: ast.stmt) -> Iterator[str]:
    if isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        for target in targets:
            for each in ast.walk(target):
                if isinstance(each, ast.Name):
                    yield each.id


def _text(trace: Trace, function: Function) -> str:
    """Return what a function says, as far as it runs."""
    parsed = _parsed(trace, function)
    if parsed is None:
        return "\n".join(_stripped(_lines(trace, function)))
    kept = _Kept(is_body=is_body(function))
    return "\n".join(ast.dump(kept.visit(each)) for each in parsed.body)


class _Kept(ast.NodeTransformer):
    """Drops docstrings and annotations; of a body also the functions in it."""

    def __init__(self, *, is_body: bool) -> None:
        self._is_body = is_body

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Keep what runs."""
        return self._function(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        """Keep what runs."""
        return self._function(node)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.AST:
        if self._is_body:
            return ast.Pass()
        node.returns = None
        self.generic_visit(node)
        node.body = _without_docstring(node.body)
        return node

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        """Keep what runs."""
        self.generic_visit(node)
        node.body = _without_docstring(node.body)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        """Keep what is set."""
        node.annotation = ast.Constant(None)
        self.generic_visit(node)
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        """Keep its name."""
        node.annotation = None
        return node


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    match body:
        case [ast.Expr(ast.Constant(str())), *rest]:
            return rest or [ast.Pass()]
    return body
