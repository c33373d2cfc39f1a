"""The wording of a function: annotations, defaults, decorators and digests from its source.

The recorder writes it.  Annotations, defaults and decorators are kept to be shown and compared.  A
*digest* is a hash of code without comments, docstrings, annotations and layout: code with equal
digests does the same.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from sleuth.trace.events import Span
from sleuth.trace.store.documents import WORDING, checked

CUT = "…"
"""The end of a shortened text."""
PLAIN, KEYWORD = "plain", "keyword"
COLLECTS_POSITIONS, COLLECTS_NAMES = "collects positions", "collects names"
"""Kinds of parameters: `*args` and `**kwargs`."""
_PARAMETERS, _WORDING = 4, 6
"""Columns of a row of the table `flows`."""


class Decorator(NamedTuple):
    """A decorator of a function or class."""

    name: str
    """Its dotted name; empty: it is another expression."""
    line: int
    last_line: int
    text: str
    """Its first line."""


@dataclass(frozen=True, slots=True)
class Wording:
    """The wording of one function."""

    digest: str
    """Digest of the whole function; for the body of a module or class without its functions."""
    parameters: Sequence[str] = ()
    """The kind of each parameter."""
    annotations: Sequence[str] = ()
    """The annotation of each parameter; empty, or beyond the end: it has none."""
    defaults: Sequence[str] = ()
    """The default of each parameter, likewise."""
    returns: str = ""
    """The annotation of the result."""
    decorators: Sequence[Decorator] = ()
    digests: Mapping[int, str] = field(default_factory=dict)
    """For the body of a module or class: statement -> digest, for its top-level statements that
    define neither a function nor a class."""
    conditions: Mapping[int, Span] = field(default_factory=dict)
    """Statement that checks something -> span of its condition."""

    def annotation(self, parameter: int) -> str:
        """Return the annotation of a parameter, by its number."""
        return self.annotations[parameter] if parameter < len(self.annotations) else ""

    def default(self, parameter: int) -> str:
        """Return the default of a parameter, by its number."""
        return self.defaults[parameter] if parameter < len(self.defaults) else ""


def unpacked(row: Sequence[Any]) -> Wording | None:
    """Read the wording in a row of the table `flows`; None: it is not recorded.

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
