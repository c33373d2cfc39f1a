"""Writer: takes segments of events and writes them into one SQLite file.

Each method that adds something is one transaction, so that readers see whole segments, and the file
stays readable whatever happens to the writer.
"""

import json
import sqlite3
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeAlias

from sleuth._core import Scanner
from sleuth.trace.events import FunctionRow, SiteRow
from sleuth.trace.flow.table import FlowRow
from sleuth.trace.numbers import CALL_SIZE, END_SIZE
from sleuth.trace.store import chunks, database
from sleuth.trace.store.encode import PYTHON_CONSTANTS
from sleuth.trace.store.schema import TABLES, checksum
from sleuth.trace.values import Atom, from_wire, shown

if TYPE_CHECKING:
    from sleuth._core import Note

__all__ = ["FlowRow", "FunctionRow", "SiteRow", "Writer"]
_Row: TypeAlias = FunctionRow | SiteRow | FlowRow
_MOST_IN_BATCH = 200_000
"""Items in a batch of flows, at most and roughly; readers refuse twice as many."""


def to_json(value: object) -> str:
    """Return ASCII JSON; values that JSON does not have become text."""
    return json.dumps(value, ensure_ascii=True, separators=(",", ":"), default=str)


class Writer:
    """A trace file that is being written."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._scanner = Scanner()
        self._counts = dict.fromkeys((name for name in TABLES if name != "totals"), 0)
        self._meta_rows: dict[str, int] = {}
        self._sources: dict[str, int] = {}
        self._next_segment = 0
        self._written = (0, 0)
        self._is_changing = False
        self.announce: Callable[[set[int]], None] | None = None
        """Called with the functions that a segment names, before it is written."""
        self._open: tuple[int, bytes] | None = None
        """The segment that is not closed yet."""

    @classmethod
    def create(cls, path: Path, meta: Mapping[str, object], *, is_hasty: bool = False) -> Self:
        """Create the file, which must not exist.  `meta["constants"]`: names, if not Python's.

        is_hasty: don't wait for the disk, as there will be many files.
        """
        writer = cls(database.create(path, is_hasty=is_hasty))
        about = dict(meta)
        constants = about.pop("constants", PYTHON_CONSTANTS)
        if not isinstance(constants, Sequence):
            raise TypeError("constants must be a sequence of names")
        with writer.together():
            for number, name in enumerate(constants):
                writer._insert("constants", number, to_json(name))
            for key, value in about.items():
                writer._put_meta(key, value)
        return writer

    def set_meta(self, key: str, value: object) -> None:
        """Set a fact about the run."""
        with self.together():
            self._put_meta(key, value)

    def add_module(  # noqa: PLR0913 - a row
        self,
        *,
        name: str,
        path: str,
        recorded: bool,
        reason: str,
        source: bytes | None,
        encoding: str = "utf-8",
        foreign: bool = False,
        own: bool = False,
        checks: Sequence[Sequence[object]] | None = None,
        template: Mapping[str, object] | None = None,
    ) -> int:
        """Add a unit of source and return its id.

        foreign: part of an installed package.  own: part of the project, though not recorded.
        checks: the assertions of its tests.  template: what its source was generated from.
        """
        with self.together():
            number = self._counts["modules"] + 1
            about: dict[str, object] = {"name": name, "path": path, "reason": reason}
            about |= {"encoding": encoding} | ({"foreign": True} if foreign else {})
            about |= {"own": True} if own else {}
            about |= {} if checks is None else {"test": True, "checks": checks}
            about |= {} if template is None else {"template": template}
            row = None if source is None else self._source(source)
            self._insert("modules", number, int(recorded), row, to_json(about))
        return number

    def add_functions(self, module: int, functions: Sequence[FunctionRow]) -> None:
        """Add functions of a module, before the first event that names one."""
        self._batch("functions", module, functions)

    def add_sites(self, module: int, sites: Sequence[SiteRow]) -> None:
        """Add sites of a module, before the first event that names one."""
        self._batch("sites", module, sites)

    def add_flows(self, module: int, flows: Sequence[FlowRow]) -> None:
        """Add the flows of a module's functions, before the first event that names one."""
        for some in flow_batches(flows):
            self._batch("flows", module, some)

    def add_child(self, pid: int, how: str) -> None:
        """Note a child process, which is not recorded in this trace."""
        with self.together():
            number = self._counts["processes"] + 1
            self._insert("processes", number, to_json({"pid": pid, "how": how}))

    def write_segment(self, number: int, data: bytes, *, closed: bool) -> None:
        """Write the next segment, or the last one again, longer, until it is closed.

        ValueError: the bytes are no records; nothing was written.
        """
        is_again = self._open is not None and self._open[0] == number
        if not is_again and number != self._next_segment:
            raise ValueError(f"segment {number} comes out of turn, {self._next_segment} is next")
        if not is_again:
            self._close_segment()
        with self.together():
            counts = self._put_segment(number, data, closed=closed)
        self._open = None if closed else (number, data)
        self._next_segment = number + 1
        self._written = counts

    def finish(self, ending: Mapping[str, object]) -> None:
        """Write how the run ended, and leave one plain file."""
        self._close_segment()
        with self.together():
            self._put_meta("ending", dict(ending))
        database.close_to_one_file(self._connection)

    def counts(self) -> tuple[int, int]:
        """Return the numbers of calls and events written so far."""
        return self._written

    def close(self) -> None:
        """Close the file without an end of the run."""
        self._connection.close()

    def _close_segment(self) -> None:
        if self._open is not None:
            with self.together():
                self._put_segment(*self._open, closed=True)

    @contextmanager
    def together(self) -> Iterator[None]:
        """Run all writes of the block in one transaction."""
        if self._is_changing:
            yield
            return
        self._is_changing = True
        try:
            with self._changing():
                yield
        finally:
            self._is_changing = False

    @contextmanager
    def _changing(self) -> Iterator[None]:
        before = dict(self._counts), dict(self._meta_rows), dict(self._sources)
        try:
            with database.transaction(self._connection):
                yield
                counts = to_json(self._counts)
                row = (1, counts, checksum(1, counts))
                self._connection.execute("INSERT OR REPLACE INTO totals VALUES (?, ?, ?)", row)
        except BaseException:
            self._counts, self._meta_rows, self._sources = before
            raise

    def _insert(self, table: str, *columns: object) -> None:
        """Add a row; its blobs, if any, follow the checksum: see `_with_blobs`."""
        self._with_blobs(table, columns, ())

    def _with_blobs(self, table: str, columns: tuple[object, ...], blobs: Sequence[bytes]) -> None:
        row = (*columns, checksum(*columns), *blobs)
        marks = ", ".join("?" * len(row))
        sql = f"INSERT INTO {table} VALUES ({marks})"  # noqa: S608 - names from the schema
        self._connection.execute(sql, row)
        self._counts[table] += 1

    def _put_meta(self, key: str, value: object) -> None:
        number = self._meta_rows.get(key)
        if number is None:
            number = self._meta_rows[key] = len(self._meta_rows) + 1
        else:
            self._connection.execute("DELETE FROM meta WHERE id = ?", (number,))
            self._counts["meta"] -= 1
        self._insert("meta", number, to_json(key), to_json(value))

    def _source(self, source: bytes) -> int:
        digest = sha256(source).hexdigest()
        if digest not in self._sources:
            number = self._sources[digest] = len(self._sources) + 1
            packed, crc = chunks.pack(source)
            self._with_blobs("sources", (number, digest, crc), (packed,))
        return self._sources[digest]

    def _batch(self, table: str, module: int, rows: Sequence[_Row]) -> None:
        if not rows:
            return
        ordered: list[_Row] = sorted(rows, key=lambda row: row.id)
        packed, crc = chunks.pack(to_json([_fields(row) for row in ordered]).encode())
        with self.together():
            columns = (ordered[0].id, ordered[-1].id, module, crc)
            self._with_blobs(table, columns, (packed,))

    def _put_segment(self, number: int, data: bytes, *, closed: bool) -> tuple[int, int]:
        """Write a segment; return the total numbers of calls and events."""
        scanner = self._scanner
        first_call, first_moment = scanner.next_call, scanner.next_moment
        *counts, block, ends, state, objects, bound, parts, sums, notes = scanner.scan(data, closed)
        if closed:
            # The scanner can't go back: if this can't be written, the older row of the segment
            # stays as it is.
            self._open = None
        if self.announce is not None:
            self.announce(_called(block))
        low, high = end_range(ends)
        plain = (state, notes_json(notes), bound, objects, ends, block, data, parts, sums)
        blobs, checksums = zip(*map(chunks.pack, plain), strict=True)
        moments, calls, roots, cut, unmatched = counts
        columns = (number, int(closed), first_moment, moments, first_call, calls, roots, cut)
        if self._connection.execute("DELETE FROM segments WHERE number = ?", (number,)).rowcount:
            self._counts["segments"] -= 1
        self._with_blobs(
            "segments",
            (*columns, unmatched, low, high, len(notes), *checksums),
            (*blobs[-2:], *blobs[:-2]),  # the events come last
        )
        return first_call + calls, first_moment + moments


