"""Structural comparison of values of two runs: by contents, and by name for code.

Object numbers, folders, addresses, the order of sets and the last digits of floats differ between
runs without being a difference: `tree/identity/values.py` has the rule.  For some objects a trace
has only the type: a value that contains one is compared, but the result is not sure.  Attributes
known to be nondeterministic are ignored.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from sleuth.oracles.compare.nondeterminism import Atoms, Attribute, Chance
from sleuth.oracles.compare.text_classes import plain_classes
from sleuth.oracles.compare.version_texts import is_version
from sleuth.trace import conventions
from sleuth.trace.heap.arrays import HASH, fact
from sleuth.trace.heap.reachable import COMPARISON, Walk, contents
from sleuth.trace.heap.recipe import is_plain
from sleuth.trace.reader import Trace
from sleuth.trace.values import Atom, Cut, NotKept, Part, Ref, Shape, Value
from sleuth.tree.identity.values import AlikeValues

Counts = frozenset[str] | None
"""The names of the attributes that count; None: all."""

_ROUNDS = 4
"""Rounds of refinement: within this distance objects differ by position, beyond by contents."""
_CHANCE = "chance"
"""Stands for a nondeterministic value, with its type."""
_NAMED = ("type", "module", "abc.ABCMeta", "enum.EnumType", "enum.EnumMeta", "EnumType")
"""Types of code without bound variables."""
_POSITIONS = ("traceback.", "frame", "code", "types.FrameType", "types.CodeType")
"""Types of objects that hold positions in code, which move with every edit."""
_FIXED = ("tuple", "frozenset", "builtins.tuple", "builtins.frozenset")
"""Immutable types: sharing such objects does not matter."""
_VALUE = Atom("_value_")
"""The attribute with the value of a member of an enumeration."""
_NOISY = ("float", "complex")
"""Prefixes of item types: the hash of such an array is ignored, as it depends on every digit."""


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
    floats: Hashable = frozenset()
    """All floats with all their digits, and how often each occurs."""

    def is_like(self, other: "Told") -> bool:
        """Whether there is no known difference except noise in floats."""
        return self.all == other.all and self.near == other.near


class Likeness:
    """Describes values of one run so that equal values of another have equal descriptions."""

    def __init__(self, trace: Trace, chance: Chance | None = None) -> None:
        self._trace = trace
        self.chance = chance or Chance()
        self.values = AlikeValues(trace, self.chance.noise)
        self._conventions = conventions.of(trace.meta.get("language"))
        self._code = self._conventions.code

    # --- One value -------------------------------------------------------------------------------

    def glance(self, value: Value) -> Hashable:
        """Return a description of a value, without the contents of objects."""
        match value:
            case Atom(content):
                told = _plain(self.values.content(content))
                return (_CHANCE, told[0]) if told in self.chance.values else told
            case Ref(type_name) if type_name.startswith(_POSITIONS):
                return "position", type_name
            case Ref():
                return self._code_name(value) or self.values.type_name(value)
            case Cut(kind, length, digest):
                return kind, length, digest
            case NotKept(reason):
                return "not kept", self.values.reason(reason)
        return value

    # --- Code by name, and opaque objects --------------------------------------------------------

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
        sharing, floats = graph.sharing(variables), graph.exact_floats()
        return Told(near, everything_there, graph.is_sure, sharing, floats)

    def atoms(self, variables: Mapping[str, Value], at: int) -> Atoms:
        """Return the plain values of all attributes that can be reached at a moment."""
        graph = _Graph(self, self._trace, None)
        graph.walk(variables.values(), at)
        return graph.atoms

    def reached(self, values: Iterable[Value], at: int) -> set[int]:
        """Return the objects that can be reached from some values at a moment."""

        def inside(_ref: Ref, shape: Shape) -> list[Value]:
            return [each for each in contents(shape) if self._is_object(each)]

        walk = Walk(self._trace.shape, COMPARISON, inside=inside)
        return {found.ref.id for found in walk.objects(filter(self._is_object, values), at)}

    def _is_object(self, value: Value) -> bool:
        """Whether a value is an object with contents, not code."""
        return isinstance(value, Ref) and not isinstance(self.glance(value), tuple)

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
        self._floats: list[complex] = []
        self.is_sure = True
        self.atoms: dict[Attribute, Counter[Hashable]] = {}
        """The plain values of attributes."""

    def walk(self, values: Iterable[Value], at: int) -> None:
        """Collect all reachable objects."""
        walk = Walk(self._trace.shape, COMPARISON, inside=self._inside)
        starts = [each for each in map(self._item, values) if isinstance(each, Ref)]
        for ref, shape, _ in walk.objects(starts, at):
            owner = self._likeness.values.type_name(ref)
            self._held[ref.id] = owner, [] if shape is None else self._parts(owner, shape)
            self._check(ref, shape)
        self.is_sure = self.is_sure and walk.cut is None

    def _inside(self, ref: Ref, _shape: Shape) -> Iterable[Value]:
        """Return the objects to follow: not code, nor what does not count."""
        _, parts = self._held[ref.id]
        return [each for _, items in parts for each in items if isinstance(each, Ref)]

    def exact_floats(self) -> Hashable:
        """Return all floats with all their digits, and how often each occurs."""
        return frozenset(Counter(self._floats).items())

    def _check(self, ref: Ref, shape: Shape | None) -> None:
        if self._likeness.is_opaque(ref, shape):
            self.is_sure = False
        elif shape is not None:
            self.is_sure = self.is_sure and shape.is_sure and shape.is_complete

    def _parts(self, owner: str, shape: Shape) -> list[tuple[str, list[Hashable | Ref]]]:
        found: list[tuple[str, list[Hashable | Ref]]] = []
        for part in shape.parts:
            if part.kind in ("attributes", "summary"):
                pairs = {
                    str(key.content) if isinstance(key, Atom) else str(key): item
                    for key, item in part.pairs
                }
                if part.kind == "summary" and _is_hash_idle(part, shape):
                    pairs.pop(HASH, None)
                found.append((part.kind, list(self._named(owner, pairs))))
            else:
                both = (*part.keys, *part.items)
                found.append((part.kind, [self._item(each) for each in both]))
        return found

    def _named(self, owner: str, pairs: Mapping[str, Value]) -> Iterator[Hashable | Ref]:
        counts = self._counts
        for name in sorted(pairs if counts is None else counts & pairs.keys()):
            yield name
            is_same = is_version(name, pairs[name])
            yield "version" if is_same else self._attribute((owner, name), pairs[name])

    def _attribute(self, attribute: Attribute, value: Value) -> Hashable | Ref:
        """Return the value of an attribute; of a nondeterministic one only its type."""
        if isinstance(value, Atom) and attribute in self._likeness.chance.attributes:
            return _CHANCE, _plain(value.content)[0]
        item = self._item(value)
        if isinstance(value, Atom):
            self.atoms.setdefault(attribute, Counter())[item] += 1
        return item

    def _item(self, value: Value) -> Hashable | Ref:
        """Return an object with contents as it is, and a description of any other value."""
        if isinstance(value, NotKept) or self._likeness.may_hide(value):
            self.is_sure = False
        told = self._likeness.glance(value)
        if isinstance(value, Atom) and isinstance(value.content, float | complex):
            self._note(value.content, told)
        return value if isinstance(value, Ref) and not isinstance(told, tuple) else told

    def _note(self, number: complex, told: Hashable) -> None:
        is_chance = isinstance(told, tuple) and told[0] == _CHANCE
        # (A nan equals no float, and has no noise.)
        if not is_chance and number == number:  # noqa: PLR0124 - finds NaN
            self._floats.append(number)

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
        """Return the mutable objects that one variable leads to, among those collected."""
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


def _plain(content: complex | str | bytes) -> tuple[str, Hashable]:
    if isinstance(content, str):
        return "text", content
    kind = type(content).__name__
    return kind, repr(content) if isinstance(content, float | complex) else content


def _is_hash_idle(summary: Part, shape: Shape) -> bool:
    """Whether to ignore the hash of an array: all items are known, or may differ by noise."""
    items = shape.part("sequence")
    if items is None or items.is_complete:
        return items is not None
    kind = fact(summary, "dtype")
    return isinstance(kind, Atom) and str(kind.content).startswith(_NOISY)
