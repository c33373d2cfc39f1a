"""The recorded code: functions, sites and source texts, each read at first use."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from sleuth.trace.events import Function, FunctionId, Module, ModuleId, Site, SiteId, Span
from sleuth.trace.flow import names, wording
from sleuth.trace.flow.names import Said
from sleuth.trace.flow.table import Flow, unpacked
from sleuth.trace.flow.wording import Wording
from sleuth.trace.store import chunks, database, documents
from sleuth.trace.store.documents import FUNCTION, SITE, checked
from sleuth.trace.store.tables import Batch, Tables


class Code:
    """Functions and sites by number."""

    def __init__(self, path: Path, tables: Tables) -> None:
        self._path = path
        self._tables = tables
        self._functions: dict[int, Function | None] = {}
        self._batches: chunks.Memory[dict[int, list[Any]]] = chunks.Memory(64 << 20)
        self._sites_in: dict[int, list[Site]] = {}
        self._sites_of: dict[int, list[Site]] = {}
        self._nonlocals_of: dict[int, list[Site]] = {}
        self._flows: dict[int, Flow | None] = {}
        self._wordings: dict[int, Wording | None] = {}
        self._said: dict[int, Said | None] = {}

    def function(self, number: int) -> Function | None:
        """Return a function; None: nothing is known of it."""
        known = self._functions.get(number)
        if known is None:
            known = self._functions[number] = self._function(number)
        return known

    def module_of(self, number: int) -> Module | None:
        """Return a function's module without reading the function; None: nothing is known."""
        batches = self._tables.functions
        at = bisect_right(batches, number, key=lambda batch: batch.first) - 1
        if at < 0 or number > batches[at].last:
            return None
        return self._tables.modules.get(ModuleId(batches[at].module))

    def _function(self, number: int) -> Function | None:
        found = self._find("functions", self._tables.functions, number)
        if found is None:
            return None
        with database.refusing_nonsense(self._path, "the functions"):
            module, row = found
            _, name, qualified, kind, first, last, identity, *more = checked(row, FUNCTION)
            parameters, places, cells, free, uses = more
            # Code that is part of the function but compiled on its own may come first.
            placed = sorted(places)
            return Function(
                id=FunctionId(number),
                module=module,
                name=name,
                qualified_name=qualified,
                kind=kind,
                first_line=first,
                last_line=last,
                identity=identity,
                parameters=tuple(parameters),
                places=tuple(place for place, *_ in placed),
                spans=tuple(Span(*span) for _, *span in placed),
                cells=tuple(cells),
                free=tuple(free),
                uses=tuple((used, line) for used, line in uses),
            )

    def flow(self, number: int) -> Flow | None:
        """Return the flow of a function; None: the trace does not have it."""
        if number not in self._flows:
            found = self._find("flows", self._tables.flows, number)
            with database.refusing_nonsense(self._path, "the flows"):
                self._flows[number] = None if found is None else unpacked(found[1])
        return self._flows[number]

    def wording(self, number: int) -> Wording | None:
        """Return the wording of a function; None: the trace does not have it."""
        if number not in self._wordings:
            found = self._find("flows", self._tables.flows, number)
            with database.refusing_nonsense(self._path, "the flows"):
                self._wordings[number] = None if found is None else wording.unpacked(found[1])
        return self._wordings[number]

    def names_said(self, number: int) -> Said | None:
        """Return the names in a function's code; None: the trace does not have them."""
        if number not in self._said:
            found = self._find("flows", self._tables.flows, number)
            with database.refusing_nonsense(self._path, "the flows"):
                self._said[number] = None if found is None else names.unpacked(found[1])
        return self._said[number]

    def site(self, number: int) -> Site | None:
        """Return a site; None: nothing is known of it."""
        found = self._find("sites", self._tables.sites, number)
        return None if found is None else self._site(*found)

    def sites_in(self, module: Module) -> list[Site]:
        """Return all sites of a module."""
        if module.id not in self._sites_in:
            found = []
            for batch in self._tables.sites:
                if batch.module == module.id:
                    rows = self._batches.get(
                        ("sites", batch.first), partial(self._read, "sites", batch)
                    )
                    found += [self._site(module, row) for row in rows.values()]
            self._sites_in[module.id] = found
            for site in found:
                self._sites_of.setdefault(site.function, []).append(site)
        return self._sites_in[module.id]

    def sites_of(self, function: Function) -> list[Site]:
        """Return the sites of a function."""
        self.sites_in(function.module)
        return self._sites_of.get(function.id, [])

    def nonlocals_of(self, function: Function) -> list[Site]:
        """Return the sites in nested functions that set a variable of this function."""
        known = self._nonlocals_of.get(function.id)
        if known is None:
            known = self._nonlocals_of[function.id] = self._nonlocals(function)
        return known

    def _nonlocals(self, function: Function) -> list[Site]:
        inside = f"{function.qualified_name}.<locals>."
        own = {*function.parameters}
        own |= {site.name for site in self.sites_of(function) if site.kind != "comprehension"}
        found = []
        for site in self.sites_in(function.module):
            if site.kind == "nonlocal" and site.name in own:
                other = self.function(site.function)
                if other and other.qualified_name.startswith(inside):
                    found.append(site)
        return found

    def _site(self, module: Module, row: list[Any]) -> Site:
        with database.refusing_nonsense(self._path, "the sites"):
            number, function, kind, name, line, column, end_line, end_column, loop = checked(
                row, SITE
            )
            return Site(
                id=SiteId(number),
                module=module,
                function=FunctionId(function),
                kind=kind,
                name=name,
                span=Span(line, column, end_line, end_column),
                loop=SiteId(loop) if loop else None,
            )

    def _find(
        self, table: str, batches: list[Batch], number: int
    ) -> tuple[Module, list[Any]] | None:
        at = bisect_right(batches, number, key=lambda batch: batch.first) - 1
        if at < 0 or number > batches[at].last:
            return None
        batch = batches[at]
        rows = self._batches.get((table, batch.first), partial(self._read, table, batch))
        row, module = rows.get(number), self._tables.modules.get(ModuleId(batch.module))
        return None if row is None or module is None else (module, row)

    def _read(self, table: str, batch: Batch) -> tuple[dict[int, list[Any]], int]:
        sql = f"SELECT data FROM {table} WHERE first = ?"  # noqa: S608 - from the schema
        with database.reading(self._path) as connection:
            found = connection.execute(sql, (batch.first,)).fetchone()
        try:
            plain = chunks.unpack(found[0] if found else None, batch.data_crc)
        except chunks.BadChunk as error:
            raise database.damaged(self._path, f"{error} in the table {table}") from None
        with database.refusing_nonsense(self._path, f"the {table}"):
            rows = checked(documents.read(plain, packed=len(found[0])), [list])
            known = {row[0]: row for row in rows}
            if len(known) < len(rows) or not batch.first <= min(known) <= max(known) <= batch.last:
                raise ValueError("they have other numbers than the batch says")
            return known, 16 * len(plain)