def _called(block: bytes) -> set[int]:
    """Return the functions of packed calls: see `columns`."""
    held = len(block) // CALL_SIZE
    found = array("I")
    found.frombytes(block[_FUNCTION * held : (_FUNCTION + 4) * held])
    return set(found)


def _fields(row: _Row) -> list[object]:
    return [getattr(row, field.name) for field in fields(row)]


_FUNCTION = 16
"""Bytes of a packed call before its function."""


def end_range(ends: bytes) -> tuple[int, int]:
    """Return the first and last call in packed ends; -1, -1 if there are none."""
    if not ends:
        return -1, -1
    last = len(ends) - END_SIZE
    return (
        int.from_bytes(ends[8:12], "little"),
        int.from_bytes(ends[last + 8 : last + 12], "little"),
    )


def notes_json(notes: "Sequence[Note]") -> bytes:
    """Return [[moment, kind, number, flags, text], ...] of names, child processes and stops."""
    rows = []
    for moment, kind, number, flags, values in notes:
        value = from_wire(values[0], ())
        content = value.content if isinstance(value, Atom) else None
        text = content if isinstance(content, str) else shown(value)
        rows.append([moment, kind, number, flags, text])
    return to_json(rows).encode()


def flow_batches(flows: Sequence[FlowRow]) -> Iterator[list[FlowRow]]:
    """Yield the flows in batches of consecutive functions.

    The operations of a function that is too long for any batch are left out.
    """
    batch: list[FlowRow] = []
    size = 0
    for each in sorted(flows, key=lambda row: row.id):
        row, more = each, _items_in(each)
        if more > _MOST_IN_BATCH:
            row = replace(each, operations=())
            more = _items_in(row)
        if batch and size + more > _MOST_IN_BATCH:
            yield batch
            batch, size = [], 0
        batch.append(row)
        size += more
    if batch:
        yield batch


def _items_in(row: FlowRow) -> int:
    """Count the items of a row, roughly: a list counts as one more than its items."""
    columns = (*row.statements, *row.steps, *row.loops, *row.operations)
    return _items_below(row.wording) + sum(
        len(column) + sum(_items_below(each) for each in column) for column in columns
    )


def _items_below(item: object) -> int:
    if isinstance(item, (list, tuple)):
        return 1 + sum(1 + _items_below(each) for each in item)
    if isinstance(item, dict):
        return 1 + sum(1 + _items_below(each) for each in item.values())
    return 0
