"""How code is compiled, and where the variables of its body are kept."""

import ast
from dataclasses import dataclass
from enum import IntEnum
from types import CodeType


class Namespace(IntEnum):
    """What is known of the namespace that a body will run in; so says `dynamic.c`, too."""

    OWN = 0
    """Nothing: any mapping, another one each time.  Its variables count as the body's own."""
    LOADED = 1
    """That of a module which a loader makes, if it is run in the usual way."""
    MODULE = 2
    """That of a module."""


@dataclass(frozen=True, slots=True)
class Compiling:
    """How the compiler is called."""

    mode: str = "exec"
    flags: int = 0
    """Of `__future__`, and those of `compile` that change the code."""
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
