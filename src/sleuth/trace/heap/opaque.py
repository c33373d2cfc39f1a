"""Objects that may hold more than a trace knows: of a type whose attributes are not all it has.

An object of a recorded class has its attributes told.  What is made by code that is not recorded
may keep its state where nobody looks: a partial function, a file.
"""

from functools import lru_cache

from sleuth.trace import conventions
from sleuth.trace.reader import Trace
from sleuth.trace.values import Ref, Shape

_PLAIN = ("object",)


def is_opaque(trace: Trace, ref: Ref, shape: Shape) -> bool:
    """Tell whether an object may hold what its shape does not tell."""
    if ref.type_name in conventions.of(trace.meta.get("language")).opaque:
        return True
    if any(part.kind != "attributes" for part in shape.parts) or ref.type_name in _PLAIN:
        return False
    if ref.type_name.startswith(_recorded(trace, len(trace.modules()))):
        return False
    has_attributes = any(part.items for part in shape.parts)
    # Modules with an underscore are written in C, mostly.
    return not has_attributes or ref.type_name.startswith("_")


@lru_cache(maxsize=8)
def _recorded(trace: Trace, _count: int) -> tuple[str, ...]:
    """Return how the names of types begin that recorded modules define."""
    return tuple(f"{module.name}." for module in trace.modules() if module.is_recorded)
