"""QueryError: a mistake in a query, shown with a caret below the column where it is."""

import unicodedata

from sleuth.errors import UsageError
from sleuth.trace.values import escaped

_ROOM = 70
"""Columns of the query that are shown."""


class QueryError(UsageError):
    """A query can't be carried out as it is written."""

    def __init__(self, sentence: str, query: str, at: int) -> None:
        """Take what is wrong, the query, and the index of the first character that is wrong."""
        self.sentence = escaped(sentence)
        self.query = query
        self.column = min(max(at, 0), len(query)) + 1
        """Where the mistake is, from 1; behind the last character if something is missing."""
        super().__init__(f"{self.sentence}\n{_pointed_at(query, self.column - 1)}")


def _pointed_at(query: str, at: int) -> str:
    """Return two lines: the query around an index, and a caret below it."""
    start = 0 if at <= _ROOM - 10 else at - _ROOM // 2
    before = "..." if start else ""
    before += escaped(query[start:at])
    behind = escaped(query[at:])
    room = max(_ROOM - len(before), 10)
    if len(behind) > room:
        behind = f"{behind[: room - 3]}..."
    return f"  {before}{behind}\n  {' ' * sum(map(_width, before))}^"


def _width(sign: str) -> int:
    """Return the columns of a character on a terminal, so that the caret stands below it."""
    if unicodedata.category(sign) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(sign) in ("W", "F") else 1
