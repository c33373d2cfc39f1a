"""Reads and checks the small tables of a trace, which a Trace keeps in memory."""

import sqlite3
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from sleuth.errors import TraceDamaged
from sleuth.trace.events import Check, Module, ModuleId, Operand, Span, Template
from sleuth.trace.store import documents
from sleuth.trace.store.database import check_schema, damaged
from sleuth.trace.store.documents import META, MODULE, PROCESS, checked
from sleuth.trace.store.schema import COLUMNS, checksum, small_columns, tables_of


class SegmentRow(NamedTuple):
    """One segment without its blobs."""

    number: int
    closed: int
    first_moment: int
    moments: int
    first_call: int
    calls: int
    roots: int
    cut: int
    unmatched: int
    low_end: int
    high_end: int
    noted: int
    state_crc: int
    notes_crc: int
    bound_crc: int
    objects_crc: int
    ends_crc: int
    block_crc: int
    data_crc: int
    parts_crc: int | None = None
    """None: the file is of a version without stamps and sums."""
    sums_crc: int | None = None


class Batch(NamedTuple):
    """Some functions or sites of a module."""

    first: int
    last: int
    module: int
    data_crc: int


@dataclass(frozen=True, slots=True)
class Tables:
    """The small tables, read in one transaction."""

    version: int
    meta: dict[str, Any]
    constants: tuple[str, ...]
    modules: dict[int, Module]
    module_sources: dict[int, tuple[int, str]]
    """Module -> (row of `sources`, encoding)."""
    functions: list[Batch]
    sites: list[Batch]
    flows: list[Batch]
    processes: list[tuple[int, str]]
    segments: list[SegmentRow]


class TableReader:
    """Reads rows and refuses those with a wrong checksum."""

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self._path = path
        self._connection = connection

    def read(self) -> Tables:
        """Read all tables in one transaction."""
        self._connection.execute("BEGIN")
        version = check_schema(self._path, self._connection)
        totals = self.rows("totals", "id, counts")
        if len(totals) != 1 or totals[0][0] != 1:
            raise self.damaged("the table totals has not one row")
        counts = checked(documents.read(totals[0][1]), {})
        tables = {
            "meta": self.rows("meta", "id, key, value"),
            "constants": self.rows("constants", "id, name"),
            "modules": self.rows("modules", "id, recorded, source, about"),
            "sources": self.rows("sources", "id, sha256, data_crc"),
            "functions": self.rows("functions", "first, last, module, data_crc"),
            "sites": self.rows("sites", "first, last, module, data_crc"),
            "flows": self._since(version, "flows", "first, last, module, data_crc"),
            "processes": self.rows("processes", "id, about"),
            "segments": self.rows("segments", small_columns(version)),
        }
        self._connection.execute("COMMIT")
        for name, rows in tables.items():
            if name in tables_of(version) and counts.get(name) != len(rows):
                what = f"the table {name} has {len(rows)} rows, {counts.get(name)} were written"
                raise self.damaged(what)
        segments = [SegmentRow(*row) for row in tables["segments"]]
        self._check_chain(segments)
        modules, sources = _modules(tables["modules"])
        return Tables(
            version=version,
            meta=dict(_told(key, value) for _, key, value in tables["meta"]),
            constants=tuple(checked(documents.read(name), str) for _, name in tables["constants"]),
            modules=modules,
            module_sources=sources,
            functions=self._batches("functions", tables["functions"]),
            sites=self._batches("sites", tables["sites"]),
            flows=self._batches("flows", tables["flows"]),
            processes=[
                (about["pid"], about["how"])
                for about in (
                    checked(documents.read(row[1]), PROCESS) for row in tables["processes"]
                )
            ],
            segments=segments,
        )

    def _since(self, version: int, table: str, columns: str) -> list[tuple[Any, ...]]:
        """Return the rows of a table; empty if the file is too old to have it."""
        return self.rows(table, columns) if table in tables_of(version) else []

    def rows(self, table: str, columns: str) -> list[tuple[Any, ...]]:
        """Return the rows of a table, sorted by key, without their checksums."""
        key = columns.split(",", maxsplit=1)[0]
        # Names from the schema, none from the file.
        sql = f"SELECT {columns}, crc FROM {table} ORDER BY {key}"  # noqa: S608 - names of the schema only
        kinds = [COLUMNS[table][name] for name in columns.split(", ")]
        found = []
        previous = None
        for *row, crc in self._connection.execute(sql):
            if checksum(*row) != crc:
                raise self.damaged(f"a row of the table {table} has a wrong checksum")
            if previous is not None and row[0] <= previous:
                raise self.damaged(f"the rows of the table {table} are out of order")
            if not all(map(_is_kept, row, kinds)):
                raise self.damaged(f"a row of the table {table} holds what can't stand there")
            previous = row[0]
            found.append(tuple(row))
        return found

    def _batches(self, table: str, rows: list[tuple[Any, ...]]) -> list[Batch]:
        """Return the batches of a table, which must be sorted and must not overlap."""
        last = -1
        for row in rows:
            first, end, *_ = row
            if not last < first <= end or end not in documents.ID:
                raise self.damaged(f"the batches of {table} overlap or have numbers out of range")
            last = end
        return [Batch._make(row) for row in rows]

    def damaged(self, what: str) -> TraceDamaged:
        """Return the error for this file."""
        return damaged(self._path, what)

    def _check_chain(self, segments: list[SegmentRow]) -> None:
        moment = call = 0
        for number, row in enumerate(segments):
            if (row.number, row.first_moment, row.first_call) != (number, moment, call):
                raise self.damaged(f"segment {number} of the events does not follow the one before")
            moment += row.moments
            call += row.calls
            if min(row.moments, row.calls, row.noted) < 0 or row.calls > row.moments:
                raise self.damaged(
                    f"segment {number} of the events says that it has less than none"
                )
        if max(moment, call) not in documents.COUNT:
            raise self.damaged("it says that it has more events than there can be")


