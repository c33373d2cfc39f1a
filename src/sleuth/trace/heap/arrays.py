"""Arrays and tables: the facts in their summary, and the positions of their items.

The recorder writes the items of an array one after the other, and facts about them.  Facts about a
table's columns have numbers (`least 1`); here they get the columns' names: `least of price`.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from sleuth.trace.path import key_text, text_of
from sleuth.trace.values import Atom, Part, Shape, Value

_COLUMN = "column"
_OF_COLUMNS = ("dtype", "least", "greatest", "nan", "items")
_DERIVED = ("least", "greatest", "nan")
"""Facts that can be computed from the items."""
HASH = "hash"


def named_facts(keys: Sequence[Value], values: Sequence[Value]) -> tuple[Value, ...]:
    """Return the names of facts, with the names of columns instead of their numbers."""
    names = {
        number: str(value.content)
        for key, value in zip(keys, values, strict=True)
        if (number := _number(key, _COLUMN)) is not None and isinstance(value, Atom)
    }
    counts = Counter(names.values())
    found = []
    for key in keys:
        fact = next((word for word in _OF_COLUMNS if _number(key, word) is not None), None)
        if fact is None:
            found.append(key)
            continue
        number = _number(key, fact) or 0
        name = names.get(number)
        is_clear = name is not None and counts[name] == 1
        found.append(Atom(f"{fact} of {name}" if is_clear else f"{fact} of column {number}"))
    return tuple(found)


def _number(key: Value, word: str) -> int | None:
    content = key.content if isinstance(key, Atom) else None
    if not isinstance(content, str) or not content.startswith(f"{word} "):
        return None
    digits = content[len(word) + 1 :]
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 9 else None


@dataclass(frozen=True, slots=True)
class Layout:
    """The positions of the items of an array or a table."""

    lengths: tuple[int, ...]
    """The length of each dimension."""
    columns: tuple[str, ...] | None
    """The columns of a table as written in a path; None: it is no table."""

    def key(self, number: int) -> str | None:
        """Return the text between the brackets for an item; None: there is no such item."""
        if self.columns is not None:
            row, column = divmod(number, max(len(self.columns), 1))
            return f"{row}, {self.columns[column]}" if column < len(self.columns) else None
        places = []
        for length in reversed(self.lengths):
            number, place = divmod(number, max(length, 1))
            places.append(str(place))
        return None if number else ", ".join(reversed(places)) or "()"

    def position(self, key: str) -> int | None:
        """Return the number of the item for a key; None: there is no such item."""
        words = [word.strip() for word in key.split(",", len(self.lengths) - 1)]
        if self.columns is not None:
            row, _, column = (word.strip() for word in key.partition(","))
            text = text_of(column)
            column = column if text is None else key_text(text)
            if not _is_digits(row) or column not in self.columns:
                return None
            return int(row) * len(self.columns) + self.columns.index(column)
        if not self.lengths:
            return 0 if key == "()" else None
        if len(words) != len(self.lengths):
            return None
        number = 0
        for word, length in zip(words, self.lengths, strict=True):
            place = int(word) if _is_digits(word.removeprefix("-")) else length
            place += length if place < 0 else 0
            if not 0 <= place < length:
                return None
            number = number * length + place
        return number


def _is_digits(word: str) -> bool:
    return word.isascii() and word.isdigit() and len(word) < 19


def layout(shape: Shape) -> Layout | None:
    """Return the layout of an object's items; None: it is neither an array nor a table."""
    summary, items = shape.part("summary"), shape.part("sequence")
    lengths = None if summary is None else _lengths(fact(summary, "shape"))
    if summary is None or lengths is None:
        return None
    names = {
        number: value
        for key, value in summary.pairs
        if (number := _number(key, _COLUMN)) is not None
    }
    full = items.full_length if items else 0
    width = lengths[1] if len(lengths) == 2 else full // max(lengths[0], 1) if lengths else 1
    is_table = fact(summary, "dtype") is None and width < 100_000
    if not is_table:
        return Layout(lengths, None)
    return Layout(lengths, tuple(_column(names.get(number), number) for number in range(width)))


def _column(name: Value | None, number: int) -> str:
    match name:
        case Atom(str() as text):
            return key_text(text)
        case Atom(int() as label):
            return str(label)
    return str(number)


def _lengths(value: Value | None) -> tuple[int, ...] | None:
    content = value.content if isinstance(value, Atom) else None
    if not isinstance(content, str) or not content.startswith("("):
        return None
    words = [word for word in content[1:-1].split(",") if word.strip()]
    if not all(_is_digits(word.strip()) for word in words):
        return None
    return tuple(map(int, words))


def fact(summary: Part, name: str) -> Value | None:
    """Return one fact; None: it is not recorded."""
    return next((value for key, value in summary.pairs if key == Atom(name)), None)


def is_derived(key: Value) -> bool:
    """Whether a fact can be computed from the items, so that it is redundant if all are kept."""
    content = key.content if isinstance(key, Atom) else None
    return isinstance(content, str) and (
        content in (*_DERIVED, HASH)
        or content.startswith(tuple(f"{word} of " for word in _DERIVED))
    )


def is_column(key: Value) -> bool:
    """Whether a fact is the name of a column."""
    return _number(key, _COLUMN) is not None


def refreshed(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """Return the parts of an array with the facts about its items computed again."""
    items = next(part for part in parts if part.kind == "sequence")
    return tuple(_told_anew(part, items) if part.kind == "summary" else part for part in parts)


def _told_anew(summary: Part, items: Part) -> Part:
    facts = {key: value for key, value in summary.pairs if not is_derived(key)}
    numbers = [item.content for item in items.items if isinstance(item, Atom)]
    plain = [number for number in numbers if isinstance(number, int | float)]
    known = [number for number in plain if number == number]  # noqa: PLR0124 - not nan
    if known and items.is_complete:
        facts |= {Atom("least"): Atom(min(known)), Atom("greatest"): Atom(max(known))}
    if len(known) < len(plain):
        facts[Atom("nan")] = Atom(len(plain) - len(known))
    return Part("summary", tuple(facts.values()), len(facts), tuple(facts))
