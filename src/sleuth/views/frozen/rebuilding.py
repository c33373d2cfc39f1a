"""Recipes as Python source: expressions where possible, statements for what is shared or cyclic."""

import keyword
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from sleuth.trace import conventions
from sleuth.trace.heap.reachable import contents
from sleuth.trace.heap.recipe import (
    MEMBER_NAME,
    MEMBER_VALUE,
    Recipe,
    Unbuildable,
    arguments,
    is_member,
)
from sleuth.trace.values import Atom, Constant, Part, Ref, Shape, Value
from sleuth.views.frozen.importing import Imports

_LONGEST = 70
_DEEPEST = 12
_EMPTY = Part("", (), 0)
_FLOATS = {"inf": "float('inf')", "-inf": "float('-inf')", "nan": "float('nan')"}
_BUILTIN_ERRORS = {
    name
    for name, each in vars(__import__("builtins")).items()
    if isinstance(each, type) and issubclass(each, BaseException)
}
_MADE_BY = {"re.Pattern": "re.compile"}
"""Types whose objects are made by a function with another name."""
_NO_DEFAULT = {"collections.defaultdict"}


def quoted(text: str) -> str:
    """Return a text as source, in double quotes if it is a name."""
    return f'"{text}"' if text.isidentifier() else repr(text)


@dataclass(slots=True)
class Writer:
    """Writes the values of recipes as source."""

    imports: Imports
    lines: list[str] = field(default_factory=list)
    """Statements that make the variables of the expressions."""
    taken: set[str] = field(default_factory=set)
    """Names that are in use."""
    makes_objects: bool = False
    """Whether the function `made` is used."""

    def written(self, recipe: Recipe) -> dict[str, str]:
        """Return an expression for each value of a recipe; Unbuildable: there is none."""
        made = _Making(self, recipe)
        return {path: made.expression(path, value) for path, value in recipe.values.items()}

    def name_for(self, wanted: str) -> str:
        """Return this name, with a number if it is taken."""
        base = wanted if wanted.isidentifier() and not keyword.iskeyword(wanted) else "value"
        name, number = base, 2
        while name in self.taken:
            name, number = f"{base}_{number}", number + 1
        self.taken.add(name)
        return name


