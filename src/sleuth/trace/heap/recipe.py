"""Recipes: values at one moment with all their contents, so that they can be built again.

Nothing is built here, and nothing is guessed: a value that was truncated, not kept, or possibly
changed by unrecorded code has no recipe, and the reason is given.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from sleuth.trace import conventions
from sleuth.trace.heap.opaque import is_opaque
from sleuth.trace.heap.reachable import RECIPE, Walk, contents, step_text
from sleuth.trace.reader import Trace
from sleuth.trace.values import Absent, Atom, Cut, NotKept, Part, Ref, Shape, Value

_MISSING = (Absent, Cut, NotKept)
"""Values that can't be built again, as they are not all there."""
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
    search = _Search(trace, values, names or {})
    search.run(at)
    return Recipe(dict(values), search.objects, search.named)


class _Search:
    """Collects all objects that can be reached from some values."""

    def __init__(self, trace: Trace, values: Mapping[str, Value], names: Mapping[int, str]) -> None:
        self._trace = trace
        self._values = values
        self._names = names
        known = conventions.of(trace.meta.get("language"))
        self._code = known.code
        self._unmade = known.views | known.unmade
        self._notations = known.notations
        self._walk = Walk(self._look, RECIPE)
        self.objects: dict[int, Shape] = {}
        self.named: dict[int, str] = {}

    def run(self, at: int) -> None:
        """Collect the contents of all objects; Unbuildable: one can't be built."""
        for path, value in self._values.items():
            if isinstance(value, _MISSING):
                raise Unbuildable(path, _why_missing(value))
        for found in self._walk.objects(self._values.values(), at):
            if found.shape is None:
                self.named[found.ref.id] = self._names[found.ref.id]
                continue
            self.objects[found.ref.id] = found.shape
            for index, value in enumerate(contents(found.shape)):
                if isinstance(value, _MISSING):
                    path = f"{self._path(found.ref)}{step_text(found.shape, index)}"
                    raise Unbuildable(path, _why_missing(value))
        if self._walk.cut is not None:
            why = "is part of something too large to be built again"
            raise Unbuildable(self._path(self._walk.cut.ref), why)

    def _path(self, ref: Ref) -> str:
        """Return the path to an object that was found."""
        (_, start), *steps = self._walk.route(ref)
        words = [step_text(self.objects[holder.id], index) for holder, index in steps if holder]
        return f"{list(self._values)[start]}{''.join(words)}"

    def _look(self, ref: Ref, at: int) -> Shape | None:
        """Return what is built again of an object; None: it is code, which is named."""
        if ref.type_name in self._code:
            if ref.id in self._names:
                return None
            why = f"is code (a {ref.type_name}) that no recorded module names"
            raise Unbuildable(self._path(ref), why)
        shape = self._trace.shape(ref, at)
        if shape is None:
            why = f"is a {ref.type_name}, whose contents are not recorded"
            raise Unbuildable(self._path(ref), why)
        if problem := self._problem(ref, shape):
            raise Unbuildable(self._path(ref), f"is a {ref.type_name}, {problem}")
        if not shape.is_complete:
            raise Unbuildable(self._path(ref), "was too long to be kept whole")
        if not shape.is_sure:
            raise Unbuildable(self._path(ref), "may have been changed by code that is not recorded")
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


def _why_missing(value: Absent | Cut | NotKept) -> str:
    match value:
        case Absent():
            return "is not there"
        case Cut():
            return "was too long to be kept whole"
        case NotKept(reason):
            return f"was not kept: {reason}"


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
