"""Tokens of a query, read as the parser needs them: what a name is depends on where it stands."""

from dataclasses import dataclass

from sleuth.trace.path import PathError, text_of
from sleuth.trace.query.mistakes import QueryError

_SIGNS = ("==", "!=", "<=", ">=", "<", ">", "(", ")", "[", "]", ",", "=")
_CLOSING = {"(": ")", "[": "]", "{": "}"}


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the query."""

    kind: str
    """word (also a path), number, text, sign, end; other: it can't begin anything"""
    text: str
    at: int
    """The index of its first character."""
    until: int


class Tokens:
    """A query, read from left to right."""

    def __init__(self, query: str) -> None:
        self.query = query
        self._at = 0

    def wrong(self, sentence: str, at: int) -> QueryError:
        """Return a mistake at an index."""
        return QueryError(sentence, self.query, at)

    def peek(self) -> Token:
        """Return the next token; it stays the next one."""
        return self._token(self._space(self._at))

    def after(self, token: Token) -> Token:
        """Return the token behind another one."""
        return self._token(self._space(token.until))

    def take(self) -> Token:
        """Return the next token, and go on behind it."""
        found = self.peek()
        self._at = found.until
        return found

    def take_pattern(self) -> Token:
        """Read a name up to the next space; in quotes it may contain spaces."""
        start = self._space(self._at)
        if self.query[start : start + 1] in ("'", '"'):
            found = self._quoted(start)
        else:
            end = start
            while end < len(self.query) and not self.query[end].isspace():
                end += 1
            # A closing parenthesis ends it: (raised ValueError).
            while end > start and self.query[end - 1] in "),":
                end -= 1
            found = Token("word", self.query[start:end], start, end)
        self._at = found.until
        return found

    def _space(self, at: int) -> int:
        while at < len(self.query) and self.query[at].isspace():
            at += 1
        return at

    def _token(self, start: int) -> Token:
        if start >= len(self.query):
            return Token("end", "", len(self.query), len(self.query))
        sign = self.query[start]
        if sign in "'\"":
            return self._quoted(start)
        if _is_number(self.query, start):
            return self._number(start)
        if _begins_name(sign):
            return self._word(start)
        for each in _SIGNS:
            if self.query.startswith(each, start):
                return Token("sign", each, start, start + len(each))
        return Token("other", sign, start, start + 1)

    def _quoted(self, start: int) -> Token:
        end = self._quote_end(start)
        try:
            content = text_of(self.query[start:end])
        except PathError:
            content = None
        if content is None:
            raise self.wrong("This text can't be read: \\x needs two digits in base 16.", start)
        return Token("text", content, start, end)

    def _quote_end(self, start: int) -> int:
        quote, at = self.query[start], start + 1
        while at < len(self.query) and self.query[at] != quote:
            at += 2 if self.query[at] == "\\" else 1
        if at >= len(self.query):
            raise self.wrong(f"This {quote} is not closed.", start)
        return at + 1

    def _number(self, start: int) -> Token:
        end = start + 1
        while end < len(self.query) and (
            _is_part(self.query[end])
            or self.query[end] == "."
            or (self.query[end] in "+-" and self.query[end - 1] in "eE")
        ):
            end += 1
        return Token("number", self.query[start:end], start, end)

    def _word(self, start: int) -> Token:
        """Read a name and the steps of a path behind it: `self.lines[2].price`, `global:a.B`."""
        end = self._name_end(start)
        while end < len(self.query):
            sign = self.query[end]
            if sign == ":" and end + 1 < len(self.query) and _begins_name(self.query[end + 1]):
                end = self._name_end(end + 1)
            elif sign == "." and end + 1 < len(self.query) and self.query[end + 1] in "'\"":
                end = self._quote_end(end + 1)
            elif sign == ".":
                end = self._name_end(end + 1)
            elif sign == "[":
                end = self._bracket_end(end)
            else:
                break
        return Token("word", self.query[start:end], start, end)

    def _name_end(self, at: int) -> int:
        while at < len(self.query) and _is_part(self.query[at]):
            at += 1
        return at

    def _bracket_end(self, start: int) -> int:
        """Return the end of a key; brackets inside come in pairs, and quotes hide them."""
        expected, at = [], start
        while at < len(self.query):
            sign = self.query[at]
            if sign in "'\"":
                at = self._quote_end(at)
                continue
            if sign in _CLOSING:
                expected.append(_CLOSING[sign])
            elif sign == expected[-1]:
                expected.pop()
            at += 1
            if not expected:
                return at
        raise self.wrong("This [ is not closed.", start)


def _begins_name(sign: str) -> bool:
    return sign == "_" or sign.isalpha()


def _is_part(sign: str) -> bool:
    return sign == "_" or sign.isalnum()


def _is_number(query: str, at: int) -> bool:
    """Whether a number begins here; a sign or a dot may come before its digits."""
    rest = query[at : at + 3]
    digits = rest[1:] if rest[0] in "+-" else rest
    digits = digits[1:] if digits[:1] == "." else digits
    return digits[:1].isascii() and digits[:1].isdigit()
