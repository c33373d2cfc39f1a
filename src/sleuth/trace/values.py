"""Recorded values, and how they are shown as text that is safe to print.

A value is an atom (its content is known), a reference to an object, or a placeholder: cut, not
kept, absent.  Nothing here is invented or evaluated.
"""

from dataclasses import dataclass
from typing import Any

_MOST_DIGITS_BITS = 10_000
"""Longer integers are shown in base 16, as base 10 takes quadratic time."""


@dataclass(frozen=True, slots=True)
class Absent:
    """The lack of a value."""


@dataclass(frozen=True, slots=True)
class Constant:
    """One of the language's constants, by name."""

    name: str


@dataclass(frozen=True, slots=True)
class Atom:
    """A complete integer, float, complex number, text or bytes."""

    content: int | float | complex | str | bytes

    def __eq__(self, other: object) -> bool:
        # 1 and 1.0, -0.0 and 0.0 are equal numbers but different values; a nan equals itself.
        return isinstance(other, Atom) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[type, object]:
        content = self.content
        return type(content), repr(content) if isinstance(content, float | complex) else content


@dataclass(frozen=True, slots=True)
class Cut:
    """A text, bytes or integer that was too long to keep."""

    kind: str
    """text, bytes or integer"""
    length: int
    """The full length: characters, bytes or bits."""
    hash: int
    kept: str | bytes | None
    """Its beginning; None for integers."""
    is_negative: bool = False


@dataclass(frozen=True, slots=True)
class Ref:
    """An object, by type name and number; `meta.identity` says whether numbers are reused."""

    type_name: str
    id: int


@dataclass(frozen=True, slots=True)
class NotKept:
    """A value that was not kept, and why."""

    reason: str


Value = Absent | Constant | Atom | Cut | Ref | NotKept

ABSENT = Absent()

PART_KINDS = (
    "",
    "sequence",
    "mapping",
    "set",
    "attributes",
    "cell",
    "bytes",
    "summary",
    "value",
)
"""Kinds of parts of an object; the index is the number in the stream."""


@dataclass(frozen=True, slots=True)
class Part:
    """One part of what an object contains at a moment."""

    kind: str
    """One of PART_KINDS."""
    items: tuple[Value, ...]
    """The known items in order; for a truncated sequence the first ones."""
    full_length: int
    """The number of items; it can be more than are known."""
    keys: tuple[Value, ...] = ()
    """For a mapping, attributes and a summary: the key of each item."""
    is_complete: bool = True
    """Whether all items are known."""
    digest: int | None = None
    """A hash of all items, if not all are known; None: not known at that moment."""

    @property
    def pairs(self) -> tuple[tuple[Value, Value], ...]:
        """Keys with their items."""
        return tuple(zip(self.keys, self.items, strict=True))


@dataclass(frozen=True, slots=True)
class Shape:
    """The known contents of one object at one moment."""

    type_name: str
    parts: tuple[Part, ...]
    """At most one of each kind."""
    is_sure: bool = True
    """False: unrecorded code may have changed it since the last look."""
    is_probable: bool = False
    """Whether it is only probably the same object as an earlier one with this number."""

    def part(self, kind: str) -> Part | None:
        """Return the part of that kind."""
        return next((part for part in self.parts if part.kind == kind), None)

    @property
    def is_complete(self) -> bool:
        """Whether nothing of it was cut."""
        return all(part.is_complete for part in self.parts)


def from_wire(fields: tuple[Any, ...], constants: tuple[str, ...]) -> Value:
    """Make a value from the tag and fields that `_core.decode` returns."""
    tag = fields[0]
    if tag in (2, 4, 5, 6, 7):
        return Atom(fields[1])
    if tag == 10:
        return Ref(fields[1], fields[2])
    if tag == 0:
        return ABSENT
    if tag == 1:
        number: int = fields[1]
        known = number < len(constants)
        return Constant(constants[number]) if known else NotKept(f"unknown constant {number}")
    if tag == 8:
        _, is_bytes, is_cut, length, digest, kept = fields
        return Cut("bytes" if is_bytes else "text", length, digest, kept) if is_cut else Atom(kept)
    if tag == 12:
        return Cut("integer", fields[1], fields[3], None, fields[2])
    return NotKept(fields[1])


def escaped(text: str) -> str:
    """Return the text with all unprintable characters escaped: safe for a terminal."""
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else repr(character)[1:-1] for character in text
    )


def escaped_lines(text: str) -> str:
    """Return the text with each line escaped."""
    return "\n".join(map(escaped, text.split("\n")))


def shown(value: Value, *, width: int = 60) -> str:
    """Return the value as one line of at most about `width` characters."""
    match value:
        case Absent():
            return ""
        case Constant(name):
            return escaped(name)
        case Atom(content):
            return _atom(content, width)
        case Ref(type_name, identity):
            return _ref(escaped(type_name), identity, width)
        case NotKept(reason):
            return f"<not recorded: {escaped(reason)}>"
        case Cut("integer", bits, _, _, is_negative):
            return f"<{'negative ' if is_negative else ''}integer of {bits:,} bits, cut>"
        case Cut(kind, length, _, kept):
            unit = "bytes" if kind == "bytes" else "characters"
            return f"{(kept or '')[:width]!r}... <cut: {length:,} {unit}>"
    raise AssertionError(value)


def _ref(type_name: str, identity: int, width: int) -> str:
    """Return as much as fits, at least the type."""
    last = type_name.rpartition(".")[2]
    for words in (f"<{type_name} #{identity}>", f"<{last} #{identity}>"):
        if len(words) <= width:
            return words
    return f"<{last}>"


def _atom(content: complex | str | bytes, width: int) -> str:
    if isinstance(content, str | bytes) and len(content) > width:
        unit = "bytes" if isinstance(content, bytes) else "characters"
        return f"{content[:width]!r}... <{len(content):,} {unit}>"
    if isinstance(content, int) and content.bit_length() > _MOST_DIGITS_BITS:
        return f"{hex(content)[: max(width, 8)]}... <{content.bit_length():,} bits>"
    digits = repr(content)
    if isinstance(content, int) and len(digits) > width:
        return f"{digits[:width]}... <{len(digits):,} digits>"
    return digits
