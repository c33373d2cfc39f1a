"""Labels: which parts of an object tell it from others, by class, as paths.

    "black.Line" = "leaves[*].value"        "Order" = "id, customer.name"

A label is data: it leads to recorded values, and no code of the program runs for it.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from sleuth.errors import UsageError
from sleuth.trace.heap.item_holder import item_holder
from sleuth.trace.library import LABELS
from sleuth.trace.path import Path, Step, parse
from sleuth.trace.values import Atom, Ref, Shape, Value

if TYPE_CHECKING:
    from sleuth.trace.reader import Trace

EVERY = "*"
"""The key that stands for all items."""
ATTRIBUTE = "attribute"
_OBJECT = "self"
_TWO = 2
_BRACKETS = {"[": 1, "]": -1}
_MOST_VALUES = 50
_ITEMS = ("sequence", "mapping", "set")


@dataclass(frozen=True, slots=True)
class Label:
    """The label of a class."""

    class_name: str
    """As the user types it: `Line`, `black.Line`, `black.lines.Line`."""
    paths: tuple[Path, ...]
    """From the object; none: the class has no label of its own."""

    @property
    def words(self) -> str:
        """The paths as a user types them."""
        return ", ".join(str(each).removeprefix(_OBJECT).lstrip(".") for each in self.paths)

    def is_for(self, type_name: str) -> bool:
        """Tell whether a class is meant: by its last names, or by its package and its name."""
        if type_name == self.class_name or type_name.endswith(f".{self.class_name}"):
            return True
        package, _, name = self.class_name.rpartition(".")
        is_named = type_name.rpartition(".")[2] == name
        return bool(package) and is_named and type_name.startswith(f"{package}.")


def label(class_name: str, words: str) -> Label:
    """Parse a label; UsageError: a path can't be parsed, or a name is missing."""
    name = class_name.strip()
    if not all(part.isidentifier() for part in name.replace(".<locals>.", ".").split(".")):
        raise UsageError(f"{class_name!r} is not the name of a class. Examples: Line, black.Line")
    return Label(name, tuple(_parsed(each) for each in _split(words)))


def label_for(labels: Sequence[Label], type_name: str) -> Label | None:
    """Return the label of a class; of several the last one holds.

    Classes of well-known libraries have one unless the user chose another.
    """
    known = (*_known(type_name.rpartition(".")[2]), *labels)
    found = next((each for each in reversed(known) if each.is_for(type_name)), None)
    return found if found is not None and found.paths else None


@cache
def _known(name: str) -> tuple[Label, ...]:
    """Return the labels of well-known classes of that name."""
    pairs = LABELS.items()
    return tuple(label(known, words) for known, words in pairs if known.endswith(f".{name}"))


def values_at(trace: "Trace", ref: Ref, path: Path, at: int) -> list[Value]:
    """Return the values that a path of a label leads to, at a moment; several with `[*]`."""
    found: list[Value] = [ref]
    for step in path.steps:
        found = [inside for value in found for inside in _inside(trace, value, step, at)]
        del found[_MOST_VALUES:]
    return found


def attribute(path: Path) -> str:
    """Return the attribute that a path leads to, if it is one of the object itself."""
    return path.steps[0].text if len(path.steps) == 1 and path.steps[0].kind == ATTRIBUTE else ""


def is_shown_by_attribute(path: Path) -> bool:
    """Tell whether a path leads to an attribute of the object, or to all items of one."""
    first, *rest = path.steps
    return first.kind == ATTRIBUTE and all(map(_is_every, rest)) and len(rest) < _TWO


def is_several(path: Path) -> bool:
    """Tell whether a path may lead to several values."""
    return any(_is_every(step) for step in path.steps)


def _is_every(step: Step) -> bool:
    return step.kind == "item" and step.text == EVERY


def _split(words: str) -> Iterator[str]:
    """Split paths at commas and spaces that are not within brackets."""
    current, depth = "", 0
    for sign in words:
        depth += _BRACKETS.get(sign, 0)
        if depth <= 0 and (sign == "," or sign.isspace()):
            if current:
                yield current
            current = ""
        else:
            current += sign
    if current:
        yield current


def _parsed(text: str) -> Path:
    """Parse a path from an object: its first name is an attribute."""
    if text.startswith("["):
        return parse(f"{_OBJECT}{text}")
    found = parse(text)
    if found.is_global:
        raise UsageError(f"{text} is not part of an object: a label begins with an attribute.")
    return Path(_OBJECT, (Step(ATTRIBUTE, found.start), *found.steps))


def _inside(trace: "Trace", value: Value, step: Step, at: int) -> Iterable[Value]:
    shape = trace.shape(value, at) if isinstance(value, Ref) else None
    if not isinstance(value, Ref) or shape is None:
        return ()
    if step.kind == ATTRIBUTE:
        return _named(shape, step.text)
    _, holder = item_holder(trace, value, shape, at)
    parts = [part for part in holder.parts if part.kind in _ITEMS]
    if _is_every(step):
        return [item for part in parts for item in part.items[:_MOST_VALUES]]
    for part in parts:
        keys = part.keys or tuple(Atom(number) for number in range(len(part.items)))
        for key, item in zip(keys, part.items, strict=True):
            if isinstance(key, Atom) and repr(key.content) == step.text.replace('"', "'"):
                return (item,)
    return ()


def _named(shape: Shape, name: str) -> Iterable[Value]:
    part = shape.part("attributes")
    return [item for key, item in part.pairs if key == Atom(name)] if part else ()
