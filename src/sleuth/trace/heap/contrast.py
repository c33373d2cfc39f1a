"""The contrast of two values: where they differ, the first difference first.

    [2].price: 9 against 7     ['tax']: nothing against 3     a text: from character 14 on

Values are equal as Python's own types are: 1 and 1.0 are, a list and a tuple are not.  Objects of
other classes are compared by what they contain, since no code of the program is run.  What was not
recorded is named and counts neither as equal nor as different.
"""

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from sleuth.trace.heap.arrays import HASH, is_column, is_derived
from sleuth.trace.heap.nested import Nested, NestedPart
from sleuth.trace.path import Step, key_text
from sleuth.trace.values import Absent, Atom, Constant, Cut, NotKept, Value, shown

_MOST = 1_000
"""Differences that are listed; the others are counted."""
_PLAIN = ("list", "tuple", "dict", "set", "frozenset")
_BY_IDENTITY = ("function", "type", "module", "builtin_function_or_method")
"""Types whose objects equal themselves only."""
_LONG_KEY = 60
_NUMBERS = {"True": 1, "False": 0}
_DECIMAL = "decimal.Decimal"
_SHAPE = "shape"


@dataclass(frozen=True, slots=True)
class Differing:
    """One place where two values differ."""

    path: str
    """From the two values on, for example `[2].price`; empty: these values themselves."""
    one: Nested | None
    """None: the first value has nothing there."""
    other: Nested | None
    steps: tuple[object, ...] = ()
    """The steps of the path: indices, and keys or names as text."""


@dataclass(frozen=True, slots=True)
class Contrast:
    """All that is known about how two values differ."""

    differing: tuple[Differing, ...]
    more: int
    """How many differences are not listed."""
    unknown: tuple[str, ...]
    """Where nothing can be said, for example `[*] beyond item 10,000`."""

    @property
    def count(self) -> int:
        """The number of differences."""
        return len(self.differing) + self.more


def contrast(one: Nested, other: Nested) -> Contrast:
    """Compare two values."""
    comparing = _Comparing()
    comparing.values(one, other, "", ())
    unknown = tuple(dict.fromkeys(comparing.unknown))
    return Contrast(tuple(comparing.found), comparing.more, unknown)


def is_same(one: Nested, other: Nested) -> bool:
    """Tell whether two values are known to be equal."""
    found = contrast(one, other)
    return not found.count and not found.unknown


_Steps = tuple[object, ...]


