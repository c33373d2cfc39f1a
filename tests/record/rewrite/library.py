"""Modules of the standard library, as material for tests of the rewriter."""

import sys
import sysconfig
import warnings
from collections.abc import Iterator
from pathlib import Path
from types import CodeType

from tests.effort import IS_WHOLE, share

LIBRARY = Path(sysconfig.get_path("stdlib"))
SKIPPED = {"site-packages", "test", "tests", "lib2to3", "idlelib", "idle_test"}
EVERY = 1 if IS_WHOLE else share(5, 10)
FIRST = sys.version_info.minor % EVERY
"""Chooses different modules on each version."""


def codes(code: CodeType) -> Iterator[CodeType]:
    """Yield a code object and all code objects in it."""
    yield code
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield from codes(const)


def library_files() -> list[Path]:
    """Return all modules."""
    return [
        path
        for path in sorted(LIBRARY.rglob("*.py"))
        if not SKIPPED & set(path.relative_to(LIBRARY).parts)
    ]


def some_of_the_library() -> Iterator[tuple[Path, bytes]]:
    """Yield a part of the modules with their source; all with WHOLE_LIBRARY=1."""
    for path in library_files()[FIRST::EVERY]:
        yield path, path.read_bytes()


def compiled(source: bytes, path: Path) -> CodeType:
    """Compile a module as the interpreter does."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return compile(source, str(path), "exec", dont_inherit=True)
