"""Structural comparison of values of two runs: by contents, and by name for code.

Object numbers, folders, addresses and the order of sets differ between runs without being a
difference.  Of some objects a trace knows only the type: a value that contains one is compared, but
the result is not sure.  Attributes known to be nondeterministic are ignored.
"""

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath

from sleuth.oracles.compare.nondeterminism import Atoms, Attribute, Chance
from sleuth.oracles.compare.text_classes import plain_classes
from sleuth.oracles.compare.version_texts import is_version
from sleuth.trace import conventions
from sleuth.trace.heap.recipe import is_plain
from sleuth.trace.reader import Trace
from sleuth.trace.values import Atom, Cut, NotKept, Part, Ref, Shape, Value

Counts = frozenset[str] | None
"""The names of the attributes that count; None: all."""

_MOST_OBJECTS = 3_000
_MOST_ITEMS = 60_000
_ROUNDS = 4
"""Rounds of refinement: within this distance objects differ by position, beyond by contents."""
_DIGITS = 12
"""Digits to which floats are compared."""
_NAMED = ("type", "module", "abc.ABCMeta", "enum.EnumType", "enum.EnumMeta", "EnumType")
"""Types of code without bound variables."""
_POSITIONS = ("traceback.", "frame", "code", "types.FrameType", "types.CodeType")
"""Types of objects that hold positions in code, which move with every edit."""
_FIXED = ("tuple", "frozenset", "builtins.tuple", "builtins.frozenset")
"""Immutable types: sharing such objects does not matter."""
_VALUE = Atom("_value_")
"""The attribute with the value of a member of an enumeration."""
_ADDRESS = re.compile(r"\b0x[0-9a-f]{6,}\b")
_TAG = re.compile(r", tag \w+$")
"""The tag of a secret, which differs in each run."""


@dataclass(frozen=True, slots=True)
class Told:
    """A description of all that is reachable from some variables, comparable between runs."""

    near: Mapping[str, Hashable]
    """Variable -> description, a few steps deep."""
    all: Hashable
    """Description of all reachable objects."""
    is_sure: bool
    """False: not all of it is known."""
    sharing: Hashable = frozenset()
    """Pairs of variables that lead to the same mutable object."""

    def is_like(self, other: "Told") -> bool:
        """Whether nothing differs, as far as is known."""
        return self.all == other.all and self.near == other.near


