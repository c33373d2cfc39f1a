"""Answers requests of the program's process: tells how a module shall run.

Runs in the collector.  So the program's process needs neither the rewriter nor the modules that
the rewriter imports, and an error in the rewriter can't harm the program.
"""

import ast
import fnmatch
import io
import marshal
import os
import re
import struct
import tokenize
from types import CodeType, SimpleNamespace
from typing import Any

from sleuth.record import cache, trees
from sleuth.record.announcements import Announcements
from sleuth.record.asked import Asked, Given
from sleuth.record.keeping import Keeping
from sleuth.record.rewrite import LeftPlain, Rewritten, rewrite
from sleuth.record.rewrite.checks import Row as Check
from sleuth.record.rewrite.checks import checks_of
from sleuth.record.rewrite.compiling import OF_MODULES, Compiling, Namespace
from sleuth.record.scope import Scope, is_foreign
from sleuth.record.templates import template_of
from sleuth.trace.store.writer import FlowRow, FunctionRow, SiteRow

PLAIN = bytes(17)
"""The answer for code that runs unchanged."""
ALL_PLAIN = b"\3" + bytes(16)
"""As PLAIN, and the core needn't ask again about code of this file name from such a caller."""
LARGE = 4096
"""Code that is no module's body is cached if its source has at least this many bytes."""
_TEST_FILES = ("conftest.py", "test_*.py", "*_test.py", "tests.py", "test.py")
_HAS_TESTS = re.compile(rb"^\s*(?:(?:async\s+)?def test|class \w*Test)", re.MULTILINE)
_TEST_FOLDERS = frozenset({"test", "tests"})


