"""The parts of an object during replay, with the effect of each kind of record."""

from collections.abc import Callable, Hashable, Iterable, Sequence

from sleuth.trace.heap.arrays import named_facts
from sleuth.trace.values import Absent, Atom, Constant, Cut, Part, Ref, Value

KeyOf = Callable[[Value], Hashable]
"""Returns a hashable that is equal for equal keys of a mapping."""


def index_of(value: Value) -> int | None:
    """Return the value as an index; None: it is no index, or not known."""
    match value:
        case Atom(int() as number):
            return number
        case Constant("True"):
            return 1
        case Constant("False"):
            return 0
    return None


def atom_key(value: Value) -> Hashable:
    """Return a hashable that is equal for equal atoms: as keys 1, 1.0 and True are the same."""
    match value:
        case Atom(content):
            # Each nan is a key of its own, but they can't be told apart, so they count as one.
            return repr(content) if content != content else content  # noqa: PLR0124 - finds NaN
        case Constant("True" | "False" as name):
            return name == "True"
        case Cut(kind, length, digest):
            return kind, length, digest
        case Ref(_, identity):
            return Ref, identity
    return value


class Sequenced:
    """Items in order; for a truncated sequence the first ones."""

    def __init__(self, items: Iterable[Value], full_length: int) -> None:
        self.items = list(items)
        self.full_length = full_length

    def splice(self, start: int, removed: int, items: Sequence[Value]) -> None:
        """Replace some items by others."""
        start = min(start, self.full_length)
        removed = min(removed, self.full_length - start)
        self.full_length += len(items) - removed
        if start > len(self.items):
            return
        if start + removed > len(self.items):
            # The following items are not known, so nothing can be placed before them.
            del self.items[start:]
            self.items += items
        else:
            self.items[start : start + removed] = items

    def set(self, index: int, value: Value) -> bool:
        """Set one item; False: there is none."""
        index += self.full_length if index < 0 else 0
        if not 0 <= index < self.full_length:
            return False
        if index < len(self.items):
            self.items[index] = value
        return True

    def delete(self, index: int) -> bool:
        """Remove one item; False: there is none."""
        index += self.full_length if index < 0 else 0
        if not 0 <= index < self.full_length:
            return False
        self.splice(index, 1, ())
        return True

    def bounds(self, start: Value, stop: Value) -> tuple[int, int] | None:
        """Return the start and the length of a slice; None: not known."""
        limits = []
        for value, default in ((start, 0), (stop, self.full_length)):
            is_open = isinstance(value, Absent) or value == Constant("None")
            number = default if is_open else index_of(value)
            if number is None:
                return None
            number += self.full_length if number < 0 else 0
            limits.append(min(max(number, 0), self.full_length))
        return limits[0], max(limits[1] - limits[0], 0)

    def copy(self) -> "Sequenced":
        """Return an independent copy."""
        return Sequenced(self.items, self.full_length)

    def part(self, kind: str) -> Part:
        """Return the current contents as a part."""
        is_complete = len(self.items) == self.full_length
        return Part(kind, tuple(self.items), self.full_length, (), is_complete)


class Keyed:
    """Items by key, in the order in which the keys were added."""

    def __init__(
        self,
        pairs: Iterable[tuple[Value, Value]],
        full_length: int,
        key_of: KeyOf,
        *,
        is_complete: bool,
    ) -> None:
        self.key_of = key_of
        self.pairs = {key_of(key): (key, value) for key, value in pairs}
        self.full_length = full_length
        self.is_complete = is_complete

    def put(self, key: Value, value: Value) -> None:
        """Set the item of a key."""
        known = self.key_of(key)
        if known in self.pairs:
            self.pairs[known] = self.pairs[known][0], value
            return
        self.pairs[known] = key, value
        # If not all keys are known, it may be one of the unknown ones.
        self.full_length = max(self.full_length + self.is_complete, len(self.pairs))

    def delete(self, key: Value) -> bool:
        """Remove a key; False: it is not there."""
        known = self.key_of(key)
        if known not in self.pairs:
            if self.is_complete or self.full_length <= len(self.pairs):
                return False
            self.full_length -= 1
            return True
        del self.pairs[known]
        self.full_length -= 1
        return True

    def copy(self) -> "Keyed":
        """Return an independent copy."""
        other = Keyed((), self.full_length, self.key_of, is_complete=self.is_complete)
        other.pairs = dict(self.pairs)
        return other

    def part(self, kind: str) -> Part:
        """Return the current contents as a part."""
        keys = tuple(key for key, _ in self.pairs.values())
        items = tuple(value for _, value in self.pairs.values())
        if kind == "set":
            return Part(kind, keys, self.full_length, (), self.is_complete)
        return Part(kind, items, self.full_length, keys, self.is_complete)


class Whole:
    """Bytes, a cell or a summary: replaced as a whole each time."""

    def __init__(self, part: Part) -> None:
        self.told = part

    def copy(self) -> "Whole":
        """Return itself: it never changes."""
        return self

    def part(self, _kind: str) -> Part:
        """Return the current contents as a part."""
        return self.told


Growing = Sequenced | Keyed | Whole


def growing(
    kind: str, values: Sequence[Value], full_length: int, key_of: KeyOf, *, is_cut: bool
) -> Growing:
    """Make a part from the contents in a record."""
    if kind == "sequence":
        return Sequenced(values, full_length if is_cut else len(values))
    if kind == "set":
        pairs = [(value, value) for value in values]
        return Keyed(pairs, full_length, key_of, is_complete=not is_cut)
    pairs = list(zip(values[::2], values[1::2], strict=False))
    if kind in ("mapping", "attributes"):
        return Keyed(pairs, full_length, key_of, is_complete=not is_cut)
    if kind == "summary":
        items = tuple(value for _, value in pairs)
        keys = named_facts([key for key, _ in pairs], items)
        return Whole(Part(kind, items, full_length, keys, not is_cut))
    return Whole(Part(kind, tuple(values), full_length, (), not is_cut))
