"""Probes: their kinds and flags, and the table of those in one module.

A probe is a constant that stands in the code; `_core/probes/probe_*.c` have the code of each kind.
"""

import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum

from sleuth.record.rewrite.bytecode import Span
from sleuth.record.rewrite.compiling import Namespace
from sleuth.record.rewrite.syntax import PREFIX, Loop, Syntax

NOTHING = 0xFFFF
"""The depth of a probe that looks at no value."""


class Op(IntEnum):
    """The kinds of probe; the numbers are shared with `_core/probes/probe.h`."""

    ENTER = 1
    START = 2
    RETURN = 3
    RETURN_CONST = 4
    SUSPEND = 5
    RESUME = 6
    UNWIND = 7
    CATCH = 8
    LOOP = 9
    TURN = 10
    ARM = 11
    BIND = 12
    BIND_SLOT = 13
    UNBIND = 14
    SET_ATTRIBUTE = 15
    DELETE_ATTRIBUTE = 16
    SET_ITEM = 17
    DELETE_ITEM = 18
    SET_SLICE = 19
    HANDLED = 20
    CALL = 21
    EXPOSE = 22


NAMED = frozenset({Op.TURN, Op.BIND, Op.BIND_SLOT, Op.SET_ATTRIBUTE})
"""Probes that record a value under the name of their site."""

# Flags of probes; what a flag means depends on the kind of probe.
DEFERRED = 1
PART_OF_CALLER = 2
WAITS = 4
IN_PLACE = 8
UNPACKS = 16
SECRET = 32
CELL = 64
GLOBAL = 128
FLAGS = {
    "DEFERRED": DEFERRED,
    "PART": PART_OF_CALLER,
    "WAITS": WAITS,
    "IN_PLACE": IN_PLACE,
    "UNPACKS": UNPACKS,
    "SECRET": SECRET,
    "CELL": CELL,
    "GLOBAL": GLOBAL,
}
"""All flags by their names in the C core."""


@dataclass(slots=True)
class Site:
    """A place in the source where something is recorded; ids begin with 0 in each module."""

    id: int
    function: int
    kind: str
    name: str
    span: Span
    loop: Loop | None = None


@dataclass(slots=True)
class Table:
    """The probes and sites of one module, as its code objects are rewritten one by one."""

    syntax: Syntax
    full: bool
    is_secret: Callable[[str], bool]
    contents: bool = True
    namespace: Namespace = Namespace.MODULE
    probes: list[bytes] = field(default_factory=list)
    sites: list[Site] = field(default_factory=list)
    site_ids: dict[tuple[int, str, str, Span], int] = field(default_factory=dict)

    def probe(
        self, op: Op, *, flags: int = 0, depth: int = NOTHING, what: int = 0, extra: int = 0
    ) -> str:
        """Add a probe; return its placeholder, which the program's process replaces by it."""
        if op in NAMED and self.is_secret(self.sites[what].name):
            flags |= SECRET
        self.probes.append(struct.pack("<BBHII", op, flags, depth, what, extra))
        return f"{PREFIX}{len(self.probes) - 1}"

    def site(
        self, function: int, kind: str, name: str, span: Span, loop: Loop | None = None
    ) -> int:
        """Return the id of a site, new or known; copies of a `finally` body share their sites."""
        key = function, kind, name, span
        found = self.site_ids.get(key)
        if found is None:
            found = self.site_ids[key] = len(self.sites)
            self.sites.append(Site(found, function, kind, name, span, loop))
        return found
