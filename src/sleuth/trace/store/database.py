"""Access to SQLite: pragmas, transactions, version and schema checks.  No other file opens it."""

import os
import re
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from sleuth.errors import TraceDamaged, TraceError, TraceMissing, TraceTooNew, TraceTooOld
from sleuth.trace.store.schema import (
    APPLICATION_ID,
    OLDEST_READABLE,
    SCHEMA_VERSION,
    TABLES,
    tables_of,
)
from sleuth.trace.values import escaped

_COMMENT = re.compile(r" *--[^\n]*")
"""Comments in the schema, which may change; no string in the schema contains `--`."""
_PATIENCE = 5.0
"""Seconds to wait for another process's short transaction."""


def create(path: Path, *, is_hasty: bool = False) -> sqlite3.Connection:
    """Create a new file that only its owner can read; it must not exist.

    is_hasty: don't wait for the disk; data is lost only if the machine loses power.
    """
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    # A collector may be created in one thread and work in another, never in both at once.
    connection = sqlite3.connect(
        path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
    )
    if is_hasty:
        connection.execute("PRAGMA synchronous = OFF")
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    # One plain transaction before the log is switched on: then the file alone is a valid trace,
    # even if it gets separated from its log.
    with transaction(connection):
        for sql in TABLES.values():
            connection.execute(sql)
    connection.execute("PRAGMA journal_mode = WAL")
    if not is_hasty:
        connection.execute("PRAGMA synchronous = NORMAL")
    return connection


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Run the block in one transaction."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def close_to_one_file(connection: sqlite3.Connection) -> None:
    """Merge the log into the file and close it, so that one file is left."""
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            if connection.execute("PRAGMA journal_mode = DELETE").fetchone() == ("delete",):
                break
        except sqlite3.OperationalError as error:
            if not is_busy(error):
                break  # the disk may be full; the log stays, and is read with the file
        # A reader has the file open; its transactions are short.
        if time.monotonic() > deadline:
            break
        time.sleep(0.02)
    connection.close()


def is_busy(error: sqlite3.Error) -> bool:
    """Tell whether another process holds the file right now."""
    return getattr(error, "sqlite_errorname", "").startswith(("SQLITE_BUSY", "SQLITE_LOCKED"))


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a file for a short read; SQLite's errors about damage become TraceDamaged."""
    check_header(path)
    connection: sqlite3.Connection | None = None
    try:
        connection = _connect(path)
        yield connection
    except sqlite3.Error as error:
        if is_busy(error):
            raise TraceError(
                f"{escaped(str(path))} is being written right now. Try again in a moment."
            ) from None
        raise damaged(path, escaped(str(error))) from None
    except (OverflowError, UnicodeError):
        raise damaged(path, "a column holds what can't be read") from None
    finally:
        if connection is not None:
            connection.close()


def _connect(path: Path) -> sqlite3.Connection:
    address = f"file:{quote(str(path.absolute()))}?mode=ro"
    try:
        return _prepared(address)
    except sqlite3.OperationalError:
        # A file with a log needs auxiliary files, which can't be created in a read-only folder.
        # Without a log the file alone is complete.
        if Path(f"{path}-wal").exists():
            raise
        return _prepared(address + "&immutable=1")


def _prepared(address: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        address, uri=True, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
    )
    try:
        connection.execute("PRAGMA trusted_schema = off")
        connection.execute("PRAGMA cell_size_check = on")
        connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


def check_schema(path: Path, connection: sqlite3.Connection) -> int:
    """Refuse a file whose schema is not exactly that of a trace: views, triggers, ...

    Returns the version of its tables.
    """
    version = int(connection.execute("PRAGMA user_version").fetchone()[0])
    rows = connection.execute("SELECT type, name, sql FROM sqlite_schema").fetchall()
    found = [(kind, name, _COMMENT.sub("", sql or "")) for kind, name, sql in rows]
    wanted = {("table", name, _COMMENT.sub("", sql)) for name, sql in tables_of(version).items()}
    if set(found) != wanted or len(found) != len(wanted):
        raise damaged(path, "its tables are not those of a trace")
    return version


def check_header(path: Path) -> None:
    """Refuse a file that is no trace, or of an unknown version, before SQLite opens it."""
    try:
        with path.open("rb") as file:
            header = file.read(100)
    except FileNotFoundError:
        raise TraceMissing(
            f"There is no trace {escaped(str(path))}. See which there are: sleuth list"
        ) from None
    except OSError as error:
        raise TraceError(
            f"{escaped(str(path))} can't be read: {error.strerror}. "
            f"Give the path of a trace file that you may read."
        ) from None
    if len(header) < 100 or not header.startswith(b"SQLite format 3\0"):
        raise not_a_trace(path)
    if int.from_bytes(header[68:72], "big") != APPLICATION_ID:
        raise not_a_trace(path)
    version = int.from_bytes(header[60:64], "big")
    if version > SCHEMA_VERSION:
        raise TraceTooNew(
            f"{escaped(str(path))} has format version {version}; this Sleuth reads up to "
            f"{SCHEMA_VERSION}. Read it with a newer Sleuth: pip install -U sleuth"
        )
    if version == 0:
        raise damaged(path, "it says to be of version 0, which never was")
    if version < OLDEST_READABLE:
        raise TraceTooOld(
            f"{escaped(str(path))} has format version {version}; this Sleuth reads version "
            f"{OLDEST_READABLE} and later. Record the program again."
        )


def not_a_trace(path: Path) -> TraceError:
    """Return the error for a file that is no trace."""
    return TraceError(
        f"{escaped(str(path))} is not a Sleuth trace (or its beginning is destroyed). "
        f"Traces stand in .sleuth/: sleuth list"
    )


@contextmanager
def refusing_nonsense(path: Path, what: str) -> Iterator[None]:
    """Turn exceptions caused by malformed contents into TraceDamaged."""
    try:
        yield
    except (ValueError, TypeError, LookupError, RecursionError) as error:
        raise damaged(path, f"{what} hold what can't be read ({escaped(str(error))})") from None


def damaged(path: Path, what: str) -> TraceDamaged:
    """Return the error for a damaged file."""
    return TraceDamaged(
        f"{escaped(str(path))} is damaged: {what}. "
        f"See what of it can be trusted: sleuth doctor; or record the run again."
    )
