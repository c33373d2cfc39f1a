"""What the text of a function says beside what its code does, as the recorder has written it.

Texts of annotations, defaults and decorators are there to be shown and compared.  A *digest* stands
for what code says, blind to comments, texts that document it, annotations and how it is laid out:
code with the same digest says the same.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sleuth.trace.events import Span
from sleuth.trace.store.documents import WORDING, checked

CUT = "…"
"""How a text ends that is not told whole."""
PLAIN, KEYWORD = "plain", "keyword"
COLLECTS_POSITIONS, COLLECTS_NAMES = "collects positions", "collects names"
"""How a parameter is passed."""
_PARAMETERS, _WORDING = 4, 6
"""Columns of a row of the table `flows`."""


class Decorator(NamedTuple):
    """Something that changes a function or class where it is defined."""

    name: str
    """With dots; empty: it is no name."""
    line: int
    last_line: int
    text: str
    """Its first line."""


@dataclass(frozen=True, slots=True)
class Wording:
    """What the text of one function says."""

    digest: str
    """Of all that it says; of the body of a module or class without the functions in it."""
    parameters: Sequence[str] = ()
    """How each is passed."""
    annotations: Sequence[str] = ()
    """Of the parameters, in their order; empty, or behind the end: there is none."""
    defaults: Sequence[str] = ()
    """Likewise."""
    returns: str = ""
    """The annotation of the result."""
    decorators: Sequence[Decorator] = ()
    digests: Mapping[int, str] = field(default_factory=dict)
    """Of the body of a module or class: statement -> digest, of those that stand directly in it and
    define neither a function nor a class."""
    conditions: Mapping[int, Span] = field(default_factory=dict)
    """Statement that checks something -> where its condition stands."""

    def annotation(self, parameter: int) -> str:
        """Return the annotation of a parameter, by its number."""
        return self.annotations[parameter] if parameter < len(self.annotations) else ""

    def default(self, parameter: int) -> str:
        """Return the default of a parameter, by its number."""
        return self.defaults[parameter] if parameter < len(self.defaults) else ""


def unpacked(row: Sequence[Any]) -> Wording | None:
    """Read the wording in a row of the table `flows`; None: it is not said.

    ValueError: it is malformed.
    """
    told = row[_WORDING] if len(row) > _WORDING else None
    if told is None:
        return None
    told = checked(told, WORDING)
    return Wording(
        digest=told.get("digest", ""),
        parameters=tuple(checked(row[_PARAMETERS], [str])),
        annotations=tuple(told.get("annotations", ())),
        defaults=tuple(told.get("defaults", ())),
        returns=told.get("returns", ""),
        decorators=tuple([Decorator(*each) for each in told.get("decorators", ())]),
        digests=dict(told.get("digests", ())),
        conditions={number: Span(*span) for number, *span in told.get("conditions", ())},
    )
