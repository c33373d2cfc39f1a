"""Keys of mappings: how they are shown in paths, and how a typed key is found."""

from collections.abc import Callable, Iterable

from sleuth.trace.path import key_text, literal
from sleuth.trace.values import Atom, Ref, Shape, Value, shown

ShapeAt = Callable[[Ref, int], Shape | None]
_LONG = 60
_MOST_ITEMS = 5


def shown_key(key: Value, shape_at: ShapeAt, at: int) -> str:
    """Return a key as it is shown between the brackets of a path."""
    match key:
        case Atom(str() as content) if len(content) <= _LONG:
            return key_text(content)
        case Ref() if "tuple" in key.type_name:
            shape = shape_at(key, at)
            if shape is not None and shape.parts and shape.parts[0].items:
                items = shape.parts[0].items
                words = ", ".join(_item(item) for item in items[:_MOST_ITEMS])
                if len(items) == 1:  # without its parentheses it looks like a slip of the pen
                    return f"({words},)"
                return f"{words}, ..." if len(items) > _MOST_ITEMS else words
    return shown(key, width=40)


def written_key(key: Value, shape_at: ShapeAt, at: int) -> str:
    """Return a key as it is written where it stands alone: a tuple in parentheses."""
    text = shown_key(key, shape_at, at)
    is_tuple = isinstance(key, Ref) and "tuple" in key.type_name and text[:1] not in "<("
    return f"({text})" if is_tuple else text


def _item(item: Value) -> str:
    if isinstance(item, Atom) and isinstance(item.content, str) and len(item.content) <= _LONG:
        return key_text(item.content)
    return shown(item, width=20)


def _spellings(text: str) -> tuple[str, ...]:
    """Return the ways to write a key: a tuple of one item may stand without its parentheses."""
    is_one = text.startswith("(") and text.endswith(",)")
    return (text, text[1:-1]) if is_one else (text, f"({text})")


def position_of(text: str, keys: Iterable[Value], shape_at: ShapeAt, at: int) -> int | None:
    """Return the index of the key that a text means; None: there is no such key."""
    wanted = literal(text)
    plain = "".join(text.split())
    for position, key in enumerate(keys):
        if wanted is not None and key == wanted:
            return position
        if plain in _spellings("".join(shown_key(key, shape_at, at).split())):
            return position
    return None
