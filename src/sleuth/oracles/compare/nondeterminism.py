"""Nondeterminism: values that differ from run to run without an edit.

Examples are the time of day and random names.  They are learned where unedited code had equal
inputs, and then don't count as differences elsewhere.
"""

from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field

from sleuth.tree.identity.values import Noise

Attribute = tuple[str, str]
"""The type of an object, and the name of an attribute."""
Atoms = Mapping[Attribute, Counter[Hashable]]
"""The plain values of attributes, as `Likeness.glance` describes them."""

_LEAST_TEXT = 6
_LEAST_NUMBER = 1_000


@dataclass(eq=False)
class Chance:
    """The known nondeterministic attributes and values of two runs; both sides use it."""

    attributes: set[Attribute] = field(default_factory=set)
    values: set[Hashable] = field(default_factory=set)
    """The values of these attributes, wherever they are copied; only unlikely values count."""
    noise: Noise = field(default_factory=Noise)
    """The representatives of floats, shared by both runs."""

    def learn(self, before: tuple[Atoms, Atoms], after: tuple[Atoms, Atoms]) -> bool:
        """Learn the differences that unedited code made; tell whether any is new."""
        size = len(self.attributes), len(self.values)
        here, there = after
        for attribute in here.keys() & there.keys():
            if before[0].get(attribute) != before[1].get(attribute):
                continue  # it differed before, for an unknown reason
            one, two = here[attribute], there[attribute]
            if one != two and _kinds(one) == _kinds(two):
                self.attributes.add(attribute)
                self.values |= set(filter(_is_telling, one.keys() ^ two.keys()))
        return size != (len(self.attributes), len(self.values))


def _kinds(values: Counter[Hashable]) -> Counter[Hashable]:
    """Return the number of values of each type."""
    found: Counter[Hashable] = Counter()
    for value, count in values.items():
        found[value[0] if isinstance(value, tuple) else value] += count
    return found


def _is_telling(value: Hashable) -> bool:
    match value:
        case ("text" | "bytes", str() | bytes() as content):
            return len(content) >= _LEAST_TEXT
        case ("int", int(number)):
            return abs(number) >= _LEAST_NUMBER
        case ("float", str(digits)):
            return not float(digits).is_integer()
    return False
