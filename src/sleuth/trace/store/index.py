"""Index of the stream: the segments and records about an object or a variable."""

from array import array
from bisect import bisect_left
from collections.abc import Iterable
from functools import partial
from sys import getsizeof
from typing import TypeAlias

from sleuth import _core
from sleuth.trace.store import chunks, database, stamps
from sleuth.trace.store.schema import has_column
from sleuth.trace.store.segments import Segments
from sleuth.trace.store.tables import SegmentRow
from sleuth.trace.values import Value

_COLUMNS = ("bound", "objects", "parts")
_Numbers: TypeAlias = "array[int]"


class Index:
    """Finds segments by object and by site; the index is read at first use and kept."""

    def __init__(self, segments: Segments) -> None:
        self._segments = segments
        self._known: dict[tuple[str, int], tuple[int, _Numbers]] = {}
        self._holding: dict[tuple[str, int], list[SegmentRow]] = {}
        self._records: chunks.Memory[_core.Records] = chunks.Memory(128 << 20)

    def take(self) -> None:
        """Take over the current list of segments."""
        self._holding.clear()

    def about(self, identity: int) -> list[SegmentRow]:
        """Return the segments with records about an object's contents."""
        return self._with("objects", identity)

    def binding(self, site: int) -> list[SegmentRow]:
        """Return the segments in which a variable is set at a site."""
        return self._with("bound", site)

    def writing(self, identity: int, key: Value, sites: Iterable[int] = ()) -> list[SegmentRow]:
        """Return the segments that may write to a part of an object: all that do, perhaps more.

        sites: for an attribute, the sites that set attributes of its name.
        """
        rows = self.about(identity)
        wanted = stamps.of_part(identity, key, sites)
        if wanted is None or not has_column(self._segments.version, "segments", "parts"):
            return rows
        told = {row.number: numbers for row, numbers in self._numbers("parts")}
        return [row for row in rows if _has_one(told[row.number], wanted)]

    def bound(self, first: int, last: int) -> set[int]:
        """Return the sites at which variables are set in the segments of some moments."""
        found: set[int] = set()
        for row, numbers in self._numbers("bound"):
            if row.first_moment <= last and row.first_moment + row.moments > first:
                found.update(numbers)
        return found

    def latest_object(self, moment: int) -> int:
        """Return the greatest id of an object recorded in segments that ended before a moment."""
        ids = [
            numbers[-1]
            for row, numbers in self._numbers("objects")
            if row.first_moment + row.moments <= moment and len(numbers)
        ]
        return max(ids, default=-1)

    def records(self, row: SegmentRow) -> _core.Records:
        """Return the records of a segment, ready to be searched."""
        return self._records.get((row.number, row.data_crc), partial(self._gathered, row))

    def _gathered(self, row: SegmentRow) -> tuple[_core.Records, int]:
        now, state, data = self._segments.segment(row)
        with database.refusing_nonsense(self._segments.path, "the events"):
            records = _core.Records(data, state, now.first_call, now.first_moment)
        return records, getsizeof(records)

    def _with(self, column: str, number: int) -> list[SegmentRow]:
        key = column, number
        if key not in self._holding:
            found = [row for row, numbers in self._numbers(column) if _has(numbers, number)]
            if len(self._holding) > 100_000:
                self._holding.clear()
            self._holding[key] = found
        return self._holding[key]

    def _numbers(self, column: str) -> list[tuple[SegmentRow, _Numbers]]:
        rows = self._segments.rows
        for row in rows:
            known = self._known.get((column, row.number))
            if known is None or known[0] != getattr(row, f"{column}_crc"):
                self._load(row.number)
                break
        return [(row, self._known[column, row.number][1]) for row in rows]

    def _load(self, first: int) -> None:
        """Read the index of all segments from `first` on, in one query."""
        path, rows = self._segments.path, self._segments.rows
        version = self._segments.version
        columns = [name for name in _COLUMNS if has_column(version, "segments", name)]
        # Names from the schema, none from the file.
        names = ", ".join(columns)
        sql = f"SELECT number, {names} FROM segments WHERE number >= ? ORDER BY number"  # noqa: S608 - names of the schema only
        with database.reading(path) as connection:
            # Fetch all at once: a cursor kept alive by an error would keep the file locked.
            fetched = connection.execute(sql, (first,)).fetchall()
        found = {number: blobs for number, *blobs in fetched}
        for row in rows[first:]:
            blobs = found.get(row.number, [None] * len(columns))
            for column, packed in zip(columns, blobs, strict=True):
                crc: int = getattr(row, f"{column}_crc")
                try:
                    plain = chunks.unpack(packed, crc)
                except chunks.BadChunk:
                    # Damaged, or the segment has grown since: its own row is checked then.
                    _, (plain,) = self._segments.fetch(row.number, column)
                numbers = array("Q")
                with database.refusing_nonsense(path, "the index"):
                    numbers.frombytes(_core.numbers(plain))
                self._known[column, row.number] = crc, numbers


def _has_one(numbers: _Numbers, wanted: frozenset[int]) -> bool:
    """Whether a segment has one of these stamps, or has too many to be listed."""
    if len(numbers) and numbers[0] == stamps.TOO_MANY:
        return True
    return any(_has(numbers, stamp) for stamp in wanted)


def _has(numbers: _Numbers, number: int) -> bool:
    at = bisect_left(numbers, number)
    return at < len(numbers) and numbers[at] == number