class SourceTexts(Mapping[str, str]):
    """Path -> text; modules can share a path such as `<string>`: then the text of the last one."""

    def __init__(self, path: Path, tables: Tables) -> None:
        self._path = path
        self._texts: chunks.Memory[str] = chunks.Memory(16 << 20)
        self._of_modules = tables.module_sources
        self._sources = {
            tables.modules[module].path: source for module, source in tables.module_sources.items()
        }

    def __iter__(self) -> Iterator[str]:
        return iter(self._sources)

    def __len__(self) -> int:
        return len(self._sources)

    def __getitem__(self, path: str) -> str:
        return self._text(*self._sources[path])

    def of(self, module: int) -> str | None:
        """Return the text of a module; None: it is not in the trace."""
        found = self._of_modules.get(module)
        return None if found is None else self._text(*found)

    def raw(self, module: int) -> bytes | None:
        """Return the source of a module, byte for byte; None: it is not in the trace."""
        found = self._of_modules.get(module)
        return None if found is None else source_bytes(self._path, found[0])

    def _text(self, number: int, encoding: str) -> str:
        return self._texts.get((number, encoding), lambda: self._read(number, encoding))

    def _read(self, number: int, encoding: str) -> tuple[str, int]:
        plain = source_bytes(self._path, number)
        try:
            text = plain.decode(encoding, "backslashreplace")
        except (LookupError, UnicodeError, TypeError):
            text = plain.decode("utf-8", "backslashreplace")
        return text, 4 * len(plain)


def source_bytes(path: Path, number: int) -> bytes:
    """Return the bytes of one row of the table `sources`, after checking its checksums."""
    with database.reading(path) as connection:
        sql = "SELECT sha256, data_crc, data FROM sources WHERE id = ?"
        found = connection.execute(sql, (number,)).fetchone()
    try:
        plain = chunks.unpack(*((found[2], found[1]) if found else (None, 0)))
    except chunks.BadChunk as error:
        raise database.damaged(path, f"{error} in the table sources") from None
    if sha256(plain).hexdigest() != found[0]:
        raise database.damaged(path, "a source text is not what was written")
    return plain
