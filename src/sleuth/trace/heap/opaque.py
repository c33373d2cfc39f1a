"""Opaque objects: their recorded attributes may not be all of their state.

The attributes of an object of a recorded class are recorded.  An object of another class, such as
a partial function or a file, may keep its state where the recorder does not look.
"""

from sleuth.trace import conventions
from sleuth.trace.kept import kept
from sleuth.trace.reader import Trace
from sleuth.trace.values import Ref, Shape

_PLAIN = ("object",)


def is_opaque(trace: Trace, ref: Ref, shape: Shape) -> bool:
    """Tell whether an object may have state that its shape does not show."""
    if ref.type_name in conventions.of(trace.meta.get("language")).opaque:
        return True
    if any(part.kind != "attributes" for part in shape.parts) or ref.type_name in _PLAIN:
        return False
    if ref.type_name.startswith(_recorded(trace)):
        return False
    has_attributes = any(part.items for part in shape.parts)
    # Modules with a leading underscore are mostly written in C.
    return not has_attributes or ref.type_name.startswith("_")


@kept(most=1)
def _recorded(trace: Trace) -> tuple[str, ...]:
    """Return the prefixes of type names that recorded modules define."""
    return tuple(f"{module.name}." for module in trace.modules() if module.is_recorded)
