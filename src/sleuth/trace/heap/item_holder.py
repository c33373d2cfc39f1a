"""Items of objects of the standard library: a queue has them in a list, under another name."""

from typing import TYPE_CHECKING

from sleuth.trace import conventions
from sleuth.trace.values import Atom, Ref, Shape

if TYPE_CHECKING:
    from sleuth.trace.reader import Trace


def item_holder(trace: "Trace", ref: Ref, shape: Shape, at: int) -> tuple[Ref, Shape]:
    """Return what holds the items of an object: the object itself, unless the library says so."""
    meaning = conventions.of(trace.meta.get("language")).library.get(ref.type_name)
    part = shape.part("attributes")
    held = dict(part.pairs).get(Atom(meaning.items)) if meaning and part else None
    inner = trace.shape(held, at) if isinstance(held, Ref) else None
    return (held, inner) if isinstance(held, Ref) and inner is not None else (ref, shape)
