"""All calls of a trace as columns, for code that looks at a million of them.

It is separate from the reader because it needs numpy, which the recorder does without.
"""

from dataclasses import dataclass
from enum import IntEnum
from itertools import starmap

import numpy as np
import numpy.typing as npt

from sleuth.trace.numbers import CALL_SIZE
from sleuth.trace.reader import Trace
from sleuth.trace.store import database
from sleuth.trace.store.tables import SegmentRow

_WORDS = ("first", "up", "function", "place", "thread", "task", "span", "events")
_OPEN = np.uint64(0xFFFFFFFFFFFFFFFF)


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """One item for each call, in the order of their ids."""

    parent: npt.NDArray[np.int64]
    """-1: it has no caller."""
    function: npt.NDArray[np.int32]
    thread: npt.NDArray[np.int32]
    task: npt.NDArray[np.int32]
    """0: no task."""
    first: npt.NDArray[np.int64]
    last: npt.NDArray[np.int64]
    """-1: it was still running."""
    outcome: npt.NDArray[np.uint8]
    """0 unfinished, 1 returned, 2 raised, 3 suspended, 4 lost."""
    events: npt.NDArray[np.int32]
    flags: npt.NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.parent)


def calls(trace: Trace) -> Columns:
    """Read all calls."""
    with database.refusing_nonsense(trace.path, "the calls"):
        pieces = list(starmap(_unpacked, trace.call_blocks())) or [_nothing()]
        return Columns(*(np.concatenate(column) for column in zip(*pieces, strict=True)))


@dataclass(frozen=True, slots=True, eq=False)
class Own:
    """The events of one call, in order."""

    moment: npt.NDArray[np.int64]
    site: npt.NDArray[np.int32]
    """-1: the event has no site."""
    kind: npt.NDArray[np.uint8]
    ordinal: npt.NDArray[np.uint32]
    """How many events the call had before this one, including those left out here."""

    def __len__(self) -> int:
        return len(self.moment)


def own(trace: Trace, call: int, first: int, last: int, *, is_sparse: bool = False) -> Own:
    """Read the events of one call from first to last, without those of its callees.

    `is_sparse` leaves out what happens between two turns of a loop: only the beginnings of the
    turns remain, and the events that show where the loop ends.
    """
    size = min(trace.call(call).events, last - first + 1)
    moment, site = np.empty(size, np.int64), np.empty(size, np.int32)
    kind, ordinal = np.empty(size, np.uint8), np.empty(size, np.uint32)
    columns = moment, site, kind, ordinal
    found = trace.fill_own(call, first, last, columns, is_sparse=is_sparse)
    return Own(moment[:found], site[:found], kind[:found], ordinal[:found])


class Touch(IntEnum):
    """How an event touched an object, a variable or a stream."""

    GIVEN = 1
    """An object was an argument of a call, or is the cell of a variable that the call shares."""
    WRITTEN = 2
    """The contents of an object changed."""
    SEEN = 3
    """The contents of an object were written down."""
    BOUND = 4
    """A variable was set; the number is that of the site."""
    PRINTED = 5
    """A stream was written to."""
    STARTED = 6
    """A call in another thread or task began; the number is the moment when it was started."""


@dataclass(frozen=True, slots=True, eq=False)
class Touches:
    """What events touched, in their order."""

    moment: npt.NDArray[np.int64]
    number: npt.NDArray[np.int64]
    what: npt.NDArray[np.uint8]
    """See `Touch`."""


def touches(trace: Trace, first: int, last: int, sites: frozenset[int]) -> Touches:
    """Read what the events from first to last touched; only variables set at these sites count."""
    mask = bytearray(max(sites, default=-1) + 1)
    for site in sites:
        mask[site] = 1
    blocks = [(b"", b""), *trace.touched_blocks(first, last, bytes(mask))]
    pairs, whats = (b"".join(column) for column in zip(*blocks, strict=True))
    rows = np.frombuffer(pairs, np.int64).reshape(-1, 2)
    return Touches(rows[:, 0], rows[:, 1], np.frombuffer(whats, np.uint8))


def _nothing() -> tuple[npt.NDArray[np.generic], ...]:
    kinds = (
        np.int64,
        np.int32,
        np.int32,
        np.int32,
        np.int64,
        np.int64,
        np.uint8,
        np.int32,
        np.uint8,
    )
    return tuple(np.empty(0, kind) for kind in kinds)


def _unpacked(row: SegmentRow, block: bytes) -> tuple[npt.NDArray[np.generic], ...]:
    """Read one block: length u64, eight columns of u32, outcome u8, flags u8."""
    held, odd = divmod(len(block), CALL_SIZE)
    if odd or held < row.calls:
        raise ValueError("packed calls have a wrong length")
    # The segment may hold more calls than it did when its row was read.
    known = row.calls
    length = np.frombuffer(block, "<u8", known)
    word = {
        name: np.frombuffer(block, "<u4", known, 8 * held + 4 * held * place)
        for place, name in enumerate(_WORDS)
    }
    outcome = np.frombuffer(block, np.uint8, known, 40 * held)
    flags = np.frombuffer(block, np.uint8, known, 41 * held)
    ids = np.arange(row.first_call, row.first_call + known, dtype=np.int64)
    up = word["up"].astype(np.int64)
    if known and (up > ids).any():
        raise ValueError("packed calls are malformed")
    first = word["first"].astype(np.int64) + row.first_moment
    last = np.where(length == _OPEN, -1, first + length.astype(np.int64))
    return (
        np.where(up > 0, ids - up, -1),
        word["function"].astype(np.int32),
        word["thread"].astype(np.int32),
        word["task"].astype(np.int32),
        first,
        last,
        outcome.copy(),
        word["events"].astype(np.int32),
        flags.copy(),
    )
