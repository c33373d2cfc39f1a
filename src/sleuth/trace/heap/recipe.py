"""Recipes: values at one moment with all their contents, so that they can be built again.

Nothing is built here, and nothing is guessed: a value that was truncated, not kept, or possibly
changed by unrecorded code has no recipe, and the reason is given.
"""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sleuth.trace import conventions
from sleuth.trace.heap.opaque import is_opaque
from sleuth.trace.reader import Trace
from sleuth.trace.values import Absent, Atom, Cut, NotKept, Part, Ref, Shape, Value

_MOST_OBJECTS = 2_000
_MOST_ITEMS = 20_000
_NO_ITEMS = ("summary", "cell")

MEMBER_NAME, MEMBER_VALUE = "_name_", "_value_"
"""The attributes of members of an enumeration."""
MADE_FROM = "made from"
"""The field with the builtin part of an object whose class derives from a builtin class."""
NAMES_OF_ITEMS = "_fields"
"""The attribute with the names of a named tuple's items; its class has it, too."""


class Unbuildable(Exception):
    """A value can't be built again."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"{path} {why}")
        self.path = path
        self.why = why


@dataclass(frozen=True, slots=True)
class Recipe:
    """Values, and the contents of all objects that can be reached from them."""

    values: Mapping[str, Value]
    objects: Mapping[int, Shape]
    named: Mapping[int, str] = field(default_factory=dict)
    """Functions and types among them: object -> qualified name."""


def recipe(
    trace: Trace, values: Mapping[str, Value], at: int, *, names: Mapping[int, str] | None = None
) -> Recipe:
    """Return the recipe of values before the event at a moment; Unbuildable: there is none.

    Code (functions, types) has a recipe only if it has a name.
    """
    search = _Search(trace, at, names or {})
    for path, value in values.items():
        search.add(path, value)
    search.run()
    return Recipe(dict(values), search.objects, search.named)


class _Search:
    """Collects all objects that can be reached."""

    def __init__(self, trace: Trace, at: int, names: Mapping[int, str]) -> None:
        self._trace = trace
        self._at = at
        self._names = names
        known = conventions.of(trace.meta.get("language"))
        self._code = known.code
        self._unmade = known.views | known.unmade
        self._notations = known.notations
        self._waiting: deque[tuple[str, Ref]] = deque()
        self._items = 0
        self.objects: dict[int, Shape] = {}
        self.named: dict[int, str] = {}

    def add(self, path: str, value: Value) -> None:
        """Add a value; Unbuildable: it can't be built."""
        match value:
            case Ref():
                self._waiting.append((path, value))
            case Absent():
                raise Unbuildable(path, "is not there")
            case Cut():
                raise Unbuildable(path, "was too long to be kept whole")
            case NotKept(reason):
                raise Unbuildable(path, f"was not kept: {reason}")

    def run(self) -> None:
        """Collect the contents of all objects."""
        while self._waiting:
            path, ref = self._waiting.popleft()
            if ref.id in self.objects or ref.id in self.named:
                continue
            if ref.type_name in self._code:
                self._name(path, ref)
                continue
            shape = self._shape(path, ref)
            self.objects[ref.id] = shape
            for inside, value in contents(shape):
                self.add(f"{path}{inside}", value)

    def _name(self, path: str, ref: Ref) -> None:
        if ref.id not in self._names:
            raise Unbuildable(path, f"is code (a {ref.type_name}) that no recorded module names")
        self.named[ref.id] = self._names[ref.id]

    def _shape(self, path: str, ref: Ref) -> Shape:
        shape = self._trace.shape(ref, self._at)
        if shape is None:
            raise Unbuildable(path, f"is a {ref.type_name}, whose contents are not recorded")
        if problem := self._problem(ref, shape):
            raise Unbuildable(path, f"is a {ref.type_name}, {problem}")
        if not shape.is_complete:
            raise Unbuildable(path, "was too long to be kept whole")
        if not shape.is_sure:
            raise Unbuildable(path, "may have been changed by code that is not recorded")
        self._items += sum(len(part.items) for part in shape.parts)
        if len(self.objects) >= _MOST_OBJECTS or self._items > _MOST_ITEMS:
            raise Unbuildable(path, "is part of something too large to be built again")
        return _without_names(_as_member(shape))

    def _problem(self, ref: Ref, shape: Shape) -> str:
        """Return why an object can't be built again; empty: it can."""
        notation = self._notations.get(ref.type_name)
        if ref.type_name in self._unmade:
            return "which can't be rebuilt"
        if notation is not None and arguments(shape, notation) is None:
            return "whose contents are not recorded"
        if notation is None and is_opaque(self._trace, ref, shape):
            return "which may hold more than is recorded"
        if is_plain(shape) and not is_member(shape):
            return "a class made from a builtin one"
        is_summary = any(part.kind in _NO_ITEMS for part in shape.parts)
        return "of which only a summary is recorded" if is_summary else ""


