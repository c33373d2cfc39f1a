"""Arrays and tables in a few words: type, shape, range, columns."""

from sleuth.trace.heap.arrays import fact
from sleuth.trace.values import Atom, Part, escaped, shown

_MOST_COLUMNS = 8
_DTYPE = "dtype of "


def array_words(summary: Part, *, has_range: bool) -> str:
    """Return `float64 (3,) from 0.0 to 2.0`; the range only if it is wanted."""
    words = [_text(summary, "dtype"), _text(summary, "shape"), *_columns(summary)]
    if has_range:
        words += _range(summary)
    return " ".join(filter(None, words))


def _text(summary: Part, name: str) -> str:
    value = fact(summary, name)
    content = value.content if isinstance(value, Atom) else None
    return escaped(content) if isinstance(content, str) else ""


def _range(summary: Part) -> list[str]:
    least, greatest, nan = (fact(summary, name) for name in ("least", "greatest", "nan"))
    words = []
    if least is not None and greatest is not None:
        words.append(f"from {shown(least)} to {shown(greatest)}")
    if nan is not None:
        words.append(f"({shown(nan)} nan)")
    why = fact(summary, "items")
    return words if why is None else [*words, shown(why)]


def _columns(summary: Part) -> list[str]:
    """Return the columns of a table with their types."""
    names = [
        (key.content.removeprefix(_DTYPE), shown(value).strip("'"))
        for key, value in summary.pairs
        if isinstance(key, Atom) and isinstance(key.content, str) and key.content.startswith(_DTYPE)
    ]
    more = [f"... {len(names) - _MOST_COLUMNS} more"] if len(names) > _MOST_COLUMNS else []
    words = [f"{escaped(name)}: {kind}" for name, kind in names[:_MOST_COLUMNS]]
    return [", ".join([*words, *more])] if words else []
