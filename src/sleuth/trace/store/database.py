"""The only file that opens SQLite: pragmas, transactions, version and schema checks."""

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
"""What we say of a column may change; no text of ours in the schema has such a sign in it."""
_PATIENCE = 5.0
"""Seconds to wait for another process's short transaction."""


def create(path: Path, *, is_hasty: bool = False) -> sqlite3.Connection:
    """Make a new file that only its owner can read; it must not exist.

    is_hasty: don't wait for the disk; what is lost then is lost with the machine's power alone.
    """
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    # A collector may be made in one thread and work in another, one at a time.
    connection = sqlite3.connect(
        path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
    )
    if is_hasty:
        connection.execute("PRAGMA synchronous = OFF")
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    # In one plain transaction before the log is switched on: the file itself is a trace from its
    # first byte on, even if it gets separated from its log.
    with transaction(connection):
        for sql in TABLES.values():
            connection.execute(sql)
    connection.execute("PRAGMA journal_mode = WAL")
    if not is_hasty:
        connection.execute("PRAGMA synchronous = NORMAL")
    return connection


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """All or nothing."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def close_to_one_file(connection: sqlite3.Connection) -> None:
    """Fold the log into the file and close: afterwards nothing stands beside it."""
    deadline = time.monotonic() + _PATIENCE
    while True:
        try:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            if connection.execute("PRAGMA journal_mode = DELETE").fetchone() == ("delete",):
                break
        except sqlite3.OperationalError as error:
            if not is_busy(error):
                break  # no room on the disk, say; the log stays, and is read with the file
        # A reader is looking right now; its transactions are short.
        if time.monotonic() > deadline:
            break
        time.sleep(0.02)
    connection.close()


def is_busy(error: sqlite3.Error) -> bool:
    """Tell whether somebody else is at the file just now."""
    return getattr(error, "sqlite_errorname", "").startswith(("SQLITE_BUSY", "SQLITE_LOCKED"))


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """Open for one short look; what SQLite says about damage becomes TraceDamaged."""
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
        # A file that was being written needs its log's companions, which can't be made in a
        # folder that is read only.  Without a log the file alone is all there is.
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
    """Refuse a file with anything in it that we did not put there: views, triggers, ...

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
    """Refuse what is no trace or a newer one, before SQLite looks at it."""
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
    """Say that the file is something else."""
    return TraceError(
        f"{escaped(str(path))} is not a Sleuth trace (or its beginning is destroyed). "
        f"Traces stand in .sleuth/: sleuth list"
    )


@contextmanager
def refusing_nonsense(path: Path, what: str) -> Iterator[None]:
    """Turn what goes wrong with contents nobody would write into a sentence."""
    try:
        yield
    except (ValueError, TypeError, LookupError, RecursionError) as error:
        raise damaged(path, f"{what} hold what can't be read ({escaped(str(error))})") from None


def damaged(path: Path, what: str) -> TraceDamaged:
    """Say what is wrong with the file."""
    return TraceDamaged(
        f"{escaped(str(path))} is damaged: {what}. "
        f"See what of it can be trusted: sleuth doctor; or record the run again."
    )
