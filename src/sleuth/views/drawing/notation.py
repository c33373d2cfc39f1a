"""Objects of well-known classes in the notation in which Python's programmers write them.

    Fraction(3, 7)    UUID('12345678-...')    PosixPath('/tmp/x')    Colour.RED    P(x=1, y=2)

Nothing is guessed: where a field is missing, or is no plain value, the object is drawn like any
other.
"""

from collections.abc import Callable, Mapping
from uuid import UUID

from sleuth.trace.heap.recipe import MEMBER_NAME, MEMBER_VALUE, NAMES_OF_ITEMS
from sleuth.trace.reader import Trace
from sleuth.trace.values import Atom, Ref, Shape, Value, escaped, shown

_MOST_BITS = 128
_Held = Mapping[str, Value]
_Items = Callable[[Value], tuple[Value, ...] | None]
"""Returns the items of a sequence; None: they are not known."""


def well_known(trace: Trace, ref: Ref, shape: Shape, at: int) -> str | None:
    """Return an object of a well-known class as text; None: its class is another."""

    def items(value: Value) -> tuple[Value, ...] | None:
        inner = trace.shape(value, at) if isinstance(value, Ref) else None
        part = inner.part("sequence") if inner is not None else None
        return part.items if part is not None and part.is_complete else None

    part = shape.part("attributes")
    if part is None or not part.is_complete:
        return None
    held = {str(key.content): item for key, item in part.pairs if isinstance(key, Atom)}
    last = ref.type_name.rpartition(".")[2]
    if MEMBER_NAME in held and MEMBER_VALUE in held:
        return _member(last, held)
    write = _WRITTEN.get(ref.type_name)
    inside = write(held, items) if write is not None else None
    return None if inside is None else f"{escaped(last)}({inside})"


def names_of_items(trace: Trace, shape: Shape, at: int) -> tuple[str, ...] | None:
    """Return the field names of a named tuple; None: it is none, or it has other attributes too."""
    part, sequence = shape.part("attributes"), shape.part("sequence")
    if part is None or sequence is None or part.keys != (Atom(NAMES_OF_ITEMS),):
        return None
    (names,) = part.items
    inner = trace.shape(names, at) if isinstance(names, Ref) else None
    told = inner.part("sequence") if inner is not None else None
    texts = [_text(each) for each in told.items] if told is not None else []
    whole = [text for text in texts if text is not None]
    return tuple(whole) if whole and len(whole) == len(sequence.items) else None


def _member(kind: str, held: _Held) -> str | None:
    name = _text(held[MEMBER_NAME])
    value = held[MEMBER_VALUE]
    if name is None or isinstance(value, Ref):
        return None
    return f"{escaped(kind)}.{escaped(name)}"


def _text(value: Value | None) -> str | None:
    content = value.content if isinstance(value, Atom) else None
    return content if isinstance(content, str) else None


def _integer(value: Value | None) -> int | None:
    content = value.content if isinstance(value, Atom) else None
    return content if isinstance(content, int) else None


def _fraction(held: _Held, _items: _Items) -> str | None:
    numbers = [_integer(held.get(name)) for name in ("_numerator", "_denominator")]
    return None if None in numbers else ", ".join(map(str, numbers))


def _uuid(held: _Held, _items: _Items) -> str | None:
    number = _integer(held.get("int"))
    if number is None or not 0 <= number < 1 << _MOST_BITS:
        return None
    return repr(str(UUID(int=number)))


def _path(held: _Held, items: _Items) -> str | None:
    """Return a path: its text if the object keeps it, else its parts; versions of Python differ."""
    text = _text(held.get("_str"))
    if text is None:
        names = [name for name in ("_parts", "_raw_paths") if name in held]
        told = items(held[names[0]]) if names else None
        parts = [_text(each) for each in told] if told is not None else [None]
        if not all(isinstance(part, str) for part in parts):
            return None
        text = _joined([part for part in parts if part is not None])
    return shown(Atom(text))


def _joined(parts: list[str]) -> str:
    """Join parts of a path: a part that begins at the root replaces those before it."""
    joined = ""
    for part in parts:
        starts_anew = not joined or part.startswith("/")
        joined = part if starts_anew else f"{joined.removesuffix('/')}/{part}"
    return joined or "."


_PATHS = ("PosixPath", "PurePosixPath")
_WRITTEN: Mapping[str, Callable[[_Held, _Items], str | None]] = {
    "fractions.Fraction": _fraction,
    "uuid.UUID": _uuid,
    **{f"{module}.{name}": _path for module in ("pathlib", "pathlib._local") for name in _PATHS},
}
