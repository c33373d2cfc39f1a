"""Types of the C extension."""

from typing import Any, TypeAlias

# --- scan.c: reading the event stream ------------------------------------------------------------

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
    ) -> tuple[int, int, int, int, int, bytes, bytes, bytes, list[Note]]:
        """Return moments, calls, roots, cut, unmatched, packed calls, ends, start state, notes."""

def decode(
    data: bytes,
    state: bytes,
    first_call: int,
    first_moment: int,
    low: int,
    high: int,
    only: int,
    kinds: tuple[Any, ...],
    /,
) -> list[tuple[Any, ...]]: ...
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
def children(
    block: bytes, first_call: int, parent: int, start: int, /
) -> tuple[list[int], int]: ...

# --- shared.c: the memory that the program's process shares with the collector -------------------

def wait(memory: Any, offset: int, value: int, milliseconds: int, /) -> None: ...
def post(memory: Any, offset: int, value: int, /) -> None: ...
def exit_status(pidfd: int, /) -> int | None: ...

# --- run.c, probe.c: the program's process -------------------------------------------------------

class Probe: ...

def run(
    fd: int, quiet: int, kind: str, target: str, argv: list[str], orig_argv: list[str], /
) -> None: ...