def _is_kept(content: object, kind: tuple[type, bool]) -> bool:
    """Whether a column holds a value of its type; any integer of 64 bits passes."""
    expected, must_be = kind
    return type(content) is expected or (content is None and not must_be)


def _told(key: str, value: str) -> tuple[str, Any]:
    """Parse one row of `meta`, checked if its key is a known one."""
    name, found = checked(documents.read(key), str), documents.read(value)
    return name, checked(found, META[name]) if name in META else found


def _modules(
    rows: list[tuple[Any, ...]],
) -> tuple[dict[int, Module], dict[int, tuple[int, str]]]:
    modules: dict[int, Module] = {}
    sources: dict[int, tuple[int, str]] = {}
    for number, recorded, source, about_text in rows:
        about = checked(documents.read(about_text), MODULE)
        modules[number] = Module(
            id=ModuleId(number),
            name=about["name"],
            path=about["path"],
            is_recorded=bool(recorded),
            reason=about["reason"],
            has_source=source is not None,
            is_foreign=bool(about.get("foreign", False)),
            is_own=bool(about.get("own", False)),
            is_test=bool(about.get("test", False)),
            checks=tuple(map(_check, about.get("checks", ()))),
            template=_template(about.get("template")),
        )
        if source is not None:
            sources[number] = source, about["encoding"]
    return modules, sources


def _template(told: dict[str, Any] | None) -> Template | None:
    if told is None:
        return None
    lines = sorted((here, there) for here, there in told["lines"])
    return Template(told["name"], tuple(lines), tuple((a, b) for a, b in told["names"]))


def _check(row: list[Any]) -> Check:
    span, text, relation, operands = row
    sides = (
        Operand(said, Span(*where), variable, is_literal)
        for said, where, variable, is_literal in operands
    )
    return Check(Span(*span), text, relation, tuple(sides))
