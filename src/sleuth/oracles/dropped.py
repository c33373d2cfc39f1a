"""Whether what a call returned was dropped: then it has reached nothing."""

import ast
from collections.abc import Iterator

from sleuth.trace.events import Call, Span
from sleuth.trace.reader import Trace


class Dropped:
    """Looks up calls that are statements by themselves."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._of_file: dict[str, frozenset[Span]] = {}

    def is_dropped(self, call: Call) -> bool:
        """Tell whether nobody could look at the result of a call."""
        site = None if call.through_other_code else self._trace.call_site(call)
        module = None if call.parent is None else self._module_of(call.parent)
        return site is not None and module is not None and site in self._statements(module)

    def _module_of(self, caller: int) -> str | None:
        module = self._trace.module_of(self._trace.call(caller).function)
        return None if module is None else module.path

    def _statements(self, path: str) -> frozenset[Span]:
        if path not in self._of_file:
            self._of_file[path] = frozenset(_calls(self._trace.sources().get(path, "")))
        return self._of_file[path]


def _calls(source: str) -> Iterator[Span]:
    """Yield where calls stand whose result nobody takes."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        match node:
            case ast.Expr(ast.Call() as call) | ast.Expr(ast.Await(ast.Call() as call)):
                end_line, end_column = call.end_lineno, call.end_col_offset
                if end_line is not None and end_column is not None:
                    yield Span(call.lineno, call.col_offset, end_line, end_column)
