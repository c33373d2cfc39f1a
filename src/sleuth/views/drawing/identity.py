"""The field that tells an object from others of its class: an id, a key, a name."""

import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from sleuth.trace.values import Atom, Constant, Part, Value, escaped, shown

_LONGEST = 24
"""Characters of a label that the user did not ask for."""
_NUMBERS = ("id", "key", "uid", "uuid", "code", "slug", "number")
_TEXTS = ("name", "title")
_ENDS = re.compile(r"(_(id|key|uid|uuid|code|name|slug|no|number)|[a-z](Id|Key|Name))$")
"""Ends of names that say the same of a thing that is named first: `job_id`."""


def label(part: Part) -> str:
    """Return the fields that tell an object from others: all if they are few, its id and name.

    Only plain values: the objects in its fields are not looked into.  An object without a field
    that is named like an id is known by its first short text, else by its first number.
    """
    plain = [pair for pair in part.pairs if isinstance(pair[1], Atom | Constant)]
    fields = [f"{field_name(key)}={shown(item)}" for key, item in plain]
    whole = " ".join(fields)
    if part.is_complete and len(plain) == len(part.items) and len(whole) <= _LONGEST:
        return whole
    atoms = {field_name(key): item for key, item in plain if isinstance(item, Atom)}
    words = ""
    for name in identifying(atoms):
        longer = f"{words} {_told(name, atoms[name])}".strip()
        words = longer if len(longer) <= _LONGEST else words
    return words or _first(atoms)


def identifying(names: Mapping[str, Atom]) -> Iterator[str]:
    """Yield the names of the fields that identify an object, the best one first."""
    plain = {name: name.lstrip("_").lower() for name in names}
    for usual in (_NUMBERS, _TEXTS):
        found = next((name for each in usual for name in names if plain[name] == each), None)
        if found is not None:
            yield found
    if not any(plain[name] in (*_NUMBERS, *_TEXTS) for name in names):
        yield from [name for name in names if _ENDS.search(name)][:1]


def in_front(part: Part, fields: Sequence[str], *, is_label: bool) -> Part:
    """Return the fields of an object: those that identify it, then the given ones, then others.

    is_label: the user said by which fields it is known, and the given ones begin with these.
    """
    if part.kind != "attributes":
        return part
    names = [field_name(key) for key in part.keys]
    atoms = {
        name: item for name, item in zip(names, part.items, strict=True) if isinstance(item, Atom)
    }
    first = [*dict.fromkeys([*identifying(atoms), *fields])] if not is_label else [*fields]
    order = sorted(
        range(len(names)),
        key=lambda at: first.index(names[at]) if names[at] in first else len(first),
    )
    keys, items = (tuple(side[at] for at in order) for side in (part.keys, part.items))
    return replace(part, keys=keys, items=items)


def without(part: Part, names: AbstractSet[str]) -> Part:
    """Return the fields of an object without some of them."""
    pairs = [pair for pair in part.pairs if field_name(pair[0]) not in names]
    keys, items = tuple(key for key, _ in pairs), tuple(item for _, item in pairs)
    return replace(
        part, keys=keys, items=items, full_length=part.full_length - len(part.items) + len(items)
    )


def field_name(key: Value) -> str:
    """Return the name of a field."""
    content = key.content if isinstance(key, Atom) else None
    return escaped(content) if isinstance(content, str) else shown(key)


def _told(name: str, value: Atom) -> str:
    """Return a text without the name of its field, as it says itself what it is."""
    return shown(value) if isinstance(value.content, str) else f"{name}={shown(value)}"


def _first(atoms: dict[str, Atom]) -> str:
    for value in atoms.values():
        if isinstance(value.content, str) and 0 < len(value.content) <= _LONGEST:
            return shown(value)
    fields = (f"{name}={shown(value)}" for name, value in atoms.items())
    return next((field for field in fields if len(field) <= _LONGEST), "")
