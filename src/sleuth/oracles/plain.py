"""Plain classes: their objects are texts or numbers themselves; not every trace tells which.

Of an object of a class a trace tells the attributes.  Of a text of a class of one's own that is not
all: `Token("a")` and `Token("b")` have the same ones.
"""

import re
from collections.abc import Iterator

from sleuth.trace.reader import Trace

_CLASS = re.compile(r"^[ \t]*class\s+(\w+)\s*\(([^)]*)\)", re.MULTILINE)
_NAME = re.compile(r"[^\W\d]\w*(?=\s*(?:,|$|\[))")
_PLAIN = frozenset(("str", "bytes", "int", "float", "complex", "Decimal"))


def plain_classes(trace: Trace) -> frozenset[str]:
    """Return the names of the classes that recorded code derives from texts and numbers."""
    bases = list(_bases(trace))
    found = set(_PLAIN)
    size = 0
    while size != len(found):
        size = len(found)
        found |= {name for name, above in bases if not above.isdisjoint(found)}
    return frozenset(found - _PLAIN)


def _bases(trace: Trace) -> Iterator[tuple[str, frozenset[str]]]:
    """Yield the classes and what they are derived from, as far as the text says it."""
    sources = trace.sources()
    for module in trace.modules():
        if module.is_recorded:
            for name, above in _CLASS.findall(sources.get(module.path, "")):
                yield name, frozenset(_NAME.findall(above))
