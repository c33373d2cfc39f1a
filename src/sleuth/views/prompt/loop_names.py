"""Names that the user gave to loops; a name holds for all executions of a loop.

The names are kept by trace, because many places that show a loop know only the trace.
"""

from collections.abc import Iterable
from weakref import WeakKeyDictionary

from sleuth.trace.events import Site
from sleuth.trace.reader import Trace
from sleuth.tree.loops.parts import part_of
from sleuth.tree.node import Key

LONGEST = 40
_NAMES: WeakKeyDictionary[Trace, dict[int, str]] = WeakKeyDictionary()


def tell(trace: Trace, names: Iterable[tuple[Key, str]]) -> None:
    """Set the names of loops; the last one for a loop counts."""
    found: dict[int, str] = {}
    for about, words in names:
        part = part_of(trace, about)
        if part is not None:
            found[part.site.id] = words
    _NAMES[trace] = found


def loop_name(trace: Trace, site: Site) -> str:
    """Return the user's name for a loop; empty: it has none."""
    return _NAMES.get(trace, {}).get(site.id, "")
