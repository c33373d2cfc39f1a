"""Values that somebody typed, as source: literals, and calls that only make a value of them."""

import ast
from collections.abc import Mapping

from sleuth.trace.heap.recipe import Unbuildable
from sleuth.trace.values import escaped
from sleuth.views.frozen.importing import Imports

_MAKERS: Mapping[str, str] = {
    # What may be called: it does nothing but make a value.
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
    """Return a typed value as it is written in a test; floats may differ by noise."""
    written = text.strip()
    if (value := _literal(written)) is not None:
        plain = ast.unparse(value) if {*written} & {*"\n#"} else written
        return f"pytest.approx({plain})" if _is_float(value) else plain
    try:
        made = _Named(imports).visit(ast.parse(written, mode="eval").body)
    except (_NoValue, ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        raise Unbuildable(
            f"what was expected, {escaped(written)},",
            "is no value of Python; write one, for example --expected '[1, 2]'",
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
    """It is more than a value."""


class _Named(ast.NodeTransformer):
    """Lets only values pass, and calls what makes them as the test imports it."""

    def __init__(self, imports: Imports) -> None:
        self._imports = imports

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Look at what is plain; refuse all else."""
        if not isinstance(node, _PLAIN):
            raise _NoValue
        return super().generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Take a call that makes a value."""
        made = _MAKERS.get(ast.unparse(node.func).rpartition(".")[2])
        if made is None or not isinstance(node.func, ast.Name | ast.Attribute):
            raise _NoValue
        return ast.Call(
            ast.Name(self._imports.type_text(made, made)),
            [self.visit(each) for each in node.args],
            [self.visit(each) for each in node.keywords],
        )