class _Comparing:
    """Compares pairs of values in order, each before what it contains."""

    def __init__(self) -> None:
        self.found: list[Differing] = []
        self.more = 0
        self.unknown: list[str] = []

    def _differs(self, path: str, steps: _Steps, one: Nested | None, other: Nested | None) -> None:
        if len(self.found) < _MOST:
            self.found.append(Differing(path, one, other, steps))
        else:
            self.more += 1

    def _not_known(self, path: str, what: str) -> None:
        self.unknown.append(f"{path} {what}".strip())

    def values(self, one: Nested, other: Nested, path: str, steps: _Steps) -> None:
        """Compare two values; what they contain is compared item by item."""
        if one.identity is not None and (one.identity, one.at) == (other.identity, other.at):
            return
        if NotKept in (type(one.value), type(other.value)):
            self._not_known(path, "is not recorded")
        elif one.type_name and other.type_name:
            self._objects(one, other, path, steps)
        elif one.type_name or other.type_name:
            self._differs(path, steps, one, other)
        elif isinstance(one.value, Cut) or isinstance(other.value, Cut):
            self._cut(one, other, path, steps)
        elif equal_key(one) != equal_key(other):
            self._differs(path, steps, one, other)

    def _cut(self, one: Nested, other: Nested, path: str, steps: _Steps) -> None:
        """Compare texts and numbers of which at least one was not kept whole."""
        same = _same_cut(one.value, other.value)
        if same is None:
            kept = min(len(_kept(each.value) or "") for each in (one, other))
            what = f"beyond character {kept:,}" if kept else "whole"
            self._not_known(path, f"is not recorded {what}")
        elif not same:
            self._differs(path, steps, one, other)

    def _objects(self, one: Nested, other: Nested, path: str, steps: _Steps) -> None:
        is_plain = [each.type_name in _PLAIN for each in (one, other)]
        kinds = [{part.kind for part in each.parts or ()} for each in (one, other)]
        is_alike = one.type_name == other.type_name or (
            # An instance of a class made from `dict` or `tuple` can equal a plain one.
            is_plain != [True, True] and any(is_plain) and kinds[0] & kinds[1]
        )
        if not is_alike and not _are_sets(one, other):
            self._differs(path, steps, one, other)
        elif one.parts is None or other.parts is None:
            if one.type_name in _BY_IDENTITY and one.identity != other.identity:
                self._differs(path, steps, one, other)
            elif one.identity is None or one.identity != other.identity:
                self._not_known(path, f"has contents that are not recorded ({one.type_name})")
        elif one.type_name == _DECIMAL and _decimal(one) is not None:
            if _decimal(one) != _decimal(other):
                self._differs(path, steps, one, other)
        elif one.layout is not None and other.layout is not None:
            self._arrays(one, other, path, steps)
        else:
            self._parts(one, other, path, steps, only=bool(any(is_plain)))

    def _parts(self, one: Nested, other: Nested, path: str, steps: _Steps, *, only: bool) -> None:
        """Compare objects part by part; only: only the parts that both have."""
        if not (one.is_sure and other.is_sure):
            self._not_known(path, "may have been changed by code that is not recorded")
        for kind in dict.fromkeys(part.kind for each in (one, other) for part in each.parts or ()):
            mine, its = one.part(kind), other.part(kind)
            if mine is None or its is None:
                there = mine or its
                if not only and there is not None and there.items:
                    self._differs(path, steps, one, other)
                    return
                continue
            if kind == "sequence":
                self._sequences(mine, its, path, steps)
            elif kind == "set":
                self._sets(mine, its, path, steps)
            elif kind in ("mapping", "attributes", "summary"):
                self._mappings(mine, its, path, steps)
            else:
                for first, second in zip(mine.items, its.items, strict=False):
                    self.values(first, second, path, steps)

    def _sequences(self, one: NestedPart, other: NestedPart, path: str, steps: _Steps) -> None:
        both = min(len(one.items), len(other.items))
        for index in range(both):
            at = f"{path}[{index}]"
            self.values(one.items[index], other.items[index], at, (*steps, index))
        if one.is_complete and other.is_complete:
            for index in range(both, max(len(one.items), len(other.items))):
                sides = [
                    part.items[index] if index < len(part.items) else None for part in (one, other)
                ]
                self._differs(f"{path}[{index}]", (*steps, index), *sides)
            return
        self._lengths(one, other, path, steps)
        if one.full_length == other.full_length:
            self._rest(one, other, path, f"is not recorded beyond item {both:,}")

    def _lengths(self, one: NestedPart, other: NestedPart, path: str, steps: _Steps) -> None:
        if one.full_length != other.full_length:
            sides = [Nested(Atom(part.full_length)) for part in (one, other)]
            self._differs(f"len({path or 'it'})", (*steps, "len"), *sides)

    def _rest(self, one: NestedPart, other: NestedPart, path: str, what: str) -> None:
        if one.digest is None or one.digest != other.digest:
            self._not_known(path, what)

    def _mappings(self, one: NestedPart, other: NestedPart, path: str, steps: _Steps) -> None:
        mine, its = _by_key(one), _by_key(other)
        is_known = one.is_complete and other.is_complete
        for known in (*mine, *(key for key in its if key not in mine)):
            key, first = mine.get(known, (None, None))
            also, second = its.get(known, (None, None))
            text = _key(key or also, one.kind)
            if first is not None and second is not None:
                self.values(first, second, f"{path}{text}", (*steps, text))
            elif (other if second is None else one).is_complete:
                self._differs(f"{path}{text}", (*steps, text), first, second)
        if not is_known:
            self._lengths(one, other, path, steps)
            kept = min(len(one.items), len(other.items))
            self._rest(one, other, path, f"is not recorded beyond key {kept:,}")

    def _sets(self, one: NestedPart, other: NestedPart, path: str, steps: _Steps) -> None:
        mine = {equal_key(item): item for item in one.items}
        its = {equal_key(item): item for item in other.items}
        for key, item in mine.items():
            if key not in its and other.is_complete:
                self._differs(path, steps, item, None)
        for key, item in its.items():
            if key not in mine and one.is_complete:
                self._differs(path, steps, None, item)
        if not (one.is_complete and other.is_complete):
            self._lengths(one, other, path, steps)
            kept = min(len(one.items), len(other.items))
            self._rest(one, other, path, f"is not recorded beyond member {kept:,}")

    # --- Arrays and tables -----------------------------------------------------------------------

    def _arrays(self, one: Nested, other: Nested, path: str, steps: _Steps) -> None:
        """Compare arrays and tables: the shape, the items by position, the types."""
        facts = [_facts(each) for each in (one, other)]
        shapes = [side.get(_SHAPE) for side in facts]
        if shapes[0] is not None and shapes[1] is not None:
            self.values(shapes[0], shapes[1], f"{path}.{_SHAPE}", (*steps, _SHAPE))
        mine, its = placed(one), placed(other)
        is_known = all(_is_complete(each) for each in (one, other))
        for key in (*mine, *(key for key in its if key not in mine)):
            first, second = mine.get(key), its.get(key)
            if first is not None and second is not None:
                self.values(first, second, f"{path}[{key}]", (*steps, key))
            elif is_known:
                self._differs(f"{path}[{key}]", (*steps, key), first, second)
        self._facts(facts, path, steps, is_known=is_known)
        hashes = [side.get(HASH) for side in facts]
        if not is_known and (hashes[0] is None or hashes[0].value != _value(hashes[1])):
            kept = min(len(mine), len(its))
            self._not_known(path, f"is not recorded beyond item {kept:,}")

    def _facts(
        self, facts: list[dict[str, Nested]], path: str, steps: _Steps, *, is_known: bool
    ) -> None:
        for name in dict.fromkeys((*facts[0], *facts[1])):
            first, second = facts[0].get(name), facts[1].get(name)
            is_told = name in (_SHAPE, HASH) or is_column(Atom(name))
            if is_told or (is_known and is_derived(Atom(name))) or _value(first) == _value(second):
                continue
            self._differs(f"{path}{Step('attribute', name)}", (*steps, name), first, second)


