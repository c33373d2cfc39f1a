"""The head of a function as its source says it: how parameters are passed, what is annotated."""

import io
import tokenize
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple

_OPENING, _CLOSING = "([{", ")]}"


class Passing(Enum):
    """How an argument is written where the function is called."""

    BY_PLACE = "by place"
    BY_NAME = "by name"
    ALL_PLACES = "all further places"
    """`*args`"""
    ALL_NAMES = "all further names"
    """`**kwargs`"""


@dataclass(slots=True)
class Parameter:
    """One parameter."""

    name: str
    passing: Passing
    annotation: str = ""
    default: str = ""


@dataclass(slots=True)
class Head:
    """What stands between `def` and the colon."""

    parameters: dict[str, Parameter] = field(default_factory=dict)
    returns: str = ""
    """The annotation of the result."""


class _Token(NamedTuple):
    text: str
    kind: int
    depth: int
    """How many brackets are open around it: 1 is between those of the parameters."""


def head(lines: Sequence[str]) -> Head | None:
    """Read the head of a function from its lines, decorators included; None: there is none."""
    tokens = _tokens(lines)
    if not tokens:
        return None
    found = Head(returns=_returns(tokens))
    then = Passing.BY_PLACE
    for piece in _pieces(tokens):
        stars = piece[0].text if piece[0].text in ("*", "**") else ""
        named = piece[1:] if stars else piece
        if stars == "*":
            then = Passing.BY_NAME
        if named and named[0].kind == tokenize.NAME:
            passing = {"*": Passing.ALL_PLACES, "**": Passing.ALL_NAMES}.get(
                stars, Passing.BY_PLACE if then is Passing.BY_PLACE else Passing.BY_NAME
            )
            found.parameters[named[0].text] = _parameter(named, passing)
    return found


def _parameter(tokens: Sequence[_Token], passing: Passing) -> Parameter:
    parts: dict[str, list[str]] = {":": [], "=": []}
    part: list[str] = []
    for token in tokens[1:]:
        if token.depth == 1 and token.text in parts:
            part = parts[token.text]
        else:
            part.append(token.text)
    return Parameter(tokens[0].text, passing, "".join(parts[":"]), "".join(parts["="]))


def _pieces(tokens: Sequence[_Token]) -> list[list[_Token]]:
    """Part the parameters at their commas."""
    pieces: list[list[_Token]] = [[]]
    for token in tokens:
        if token.depth < 1:
            continue
        if token.depth == 1 and token.text == ",":
            pieces.append([])
        else:
            pieces[-1].append(token)
    return [piece for piece in pieces if piece]


def _returns(tokens: Sequence[_Token]) -> str:
    outside = [token.text for token in tokens if token.depth < 1]
    return "".join(outside[outside.index("->") + 1 :]) if "->" in outside else ""


def _tokens(lines: Sequence[str]) -> list[_Token]:
    """Return what stands behind the name, up to the colon; tokens outside have depth 0 or less."""
    source = io.StringIO("\n".join(lines) + "\n")
    found: list[_Token] = []
    depth = 0
    is_def = is_begun = False
    ignored = (tokenize.NL, tokenize.NEWLINE, tokenize.COMMENT, tokenize.INDENT)
    is_over = False
    try:
        for token in tokenize.generate_tokens(source.readline):
            if token.type in ignored:
                continue
            if not is_def:
                is_def = token.string == "def"
                continue
            is_sign = token.type == tokenize.OP
            if not is_begun:
                # Type parameters stand in brackets of their own, before.
                depth += (token.string == "[") - (token.string == "]") if is_sign else 0
                is_begun = is_sign and token.string == "(" and depth == 0
                depth += is_begun
                continue
            if is_sign and token.string in _CLOSING:
                depth -= 1
                is_over = is_over or depth == 0
            if is_sign and depth == 0 and token.string == ":":
                return found
            # Brackets of an annotation behind the arrow are outside, too.
            found.append(_Token(token.string, token.type, 0 if is_over else depth))
            depth += is_sign and token.string in _OPENING
    except (tokenize.TokenError, SyntaxError):
        pass  # what follows the head may be cut
    return []
