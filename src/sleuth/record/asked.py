"""Requests of the program's process about code compiled at run time: the request, and its scope."""

import os
import struct
from dataclasses import dataclass, replace
from enum import IntEnum

from sleuth.record.rewrite import LeftPlain
from sleuth.record.rewrite.compiling import Compiling, Namespace
from sleuth.record.scope import Scope, installed

BY_RECORDED_CODE = "compiled while the program ran, by code that is recorded"
_FORM = struct.Struct("<iibBBB")
_MODES = {256: "single", 257: "exec", 258: "eval"}
"""The compiler's numbers for the modes of `compile`."""
_LONGEST = 4 << 20


class Given(IntEnum):
    """What the compiler was given; shared with `_core/process/snippets.h`."""

    BYTES = 0
    TEXT = 1
    """A `str`: a coding line in it has no effect."""
    TREE = 2
    """A syntax tree; its source is taken from `linecache` or from the file."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request about code that the program compiled: see `_core/process/dynamic.c`."""

    name: str
    """The module's name, if a loader compiled the code; else the file name given to `compile`."""
    path: str
    source: bytes
    how: Compiling
    given: Given
    tree: bytes
    """The packed syntax tree, if a tree was compiled; else empty."""
    by_recorded: bool
    """Whether recorded code had it compiled."""

    @classmethod
    def unpacked(cls, parts: list[bytes]) -> "Asked":
        """Read a request from the parts of a message."""
        name, path = (part.decode("utf-8", "surrogateescape") for part in parts[:2])
        mode, flags, optimize, namespace, given, by_recorded = _FORM.unpack(parts[3])
        how = Compiling(_MODES[mode], flags, optimize, Namespace(namespace))
        is_tree = given == Given.TREE
        source, tree = (parts[4], parts[2]) if is_tree else (parts[2], b"")
        return cls(
            name if name != path or not namespace else _module_name(path),
            path,
            source,
            how,
            Given(given),
            tree,
            bool(by_recorded),
        )

    def with_source(self) -> "Asked":
        """Return the request with the source of its tree, from `linecache` or from the file.

        LeftPlain: the source is not known.
        """
        if self.given is not Given.TREE:
            return self
        if self.source:
            return replace(self, given=Given.TEXT)
        try:
            with open(self.path, "rb") as file:
                source = file.read(_LONGEST)
        except (OSError, ValueError):
            source = b""
        if not source or len(source) == _LONGEST:
            raise LeftPlain("it was compiled from a syntax tree, and its source is not known")
        return replace(self, source=source, given=Given.BYTES)

    @property
    def has_file(self) -> bool:
        """Whether the path names an existing file, or a file inside an archive."""
        return bool(_file(self.path))

    def decide(self, scope: Scope) -> tuple[bool, str]:
        """Return whether the code is recorded, and the reason.

        The file decides.  Code without a file, or outside of the project and not installed, is
        recorded if recorded code compiled it.
        """
        if not self.has_file:
            return self.by_recorded, BY_RECORDED_CODE if self.by_recorded else "it has no file"
        is_recorded, reason = scope.decide(self.name, self.path)
        is_elsewhere = not is_recorded and not reason.startswith("excluded by ")
        if self.by_recorded and is_elsewhere and not installed(os.path.realpath(self.path)):
            return True, BY_RECORDED_CODE
        return is_recorded, reason


def _file(path: str) -> str:
    """Return the file that a path names, or the archive around it; empty if there is neither."""
    while path and not path.startswith("<") and not os.path.exists(path):
        path = os.path.dirname(path)
    return path if os.path.isfile(path) else ""


def _module_name(path: str) -> str:
    """Make a name for a module that a loader compiled, from its place in the archive."""
    file = _file(path)
    inside = path[len(file) :].strip(os.sep) or os.path.basename(path)
    name = os.path.splitext(inside)[0].replace(os.sep, ".")
    return name.removesuffix(".__init__")
