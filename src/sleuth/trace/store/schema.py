"""The tables of a trace file, as SQL with comments.

History of SCHEMA_VERSION
1   the first
2   functions have shared variables and the globals that they read, modules whether they are
    installed; `contents` may be repeated, with a flag that it describes the whole object
3   flows: the shape of each function's code; `suspend` says where; arms in chained comparisons;
    an `enter` may name the call that started its thread or submitted the work; `roots` counts it;
    `enter` says whether it is what was called; segments have `parts` and `sums`; classes
    have their base classes

Every row carries `crc`: the CRC32 of its other columns (see `checksum`), blobs counted by their
own `..._crc`, so that a row can be checked without reading its blobs.  Blobs are Zstandard frames.
JSON texts are ASCII, so that any text fits, valid Unicode or not.
"""

import re
import struct
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from zlib import crc32

SCHEMA_VERSION = 3
"""Stored in the file as `PRAGMA user_version`."""

OLDEST_READABLE = 2
"""The oldest version that can be read; what its traces lack is reported."""

APPLICATION_ID = 0x536C7468
"""`Slth`, stored in the file as `PRAGMA application_id`."""

TABLES = {
    # The number of rows of each table, so that a missing row is noticed.  One row.
    "totals": """CREATE TABLE totals (
  id INTEGER PRIMARY KEY,     -- 1
  counts TEXT NOT NULL,       -- JSON: table -> number of rows
  crc INTEGER NOT NULL
)""",
    # Facts about the run: language, argv, cwd, started, ...  `ending` is there
    # once the run is over: {"how": "exited", "status": 0} and the like.
    "meta": """CREATE TABLE meta (
  id INTEGER PRIMARY KEY,
  key TEXT NOT NULL,
  value TEXT NOT NULL,        -- JSON
  crc INTEGER NOT NULL
)""",
    # The language's constants; values refer to them by id.
    "constants": """CREATE TABLE constants (
  id INTEGER PRIMARY KEY,     -- 0, 1, ...
  name TEXT NOT NULL,         -- JSON text
  crc INTEGER NOT NULL
)""",
    # Units of source: recorded or not, and why.  `foreign` in `about`: of an installed package;
    # `own`: of the project, though it is not recorded.
    "modules": """CREATE TABLE modules (
  id INTEGER PRIMARY KEY,     -- 1, 2, ...
  recorded INTEGER NOT NULL,  -- 1 or 0
  source INTEGER,             -- row of sources; NULL: not known
  about TEXT NOT NULL,        -- JSON object: name, path, reason, encoding
  crc INTEGER NOT NULL
)""",
    # Source texts as they were when the program ran, each content once.
    "sources": """CREATE TABLE sources (
  id INTEGER PRIMARY KEY,
  sha256 TEXT NOT NULL,       -- of the plain bytes, hexadecimal
  data_crc INTEGER NOT NULL,
  crc INTEGER NOT NULL,
  data BLOB NOT NULL
)""",
    # Functions in batches with contiguous ids.  data: JSON rows [id, name, qualified name, kind,
    # first line, last line, identity, [parameter, ...], [[place, line, column, end line,
    # end column], ...], [cell, ...], [free variable, ...], [[global or free variable that
    # is read, line], ...]].
    "functions": """CREATE TABLE functions (
  first INTEGER PRIMARY KEY,  -- id of the first function of the batch
  last INTEGER NOT NULL,
  module INTEGER NOT NULL,
  data_crc INTEGER NOT NULL,
  crc INTEGER NOT NULL,
  data BLOB NOT NULL
)""",
    # Sites in batches.  data: JSON rows [id, function, kind, name, line, column, end line,
    # end column, id of the loop around it or 0].
    "sites": """CREATE TABLE sites (
  first INTEGER PRIMARY KEY,
  last INTEGER NOT NULL,
  module INTEGER NOT NULL,
  data_crc INTEGER NOT NULL,
  crc INTEGER NOT NULL,
  data BLOB NOT NULL
)""",
    # The shape of functions in batches, as functions.  data: JSON rows [function, statements,
    # steps, loops, parameters, operations, wording]; see `flow.FlowRow` for their columns.
    "flows": """CREATE TABLE flows (
  first INTEGER PRIMARY KEY,
  last INTEGER NOT NULL,
  module INTEGER NOT NULL,
  data_crc INTEGER NOT NULL,
  crc INTEGER NOT NULL,
  data BLOB NOT NULL
)""",
    # Other processes that the run started, if they are not in the stream of events.
    "processes": """CREATE TABLE processes (
  id INTEGER PRIMARY KEY,
  about TEXT NOT NULL,        -- JSON object: pid, how
  crc INTEGER NOT NULL
)""",
    # The event stream, one row for thousands of events, each with its index.  The small columns
    # come before the blobs and `data` last: SQLite reads a row from its beginning.
    "segments": """CREATE TABLE segments (
  number INTEGER PRIMARY KEY, -- 0, 1, ...
  closed INTEGER NOT NULL,    -- 0: it may still grow
  first_moment INTEGER NOT NULL,
  moments INTEGER NOT NULL,
  first_call INTEGER NOT NULL,
  calls INTEGER NOT NULL,     -- that begin in this segment
  roots INTEGER NOT NULL,     -- of these, that nobody in their thread called
  cut INTEGER NOT NULL,       -- values that were cut or not kept
  unmatched INTEGER NOT NULL, -- ends of calls where no call was running
  low_end INTEGER NOT NULL,   -- the first call in `ends`; -1: there are none
  high_end INTEGER NOT NULL,  -- the last one
  noted INTEGER NOT NULL,     -- how many notes there are
  state_crc INTEGER NOT NULL,
  notes_crc INTEGER NOT NULL,
  bound_crc INTEGER NOT NULL,
  objects_crc INTEGER NOT NULL,
  ends_crc INTEGER NOT NULL,
  block_crc INTEGER NOT NULL,
  data_crc INTEGER NOT NULL,
  parts_crc INTEGER NOT NULL,
  sums_crc INTEGER NOT NULL,
  crc INTEGER NOT NULL,
  parts BLOB NOT NULL,        -- stamps of what is written in it: distances as varints
  sums BLOB NOT NULL,         -- how many calls begin in it below whom, and which go on
  state BLOB NOT NULL,        -- stacks of the threads at the start, as far as they are needed
  notes BLOB NOT NULL,        -- JSON: names, child processes and stops that stand in the segment
  bound BLOB NOT NULL,        -- sites of its `bind`, `unbind`, `turn`: distances as varints
  objects BLOB NOT NULL,      -- objects of whose contents it tells, likewise
  ends BLOB NOT NULL,         -- what this segment says of calls that began earlier
  block BLOB NOT NULL,        -- the calls that begin in this segment, packed
  data BLOB NOT NULL          -- the events
)""",
}

