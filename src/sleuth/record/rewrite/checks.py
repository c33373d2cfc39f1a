"""The checks that a test module makes: asserts, and the methods of `unittest.TestCase`.

Readers of the trace learn from them what a test expected, without parsing Python.  A row is a
span, the text of the condition, a relation, and the operands.  An operand has its text, its span,
the variable that holds its value (empty: none; pytest's rewriting makes one for most), and whether
it is a literal.
"""

import ast
from collections.abc import Iterator
from typing import TypeAlias

Position: TypeAlias = tuple[int, int, int, int]
Row: TypeAlias = tuple[Position, str, str, list[tuple[str, Position, str, bool]]]

_MARK = "@py_assert"
"""The beginning of the names of variables in which pytest's rewriting keeps values."""
_RELATIONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}
_METHODS = {
    # Methods of unittest.TestCase: the relation of the first two arguments, or of one to a value.
    **dict.fromkeys(
        (
            "assertEqual",
            "assertEquals",
            "assertListEqual",
            "assertTupleEqual",
            "assertSetEqual",
            "assertDictEqual",
            "assertSequenceEqual",
            "assertMultiLineEqual",
            "assertCountEqual",
            "assertAlmostEqual",
        ),
        "==",
    ),
    "assertNotEqual": "!=",
    "assertNotAlmostEqual": "!=",
    "assertIs": "is",
    "assertIsNot": "is not",
    "assertIn": "in",
    "assertNotIn": "not in",
    "assertLess": "<",
    "assertLessEqual": "<=",
    "assertGreater": ">",
    "assertGreaterEqual": ">=",
    "assertTrue": "true",
    "assertFalse": "false",
    "assertIsNone": "none",
    "assertIsNotNone": "not none",
}
_FUNCTIONS = {
    # Functions of pandas.testing and numpy.testing that compare their first two arguments.
    *(f"assert_{kind}_equal" for kind in ("frame", "series", "index", "array", "almost")),
    "assert_equal",
    "assert_allclose",
    "assert_array_almost_equal",
}
_COMPARING = ("array_equal", "array_equiv", "allclose", "isclose")
"""Functions whose result tells whether their first two arguments are equal."""
_ALONE = ("true", "false", "none", "not none")
_LITERALS = (ast.Constant, ast.List, ast.Tuple, ast.Dict, ast.Set, ast.UnaryOp)


def checks_of(source: ast.Module, lines: list[bytes], rewritten: ast.Module | None) -> list[Row]:
    """List the checks of a module in the order of its text.

    `rewritten` is the tree after pytest's rewriting; None: pytest did not rewrite it.
    """
    kept = _kept(rewritten) if rewritten else {}
    found = (_check(node, lines, kept) for node in ast.walk(source))
    return sorted(each for each in found if each is not None)


def _check(node: ast.AST, lines: list[bytes], kept: dict[Position, str]) -> Row | None:
    if isinstance(node, ast.Assert):
        condition: ast.expr = node.test
        relation, operands = _compared(node.test)
    elif isinstance(node, ast.Call):
        relation = _asserted(node)
        wanted = 1 if relation in _ALONE else 2
        if not relation or len(node.args) < wanted:
            return None
        condition, operands = node, node.args[:wanted]
    else:
        return None
    told = [
        (_text(each, lines), _position(each), _variable(each, kept), _is_literal(each))
        for each in operands
    ]
    return _position(node), _text(condition, lines), relation, told


def _asserted(call: ast.Call) -> str:
    """Return the relation that a call asserts; empty: it is no check."""
    name = _last_name(call.func)
    if name in _FUNCTIONS:
        return "=="
    return _METHODS.get(name, "") if isinstance(call.func, ast.Attribute) else ""


def _last_name(function: ast.expr) -> str:
    """Return the name of a function without its module or object; empty: it has none."""
    match function:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name
    return ""


def _compared(condition: ast.expr) -> tuple[str, list[ast.expr]]:
    """Return the asserted relation and its operands; nothing for `a and b` and chains."""
    match condition:
        case ast.Compare(left, [operator], [right]):
            return _RELATIONS[type(operator)], [left, right]
        case ast.UnaryOp(ast.Not(), operand) if not isinstance(operand, ast.Compare | ast.BoolOp):
            return "false", [operand]
        case ast.Compare() | ast.BoolOp() | ast.UnaryOp(ast.Not()):
            return "", []
        case ast.Call(ast.Attribute(inner, "all"), []):
            # Arrays and tables are compared item by item: `(a == b).all()`.
            relation, operands = _compared(inner)
            if relation == "==":
                return relation, operands
        case ast.Call(ast.Attribute(one, "equals"), [other]):
            return "==", [one, other]
        case ast.Call(function, [one, other, *_]) if _last_name(function) in _COMPARING:
            return "==", [one, other]
    return "true", [condition]


def _variable(node: ast.expr, kept: dict[Position, str]) -> str:
    return node.id if isinstance(node, ast.Name) else kept.get(_position(node), "")


def _is_literal(node: ast.expr) -> bool:
    """Tell whether an expression consists of literals only."""
    if not isinstance(node, _LITERALS):
        return False
    inner = (each for each in ast.walk(node) if isinstance(each, ast.expr))
    return all(isinstance(each, _LITERALS) for each in inner)


def _kept(rewritten: ast.Module) -> dict[Position, str]:
    """Return the variables of pytest's rewriting, by the span of the expression each one holds."""
    found: dict[Position, str] = {}
    for value, name in _assignments(rewritten):
        found.setdefault(_position(value), name)
    return found


def _assignments(tree: ast.Module) -> Iterator[tuple[ast.expr, str]]:
    for node in ast.walk(tree):
        match node:
            case ast.Assign([ast.Name(id=name)], value) if name.startswith(_MARK):
                yield value, name


def _position(node: ast.expr | ast.stmt) -> Position:
    line, column = node.lineno, node.col_offset
    return line, column, node.end_lineno or line, node.end_col_offset or column


def _text(node: ast.expr, lines: list[bytes]) -> str:
    """Return the text of an expression on one line; columns count bytes."""
    line, column, end_line, end_column = _position(node)
    if line == end_line:
        text = lines[line - 1][column:end_column]
    else:
        inside = lines[line : end_line - 1]
        text = b"\n".join((lines[line - 1][column:], *inside, lines[end_line - 1][:end_column]))
    return " ".join(text.decode("utf-8", "replace").split())