def placed(array: Nested) -> dict[str, Nested]:
    """Return the items of an array by the text between the brackets of a path."""
    part = array.part("sequence")
    if part is None or array.layout is None:
        return {}
    keys = ((array.layout.key(number), item) for number, item in enumerate(part.items))
    return {key: item for key, item in keys if key is not None}


def _is_complete(array: Nested) -> bool:
    part = array.part("sequence")
    return part is not None and part.is_complete


def _facts(array: Nested) -> dict[str, Nested]:
    summary = array.part("summary")
    if summary is None:
        return {}
    pairs = zip(summary.keys, summary.items, strict=True)
    return {str(key.value.content): item for key, item in pairs if isinstance(key.value, Atom)}


def _value(nested: Nested | None) -> Value | None:
    return None if nested is None else nested.value


# --- Equality ------------------------------------------------------------------------------------


def equal_key(nested: Nested) -> Hashable:
    """Return a hashable that is equal for values that count as equal."""
    value = nested.value
    if isinstance(value, Atom):
        return _number_key(value.content)
    if isinstance(value, Constant):
        return _number_key(_NUMBERS[value.name]) if value.name in _NUMBERS else value
    if not nested.type_name or isinstance(value, Cut | NotKept | Absent):
        return value
    if nested.parts is None or not nested.is_sure:
        return nested.identity
    name = "set" if nested.type_name == "frozenset" else nested.type_name
    return name, tuple(_part_key(part) for part in nested.parts)


