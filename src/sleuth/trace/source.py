"""Source texts as they were when the program ran, read one by one."""

from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path

from sleuth.trace import chunks, database
from sleuth.trace.tables import Tables


class SourceTexts(Mapping[str, str]):
    """Path -> text."""

    def __init__(self, path: Path, tables: Tables) -> None:
        self._path = path
        self._texts: chunks.Memory[str] = chunks.Memory(16 << 20)
        self._sources = {
            tables.modules[module].path: source for module, source in tables.module_sources.items()
        }

    def __iter__(self) -> Iterator[str]:
        return iter(self._sources)

    def __len__(self) -> int:
        return len(self._sources)

    def __getitem__(self, path: str) -> str:
        number, encoding = self._sources[path]
        return self._texts.get((number, encoding), lambda: self._read(number, encoding))

    def _read(self, number: int, encoding: str) -> tuple[str, int]:
        plain = fetch(self._path, number)
        try:
            text = plain.decode(encoding, "backslashreplace")
        except (LookupError, UnicodeError, TypeError):
            text = plain.decode("utf-8", "backslashreplace")
        return text, 4 * len(plain)


def fetch(path: Path, number: int) -> bytes:
    """Return one row of the table sources, checked."""
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