SINCE = {"flows": 3}
"""Table -> the version that introduced it."""


_COLUMNS_SINCE = dict.fromkeys(
    [("segments", name) for name in ("parts_crc", "parts", "sums_crc", "sums")], 3
)
"""Column -> the version that introduced it."""


@lru_cache(SCHEMA_VERSION)
def tables_of(version: int) -> Mapping[str, str]:
    """Return the tables of a version."""
    return MappingProxyType(
        {
            name: _of_version(name, sql, version)
            for name, sql in TABLES.items()
            if SINCE.get(name, 1) <= version
        }
    )


def has_column(version: int, table: str, column: str) -> bool:
    """Whether a table of a version has a column."""
    return _COLUMNS_SINCE.get((table, column), 1) <= version


def _of_version(table: str, sql: str, version: int) -> str:
    """Remove the lines of columns that were introduced later."""
    return "\n".join(
        line for line in sql.split("\n") if has_column(version, table, line.split(maxsplit=1)[0])
    )


_SMALL_COLUMNS = (
    "number, closed, first_moment, moments, first_call, calls, roots, cut, unmatched, "
    "low_end, high_end, noted, state_crc, notes_crc, bound_crc, objects_crc, ends_crc, block_crc, "
    "data_crc, parts_crc, sums_crc"
)


def small_columns(version: int) -> str:
    """Return the columns of `segments` that `crc` covers, in order."""
    names = _SMALL_COLUMNS.split(", ")
    return ", ".join(name for name in names if has_column(version, "segments", name))


_NATIVE = {"INTEGER": int, "TEXT": str, "BLOB": bytes}
_COLUMN = re.compile(r"^  (\w+) (INTEGER|TEXT|BLOB)( NOT NULL| PRIMARY KEY)?", re.MULTILINE)

COLUMNS = {
    table: {name: (_NATIVE[kind], bool(must)) for name, kind, must in _COLUMN.findall(sql)}
    for table, sql in TABLES.items()
}
"""Table -> for each column its type, and whether it may be NULL."""


def checksum(*columns: object) -> int:
    """Return the CRC32 of a row: over type, length and content of each column."""
    crc = 0
    for column in columns:
        if isinstance(column, int):
            content, kind = b"%d" % column, b"i"
        elif isinstance(column, str):
            content, kind = column.encode("utf-8", "surrogatepass"), b"t"
        elif column is None:
            content, kind = b"", b"n"
        else:
            content, kind = repr(column).encode("utf-8", "surrogatepass"), b"x"
        crc = crc32(kind + struct.pack("<I", len(content)) + content, crc)
    return crc
