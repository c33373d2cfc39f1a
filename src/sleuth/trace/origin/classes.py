"""The class of an object, where attributes are found that the object itself does not have."""

from itertools import count

from sleuth.trace.conventions import Conventions
from sleuth.trace.history.locations import Global
from sleuth.trace.reader import Trace
from sleuth.trace.values import Absent, Atom, Ref, Value

_MOST_BASES = 50


def class_holder(
    trace: Trace, conventions: Conventions, instance: Ref, key: Atom, at: int
) -> Ref | None:
    """Return the class that holds an attribute of an object; None: it is not known."""
    known = instance if instance.type_name in conventions.code else class_of(trace, instance, at)
    for _ in range(_MOST_BASES):
        if known is None:
            return None
        shape = trace.shape(known, at)
        part = shape.part("attributes") if shape and shape.is_sure else None
        if part is None or not part.is_complete:
            return None
        attributes = dict(part.pairs)
        if key in attributes:
            return known if _is_plain(attributes[key], conventions) else None
        bases = _bases(attributes)
        known = bases[0] if len(bases) == 1 else None
    return None


def _bases(attributes: dict[Value, Value]) -> list[Ref]:
    found: list[Ref] = []
    for number in count():
        base = attributes.get(Atom(f"base {number}"))
        if not isinstance(base, Ref):
            return found
        found.append(base)
    return found


def _is_plain(value: Value, conventions: Conventions) -> bool:
    """Tell whether a read gives an attribute of a class as it is."""
    if isinstance(value, Ref):
        return "." not in value.type_name and value.type_name in conventions.containers
    return not isinstance(value, Absent)


def class_of(trace: Trace, instance: Ref, at: int) -> Ref | None:
    """Return the class of an object, if its name was given to one value only."""
    for module in trace.modules():
        name = instance.type_name.removeprefix(f"{module.name}.")
        if not module.is_recorded or name == instance.type_name or "." in name:
            continue
        named = trace.globals(module, at).get(name)
        is_class = isinstance(named, Ref) and trace.shape(named, at) is not None
        history = trace.writes(Global(module, name))
        is_only = next(history, None) is not None and next(history, None) is None
        return named if isinstance(named, Ref) and is_class and is_only else None
    return None