class Service:
    """Decides how code runs, rewrites it, and writes its functions and sites into the trace."""

    def __init__(
        self, writer: Announcements, scope: Scope, keeping: Keeping, *, full: bool
    ) -> None:
        self.writer = writer
        self.scope = scope
        self.keeping = keeping
        self.contents = full and keeping.contents
        self.full = full
        self.recorded = 0
        self.next_function = 1
        self.next_site = 1
        self.given: dict[tuple[str, str, bytes, bool], bytes] = {}
        self.told: set[tuple[str, str]] = set()
        self.known: set[str] = set()

    def module(self, name: str, path: str, source: bytes, *, for_pytest: bool = False) -> bytes:
        """Return the answer about a module: its rewritten code, or PLAIN."""
        self.known.add(name)
        is_program = name == "__main__"
        is_recorded, reason = self.scope.decide(
            name, "" if path == "<string>" else path, is_program=is_program
        )
        if not is_recorded:
            return self.plain(name, path, reason)
        key = name, path, source, for_pytest
        if key not in self.given:
            try:
                made = self._rewritten(path, source, for_pytest=for_pytest)
            except LeftPlain as why:
                return self.plain(name, path, str(why))
            except Exception as error:  # noqa: BLE001 - whatever it is, the program goes on
                return self.plain(name, path, f"it could not be rewritten ({error!r})")
            self.given[key] = self._announced(
                name, path, source, reason, made, for_pytest=for_pytest
            )
        return self.given[key]

    def compiled(self, asked: Asked) -> bytes:
        """Return the answer about code that the program compiled itself."""
        is_recorded, reason = asked.decide(self.scope)
        is_module = asked.how.namespace is not Namespace.OWN
        if not is_recorded:
            if is_module:
                self.plain(asked.name, asked.path, reason)
            return ALL_PLAIN
        if is_module:
            self.known.add(asked.name)
        try:
            asked = asked.with_source()
            made = self._rewritten(
                asked.path,
                asked.source,
                how=asked.how,
                is_text=asked.given is Given.TEXT,
                packed_tree=asked.tree,
            )
        except LeftPlain as why:
            return self.plain(asked.name, asked.path, str(why))
        except Exception as error:  # noqa: BLE001 - whatever it is, the program goes on
            return self.plain(asked.name, asked.path, f"it could not be rewritten ({error!r})")
        return self._announced(
            asked.name,
            asked.path,
            asked.source,
            reason,
            made,
            is_text=asked.given is Given.TEXT,
        )

    def plain(self, name: str, path: str, reason: str) -> bytes:
        """Write into the trace, once, that a module runs unchanged, and why; return PLAIN."""
        self.known.add(name)
        if (name, path) not in self.told:
            self.told.add((name, path))
            self.writer.add_module(
                name=name,
                path=path,
                recorded=False,
                reason=reason,
                source=None,
                own=bool(path) and not path.startswith("<") and not is_foreign(path),
            )
        return PLAIN

    def loaded(self, modules: list[tuple[str, str]]) -> bytes:
        """Write into the trace the modules loaded at the end that were never asked about."""
        for name, path in modules:
            if name not in self.known:
                self.plain(name, path, _why_unseen(path))
        return PLAIN

    def _rewritten(  # noqa: PLR0913 - all that decides what is made
        self,
        path: str,
        source: bytes,
        *,
        for_pytest: bool = False,
        how: Compiling = OF_MODULES,
        is_text: bool = False,
        packed_tree: bytes = b"",
    ) -> Rewritten:
        variant = f"{'full' if self.full else 'calls'}{' pytest' if for_pytest else ''}"
        variant += " contents" if self.contents else ""
        variant += " hides by words " + "\0".join(self.keeping.secrets)
        is_test = self._is_test(path, source, for_pytest=for_pytest)
        variant += " test" if is_test else ""
        variant += "" if how == OF_MODULES else f" {how!r} {is_text} {packed_tree.hex()}"
        is_kept = how.namespace is not Namespace.OWN or len(source) >= LARGE
        made = cache.load(source, path, variant) if is_kept else None
        if made is None:
            if packed_tree:
                tree = trees.unpacked(packed_tree)
            else:
                tree = how.parsed(source.decode() if is_text else source, path)
            if for_pytest and isinstance(tree, ast.Module):
                _rewrite_asserts(tree, source, path)
            changed = tree if for_pytest and isinstance(tree, ast.Module) else None
            checks = _checks(source, path, changed) if is_test else []
            made = rewrite(
                tree,
                path,
                source.decode() if is_text else _decoded(source),
                full=self.full,
                contents=self.contents,
                is_secret=self.keeping.hides,
                written=ast.parse(source, path) if for_pytest else None,
                how=how,
            )
            made.checks = checks
            if is_kept:
                cache.store(source, path, variant, made)
        return made

    def _is_test(self, path: str, source: bytes, *, for_pytest: bool) -> bool:
        """Tell whether a module contains tests; always False if the program is no test runner.

        Pytest also rewrites plugins, so `for_pytest` alone is not enough.
        """
        if not self.scope.is_testing:
            return False
        file = os.path.relpath(path, self.scope.folder)
        is_below = not _TEST_FOLDERS.isdisjoint(file.split(os.sep)[:-1])
        name = os.path.basename(path)
        is_named = any(fnmatch.fnmatch(name, each) for each in _TEST_FILES)
        return is_below or is_named or (for_pytest and _HAS_TESTS.search(source) is not None)

    def _announced(  # noqa: PLR0913 - all that is known of a module
        self,
        name: str,
        path: str,
        source: bytes,
        reason: str,
        made: Rewritten,
        *,
        for_pytest: bool = False,
        is_text: bool = False,
    ) -> bytes:
        """Write the module into the trace, and return the answer with its numbers."""
        functions, sites = self.next_function, self.next_site
        with self.writer.together():
            module = self.writer.add_module(
                name=name,
                path=path,
                recorded=True,
                reason=reason,
                source=source,
                encoding="utf-8" if is_text else _encoding(source),
                foreign=name != "__main__" and not path.startswith("<") and is_foreign(path),
                checks=made.checks if self._is_test(path, source, for_pytest=for_pytest) else None,
                template=template_of(source.decode() if is_text else _decoded(source)),
            )
            self.writer.add_functions(
                module,
                [
                    FunctionRow(
                        id=functions + each.id,
                        name=each.name,
                        qualified_name=each.qualified_name,
                        kind=each.kind,
                        first_line=each.first_line,
                        last_line=each.last_line,
                        identity=each.identity,
                        parameters=each.parameters,
                        places=each.places,
                        cells=each.cells,
                        free=each.free,
                        uses=each.uses,
                    )
                    for each in made.functions
                ],
            )
            self.writer.add_sites(
                module,
                [
                    SiteRow(
                        id=sites + number,
                        function=functions + function,
                        kind=kind,
                        name=variable,
                        line=line,
                        column=column,
                        end_line=end_line,
                        end_column=end_column,
                        loop=sites + loop - 1 if loop else 0,
                    )
                    for (
                        number,
                        function,
                        kind,
                        variable,
                        line,
                        column,
                        end_line,
                        end_column,
                        loop,
                    ) in made.sites
                ],
            )
            self.writer.add_flows(
                module,
                [
                    FlowRow(
                        functions + each.function,
                        each.statements,
                        each.steps_from(sites),
                        each.loops_from(sites),
                        each.parameters,
                        each.operations_from(functions),
                        each.wording,
                    )
                    for each in made.flows
                ],
            )
        self.next_function += len(made.functions)
        self.next_site += len(made.sites)
        self.recorded += 1
        head = struct.pack(
            "<BIIII",
            2 if self.contents else 1,
            functions,
            sites,
            len(made.probes) // 12,
            len(made.twins),
        )
        return head + made.probes + made.twins + _marshalled(made.code)


def _why_unseen(path: str) -> str:
    if not path:
        return "it has no source file (built in, frozen or made by the program)"
    if path.endswith(".so"):
        return "an extension module"
    if ".zip/" in path or ".egg/" in path or ".pyz/" in path:
        return "loaded from a zip file"
    return "it was not loaded from source by the usual loader"


def _marshalled(code: CodeType) -> bytes:
    return marshal.dumps(code)


def _encoding(source: bytes) -> str:
    return tokenize.detect_encoding(io.BytesIO(source).readline)[0]


def _decoded(source: bytes) -> str:
    return source.decode(_encoding(source), "replace")


def _rewrite_asserts(tree: ast.Module, source: bytes, path: str) -> None:
    """Rewrite the asserts of a test module as pytest's loader does before compiling it."""
    from _pytest.assertion.rewrite import rewrite_asserts  # noqa: PLC0415 - only there with pytest

    config: Any = SimpleNamespace(getini=lambda _name: False)
    rewrite_asserts(tree, source, path, config)


def _checks(source: bytes, path: str, rewritten: ast.Module | None) -> list[Check]:
    """List the checks that a test module makes."""
    text = _decoded(source).replace("\r\n", "\n").replace("\r", "\n")
    return checks_of(ast.parse(source, path), text.encode().split(b"\n"), rewritten)
