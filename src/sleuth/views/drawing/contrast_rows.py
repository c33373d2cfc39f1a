"""Two values that differ, as rows: texts by line, tables by cell, all else by path."""

from collections.abc import Sequence
from typing import NamedTuple

from sleuth.trace.heap.contrast import Contrast, Differing, contrast
from sleuth.trace.heap.nested import Nested
from sleuth.trace.values import Atom, Cut, Value, shown
from sleuth.views.drawing.line_difference import text_rows
from sleuth.views.drawing.picture import Pictures
from sleuth.views.drawing.sections import under_path
from sleuth.views.drawing.styled import Line, Piece, Role, counted, fitted, line, windows
from sleuth.views.drawing.styled import width as columns
from sleuth.views.drawing.table_difference import table_rows
from sleuth.views.drawing.value_text import WHOLE

MOST_ROWS = 12
_MOST_LISTED = 4
_MOST_UNKNOWN = 3
_LEAST_ROOM = 8


class Names(NamedTuple):
    """What the two values are called."""

    one: str
    other: str
    is_change: bool = False
    """Whether the second one was there before, instead of being expected."""


EXPECTED = Names("returned", "expected")
CHANGED = Names("after", "before", is_change=True)


class ContrastRows:
    """Draws how two values differ."""

    def __init__(self, pictures: Pictures, names: Names, *, room: int) -> None:
        self._pictures = pictures
        self._names = names
        self._room = room

    def picture(self, value: Nested, room: int) -> str:
        """Return a value on one line."""
        if value.value is None:
            return fitted(value.written, room)
        return self._pictures.deep(value.value, value.at, room)

    def rows(
        self, one: Nested, other: Nested, *, start: str = "", most: int = MOST_ROWS
    ) -> list[Line]:
        """Return the differences, the first first, and what is not known; start: their path.

        Values without contents have no rows: they are shown themselves.
        """
        found = contrast(one, other)
        rows = self._differences(one, other, found, start, most)
        return [*rows, *self._unknown(found, start)]

    def _differences(
        self, one: Nested, other: Nested, found: Contrast, start: str, most: int
    ) -> list[Line]:
        if not found.count:
            return []
        texts = _lines(one, other)
        if texts is not None:
            rows = text_rows(*texts, room=self._room, most=most - 1)
            return [self._legend(), *rows] if rows else [self._beyond(texts[0])]
        table = table_rows(one, other, self.picture, room=self._room, most=most - 1)
        if table is not None:
            return [self._legend(), *table]
        if found.differing[0].path == "" and found.differing[0].one is one:
            return []
        return self._listed(found, start, most)

    def block(self, one: Nested, other: Nested, *, most: int) -> list[Line]:
        """Return the lines or cells that differ; nothing for values that are no texts or tables."""
        texts = _lines(one, other)
        if texts is not None:
            rows = text_rows(*texts, room=self._room, most=most)
        else:
            rows = table_rows(one, other, self.picture, room=self._room, most=most) or []
        return [self._legend(), *rows] if rows else []

    def _beyond(self, kept: str) -> Line:
        words = f"they differ beyond character {len(kept):,}, where they are not recorded"
        return line(Piece(fitted(words, self._room), Role.DIM))

    def _legend(self) -> Line:
        return line(Piece(f"- {self._names.other}, + {self._names.one}", Role.DIM))

    def _listed(self, found: Contrast, start: str, most: int) -> list[Line]:
        """Return the first differences by path; the first one of long texts by line."""
        first = found.differing[0]
        rows: list[Line] = []
        texts = _lines(first.one, first.other)
        if texts is not None:
            path = line(Piece(f"{start}{first.path}", Role.PATH), Piece("  "), *self._legend())
            rows = [path, *text_rows(*texts, room=self._room, most=most - _MOST_LISTED)]
        listed = found.differing[bool(rows) : _MOST_LISTED]
        paths = [_path(each, start) for each in listed]
        column = min(max(map(columns, paths), default=0), self._room // 2) + 2
        for each, path_text in zip(listed, paths, strict=True):
            rows += self._row(each, path_text, column)
        left = found.count - min(len(found.differing), _MOST_LISTED)
        if left > 0:
            rows.append(line(Piece(f"... {counted(left, 'more difference')}", Role.DIM)))
        return rows

    def pair(self, each: Differing, path: str) -> list[Line]:
        """Return both values of one place beside its path."""
        return self._row(each, path, columns(path) + 2)

    def _row(self, each: Differing, path: str, column: int) -> list[Line]:
        def rows(room: int) -> Sequence[Line]:
            return self._told(each, max(room, _LEAST_ROOM))

        return under_path(f"{path}  ", self._room, rows, column=column)

    def _told(self, each: Differing, room: int) -> list[Line]:
        """Return both values: `9, expected 7`, or on two rows where one has no room."""
        word = "before" if self._names.is_change else "expected"
        if each.one is None or each.other is None:
            there = each.one or each.other
            assert there is not None  # noqa: S101 - a difference has at least one side
            said = (
                ("added " if self._names.is_change else "not expected: ")
                if each.one
                else ("removed " if self._names.is_change else "missing: ")
            )
            role = Role.NEW if each.one else Role.OLD
            return [line(said, Piece(self.picture(there, room - len(said)), role))]
        middle = f", {word} "
        whole = self._whole(each.one), self._whole(each.other)
        if columns(whole[0]) + len(middle) + columns(whole[1]) <= room:
            return [line(Piece(whole[0], Role.NEW), middle, Piece(whole[1], Role.OLD))]
        names = [f"{name:<8} " for name in (self._names.one, self._names.other)]
        left = max(room - len(names[0]), _LEAST_ROOM)
        short = [self.picture(side, left) for side in (each.one, each.other)]
        if short != list(whole):
            short = list(windows(*whole, (left, left)))
        return [
            line(names[0], Piece(short[0], Role.NEW)),
            line(names[1], Piece(short[1], Role.OLD)),
        ]

    def _whole(self, value: Nested) -> str:
        """Return a value whole, so that what tells it from another one is not cut."""
        text = _text(value.value)
        if isinstance(value.value, Atom) and text is not None:
            return shown(value.value, width=WHOLE)
        return self.picture(value, WHOLE)

    def _unknown(self, found: Contrast, start: str) -> list[Line]:
        """Say where the values may differ as well."""
        words = [f"{start}{each}" if each[:1] in ".[" else f"it {each}" for each in found.unknown]
        more = len(words) - _MOST_UNKNOWN
        rows = words[:_MOST_UNKNOWN] + ([f"... {more:,} more not recorded"] if more > 0 else [])
        return [line(Piece(fitted(each, self._room), Role.DIM)) for each in rows]


def _path(each: Differing, start: str) -> str:
    if each.path.startswith("len("):
        inner = each.path[len("len(") : -1]
        return f"len({start}{'' if inner == 'it' else inner})"
    return f"{start}{each.path}"


def _lines(one: Nested | None, other: Nested | None) -> tuple[str, str] | None:
    """Return two texts that are shown by line; None: they are no texts, or of one line each."""
    texts = [None if each is None else _text(each.value) for each in (one, other)]
    if texts[0] is None or texts[1] is None or not any("\n" in (text or "") for text in texts):
        return None
    return texts[0], texts[1]


def _text(value: Value | None) -> str | None:
    """Return a text, or what is kept of it."""
    if isinstance(value, Cut):
        return value.kept if isinstance(value.kept, str) else None
    content = value.content if isinstance(value, Atom) else None
    return content if isinstance(content, str) else None