def is_member(shape: Shape) -> bool:
    """Tell whether an object is a member of an enumeration."""
    part = shape.part("attributes")
    return part is not None and {Atom(MEMBER_NAME), Atom(MEMBER_VALUE)} <= {*part.keys}


def _as_member(shape: Shape) -> Shape:
    """Keep only name and value of a member of an enumeration: the rest comes from its class."""
    part = shape.part("attributes")
    if part is None or not is_member(shape):
        return shape
    kept = {key: item for key, item in part.pairs if key in (Atom(MEMBER_NAME), Atom(MEMBER_VALUE))}
    only = Part("attributes", tuple(kept.values()), len(kept), tuple(kept))
    return Shape(shape.type_name, (only,))


def arguments(shape: Shape, notation: Sequence[str]) -> list[tuple[str, Value]] | None:
    """Return the constructor arguments of an object that is shown as a call; None: not known.

    Each comes with its prefix: `*` for an unpacked sequence, `**` for a mapping, `name=` for a
    keyword.
    """
    part = shape.part("attributes")
    held = {key.content: item for key, item in part.pairs if isinstance(key, Atom)} if part else {}
    found = []
    for name in notation:
        plain = name.strip("*?=")
        if plain in held:
            mark = f"{plain}=" if name[-1] == "=" else "*" * name.count("*")
            found.append((mark, held[plain]))
        elif not name.startswith("?"):
            return None
    return found


def has_state(trace: Trace, shape: Shape) -> bool:
    """Tell whether an object has attributes that can be set; one shown as a call has none."""
    notations = conventions.of(trace.meta.get("language")).notations
    is_value = shape.type_name in notations or is_member(shape)
    return not is_value and shape.part("attributes") is not None


def is_plain(shape: Shape) -> bool:
    """Tell whether an object derives from a number, a text, a date ..."""
    part = shape.part("attributes")
    return shape.part("value") is not None or (part is not None and Atom(MADE_FROM) in part.keys)


def _without_names(shape: Shape) -> Shape:
    """Leave out the names of a named tuple's items: they come from its class."""
    part = shape.part("attributes")
    if part is None or shape.part("sequence") is None or Atom(NAMES_OF_ITEMS) not in part.keys:
        return shape
    kept = [pair for pair in part.pairs if pair[0] != Atom(NAMES_OF_ITEMS)]
    keys, items = tuple(key for key, _ in kept), tuple(item for _, item in kept)
    rest = replace(part, keys=keys, items=items, full_length=len(kept))
    return replace(shape, parts=tuple(rest if each is part else each for each in shape.parts))


def contents(shape: Shape) -> Iterator[tuple[str, Value]]:
    """Yield the contents of an object, each with the step of a path that leads to it."""
    for part in shape.parts:
        if part.kind == "attributes":
            for key, item in part.pairs:
                yield f".{key.content!s}" if isinstance(key, Atom) else ".?", item
        elif part.kind == "mapping":
            for number, (key, item) in enumerate(part.pairs):
                shown = repr(key.content) if isinstance(key, Atom) else f"key {number}"
                yield f"[{shown}]", item
                yield f" (key {number})", key
        else:
            for number, item in enumerate(part.items):
                yield f"[{number}]", item