def _part_key(part: NestedPart) -> Hashable:
    if part.kind == "set":
        return part.kind, frozenset(map(equal_key, part.items)), part.full_length
    items = tuple(map(equal_key, part.items))
    if part.kind in ("mapping", "attributes"):
        keys = map(equal_key, part.keys)
        return part.kind, frozenset(zip(keys, items, strict=True)), part.full_length
    return part.kind, items, part.full_length


def _number_key(content: complex | str | bytes) -> Hashable:
    if isinstance(content, str | bytes):
        return type(content), content
    if content != content:  # noqa: PLR0124 - not a number; one counts as equal to another
        return "nan"
    return "number", content


def _same_cut(one: Value | None, other: Value | None) -> bool | None:
    """Tell whether values that were cut are equal; None: it is not known."""
    if isinstance(one, Cut) and isinstance(other, Cut):
        return (one.kind, one.length, one.hash, one.is_negative) == (
            other.kind,
            other.length,
            other.hash,
            other.is_negative,
        )
    mine, its = _kept(one), _kept(other)
    if mine is None or its is None or type(mine) is not type(its):
        return None if _is_integer(one) and _is_integer(other) else False
    is_long = [isinstance(each, Cut) for each in (one, other)]
    lengths = [
        each.length if isinstance(each, Cut) else len(kept)
        for each, kept in ((one, mine), (other, its))
    ]
    both = min(len(mine), len(its))
    if lengths[0] != lengths[1] or mine[:both] != its[:both]:
        return False
    return None if any(is_long) else True


def _is_integer(value: Value | None) -> bool:
    match value:
        case Cut("integer") | Atom(int()):
            return True
    return False


def _kept(value: Value | None) -> str | bytes | None:
    """Return a text or bytes, or what is kept of it."""
    if isinstance(value, Cut):
        return value.kept
    content = value.content if isinstance(value, Atom) else None
    return content if isinstance(content, str | bytes) else None


def _decimal(nested: Nested) -> Decimal | None:
    for part in nested.parts or ():
        for item in part.items:
            content = item.value.content if isinstance(item.value, Atom) else None
            if isinstance(content, str):
                try:
                    return Decimal(content)
                except InvalidOperation:
                    return None
    return None


def _are_sets(one: Nested, other: Nested) -> bool:
    return {one.type_name, other.type_name} <= {"set", "frozenset"}


def _by_key(part: NestedPart) -> Mapping[Hashable, tuple[Nested, Nested]]:
    pairs: Iterable[tuple[Nested, Nested]] = zip(part.keys, part.items, strict=True)
    return {equal_key(key): (key, item) for key, item in pairs}


def _key(key: Nested | None, kind: str) -> str:
    """Return the step of a path for a key or the name of an attribute."""
    assert key is not None  # noqa: S101 - one of the two sides has it
    content = key.value.content if isinstance(key.value, Atom) else None
    if kind != "mapping":
        name = content if isinstance(content, str) else shown(key.value or NotKept("?"))
        return str(Step("attribute", name))
    return str(Step("item", key_words(key)))


def key_words(key: Nested) -> str:
    """Return a key as it is shown between the brackets of a path."""
    match key.value:
        case Atom(str() as content) if len(content) <= _LONG_KEY:
            return key_text(content)
    part = key.part("sequence")
    if key.type_name == "tuple" and part is not None and part.items:
        words = ", ".join(key_words(each) for each in part.items)
        return f"{words}," if len(part.items) == 1 else words
    if key.value is None:
        return key.written
    return shown(key.value, width=40)
