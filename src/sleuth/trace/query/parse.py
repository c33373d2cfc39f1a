"""Parser of queries, by recursive descent.  Nothing of a query is ever run as code.

query      = ["first" [N] | "last" [N] | "count"] what filter*
what       = "calls" ["of" NAME] | "writes to" PATH | "moments" | "threads" | "output"
filter     = "where" condition | "in" NAME | "in thread" WHICH | "in task" WHICH
           | "at" MOMENT | "before" MOMENT | "after" MOMENT
condition  = all ("or" all)*
all        = not ("and" not)*
not        = "not" not | "(" condition ")" | comparison | "raised" [NAME]
comparison = operand [sign operand]
operand    = PATH | "end:" PATH | "len(" PATH ")" | NUMBER | TEXT | True | False | None
           | "(" literals ")"
"""

from dataclasses import replace
from difflib import get_close_matches

from sleuth.trace import path as paths
from sleuth.trace.path import RAISED, PathError
from sleuth.trace.query.mistakes import QueryError
from sleuth.trace.query.syntax import (
    END,
    All,
    Any,
    Comparison,
    Condition,
    Length,
    Literal,
    Named,
    Not,
    Operand,
    Pattern,
    Query,
    Raised,
    Several,
    Strand,
    Truth,
    about_calls,
)
from sleuth.trace.query.tokens import Token, Tokens
from sleuth.trace.values import Atom, Constant

KINDS = {
    "call": "calls",
    "write": "writes",
    "moment": "moments",
    "thread": "threads",
    "output": "output",
}
"""What can be found: one -> several."""
_WHICH = ("first", "last", "count")
_FILTERS = ("where", "in", "at", "before", "after")
_MOMENTS = ("at", "before", "after")
_SIGNS = ("==", "!=", "<", "<=", ">", ">=")
_CONSTANTS = ("True", "False", "None")
_JOINING = ("and", "or", "not", "in", "is")
_BEGIN = (
    "A query begins with calls, writes, moments, threads or output; before it may stand first, "
    "last or count"
)
_NEXT = "Here may stand where, in, at, before or after"
_OPERAND = (
    "Here must stand a path (total, self.lines[2], return), a number, a text in quotes, True, "
    "False or None"
)
_MOST_DIGITS = 4000
_DEEPEST = 50
"""Parentheses and nots inside each other."""


def parsed(query: str) -> Query:
    """Parse a query; QueryError says what is wrong, and where."""
    return _Parser(Tokens(query)).query()


