"""Source text as blocks: a line, and the lines below it that are indented more.

A trace has the text of a function but not its syntax.  Almost all code is indented by its
structure, and the words that leave a block or begin an alternative are the same in most languages:
that is all that is presumed here.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

LEAVES_CALL = frozenset({"return", "raise", "throw"})
LEAVES_TURN = frozenset({"break", "continue"})
OTHERWISE = frozenset({"elif", "else", "elseif", "elsif", "except", "catch", "case", "finally"})
_WORD = re.compile(r"\s*(?:}\s*)?(\w*)")
_DEEPEST = 100
"""Lines that are indented more often than this count as being on this level."""


@dataclass(slots=True)
class Item:
    """A line and the block below it."""

    line: int
    indentation: int
    word: str
    """The first word of the line."""
    is_code: bool
    """False: it only introduces its block, as `else` does."""
    block: "list[Item]" = field(default_factory=list)


def blocks(
    source: Sequence[str],
    first: int,
    last: int,
    code: frozenset[int],
    heads: Mapping[int, int] = MappingProxyType({}),
) -> list[Item]:
    """Return the lines from first to last that have code, each with the block below it.

    `heads` says of lines where a head that begins there ends: the lines up to that stand in its
    block, however they are indented.
    """
    top: list[Item] = []
    around: list[Item] = []
    for item in _items(source, first, last, code):
        if around and item.line <= heads.get(around[-1].line, 0):
            around[-1].block.append(item)
            continue
        while around and around[-1].indentation >= item.indentation:
            around.pop()
        into = around[-1].block if around else top
        if not item.is_code and not _follows_block(into):
            continue
        into.append(item)
        if len(around) < _DEEPEST:
            around.append(item)
    return [item for item in top if item.is_code or item.block]


def _follows_block(siblings: list[Item]) -> bool:
    """Whether an alternative can stand here: a comment between header and block is none."""
    return bool(siblings and siblings[-1].block)


def _items(source: Sequence[str], first: int, last: int, code: frozenset[int]) -> list[Item]:
    found = []
    for line in range(max(first, 1), min(last, len(source)) + 1):
        text = source[line - 1].expandtabs()
        if not text.strip():
            continue
        match = _WORD.match(text)
        word = match.group(1) if match else ""
        if line in code or word in OTHERWISE:
            indentation = len(text) - len(text.lstrip())
            found.append(Item(line, indentation, word, line in code))
    return found
