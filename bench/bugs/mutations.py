"""Mutations: small changes of expressions, such as `<` to `<=`."""

import ast
from collections.abc import Iterator

SWAPS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.FloorDiv: ast.Mult,
    ast.And: ast.Or, ast.Or: ast.And,
}  # fmt: skip


def changes(tree: ast.Module) -> Iterator[tuple[str, ast.expr, str]]:
    """Yield expressions on one line, the function they are in, and what to write instead."""
    waiting: list[tuple[ast.AST, str]] = [(tree, "")]
    while waiting:
        node, inside = waiting.pop()
        for child in ast.iter_child_nodes(node):
            name = inside
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                name = f"{inside}{child.name}.<locals>."
            elif isinstance(child, ast.ClassDef):
                name = f"{inside}{child.name}."
            waiting.append((child, name))
            is_inside = inside.endswith(".<locals>.") and isinstance(child, ast.expr)
            if is_inside and child.lineno == child.end_lineno:
                for now in _instead(child):
                    yield inside.removesuffix(".<locals>."), child, now


def _instead(node: ast.expr) -> Iterator[str]:
    match node:
        case ast.Compare(ops=[op]) if type(op) in SWAPS:
            yield ast.unparse(ast.Compare(node.left, [SWAPS[type(op)]()], node.comparators))
        case ast.BinOp(op=op) if type(op) in SWAPS:
            yield ast.unparse(ast.BinOp(node.left, SWAPS[type(op)](), node.right))
        case ast.BoolOp(op=op):
            yield ast.unparse(ast.BoolOp(SWAPS[type(op)](), node.values))
        case ast.Constant(value=bool() as value):
            yield repr(not value)
        case ast.Constant(value=int() as value):
            yield repr(value + 1)
        case ast.UnaryOp(op=ast.Not()):
            yield ast.unparse(node.operand)
