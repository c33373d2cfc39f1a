"""What hints make of the masses: the product of what each says of a node."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sleuth.search.question import Hint
from sleuth.tree.node import Masses

if TYPE_CHECKING:
    from sleuth.search.space import SearchSpace


@dataclass(frozen=True, slots=True)
class Weighing:
    """The masses of the nodes of a focus, as some hints see them."""

    hints: tuple[Hint, ...]

    def __call__(self, space: "SearchSpace") -> Masses:
        """Return them."""
        masses = space.tree.mass[space.focus : space.stop].astype(float)
        for hint in self.hints:
            masses = masses * hint.factors(space.tree)[space.focus : space.stop]
        return masses
