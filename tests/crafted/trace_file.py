"""A trace file as rows that can be changed, and written again with correct checksums."""

import sqlite3
from pathlib import Path
from typing import Any
from zlib import crc32

from sleuth import _core
from sleuth.trace.store import chunks
from sleuth.trace.store.schema import (
    APPLICATION_ID,
    SCHEMA_VERSION,
    TABLES,
    checksum,
    small_columns,
)
from sleuth.trace.store.writer import end_range, notes_json, to_json

Row = dict[str, Any]
BLOBS = ("state", "notes", "bound", "objects", "parts", "sums", "ends", "block", "data")


class TraceFile:
    """All tables of a trace; blobs are unpacked, unless they are `Packed`."""

    def __init__(self, path: Path) -> None:
        self.tables: dict[str, list[Row]] = {}
        connection = sqlite3.connect(path)
        connection.row_factory = sqlite3.Row
        for name in TABLES:
            rows = connection.execute(f"SELECT * FROM {name} ORDER BY 1").fetchall()
            self.tables[name] = [_opened(dict(row)) for row in rows]
        connection.close()

    def copy(self) -> "TraceFile":
        """Return another one that can be changed on its own."""
        other = TraceFile.__new__(TraceFile)
        other.tables = {name: [dict(row) for row in rows] for name, rows in self.tables.items()}
        return other

    def scan(self) -> bool:
        """Make the index of all segments anew; False: the events are malformed, it stays."""
        scanner = _core.Scanner()
        for number, row in enumerate(self.tables["segments"]):
            first = {"first_moment": scanner.next_moment, "first_call": scanner.next_call}
            try:
                found = scanner.scan(row["data"], True)
            except (ValueError, TypeError):
                return False
            *counts, block, ends, state, objects, bound, parts, sums, notes = found
            moments, calls, roots, cut, unmatched = counts
            low, high = end_range(ends)
            row |= {"number": number, "moments": moments, "calls": calls, "roots": roots, **first}
            row |= {"cut": cut, "unmatched": unmatched, "low_end": low, "high_end": high}
            row |= {"noted": len(notes), "block": block, "ends": ends, "state": state}
            row |= {"objects": objects, "bound": bound, "notes": notes_json(notes)}
            row |= {"parts": parts, "sums": sums}
        return True

    def write(self, path: Path) -> None:
        """Write the file; what SQLite itself can't hold is left out."""
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("BEGIN")
        for sql in TABLES.values():
            connection.execute(sql)
        counts: dict[str, int] = {}
        for name, rows in self.tables.items():
            if name != "totals":
                counts[name] = sum(_inserted(connection, name, row) for row in rows)
        for row in self.tables["totals"]:
            if row.get("counts") is not None and not row.get("is_crafted"):
                row["counts"] = to_json(counts)
            _inserted(connection, "totals", row)
        connection.execute("COMMIT")
        connection.close()


def _opened(row: Row) -> Row:
    for name in BLOBS:
        if isinstance(row.get(name), bytes):
            row[name] = chunks.unpack(row[name], row[f"{name}_crc"])
    return row


def _inserted(connection: sqlite3.Connection, table: str, row: Row) -> bool:
    row = dict(row)
    row.pop("is_crafted", None)
    for name in BLOBS:
        content = row.get(name)
        if isinstance(content, Packed):
            row[name], row[f"{name}_crc"] = content.data, content.crc
        elif isinstance(content, bytes):
            row[name], row[f"{name}_crc"] = chunks.pack(content)
    row["crc"] = 0
    marks = ", ".join("?" * len(row))
    try:
        sql = f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})"
        number = connection.execute(sql, tuple(row.values())).lastrowid
    except (sqlite3.Error, OverflowError, UnicodeError):
        return False
    # As SQLite gives it back: a number in a column of texts has become a text.
    small = ", ".join(name for name in row if name not in BLOBS and name != "crc")
    small = small_columns(SCHEMA_VERSION) if table == "segments" else small
    kept = connection.execute(f"SELECT {small} FROM {table} WHERE rowid = ?", (number,))
    crc = checksum(*kept.fetchone())
    connection.execute(f"UPDATE {table} SET crc = ? WHERE rowid = ?", (crc, number))
    return True


class Packed:
    """A blob as it stands in the file."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.crc = crc32(data)
