"""Applies hints to masses: a node's mass is multiplied by the factor of each hint."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sleuth.search.question import Hint
from sleuth.tree.node import Masses

if TYPE_CHECKING:
    from sleuth.search.space import SearchSpace


@dataclass(frozen=True, slots=True)
class Weighing:
    """Computes the masses of the nodes of a focus with some hints."""

    hints: tuple[Hint, ...]

    def __call__(self, space: "SearchSpace") -> Masses:
        """Return the masses."""
        masses = space.tree.mass[space.focus : space.stop].astype(float)
        for hint in self.hints:
            masses = masses * hint.factors(space.tree)[space.focus : space.stop]
        return masses
