"""Paths to values, as shown and typed by users: `self.lines[2].price`.

    path  = start step*
    start = name | "return" | "raised" | "stdout" "[" line "]" | "global:" name
    step  = "." name | "[" key "]"
    key   = a number, a quoted text, or any other key as it is shown

A name that is no plain word is written in quotes.  `len(path)`, the notation for a change of
length, means the path itself.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from sleuth.errors import UsageError
from sleuth.trace.values import Atom, escaped

GLOBAL = "global:"
RETURN = "return"
RAISED = "raised"
STDOUT = "stdout"
_EXAMPLES = "total, self.lines[2], prices['tea'], return, raised, stdout[1], global:shop.RATE"
_CLOSING = {"(": ")", "[": "]", "{": "}", "<": ">"}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"'}
_CODES = {"x": 2, "u": 4, "U": 8}


class PathError(UsageError):
    """A path can't be parsed, or leads to nothing."""

    def __init__(self, sentence: str) -> None:
        # The message may quote anything from the trace, so it is escaped.
        super().__init__(escaped(sentence))


class NotKnownThere(PathError):
    """A path may lead to something, but the trace does not tell."""


class NoOwnAttribute(NotKnownThere):
    """An object has no attribute of that name itself; its class may have it."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step from an object into it."""

    kind: str
    """attribute or item"""
    text: str
    """The attribute's name; the key as it is shown."""

    def __str__(self) -> str:
        return f".{name_text(self.text)}" if self.kind == "attribute" else f"[{self.text}]"


@dataclass(frozen=True, slots=True)
class Path:
    """A way to a value."""

    start: str
    """A variable's name, `return`, `raised`, `stdout`."""
    steps: tuple[Step, ...] = ()
    is_global: bool = False
    """Whether the first names are those of a module and its variable."""

    def __str__(self) -> str:
        start = GLOBAL if self.is_global else ""
        return f"{start}{name_text(self.start)}{''.join(map(str, self.steps))}"


def name_text(name: str) -> str:
    """Return a name as written in a path."""
    return name if _is_plain(name) else key_text(name)


def key_text(content: str) -> str:
    """Return a text as written in a path: quoted, whole, safe to print."""
    quote = '"' if "'" in content and '"' not in content else "'"
    inside = content.replace("\\", "\\\\").replace(quote, f"\\{quote}")
    return f"{quote}{escaped(inside)}{quote}"


def parse(text: str) -> Path:
    """Parse a path; PathError says what is wrong with the text."""
    words = text.strip()
    for before in ("len(", "order("):
        if words.startswith(before) and words.endswith(")"):
            words = words[len(before) : -1]
    if not words:
        raise PathError(f"A path is missing. Examples: {_EXAMPLES}")
    is_global = words.startswith(GLOBAL)
    reader = _Reader(words, len(GLOBAL) if is_global else 0)
    start = reader.name("a path begins with a name")
    steps = tuple(reader.steps())
    return Path(start, steps, is_global)


def text_of(key: str) -> str | None:
    """Return the text of a quoted key; None: it is not quoted."""
    if len(key) < 2 or key[0] not in "'\"" or key[-1] != key[0]:
        return None
    reader = _Reader(key, 0)
    content = reader.quoted()
    return content if reader.at == len(key) else None


def literal(key: str) -> Atom | None:
    """Return the number or text of a key; None: it is something else."""
    content = text_of(key)
    if content is not None:
        return Atom(content)
    digits = key.removeprefix("-")
    # Longer numbers are compared by their text.
    if digits.isascii() and digits.isdigit() and len(digits) < 4000:
        return Atom(int(key))
    return None


def _is_plain(name: str) -> bool:
    return bool(name) and name.isprintable() and not any(sign in " .[]'\"()" for sign in name)


class _Reader:
    """Reads a path from left to right."""

    def __init__(self, words: str, at: int) -> None:
        self.words = words
        self.at = at

    def wrong(self, what: str) -> PathError:
        done = escaped(self.words[: self.at])
        behind = f" after {done}" if done else ""
        return PathError(
            f"{escaped(self.words)} is not a path: {what}{behind}. Examples: {_EXAMPLES}"
        )

    def name(self, expected: str) -> str:
        if self.words[self.at : self.at + 1] in ("'", '"'):
            return self.quoted()
        start = self.at
        while self.at < len(self.words) and self.words[self.at] not in ".['\"":
            self.at += 1
        name = self.words[start : self.at]
        if not _is_plain(name):
            self.at = start
            raise self.wrong(expected)
        return name

    def steps(self) -> Iterator[Step]:
        while self.at < len(self.words):
            sign = self.words[self.at]
            if sign == ".":
                self.at += 1
                yield Step("attribute", self.name("a name must follow the dot"))
            elif sign == "[":
                yield Step("item", self._key())
            else:
                raise self.wrong("a . or [ must follow")

    def quoted(self) -> str:
        quote = self.words[self.at]
        found = []
        at = self.at + 1
        while at < len(self.words) and self.words[at] != quote:
            sign = self.words[at]
            at += 1
            if sign == "\\":
                sign, at = self._escape(at)
            found.append(sign)
        if at >= len(self.words):
            raise self.wrong(f"the {quote} is not closed")
        self.at = at + 1
        return "".join(found)

    def _escape(self, at: int) -> tuple[str, int]:
        sign = self.words[at : at + 1]
        if sign in _CODES:
            digits = self.words[at + 1 : at + 1 + _CODES[sign]]
            try:
                return chr(int(digits, 16)), at + 1 + _CODES[sign]
            except (ValueError, OverflowError):
                raise self.wrong(f"\\{sign} needs {_CODES[sign]} digits in base 16") from None
        return _ESCAPES.get(sign, f"\\{sign}"), at + 1

    def _key(self) -> str:
        """Read up to the closing bracket; brackets inside the key come in pairs."""
        start = self.at + 1
        open_signs = ["]"]
        at = start
        while at < len(self.words):
            sign = self.words[at]
            if sign in "'\"":
                self.at = at
                self.quoted()
                at = self.at
                continue
            if sign in _CLOSING:
                open_signs.append(_CLOSING[sign])
            elif sign == open_signs[-1]:
                open_signs.pop()
                if not open_signs:
                    break
            at += 1
        self.at = at
        if open_signs:
            self.at = start - 1
            raise self.wrong("the [ is not closed")
        key = self.words[start:at].strip()
        self.at = at + 1
        if not key:
            raise self.wrong("between [ and ] a number or a key is missing")
        return key
