"""Items of containers that were made in one expression: what each of them was made from."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from sleuth.trace.flow.operations import Input
from sleuth.trace.heap.parts import atom_key
from sleuth.trace.history.locations import Inside, Location
from sleuth.trace.origin.executions import At, NotKnown
from sleuth.trace.origin.values import Values, constant
from sleuth.trace.values import ABSENT, Absent, Atom, Ref, Value

_WHICH = "It is an item of what was made here; which one is not known."
_KEYS = "It is an item of what was made here; which key was given is not known."
_DEEPEST = 50


class Made(NamedTuple):
    """A source: an output of an operation."""

    by: At
    output: int
    consumer: At | None = None
    """The operation that was given it, if that is known."""


class Kept(NamedTuple):
    """A source: a location before the event at a moment."""

    location: Location
    at: int


class Written(NamedTuple):
    """A source: a part of a constant."""

    by: At
    value: Value


Source = Made | Kept | Written


class _Piece(NamedTuple):
    """What one execution added to a container."""

    size: int | None
    """How many items; None: not known."""
    get: Callable[[int], Source]
    """Returns the source of an item, by its number in the piece."""


class Items:
    """Finds the sources of items."""

    def __init__(self, values: Values) -> None:
        self._values = values
        self._runs = values.runs
        self._trace = values.trace

    def of(self, whole: At, consumer: At, part: Inside, size: int) -> Source:
        """Return the source of an item of a container when another operation was given it.

        size: how many items it had.
        """
        if part.kind == "sequence":
            match part.key:
                case Atom(int() as index):
                    return self.at_index(whole, consumer, index, size)
        if part.kind == "mapping":
            return self.under_key(whole, consumer, part.key)
        raise NotKnown(_WHICH)

    # --- Sequences -------------------------------------------------------------------------------

    def at_index(
        self, whole: At, consumer: At, index: int, size: int | None, depth: int = 0
    ) -> Source:
        """Return the source of an item of a sequence; size: how many there are, if known."""
        pieces = self._pieces(whole, consumer, depth)
        counts = [piece.size for piece in pieces]
        if size is not None and counts.count(None) == 1:
            rest = size - sum(count for count in counts if count is not None)
            counts = [rest if count is None else count for count in counts]
        for piece, count in zip(pieces, counts, strict=True):
            if count is None or index < 0:
                break
            if index < count:
                return piece.get(index)
            index -= count
        raise NotKnown(_WHICH)

    def length(self, whole: At, consumer: At) -> int | None:
        """Return how many items a sequence was made of; None: not known."""
        counts = [piece.size for piece in self._pieces(whole, consumer, 0)]
        known = [count for count in counts if count is not None]
        return sum(known) if len(known) == len(counts) else None

    def _pieces(self, whole: At, consumer: At, depth: int) -> list[_Piece]:
        """Return what a sequence was made of, in order."""
        does = whole.operation
        if depth > _DEEPEST:
            raise NotKnown(_WHICH)
        if does.kind == "constant":
            return [self._constant(whole)]
        if does.kind != "make":
            return [self._extended(Made(whole, 0), consumer, depth)]
        found = []
        for each in does.inputs:
            if each.role == "item":
                found.append(self._one(whole, each))
            elif each.role == "*":
                made_by, output = self._runs.maker(whole, each)
                if output:
                    raise NotKnown(_WHICH)
                found += self._pieces(made_by, whole, depth + 1)
            else:
                raise NotKnown(_WHICH)
        for added in self._added(whole, consumer):
            if added.operation.kind == "add":
                found.append(self._one(added, added.role("what")))
            else:
                made = Made(*self._runs.maker(added, added.role("what")))
                found.append(self._extended(made, added, depth))
        return found

    def _one(self, at: At, wanted: Input) -> _Piece:
        return _Piece(1, lambda _: Made(*self._runs.maker(at, wanted), at))

    def _constant(self, at: At) -> _Piece:
        told = at.operation.value
        if isinstance(told, str):
            return _Piece(len(told), lambda index: Written(at, Atom(told[index])))
        items = items_of(told)
        if items is None:
            return _Piece(None, _not_known)
        return _Piece(len(items), lambda index: Written(at, constant(items[index])))

    def _extended(self, what: Made, consumer: At, depth: int) -> _Piece:
        """Return the items of an iterable."""
        does = what.by.operation
        if does.kind == "constant":
            return self._constant(what.by)
        if does.kind == "make" and does.name in ("list", "tuple"):
            size = self.length(what.by, consumer)
            return _Piece(
                size, lambda index: self.at_index(what.by, consumer, index, size, depth + 1)
            )
        holder = self._values.value(what.by, what.output)
        at = self._values.until(consumer)
        shape = self._trace.shape(holder, at) if isinstance(holder, Ref) else None
        part = shape.part("sequence") if shape and shape.is_sure else None
        if not isinstance(holder, Ref) or part is None:
            return _Piece(None, _not_known)
        if holder.type_name not in self._values.conventions.containers:
            return _Piece(None, _not_known)
        return _Piece(
            part.full_length, lambda index: Kept(Inside(holder, "sequence", Atom(index)), at)
        )

    def _added(self, whole: At, consumer: At) -> list[At]:
        """Return the executions that added something to a container, in order."""
        numbers = {
            number
            for number, each in enumerate(self._runs.operations(whole.call))
            if each.kind in ("add", "extend")
            for one in each.inputs
            if one.role == "container" and any(made.operation == whole.number for made in one.made)
        }
        return self._runs.between(whole, consumer, numbers) if numbers else []

    # --- Mappings --------------------------------------------------------------------------------

    def under_key(self, whole: At, consumer: At, key: Value, depth: int = 0) -> Source:
        """Return the source of the item under a key."""
        found = self.find(whole, consumer, key, depth)
        if found is None:
            raise NotKnown(_WHICH)
        return found

    def find(self, whole: At, consumer: At, key: Value, depth: int = 0) -> Source | None:
        """Return the source of the item under a key; None: there is none."""
        if depth > _DEEPEST or whole.operation.kind != "make":
            raise NotKnown(_WHICH)
        for added in reversed(self._added(whole, consumer)):
            if added.operation.kind == "add":
                found = self._under(added, added.roles("key"), added.roles("what"), key)
            else:
                found = self._in_mapping(added, key, depth)
            if found is not None:
                return found
        if whole.operation.inputs and whole.operation.inputs[-1].role == "keys":
            return self._under_constant(whole, key)
        return self._under(whole, whole.roles("key"), whole.roles("item"), key)

    def _under(
        self, at: At, keys: Sequence[Input], items: Sequence[Input], key: Value
    ) -> Source | None:
        """Return the source of an item, given the inputs for keys and items."""
        if len(keys) != len(items) or len(keys) + len(items) > len(at.operation.inputs):
            raise NotKnown(_KEYS)
        # The last of equal keys counts; a key that is not known may be equal.
        for known, item in zip(reversed(keys), reversed(items), strict=True):
            value = self._values.value(*self._runs.maker(at, known))
            if not _is_plain(value) or not _is_plain(key):
                raise NotKnown(_KEYS)
            if atom_key(value) == atom_key(key):
                return Made(*self._runs.maker(at, item), at)
        return None

    def _under_constant(self, at: At, key: Value) -> Source | None:
        """Return the source of an item where all keys are in one constant."""
        maker, _ = self._runs.maker(at, at.role("keys"))
        keys, items = items_of(maker.operation.value), at.roles("item")
        if keys is None or len(keys) != len(items):
            raise NotKnown(_KEYS)
        for known, item in zip(reversed(keys), reversed(items), strict=True):
            if not _is_plain(constant(known)):
                raise NotKnown(_KEYS)
            if atom_key(constant(known)) == atom_key(key):
                return Made(*self._runs.maker(at, item), at)
        return None

    def _in_mapping(self, added: At, key: Value, depth: int) -> Source | None:
        made_by, output = self._runs.maker(added, added.role("what"))
        if made_by.operation.kind == "make":
            return self.find(made_by, added, key, depth + 1)
        holder = self._values.value(made_by, output)
        at = self._values.until(added)
        shape = self._trace.shape(holder, at) if isinstance(holder, Ref) else None
        part = shape.part("mapping") if shape and shape.is_sure else None
        if part is None or not part.is_complete or not isinstance(holder, Ref):
            raise NotKnown(_KEYS)
        if any(atom_key(known) == atom_key(key) for known in part.keys):
            return Kept(Inside(holder, "mapping", key), at)
        return None


def items_of(told: object) -> list[object] | None:
    """Return the items of a constant of the table; None: it has none, or they are not known."""
    if not isinstance(told, dict):
        return None
    items = told.get("tuple")
    return items if isinstance(items, list) else None


def _is_plain(value: Value) -> bool:
    return not isinstance(value, Ref | Absent) and value != ABSENT


def _not_known(_: int) -> Source:
    raise NotKnown(_WHICH)