class Likeness:
    """Describes values of one run so that equal values of another have equal descriptions."""

    def __init__(self, trace: Trace, chance: Chance | None = None) -> None:
        self._trace = trace
        self.chance = chance or Chance()
        self._conventions = conventions.of(trace.meta.get("language"))
        self._code = self._conventions.code

    # --- One value -------------------------------------------------------------------------------

    def glance(self, value: Value) -> Hashable:
        """Return a description of a value, without the contents of objects."""
        match value:
            case Atom(content):
                return self._atom(content)
            case Ref(type_name) if type_name.startswith(_POSITIONS):
                return "position", type_name
            case Ref():
                return self._code_name(value) or value.type_name
            case Cut(kind, length, digest):
                return kind, length, digest
            case NotKept(reason):
                return "not kept", _TAG.sub("", reason)
        return value

    def _atom(self, content: complex | str | bytes) -> Hashable:
        told = self._plain(content)
        return ("chance", type(content).__name__) if told in self.chance.values else told

    def _plain(self, content: complex | str | bytes) -> Hashable:
        match content:
            case str():
                return "text", self.text(content)
            case float():
                return "float", f"{content:.{_DIGITS}g}"
            case complex():
                return "complex", f"{content:.{_DIGITS}g}"
        return type(content).__name__, content

    def text(self, content: str) -> str:
        """Return a text without addresses and without the folders of this run."""
        if "0x" in content:
            content = _ADDRESS.sub("0x", content)
        if "/" in content:
            for folder in self._folders:
                content = content.replace(folder, "/")
        return content

    @cached_property
    def _folders(self) -> Sequence[str]:
        """The folders in which this run found its modules, the longest first."""
        found = {str(self._trace.meta.get("cwd", "")).rstrip("/") + "/"}
        for module in self._trace.modules():
            if module.is_recorded and module.path.startswith("/"):
                up = module.name.count(".") + (PurePath(module.path).name == "__init__.py")
                parents = PurePath(module.path).parents
                found.add(f"{parents[min(up, len(parents) - 1)]}/")
        return sorted(found - {"/"}, key=len, reverse=True)

    # --- Code by name, and what nothing is known of ----------------------------------------------

    def _code_name(self, ref: Ref) -> Hashable:
        name = self._names.get(ref.id)
        if name is not None:
            return "code", name
        return ("code", ref.type_name) if ref.type_name in self._code else None

    def may_hide(self, value: Value) -> bool:
        """Whether it is code without a name, whose bound variables are not known."""
        if not isinstance(value, Ref) or value.type_name not in self._code:
            return False
        return value.type_name not in _NAMED and value.id not in self._names

    @cached_property
    def _names(self) -> Mapping[int, str]:
        """Object -> name, of the code that recorded modules define or import."""
        found: dict[int, str] = {}
        trace = self._trace
        for module in trace.modules():
            if module.is_recorded:
                for name, value in trace.globals(module, trace.event_count).items():
                    if isinstance(value, Ref) and self._is_code(value):
                        found.setdefault(value.id, name)
        return found

    def _is_code(self, ref: Ref) -> bool:
        """Whether it is a function, a class (also with a metaclass), or a module."""
        return ref.type_name in self._code or ref.type_name.endswith(("Meta", "Type", "type"))

    def is_opaque(self, ref: Ref, shape: Shape | None) -> bool:
        """Whether only the type of an object is known, though it has state."""
        if shape is None or ref.type_name in self._conventions.opaque:
            return True
        if ref.type_name.rpartition(".")[2] in self._plain_classes:
            return not is_plain(shape) and not any(_VALUE in part.keys for part in shape.parts)
        if any(part.items or part.kind != "attributes" for part in shape.parts):
            return False
        # Attributes of objects of recorded classes are known; others may have hidden state.
        return not ref.type_name.startswith(self._recorded) and ref.type_name != "object"

    @cached_property
    def _plain_classes(self) -> frozenset[str]:
        return plain_classes(self._trace)

    @cached_property
    def _recorded(self) -> tuple[str, ...]:
        names = {module.name for module in self._trace.modules() if module.is_recorded}
        return tuple(f"{name}." for name in names)

    # --- All that can be reached -----------------------------------------------------------------

    def told(self, variables: Mapping[str, Value], at: int, counts: Counts = None) -> Told:
        """Describe some variables at a moment; only attributes that count are included."""
        graph = _Graph(self, self._trace, counts)
        graph.walk(variables.values(), at)
        digests = graph.digests()
        near = {
            name: self._near(value, digests)
            for name, value in variables.items()
            if isinstance(value, Ref) or not is_version(name, value)
        }
        everything_there = hash(frozenset(digests.values()))
        return Told(near, everything_there, graph.is_sure, graph.sharing(variables))

    def atoms(self, variables: Mapping[str, Value], at: int) -> Atoms:
        """Return the plain values of all attributes that can be reached at a moment."""
        graph = _Graph(self, self._trace, None)
        graph.walk(variables.values(), at)
        return graph.atoms

    def reached(self, values: Iterable[Value], at: int) -> set[int]:
        """Return the objects that can be reached from some values at a moment."""
        graph = _Graph(self, self._trace, None)
        graph.walk(values, at)
        return graph.objects

    def _near(self, value: Value, digests: Mapping[int, int]) -> Hashable:
        if isinstance(value, Ref) and value.id in digests:
            return digests[value.id]
        return self.glance(value)


