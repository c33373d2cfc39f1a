"""Types of the C extension."""

from collections.abc import Callable
from typing import Any, Self, TypeAlias

# --- reading/: reading the event stream ----------------------------------------------------------

Note: TypeAlias = tuple[int, int, int, int, tuple[tuple[Any, ...], ...]]
"""moment, kind byte, number, flags, values of a `name`, `child` or `stopped` record"""

class Scanner:
    """Walks over the segments of a trace in order and makes their index."""

    @property
    def next_call(self) -> int: ...
    @property
    def next_moment(self) -> int: ...
    def scan(
        self, data: bytes, final: bool, /
    ) -> tuple[
        int, int, int, int, int, bytes, bytes, bytes, bytes, bytes, bytes, bytes, list[Note]
    ]:
        """Return the index of the next segment.

        The numbers of moments, calls, roots, cut values and unmatched ends; the packed calls, the
        packed ends, the start state; the packed ids of objects with records, the packed sites that
        set variables, the packed stamps of writes, the packed sums of its calls; notes.
        """
    def start(self, state: bytes, first_call: int, first_moment: int, /) -> None:
        """Go on at a segment in the middle of a trace."""

RecordRow: TypeAlias = tuple[
    int,
    int,
    int | None,
    int,
    int,
    int,
    int | None,
    int,
    int,
    int,
    int,
    int,
    tuple[tuple[Any, ...], ...],
]
"""moment, kind byte, call, site or start, removed, flags or cause, place, since, part, flags of
the part, full length, hash of all items, values"""

class Records:
    """The records of one segment, found by the object or the variable that they are about."""

    def __new__(cls, data: bytes, state: bytes, first_call: int, first_moment: int, /) -> Self: ...
    def about(self, identity: int, low: int, high: int, /) -> list[RecordRow]:
        """Return the records about an object with moments from low to high, both included."""
    def up_to(self, identity: int, low: int, at: int, /) -> tuple[bool, list[RecordRow]]:
        """Return the records that belong to the state before `at`, but not to that before `low`.

        If the whole object is described among them, True and those from its last description on.
        """
    def last(self, site: int, call: int, low: int, high: int, /) -> RecordRow | None:
        """Return the last record that sets or deletes a variable there; low <= moment < high."""
    def touched(self, low: int, high: int, /) -> set[int]:
        """Return the objects with records with moments from low to below high."""

class Graph:
    """The dependence graph of a run, read segment by segment."""

    def __new__(
        cls,
        code_of: Callable[[int], bytes | None],
        way_of: Callable[[int, int, int, int, int], tuple[int, int, bytes] | None],
        /,
    ) -> Self: ...
    def read(self, data: bytes, high: int, /) -> bool:
        """Read the next segment, up to a moment; False: that was reached."""
    def flush(self, call: int, /) -> None:
        """Run the store whose event was the last one of a call."""
    def variable(self, call: int, scope: int, index: int, /) -> tuple[int, int, list[int]]:
        """Return the node that set a variable last, the number of its value, later decisions."""
    def part(self, identity: int, key: int, back: int, /) -> tuple[int, int, bool, int]:
        """Return the node that wrote a part of an object last, and the number of its value.

        Then whether all parts count, and the index of the object.
        """
    def cell(self, identity: int, /) -> int:
        """Return the index of an object."""
    def result(self) -> tuple[int, int]:
        """Return the call that ended last, and the node of its result."""
    def outputs(self) -> list[tuple[int, int]]:
        """Return moment and node of each output."""
    def size(self) -> tuple[int, int, int]:
        """Return the number of nodes, of edges, and of bytes."""
    def back(self, nodes: list[int], objects: list[int], is_relevant: bool, /) -> bytes:
        """Return what nodes and objects depend on: a byte for each node."""
    def forth(self, nodes: list[int], marks: bytes, /) -> bytes:
        """Return the nodes of a slice that depend on some nodes."""
    def near(self, nodes: list[int], objects: list[int], /) -> bytes:
        """Return how many steps lead back to each part of the relevant slice."""
    def looked(self, marks: bytes, /) -> bytes:
        """Return for each object the last marked node that looked at all its parts."""
    def reads(self, marks: bytes, /) -> bytes:
        """Return node, object and key of each read of a part by a marked node."""
    def ended(self, call: int, /) -> tuple[int, int]:
        """Return the last node before a call ended, and the node of its result."""
    def show(self, marks: bytes, call: int = ..., /) -> tuple[bytes, bytes, set[tuple[int, int]]]:
        """Return the operations and calls of marked nodes, and what is not known.

        With a call: only those of its own nodes.
        """

def numbers(packed: bytes, /) -> bytes: ...
def decode(
    data: bytes,
    state: bytes,
    first_call: int,
    first_moment: int,
    low: int,
    high: int,
    only: int,
    kinds: tuple[Any, ...],
    kind: int = -1,
    /,
) -> list[tuple[Any, ...]]: ...
def own(
    data: bytes,
    state: bytes,
    first_call: int,
    first_moment: int,
    low: int,
    high: int,
    call: int,
    is_sparse: bool,
    so_far: tuple[int, int, int],
    columns: tuple[Any, Any, Any, Any],
    /,
) -> tuple[int, int, int]: ...
def trail(
    data: bytes,
    state: bytes,
    first_call: int,
    first_moment: int,
    low: int,
    high: int,
    call: int,
    /,
) -> bytes: ...
def touches(
    data: bytes, first_moment: int, low: int, high: int, sites: bytes, /
) -> tuple[bytes, bytes]: ...
def near(
    data: bytes,
    state: bytes,
    first_call: int,
    first_moment: int,
    low: int,
    high: int,
    wanted: tuple[int, int, int, int, int],
    is_last: bool,
    /,
) -> int: ...
def beneath(
    data: bytes, state: bytes, first_call: int, first_moment: int, moment: int, /
) -> int: ...
def mentions(data: bytes, /) -> tuple[set[int], set[int]]: ...
def unpack(
    block: bytes,
    first_call: int,
    first_moment: int,
    low: int,
    high: int,
    outcomes: tuple[Any, ...],
    /,
) -> list[tuple[Any, ...]]: ...
def merge(block: bytes, first_call: int, first_moment: int, ends: bytes, /) -> bytes: ...
def check_calls(block: bytes, first_call: int, moments: int, calls: int, /) -> None: ...
def children(
    block: bytes, first_call: int, parent: int, start: int, /
) -> tuple[list[int], int]: ...
def elsewhere(block: bytes, first_call: int, /) -> list[tuple[int, int]]: ...

# --- shared.c: the memory that the program's process shares with the collector -------------------

def wait(memory: Any, offset: int, value: int, milliseconds: int, /) -> None: ...
def post(memory: Any, offset: int, value: int, /) -> None: ...
def leave_will(memory: Any, offset: int, /) -> None: ...
def exit_status(pidfd: int, /) -> int | None: ...

# --- secret_names.c: names of secrets ------------------------------------------------------------

def hides(secrets: bytes, name: str, /) -> bool: ...

# --- run.c, probe.c: the program's process -------------------------------------------------------

class Probe: ...

def run(
    fd: int, quiet: int, kind: str, target: str, argv: list[str], orig_argv: list[str], /
) -> None: ...