class _Parser:
    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self._depth = 0

    def query(self) -> Query:
        which, number = self._which()
        begin = self._tokens.take()
        what = KINDS.get(begin.text, begin.text)
        if begin.kind != "word" or what not in KINDS.values():
            raise self._no_word(begin, _BEGIN, [*_WHICH, *KINDS.values()])
        found = Query(self._tokens.query, what, which, number)
        if what == "calls" and self._tokens.peek().text == "of":
            self._tokens.take()
            found = replace(found, of=self._pattern("the name of a function, as in calls of pay"))
        if what == "writes":
            found = replace(found, to=self._written())
        seen: set[str] = set()
        while (token := self._tokens.peek()).kind != "end":
            found = self._filtered(found, token, seen)
        if what == "moments" and found.where is None:
            raise self._wrong("A condition is missing: moments where total < 0.", token)
        at = None if what == "calls" else about_calls(found.where)
        if at is not None:
            sentence = "return, raised and end: have a meaning only for calls: calls where raised."
            raise self._tokens.wrong(sentence, at)
        return found

    def _which(self) -> tuple[str, int]:
        token = self._tokens.peek()
        if token.kind != "word" or token.text not in _WHICH:
            return "", 1
        self._tokens.take()
        if token.text != "count" and self._tokens.peek().kind == "number":
            return token.text, max(self._whole("how many, as in first 3 calls"), 1)
        return token.text, 1

    def _written(self) -> Named:
        token = self._tokens.take()
        if token.text != "to":
            raise self._wrong(
                "Here must stand to, and what is written: writes to self.total.", token
            )
        token = self._tokens.peek()
        if token.kind == "other" and token.text in "*?":
            token = self._tokens.take_pattern()
            steps = token.text.rsplit(".", 1)
            if len(steps) != 2 or not steps[1]:
                raise self._wrong("Behind the class an attribute is missing: *.total.", token)
            return Named(paths.Path(steps[0], (paths.Step("attribute", steps[1]),)), token.at)
        if token.kind != "word":
            raise self._wrong("Here must stand a path: total, self.lines[2], Order.total.", token)
        return self._named(self._tokens.take())

    # --- Filters ---------------------------------------------------------------------------------

    def _filtered(self, query: Query, token: Token, seen: set[str]) -> Query:
        if token.kind != "word" or token.text not in _FILTERS:
            raise self._no_word(token, _NEXT, _FILTERS)
        self._tokens.take()
        word = token.text
        if word != "in":
            if word in seen:
                raise self._wrong(f"There can be only one {word}; join conditions with and.", token)
            seen.add(word)
        if query.what == "threads" and word != "at":
            raise self._wrong("Behind threads only at may stand: threads at 1234.", token)
        if word == "where":
            return replace(query, where=self._condition())
        if word == "in":
            return self._within(query)
        moment = self._whole("a moment, the number of an event")
        return replace(
            query,
            at=moment if word == "at" else query.at,
            before=moment if word == "before" else query.before,
            after=moment if word == "after" else query.after,
        )

    def _within(self, query: Query) -> Query:
        token = self._tokens.peek()
        behind = self._tokens.after(token) if token.kind == "word" else token
        if token.text not in ("thread", "task") or behind.kind not in ("number", "text"):
            inside = self._pattern("the name of a function, as in: in checkout")
            return replace(query, inside=(*query.inside, inside))
        if query.strand is not None:
            raise self._wrong("There can be only one thread or task.", token)
        self._tokens.take()
        if behind.kind == "text":
            self._tokens.take()
            return replace(query, strand=Strand(token.text, behind.text, behind.at))
        number = self._whole(f"the number or the name of a {token.text}")
        return replace(query, strand=Strand(token.text, number, behind.at))

    def _pattern(self, what: str) -> Pattern:
        token = self._tokens.take_pattern()
        if not token.text:
            raise self._wrong(f"Here must stand {what}.", token)
        return Pattern(token.text, token.at)

    def _whole(self, what: str) -> int:
        token = self._tokens.take()
        digits = token.text
        if token.kind != "number" or not digits.isascii() or not digits.isdigit():
            raise self._wrong(f"Here must stand {what}.", token)
        if len(digits) > 18:
            raise self._wrong("This number is too large.", token)
        return int(digits)

    # --- Conditions ------------------------------------------------------------------------------

    def _condition(self) -> Condition:
        parts = [self._all()]
        while self._is_next("or"):
            parts.append(self._all())
        return parts[0] if len(parts) == 1 else Any(tuple(parts))

    def _all(self) -> Condition:
        parts = [self._one()]
        while self._is_next("and"):
            parts.append(self._one())
        return parts[0] if len(parts) == 1 else All(tuple(parts))

    def _one(self) -> Condition:
        token = self._tokens.peek()
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self._wrong("There are too many parentheses inside each other.", token)
        try:
            if self._is_next("not"):
                return Not(self._one())
            if token.text == "(" and token.kind == "sign":
                self._tokens.take()
                inner = self._condition()
                self._close(")", token)
                return inner
            return self._raised() if self._is_raised(token) else self._comparison()
        finally:
            self._depth -= 1

    def _is_raised(self, token: Token) -> bool:
        return token.kind == "word" and token.text == RAISED

    def _raised(self) -> Condition:
        token = self._tokens.take()
        behind = self._tokens.peek()
        if behind.kind == "sign" and behind.text in (*_SIGNS, "="):
            raise self._wrong(
                "Behind raised stands the name of a class: raised ValueError.", behind
            )
        is_name = behind.kind == "word" or behind.text in ("*", "?")
        if not is_name or behind.text in (*_FILTERS, *_JOINING):
            return Raised("", token.at)
        name = self._tokens.take_pattern()
        return Raised(name.text, name.at)

    def _comparison(self) -> Condition:
        left = self._operand()
        sign = self._sign()
        if not sign:
            return Truth(left)
        right = self._operand(is_several="in" in sign)
        parts = [Comparison(left, sign, right)]
        while self._tokens.peek().text in _SIGNS and parts[-1].sign in _SIGNS:
            sign, left = self._sign(), right
            right = self._operand()
            parts.append(Comparison(left, sign, right))
        return parts[0] if len(parts) == 1 else All(tuple(parts))

    def _sign(self) -> str:
        token = self._tokens.peek()
        if token.kind == "sign" and token.text == "=":
            raise self._wrong("Equal is written with two signs: ==.", token)
        if token.kind == "sign" and token.text in _SIGNS:
            return self._tokens.take().text
        if token.kind != "word":
            return ""
        behind = self._tokens.after(token) if token.text in ("is", "not") else None
        if token.text in ("in", "is"):
            self._tokens.take()
            if token.text == "is" and behind is not None and behind.text == "not":
                self._tokens.take()
                return "is not"
            return token.text
        if token.text == "not" and behind is not None and behind.text == "in":
            self._tokens.take()
            self._tokens.take()
            return "not in"
        return ""

    def _operand(self, *, is_several: bool = False) -> Operand:
        token = self._tokens.take()
        if token.kind == "text":
            return Literal(Atom(token.text))
        if token.kind == "number":
            return Literal(self._number(token))
        if token.text in ("(", "[") and token.kind == "sign" and is_several:
            return self._several(token)
        if token.kind != "word" or token.text in _JOINING:
            raise self._wrong(f"{_OPERAND}.", token)
        if token.text in _CONSTANTS:
            return Literal(Constant(token.text))
        if token.text == "len" and self._tokens.peek().text == "(":
            opening = self._tokens.take()
            inner = self._tokens.take()
            if inner.kind != "word":
                raise self._wrong("Here must stand a path: len(self.lines).", inner)
            found = Length(self._named(inner))
            self._close(")", opening)
            return found
        return self._named(token)

    def _several(self, opening: Token) -> Several:
        closing = ")" if opening.text == "(" else "]"
        items = []
        while True:
            token = self._tokens.peek()
            if token.text == closing and token.kind == "sign":
                break
            item = self._operand()
            if not isinstance(item, Literal):
                raise self._wrong(
                    "In a list only numbers, texts, True, False and None may stand.", token
                )
            items.append(item)
            if self._tokens.peek().text != ",":
                break
            self._tokens.take()
        self._close(closing, opening)
        return Several(tuple(items))

    def _number(self, token: Token) -> Atom:
        try:
            # A longer one would take quadratic time, or be refused.
            text = token.text if len(token.text) <= _MOST_DIGITS else ""
            return Atom(int(text) if text.lstrip("+-").isdigit() else float(text))
        except ValueError:
            raise self._wrong("This is not a number. Examples: 3, -1, 2.5, 1e6.", token) from None

    def _named(self, token: Token) -> Named:
        is_end = token.text.startswith(END)
        words = token.text.removeprefix(END)
        try:
            return Named(paths.parse(words), token.at, is_end)
        except PathError as error:
            raise self._wrong(str(error), token) from None

    # --- Mistakes --------------------------------------------------------------------------------

    def _is_next(self, word: str) -> bool:
        token = self._tokens.peek()
        if token.kind != "word" or token.text != word:
            return False
        self._tokens.take()
        return True

    def _close(self, sign: str, opening: Token) -> None:
        token = self._tokens.take()
        if token.kind != "sign" or token.text != sign:
            what = f"{opening.text} is not closed" if token.kind == "end" else f"{sign} is missing"
            raise self._wrong(f"{what}; and, or may join conditions.", token)

    def _wrong(self, sentence: str, token: Token) -> QueryError:
        return self._tokens.wrong(sentence, token.at)

    def _no_word(
        self, token: Token, sentence: str, known: "list[str] | tuple[str, ...]"
    ) -> QueryError:
        near = get_close_matches(token.text, known, n=1) if token.kind == "word" else []
        hint = f" Did you mean {near[0]}?" if near else ""
        return self._wrong(f"{sentence}.{hint}", token)