class _Making:
    """Writes one recipe, contents before containers."""

    def __init__(self, writer: Writer, recipe: Recipe) -> None:
        self._writer = writer
        self._recipe = recipe
        self._texts: dict[int, str] = {}
        self._depths: dict[int, int] = {}
        self._uses, self._cyclic = _links(recipe)

    def expression(self, path: str, value: Value) -> str:
        """Return the expression for a value."""
        if isinstance(value, Ref):
            for step, ref in self._inside_first(value):
                if step == "enter":
                    self._texts[ref.id] = self._shell(path, ref)
                elif ref.id in self._cyclic:
                    self._fill(path, ref)
                elif ref.id not in self._texts:
                    self._make(path, ref)
        return self._text(value)

    def _inside_first(self, start: Ref) -> Iterator[tuple[str, Ref]]:
        stack: list[tuple[bool, Ref]] = [(False, start)]
        entered: set[int] = set()
        while stack:
            is_left, ref = stack.pop()
            if is_left:
                yield "leave", ref
                continue
            if ref.id in entered or ref.id in self._texts or ref.id in self._recipe.named:
                continue
            entered.add(ref.id)
            if ref.id in self._cyclic:
                yield "enter", ref
            stack.append((True, ref))
            inner = [*contents(self._recipe.objects[ref.id])]
            stack.extend((False, each) for each in reversed(inner) if isinstance(each, Ref))

    def _text(self, value: Value) -> str:
        match value:
            case Atom(content):
                return _FLOATS.get(repr(content), repr(content))
            case Constant(name):
                return name
            case Ref(_, number) if number in self._recipe.named:
                return self._recipe.named[number]
            case Ref(_, number):
                return self._texts[number]
        raise AssertionError(value)

    def _make(self, path: str, ref: Ref) -> None:
        shape = self._recipe.objects[ref.id]
        text = self._whole(path, shape)
        inner = [each.id for each in contents(shape) if isinstance(each, Ref)]
        depth = 1 + max((self._depths.get(each, 0) for each in inner), default=0)
        if self._uses[ref.id] > 1 or depth > _DEEPEST:
            text, depth = self._assigned(ref, text), 0
        self._texts[ref.id], self._depths[ref.id] = text, depth

    def _assigned(self, ref: Ref, text: str) -> str:
        name = self._writer.name_for(ref.type_name.rpartition(".")[2].lower() + "_1")
        self._writer.lines.append(f"{name} = {text}")
        return name

    # --- One object ------------------------------------------------------------------------------

    def _whole(self, path: str, shape: Shape) -> str:
        make = _MAKERS.get(shape.type_name)
        if make is not None:
            return make(self, shape)
        if shape.type_name in _NO_DEFAULT:
            raise Unbuildable(path, "is a defaultdict, whose default is not recorded")
        if is_member(shape):
            return self._member(path, shape)
        notations = conventions.of(self._writer.imports.trace.meta.get("language")).notations
        if shape.type_name in notations:
            return self._call(path, shape, notations[shape.type_name])
        if shape.type_name in _BUILTIN_ERRORS:
            return self._error(path, shape)
        if any(part.items for part in shape.parts if part.kind != "attributes"):
            return self._named_tuple(path, shape)
        return self._object(path, shape)

    def _member(self, path: str, shape: Shape) -> str:
        names = dict((shape.part("attributes") or _EMPTY).pairs)
        kind = self._writer.imports.type_text(shape.type_name, path)
        match names[Atom(MEMBER_NAME)], names[Atom(MEMBER_VALUE)]:
            case Atom(str() as name), _ if name.isidentifier():
                return f"{kind}.{name}"
            case _, value if not isinstance(value, Ref):  # several flags at once
                return f"{kind}({self._text(value)})"
        raise Unbuildable(path, "is a member of an enumeration and has no name")

    def _call(self, path: str, shape: Shape, notation: Sequence[str]) -> str:
        """Write an object as a call of its type."""
        made = _MADE_BY.get(shape.type_name, shape.type_name)
        given = [f"{mark}{self._text(each)}" for mark, each in arguments(shape, notation) or ()]
        return f"{self._writer.imports.type_text(made, path)}({', '.join(given)})"

    def _error(self, path: str, shape: Shape) -> str:
        attributes = dict((shape.part("attributes") or _EMPTY).pairs)
        given = attributes.get(Atom("args"))
        if not isinstance(given, Ref):
            raise Unbuildable(path, f"is a {shape.type_name} whose arguments are not recorded")
        return f"{shape.type_name}(*{self._text(given)})"

    def _named_tuple(self, path: str, shape: Shape) -> str:
        sequence = shape.part("sequence")
        if sequence is None or not self._is_named_tuple(shape.type_name):
            raise Unbuildable(path, f"is a {shape.type_name}, whose constructor is not recorded")
        kind = self._writer.imports.type_text(shape.type_name, path)
        return f"{kind}({', '.join(map(self._text, sequence.items))})"

    def _is_named_tuple(self, type_name: str) -> bool:
        module, _, name = type_name.rpartition(".")
        trace = self._writer.imports.trace
        for each in trace.modules():
            if each.name == module:
                text = "".join(trace.source(each).split())
                quoted = (f'namedtuple("{name}"', f"namedtuple('{name}'")
                return f"class{name}(NamedTuple)" in text or any(each in text for each in quoted)
        return False

    def _object(self, path: str, shape: Shape) -> str:
        self._writer.makes_objects = True
        kind = self._writer.imports.type_text(shape.type_name, path)
        return f"made({', '.join([kind, *self._named_items(shape)])})"

    def _named_items(self, shape: Shape) -> list[str]:
        pairs = [
            (key.content, self._text(item))
            for key, item in (shape.part("attributes") or _EMPTY).pairs
            if isinstance(key, Atom) and isinstance(key.content, str)
        ]
        if all(name.isidentifier() and not keyword.iskeyword(name) for name, _ in pairs):
            return [f"{name}={text}" for name, text in pairs]
        return ["**{" + ", ".join(f"{name!r}: {text}" for name, text in pairs) + "}"]

    def items(self, shape: Shape, kind: str) -> str:
        """Return the items of a part, separated by commas."""
        return ", ".join(map(self._text, (shape.part(kind) or _EMPTY).items))

    def pairs(self, shape: Shape) -> str:
        """Return the keys and items of a mapping, separated by commas."""
        found = (shape.part("mapping") or _EMPTY).pairs
        return ", ".join(f"{self._text(key)}: {self._text(item)}" for key, item in found)

    # --- Objects that contain themselves ---------------------------------------------------------

    def _shell(self, path: str, ref: Ref) -> str:
        shape = self._recipe.objects[ref.id]
        if shape.type_name in ("list", "dict"):
            text = f"{shape.type_name}()"
        elif shape.type_name in _MAKERS or shape.part("sequence") or shape.part("mapping"):
            raise Unbuildable(path, f"has a {shape.type_name} that contains itself")
        else:
            self._writer.makes_objects = True
            text = f"made({self._writer.imports.type_text(shape.type_name, path)})"
        return self._assigned(ref, text)

    def _fill(self, path: str, ref: Ref) -> None:
        shape, name = self._recipe.objects[ref.id], self._texts[ref.id]
        lines = self._writer.lines
        if shape.type_name == "list":
            lines.append(f"{name}.extend([{self.items(shape, 'sequence')}])")
        elif shape.type_name == "dict":
            lines.append(f"{name}.update({{{self.pairs(shape)}}})")
        else:
            for key, item in (shape.part("attributes") or _EMPTY).pairs:
                attribute = key.content if isinstance(key, Atom) else path
                lines.append(f"object.__setattr__({name}, {attribute!r}, {self._text(item)})")


