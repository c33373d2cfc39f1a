"""Recent: what was made last, by what it was made from; what is older is forgotten."""

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

_Made = TypeVar("_Made")


class Recent(Generic[_Made]):
    """Keeps so many things."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._made: dict[Hashable, _Made] = {}

    def get(self, key: Hashable, make: Callable[[], _Made]) -> _Made:
        """Return what belongs to a key: as it was made, or made now."""
        if key in self._made:
            self._made[key] = found = self._made.pop(key)
            return found
        made = make()
        if len(self._made) >= self._most:
            del self._made[next(iter(self._made))]
        self._made[key] = made
        return made
