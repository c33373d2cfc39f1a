"""Values that the user typed, as source: literals, and calls that only make a value."""

import ast
from collections.abc import Mapping

from sleuth.trace.heap.recipe import Unbuildable
from sleuth.trace.values import escaped
from sleuth.views.frozen.importing import Imports

_MAKERS: Mapping[str, str] = {
    # The types that may be called: the call only makes a value.
    **{name: name for name in ("range", "slice", "set", "frozenset", "bytearray", "complex")},
    "float": "float",
    **{name: f"datetime.{name}" for name in ("date", "datetime", "time", "timedelta", "timezone")},
    **{name: f"collections.{name}" for name in ("deque", "Counter", "OrderedDict")},
    "Decimal": "decimal.Decimal",
    "Fraction": "fractions.Fraction",
}
_PLAIN = (
    ast.Constant,
    ast.List,
    ast.Tuple,
    ast.Dict,
    ast.Set,
    ast.expr_context,
    ast.keyword,
    ast.UnaryOp,
    ast.UAdd,
    ast.USub,
)


def value_text(text: str, imports: Imports) -> str:
    """Return a typed value as source for a test; floats become `pytest.approx`."""
    written = text.strip()
    if (value := _literal(written)) is not None:
        plain = ast.unparse(value) if {*written} & {*"\n#"} else written
        return f"pytest.approx({plain})" if _is_float(value) else plain
    try:
        made = _Named(imports).visit(ast.parse(written, mode="eval").body)
    except (_NoValue, ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        raise Unbuildable(
            f"the expected value {escaped(written)}",
            "is not a Python value; write one, for example --expected '[1, 2]'",
        ) from None
    return ast.unparse(made)


def _literal(text: str) -> ast.expr | None:
    try:
        ast.literal_eval(text)
        return ast.parse(text, mode="eval").body
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return None


def _is_float(node: ast.expr) -> bool:
    inner = node.operand if isinstance(node, ast.UnaryOp) else node
    return isinstance(inner, ast.Constant) and isinstance(inner.value, float)


class _NoValue(Exception):
    """The text is more than a value."""


class _Named(ast.NodeTransformer):
    """Accepts only values; replaces the names of their types by those that the test imports."""

    def __init__(self, imports: Imports) -> None:
        self._imports = imports

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Accept plain values; refuse everything else."""
        if not isinstance(node, _PLAIN):
            raise _NoValue
        return super().generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Accept a call that makes a value."""
        made = _MAKERS.get(ast.unparse(node.func).rpartition(".")[2])
        if made is None or not isinstance(node.func, ast.Name | ast.Attribute):
            raise _NoValue
        return ast.Call(
            ast.Name(self._imports.type_text(made, made)),
            [self.visit(each) for each in node.args],
            [self.visit(each) for each in node.keywords],
        )
