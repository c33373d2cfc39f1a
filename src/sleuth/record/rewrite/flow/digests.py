"""Digests of code that ignore comments, docstrings, annotations and layout.

One walk over the tree, without recursion: a long chain of operators is a deep tree.  Each function,
class, lambda and generator expression, and each statement directly in the body of a module or a
class, is a *piece*: a list of words.  In the words of a piece, an inner piece is represented by its
digest.  Empty fields are left out, so that a later version of Python with more fields gives the
same digests.
"""

import ast
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import Any

from sleuth.record.rewrite.flow.statements import is_text

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_EXPRESSIONS = (ast.Lambda, ast.GeneratorExp)
_UNTOLD = frozenset({"annotation", "returns", "ctx", "kind", "type_comment", "type_ignores"})
_BYTES = 8
_BYTES_OF_STATEMENT = 6
_FUNCTION = "function"
"""The word for a function in the body of a module or class: the function has its own digest."""


class Piece:
    """A piece of code that gets a digest; see the module's docstring."""

    __slots__ = ("body", "inner", "is_body", "node", "statements", "words")

    def __init__(self, node: ast.AST, *, is_body: bool, body: "Piece | None" = None) -> None:
        self.node = node
        self.is_body = is_body
        """Whether the digest leaves out functions in the piece."""
        self.body = self if body is None else body
        """Of a statement: the body that it stands in; else the piece itself."""
        self.words: list[str | tuple[Piece, bool]] = []
        """Words, and inner pieces; the flag says whether the functions in the inner piece count."""
        self.inner: list[Piece] = []
        """The functions that the digest leaves out, and inner classes."""
        self.statements: list[Piece] = []
        """Of the body of a module or class: its statements that are no definitions."""


class Digests:
    """The pieces of a module, outer ones first, and their digests."""

    def __init__(self, tree: ast.Module) -> None:
        self.pieces: list[Piece] = []
        self._work: list[tuple[ast.AST, Piece]] = []
        self._found: dict[int, str] = {}
        self._whole: dict[int, str] = {}
        self.module = self._add(Piece(tree, is_body=True))
        self._add_body(tree.body, self.module)
        self._walk()
        for piece in reversed(self.pieces):
            self._settle(piece)

    def of(self, pieces: Iterable[Piece]) -> str:
        """Return the digest of a piece, or one digest for several pieces."""
        found = [self._found[id(piece)] for piece in pieces]
        return found[0] if len(found) == 1 else _hashed(found)

    def of_statements(self, piece: Piece) -> Iterator[tuple[ast.stmt, str]]:
        """Yield the statements of a module's or class's body, each with its digest."""
        for each in piece.statements:
            assert isinstance(each.node, ast.stmt)  # noqa: S101 - by `_add_body`
            yield each.node, self._found[id(each)]

    def _add(self, piece: Piece) -> Piece:
        self.pieces.append(piece)
        return piece

    def _settle(self, piece: Piece) -> None:
        """Compute the digest of a piece, after those of its inner pieces."""
        words = [
            each
            if isinstance(each, str)
            else (self._whole if each[1] else self._found)[id(each[0])]
            for each in piece.words
        ]
        is_statement = piece.body is not piece
        found = _hashed(words, _BYTES_OF_STATEMENT if is_statement else _BYTES)
        self._found[id(piece)] = self._whole[id(piece)] = found
        if piece.inner:
            self._whole[id(piece)] = _hashed([found, *(self._whole[id(e)] for e in piece.inner)])

    # --- The walk --------------------------------------------------------------------------------

    def _walk(self) -> None:
        work = self._work
        while work:
            node, piece = work.pop()
            if isinstance(node, ast.Name):
                piece.words.append(f"Name {node.id}")
            elif isinstance(node, ast.Constant):
                piece.words.append(f"Constant {node.value!r}")
            elif isinstance(node, ast.Attribute):
                piece.words.append(f"Attribute {node.attr}")
                work.append((node.value, piece))
            elif isinstance(node, FUNCTIONS):
                self._function(node, piece)
            elif isinstance(node, ast.ClassDef):
                self._class(node, piece)
            elif isinstance(node, _EXPRESSIONS):
                inner = self._add(Piece(node, is_body=False))
                piece.words.append((inner, False))
                self._tell(node, inner)
            elif isinstance(node, ast.JoinedStr):
                # Some versions of Python have empty texts behind formatted values, others don't.
                self._tell(
                    node, piece, values=[each for each in node.values if not _is_empty(each)]
                )
            else:
                self._tell(node, piece)

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, around: Piece) -> None:
        piece = self._add(Piece(node, is_body=False))
        if around.is_body:
            around.words.append(_FUNCTION)
            around.body.inner.append(piece)
        else:
            around.words.append((piece, True))
        self._tell(node, piece, body=_without_docstring(node.body))

    def _class(self, node: ast.ClassDef, around: Piece) -> None:
        piece = self._add(Piece(node, is_body=True))
        around.words.append((piece, not around.is_body))
        if around.is_body:
            around.body.inner.append(piece)
        self._tell(node, piece, body=[])
        self._add_body(node.body, piece)

    def _add_body(self, statements: list[ast.stmt], body: Piece) -> None:
        """Make a piece of each statement of a body; a definition becomes one in the walk."""
        later: list[tuple[ast.AST, Piece]] = []
        for position, node in enumerate(statements):
            if isinstance(node, ast.Pass) or (not position and is_text(node)):
                continue  # `pass` and docstrings don't count
            if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
                later.append((node, body))
            else:
                piece = self._add(Piece(node, is_body=True, body=body))
                body.statements.append(piece)
                body.words.append((piece, False))
                later.append((node, piece))
        self._work += reversed(later)

    def _tell(self, node: ast.AST, piece: Piece, **instead: Sequence[ast.AST]) -> None:
        """Append a word with a node's class and fields; its child nodes follow as further words.

        `instead` has the values that replace those of some fields.
        """
        words = [node.__class__.__name__]
        inside: list[ast.AST] = []
        for name in _told_fields(node):
            value: Any = instead[name] if name in instead else getattr(node, name, None)
            if value is None or value == []:
                continue
            words.append(name)
            if isinstance(value, list):
                words.append(_members(value, inside))
            elif not isinstance(value, ast.AST):
                words.append(repr(value))
            elif value._fields:
                inside.append(value)
            else:
                words.append(value.__class__.__name__)
        piece.words.append(" ".join(words))
        self._work += [(each, piece) for each in reversed(inside)]


def _told_fields(node: ast.AST) -> tuple[str, ...]:
    kind = node.__class__
    found = _FIELDS.get(kind)
    if found is None:
        found = _FIELDS[kind] = tuple([name for name in node._fields if name not in _UNTOLD])
    return found


_FIELDS: dict[type[ast.AST], tuple[str, ...]] = {}


def _members(values: list[Any], inside: list[ast.AST]) -> str:
    """Return the members of a list as text: `*` for a child node, which is added to `inside`."""
    told = []
    for value in values:
        if not isinstance(value, ast.AST):
            told.append(repr(value))
        elif value._fields:
            inside.append(value)
            told.append("*")
        else:
            told.append(value.__class__.__name__)
    return ",".join(told)


def _is_empty(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == ""


def _without_docstring(body: list[ast.stmt]) -> list[ast.stmt]:
    return (body[1:] or [ast.Pass()]) if body and is_text(body[0]) else body


def _hashed(words: list[str], size: int = _BYTES) -> str:
    text = "\n".join(words).encode("utf-8", "surrogatepass")
    return blake2b(text, digest_size=size).hexdigest()
