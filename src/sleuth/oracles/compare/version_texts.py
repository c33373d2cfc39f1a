"""Version numbers in values, which differ between two versions of a program."""

import re

from sleuth.trace.values import Atom, Ref, Value

_CALLED = re.compile(
    # `__version__`, `api_version`, `VERSION`, `minVersion`; not `conversion`, `inversions`.
    r"(?<![^\W\d_])(version|Version|VERSION)(?![^\W\d_])|(?<=[a-z])Version(?![a-z])"
)
_LIKE = re.compile(r"\D{0,20}\d+(\.\w+)+\S*")
_TUPLES = ("tuple", "builtins.tuple")


def is_called_version(name: str) -> bool:
    """Tell whether something is called a version."""
    return _CALLED.search(name) is not None


def is_version(name: str, value: Value) -> bool:
    """Tell whether a value is a version, by what it is called and by how it looks."""
    if not is_called_version(name):
        return False
    match value:
        case Atom(str() as text):
            return _LIKE.fullmatch(text) is not None
        case Ref(type_name):
            return type_name in _TUPLES or is_called_version(type_name.rpartition(".")[2])
    return False
