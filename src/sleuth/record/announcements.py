"""What was told to a trace about modules, to be told again to the next one of the same process."""

from collections.abc import Callable
from functools import partial
from typing import Any

from sleuth.trace.writer import Writer


class Announcements:
    """A writer's methods for modules; each call is kept, and can be repeated to another writer."""

    def __init__(self, writer: Writer | None) -> None:
        self._writer = writer
        self._told: list[Callable[[Writer], Any]] = []
        self._modules = 0

    def move_to(self, writer: Writer | None) -> None:
        """Tell another writer all of it, and from now on that one; None: nobody for now."""
        self._writer = writer
        if writer is not None:
            with writer.together():
                for tell in self._told:
                    tell(writer)

    def add_module(self, **about: Any) -> int:
        """Announce a module; see `Writer.add_module`."""
        self._modules += 1
        self._tell(partial(_call, "add_module", (), about))
        return self._modules

    def add_functions(self, *rows: Any) -> None:
        """Announce functions."""
        self._tell(partial(_call, "add_functions", rows, {}))

    def add_sites(self, *rows: Any) -> None:
        """Announce sites."""
        self._tell(partial(_call, "add_sites", rows, {}))

    def _tell(self, tell: Callable[[Writer], Any]) -> None:
        self._told.append(tell)
        if self._writer is not None:
            tell(self._writer)


def _call(name: str, positional: tuple[Any, ...], named: dict[str, Any], writer: Writer) -> None:
    getattr(writer, name)(*positional, **named)