def _tuple(made: _Making, shape: Shape) -> str:
    items = made.items(shape, "sequence")
    is_one = len((shape.part("sequence") or _EMPTY).items) == 1
    return f"({items}{',' if is_one else ''})"


def _set(made: _Making, shape: Shape) -> str:
    items = made.items(shape, "set")
    return f"{{{items}}}" if items else "set()"


def _imported(name: str) -> Callable[[_Making, Shape], str]:
    def make(made: _Making, shape: Shape) -> str:
        inside = (
            f"[{made.items(shape, 'sequence')}]"
            if shape.part("sequence") is not None
            else f"{{{made.pairs(shape)}}}"
        )
        return f"{made._writer.imports.type_text(name, name)}({inside})"  # noqa: SLF001 - its table

    return make


_MAKERS: dict[str, Callable[[_Making, Shape], str]] = {
    "list": lambda made, shape: f"[{made.items(shape, 'sequence')}]",
    "tuple": _tuple,
    "dict": lambda made, shape: f"{{{made.pairs(shape)}}}",
    "set": _set,
    "frozenset": lambda made, shape: f"frozenset([{made.items(shape, 'set')}])",
    "bytearray": lambda made, shape: f"bytearray({made.items(shape, 'bytes')})",
    "object": lambda _made, _shape: "object()",
    "collections.deque": _imported("collections.deque"),
    "collections.OrderedDict": _imported("collections.OrderedDict"),
    "collections.Counter": _imported("collections.Counter"),
}


def _links(recipe: Recipe) -> tuple[dict[int, int], set[int]]:
    """Return how often each object is referred to, and the objects that contain themselves."""
    uses = dict.fromkeys(recipe.objects, 0)
    cyclic: set[int] = set()
    done: set[int] = set()
    for value in recipe.values.values():
        if isinstance(value, Ref) and value.id in uses:
            uses[value.id] += 1
            _walk(recipe, value.id, uses, cyclic, done)
    return uses, cyclic


def _walk(
    recipe: Recipe, start: int, uses: dict[int, int], cyclic: set[int], done: set[int]
) -> None:
    stack: list[tuple[bool, int]] = [(False, start)]
    open_ids: set[int] = set()
    while stack:
        is_left, number = stack.pop()
        if is_left:
            open_ids.discard(number)
            done.add(number)
            continue
        if number in done or number in open_ids:
            continue
        open_ids.add(number)
        stack.append((True, number))
        for inner in contents(recipe.objects[number]):
            if isinstance(inner, Ref) and inner.id in uses:
                uses[inner.id] += 1
                if inner.id in open_ids:
                    cyclic.add(inner.id)
                stack.append((False, inner.id))
