"""Names that the user gave to loops; a name holds for all executions of a loop.

Loops are drawn in many places that know only the trace, so the names are kept by trace.
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
    """Take over what the user said; the last word about a loop holds."""
    found: dict[int, str] = {}
    for about, words in names:
        part = part_of(trace, about)
        if part is not None:
            found[part.site.id] = words
    _NAMES[trace] = found


def loop_name(trace: Trace, site: Site) -> str:
    """Return what the user calls a loop; nothing: it has no name."""
    return _NAMES.get(trace, {}).get(site.id, "")
