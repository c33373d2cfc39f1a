"""Recent: a small cache that drops the least recently used items."""

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

_Made = TypeVar("_Made")


class Recent(Generic[_Made]):
    """A cache of at most a fixed number of items."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._made: dict[Hashable, _Made] = {}

    def get(self, key: Hashable, make: Callable[[], _Made]) -> _Made:
        """Return the cached item of a key, or make and cache it."""
        if key in self._made:
            self._made[key] = found = self._made.pop(key)
            return found
        made = make()
        if len(self._made) >= self._most:
            del self._made[next(iter(self._made))]
        self._made[key] = made
        return made