class _Graph:
    """Objects and what they hold, at one moment."""

    def __init__(self, likeness: Likeness, trace: Trace, counts: Counts) -> None:
        self._likeness = likeness
        self._trace = trace
        self._counts = counts
        self._held: dict[int, tuple[str, list[tuple[str, list[Hashable | Ref]]]]] = {}
        """Object -> its type, and of each part its kind and items."""
        self._items = 0
        self.is_sure = True
        self.atoms: dict[Attribute, Counter[Hashable]] = {}
        """The plain values of attributes."""

    def walk(self, values: Iterable[Value], at: int) -> None:
        """Collect all reachable objects."""
        waiting = [each for each in map(self._item, values) if isinstance(each, Ref)]
        while waiting:
            ref = waiting.pop()
            if ref.id in self._held:
                continue
            shape = self._trace.shape(ref, at)
            parts = (
                [] if shape is None else [self._part(ref.type_name, part) for part in shape.parts]
            )
            self._held[ref.id] = ref.type_name, parts
            self._check(ref, shape)
            if len(self._held) > _MOST_OBJECTS or self._items > _MOST_ITEMS:
                self.is_sure = False
                return
            waiting += [each for _, items in parts for each in items if isinstance(each, Ref)]

    @property
    def objects(self) -> set[int]:
        """The collected objects."""
        return {*self._held}

    def _check(self, ref: Ref, shape: Shape | None) -> None:
        if self._likeness.is_opaque(ref, shape):
            self.is_sure = False
        elif shape is not None:
            self.is_sure = self.is_sure and shape.is_sure and shape.is_complete

    def _part(self, owner: str, part: Part) -> tuple[str, list[Hashable | Ref]]:
        self._items += len(part.items)
        if part.kind in ("attributes", "summary"):
            pairs = {
                str(key.content) if isinstance(key, Atom) else str(key): item
                for key, item in part.pairs
            }
            return part.kind, list(self._named(owner, pairs))
        keys = [self._item(key) for key in part.keys]
        return part.kind, [*keys, *map(self._item, part.items)]

    def _named(self, owner: str, pairs: Mapping[str, Value]) -> Iterator[Hashable | Ref]:
        counts = self._counts
        for name in sorted(pairs if counts is None else counts & pairs.keys()):
            yield name
            is_same = is_version(name, pairs[name])
            yield "version" if is_same else self._attribute((owner, name), pairs[name])

    def _attribute(self, attribute: Attribute, value: Value) -> Hashable | Ref:
        """Return the value of an attribute; of a nondeterministic one only its type."""
        item = self._item(value)
        if isinstance(value, Atom):
            if attribute in self._likeness.chance.attributes:
                return "chance", type(value.content).__name__
            self.atoms.setdefault(attribute, Counter())[item] += 1
        return item

    def _item(self, value: Value) -> Hashable | Ref:
        """Return an object with contents as it is, and a description of any other value."""
        if isinstance(value, NotKept) or self._likeness.may_hide(value):
            self.is_sure = False
        told = self._likeness.glance(value)
        return value if isinstance(value, Ref) and not isinstance(told, tuple) else told

    def sharing(self, variables: Mapping[str, Value]) -> Hashable:
        """Return the pairs of variables that lead to the same mutable object."""
        reached = {name: self._reached(value) for name, value in variables.items()}
        names = sorted(name for name, found in reached.items() if found)
        return frozenset(
            (one, two)
            for at, one in enumerate(names)
            for two in names[at + 1 :]
            if not reached[one].isdisjoint(reached[two])
        )

    def _reached(self, value: Value) -> set[int]:
        waiting = [value.id] if isinstance(value, Ref) and value.id in self._held else []
        seen = set(waiting)
        while waiting:
            _, parts = self._held[waiting.pop()]
            inner = {each.id for _, items in parts for each in items if isinstance(each, Ref)}
            new = (inner & self._held.keys()) - seen
            seen |= new
            waiting += new
        return {ref for ref in seen if self._held[ref][0] not in _FIXED}

    def digests(self) -> dict[int, int]:
        """Return for each object a digest of its contents, some steps deep."""
        found = {ref: hash(kind) for ref, (kind, _) in self._held.items()}
        for _ in range(_ROUNDS):
            found = {
                ref: hash((kind, tuple(_digest(part, found) for part in parts)))
                for ref, (kind, parts) in self._held.items()
            }
        return found


def _digest(part: tuple[str, list[Hashable | Ref]], known: Mapping[int, int]) -> int:
    kind, items = part
    told = [known.get(each.id, 0) if isinstance(each, Ref) else hash(each) for each in items]
    return hash((kind, tuple(sorted(told) if kind == "set" else told)))
