"""Chance: what is another each time, though the code is the same and was given the same.

The time of day, a random name: it is learned where nothing was edited, and is no difference
anywhere else.
"""

from collections import Counter
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field

Attribute = tuple[str, str]
"""The type of an object, and the name of an attribute."""
Atoms = Mapping[Attribute, Counter[Hashable]]
"""What attributes hold that is not an object, as `Likeness.glance` tells it."""

_LEAST_TEXT = 6
_LEAST_NUMBER = 1_000


@dataclass(eq=False)
class Chance:
    """What two runs are known to differ in by chance; both sides look it up."""

    attributes: set[Attribute] = field(default_factory=set)
    values: set[Hashable] = field(default_factory=set)
    """What these attributes held, wherever it went: just what is not likely to be met otherwise."""

    def learn(self, before: tuple[Atoms, Atoms], after: tuple[Atoms, Atoms]) -> bool:
        """Take in what code that nobody edited made differ; tell whether anything is new."""
        size = len(self.attributes), len(self.values)
        here, there = after
        for attribute in here.keys() & there.keys():
            if before[0].get(attribute) != before[1].get(attribute):
                continue  # it differed already, and who knows why
            one, two = here[attribute], there[attribute]
            if one != two and _kinds(one) == _kinds(two):
                self.attributes.add(attribute)
                self.values |= set(filter(_is_telling, one.keys() ^ two.keys()))
        return size != (len(self.attributes), len(self.values))


def _kinds(values: Counter[Hashable]) -> Counter[Hashable]:
    """Return how many there are of each kind."""
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
