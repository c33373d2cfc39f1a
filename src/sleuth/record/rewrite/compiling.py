"""The arguments of the compiler for some code, and the namespace that its body runs in."""

import ast
from dataclasses import dataclass
from enum import IntEnum
from types import CodeType


class Namespace(IntEnum):
    """The namespace that a body will run in; the numbers are shared with `dynamic.c`."""

    OWN = 0
    """Not known: any mapping, maybe another each time.  Its variables count as the body's own."""
    LOADED = 1
    """Probably that of a module: a loader compiles the code."""
    MODULE = 2
    """The namespace of a module."""


@dataclass(frozen=True, slots=True)
class Compiling:
    """The arguments that the compiler is called with."""

    mode: str = "exec"
    flags: int = 0
    """Flags of `__future__`, and flags of `compile` that change the code."""
    optimize: int = -1
    namespace: Namespace = Namespace.MODULE

    def parsed(self, source: bytes | str, path: str) -> ast.mod:
        """Parse a source."""
        flags = self.flags | ast.PyCF_ONLY_AST
        tree = compile(source, path, self.mode, flags, dont_inherit=True)
        assert isinstance(tree, ast.mod)  # noqa: S101 - the flag says so
        return tree

    def compiled(self, tree: ast.mod, path: str) -> CodeType:
        """Compile a tree."""
        assert isinstance(tree, (ast.Module, ast.Expression, ast.Interactive))  # noqa: S101 - by mode
        code = compile(tree, path, self.mode, self.flags, dont_inherit=True, optimize=self.optimize)
        assert isinstance(code, CodeType)  # noqa: S101 - there is no flag that asks for a tree
        return code


OF_MODULES = Compiling()
