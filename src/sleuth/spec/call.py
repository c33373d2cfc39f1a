"""A recorded call as plain Python data, for models and predicates."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any


class CannotSay(Exception):
    """Raised by a specification that has nothing to say about a call; None means the same."""


class Record(SimpleNamespace):
    """An object of the recorded program, by its attributes; its class has the original name."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, SimpleNamespace):
            return NotImplemented
        is_alike = type(other) in (type(self), SimpleNamespace)
        return is_alike and vars(self) == vars(other)

    def __hash__(self) -> int:  # type: ignore[override]
        # It may be a key or in a set.  Equal records have the same class and attributes.
        return hash((type(self).__name__, *sorted(vars(self))))


class Names:
    """Values by name: `call.inputs.price`, `call.inputs["price"]`, and in order."""

    def __init__(self, values: Mapping[str, Any], unknown: Mapping[str, str]) -> None:
        self._values = dict(values)
        self._unknown = dict(unknown)

    def __getitem__(self, name: str) -> Any:
        if name in self._unknown:
            raise CannotSay(self._unknown[name])
        return self._values[name]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            return self[name]
        except KeyError:
            known = ", ".join([*self._values, *self._unknown]) or "none"
            raise AttributeError(f"there is no {name} here; there are: {known}") from None

    def __contains__(self, name: object) -> bool:
        return name in self._values or name in self._unknown

    def __iter__(self) -> Iterator[str]:
        return iter([*self._values, *self._unknown])

    def __len__(self) -> int:
        return len(self._values) + len(self._unknown)

    def __repr__(self) -> str:
        return f"Names({self._values!r})"


@dataclass(frozen=True)
class Raised:
    """An exception that left a call."""

    type: str
    """The name of its class, with its module if it is no builtin one."""
    args: tuple[Any, ...]
    """The arguments that could be rebuilt."""


@dataclass(frozen=True)
class Change:
    """Something that a call changed."""

    path: str
    """From a variable: `self.lines[0].price`."""
    how: str
    """set, added, removed; length"""


@dataclass(frozen=True)
class Call:
    """The inputs and effects of a call.

    A value that could not be rebuilt from the recording raises CannotSay when it is used, so that
    the specification abstains.
    """

    function: str
    """Its qualified name."""
    inputs: Names
    """Arguments as they were when it began."""
    after: Names
    """The same arguments when it ended."""
    used: Names
    """Globals and variables of functions around it that it used, when it began."""
    how: str
    """returned, raised, stopped (a generator that gave all)"""
    changes: tuple[Change, ...]
    output: tuple[str, ...]
    """The lines that it and its callees printed."""
    outcome: Names

    @property
    def result(self) -> Any:
        """The result; for a generator the list of its values."""
        if "result" not in self.outcome:
            raise CannotSay(f"it returned nothing: it {self.how}")
        return self.outcome["result"]

    @property
    def raised(self) -> Raised | None:
        """The exception that left the call; None: there was none."""
        found: Raised | None = self.outcome["raised"] if self.how == "raised" else None
        return found

    def __repr__(self) -> str:
        return f"<call of {self.function}>"
