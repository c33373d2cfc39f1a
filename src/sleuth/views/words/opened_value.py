"""`o PATH`: a value opened, page by page; or a whole section of a question."""

from collections.abc import Callable, Iterator
from contextlib import suppress

from sleuth.trace.events import Moment
from sleuth.trace.heap.arrays import layout
from sleuth.trace.heap.keys import shown_key
from sleuth.trace.path import Path, PathError, Step
from sleuth.trace.reader import Trace
from sleuth.trace.values import Absent, Atom, Cut, Part, Ref, Shape, Value, shown
from sleuth.tree.observe.behaviour import Behaviour
from sleuth.tree.observe.inside import Reached, reached
from sleuth.views.drawing.rows import Drawing
from sleuth.views.drawing.sections import under_path
from sleuth.views.drawing.styled import (
    MORE,
    Line,
    Piece,
    Role,
    counted,
    cut,
    hanging,
    line,
    width_of,
    windows,
)
from sleuth.views.drawing.styled import width as columns
from sleuth.views.drawing.table import Table, table_lines, table_of
from sleuth.views.words.change_rows import ChangeRows

HEIGHT = 20
"""Rows of a page."""
_LEAST_ROOM = 8
_MOST_OPENED = 2
"""Rows of an item, so that a page of them fits a screen."""
_MOST_BEFORE = 6
"""Rows of what an object was before the call."""
_AROUND_OLD = 11
"""Columns of the words around a value and the one before it."""
_CHANGES = ("changed", "meanwhile", "folded")
_SECTIONS = ("given", "used", "printed", "stderr", "yielded", "sent", *_CHANGES)
_NOUNS = {
    "sequence": "item",
    "mapping": "key",
    "set": "member",
    "attributes": "attribute",
    "cell": "value",
    "bytes": "byte",
    "summary": "fact",
    "value": "value",
}
_Page = tuple[int, Callable[[int, int], list[Line]]]
"""The number of entries, and a function that returns the rows of some of them."""


def opened_lines(
    trace: Trace, behaviour: Behaviour, text: str, *, width: int, height: int = HEIGHT
) -> list[Line]:
    """Return a value or a section; the text is a path or a name, and the number of a page."""
    words, page = _split(text)
    drawing = Drawing(trace, behaviour, width=width)
    if words in _SECTIONS and words not in {seen.path for seen in behaviour.given}:
        rows, more = _paged(words, _section(drawing, words), page, height)
        lines = rows or [line(Piece("  nothing", Role.DIM))]
    else:
        found, was = _looked_up(drawing, words)
        before = _before(drawing, found) if page == 1 else []
        after = f"  (after {_noun(behaviour)})" if before else ""
        value = line(f" = {_title(drawing, found)}", Piece(was, Role.OLD))
        title = under_path(str(found.path), width, lambda room: [cut(value, room)])
        if width_of(title[-1]) + len(after) <= width:
            title[-1] = (*title[-1], Piece(after, Role.DIM))
        else:
            title.append(line(Piece(after, Role.DIM)))
        rows, more = _paged(str(found.path), _parts(drawing, found), page, height)
        lines = [*title, *rows, *before]
    hint = [line(Piece(each, Role.DIM)) for each in hanging(more, width)] if more else []
    return [cut(each, width) for each in (*lines, *hint)]


def _looked_up(drawing: Drawing, path: str) -> tuple[Reached, str]:
    """Return the value after the call, and a remark about the value before it."""
    trace, behaviour = drawing.trace, drawing.behaviour
    before: Reached | None = None
    with suppress(PathError):
        before = reached(trace, behaviour, path, before=True)
    try:
        found = reached(trace, behaviour, path)
    except PathError:
        if before is None or isinstance(before.value, Absent):
            raise
        return before, f"  (before {_noun(behaviour)}; it is gone now)"
    if before is None or isinstance(before.value, Absent) or before.value == found.value:
        return found, ""
    return found, f"  (was {drawing.short(before.value, before.at, 20)})"


def _before(drawing: Drawing, found: Reached) -> list[Line]:
    """Return what an object was before the call, if it or something in it was another."""
    value, first = found.value, drawing.behaviour.first
    if not isinstance(value, Ref) or found.at == first or drawing.trace.shape(value, first) is None:
        return []
    pictures = drawing.pictures
    if pictures.whole(value, first) == pictures.whole(value, found.at):
        return []
    if _is_told(drawing, value, found.at):
        return []
    rows = drawing.value_lines(value, first, drawing.width - 4, _MOST_BEFORE)
    head = line(Piece(f"  before {_noun(drawing.behaviour)}:", Role.DIM))
    return [head, *(line("    ", Piece(row, Role.OLD)) for row in rows)]


def _is_told(drawing: Drawing, ref: Ref, at: Moment) -> bool:
    """Whether the rows of an object's items say already what they were before."""
    first, pictures = drawing.behaviour.first, drawing.pictures
    was, now = drawing.trace.shape(ref, first), drawing.trace.shape(ref, at)
    if was is None or now is None or len(was.parts) != len(now.parts):
        return False
    for old, new in zip(was.parts, now.parts, strict=True):
        is_alike = old.kind == new.kind != "set" and old.keys == new.keys
        if not is_alike or len(old.items) != len(new.items):
            return False
        for one, other in zip(old.items, new.items, strict=True):
            if one == other and pictures.whole(one, first) != pictures.whole(other, at):
                return False
    return True


def _noun(behaviour: Behaviour) -> str:
    """Return what a behaviour is about."""
    if behaviour.part is None:
        return "these calls" if behaviour.group is not None else "the call"
    if behaviour.part.is_loop:
        return "the loop"
    return "the turn" if behaviour.part.first == behaviour.part.last else "these turns"


def _split(text: str) -> tuple[str, int]:
    words = text.strip()
    path, _, number = words.rpartition(" ")
    if path and number.isascii() and number.isdigit() and len(number) < 10:
        return path.strip(), int(number)
    return words, 1


def _paged(name: str, found: _Page, page: int, height: int) -> tuple[list[Line], str]:
    """Return the rows of a page, and a hint if there are more pages."""
    count, rows = found
    pages = max(-(-count // height), 1)
    if not 1 <= page <= pages:
        raise PathError(f"{name} has {pages:,} page{'s' if pages > 1 else ''}, not {page}.")
    first = (page - 1) * height
    left = count - first - height
    more = f"  ... {left:,} more, `o {name} {page + 1}` opens them" if pages > page else ""
    return rows(first, min(first + height, count)), more


# --- Sections ------------------------------------------------------------------------------------


def _section(drawing: Drawing, name: str) -> _Page:
    behaviour = drawing.behaviour
    stream = behaviour.stream
    if name in _CHANGES:
        several = (behaviour.changes, behaviour.meanwhile, behaviour.folded)
        changes, rows = several[_CHANGES.index(name)], ChangeRows(drawing)
        return len(changes), lambda first, last: _in(rows.each(changes[first:last]))
    if name in ("printed", "stderr"):
        printed = behaviour.printed.lines if name == "printed" else behaviour.printed.errors
        path = "stdout" if name == "printed" else name
        return len(printed), lambda first, last: _in(
            drawing.printed(printed[first:last], path, first=first)
        )
    seen = {
        "given": behaviour.given,
        "used": behaviour.used,
        "yielded": stream.given if stream else (),
        "sent": stream.sent if stream else (),
    }[name]
    return len(seen), lambda first, last: _in(drawing.values(seen[first:last]))


def _in(rows: list[Line]) -> list[Line]:
    return [(Piece("  "), *row) for row in rows]


# --- Values --------------------------------------------------------------------------------------


def _title(drawing: Drawing, found: Reached) -> str:
    value = found.value
    if not isinstance(value, Ref):
        kind = value.content if isinstance(value, Atom) else None
        if isinstance(kind, str | bytes):
            unit = "bytes" if isinstance(kind, bytes) else "characters"
            return f"{len(kind):,} {unit}"
        return drawing.value(value, found.at, drawing.room)
    shape = drawing.trace.shape(value, found.at)
    if shape is None:
        return f"{drawing.name(value)}, of which the contents are not known"
    table = table_of(shape)
    if table is not None:
        types = dict.fromkeys(filter(None, table.types))
        of = f" of {next(iter(types))}" if len(types) == 1 else ""
        counts = [f"{table.size}{of}"]
    else:
        parts = [part for part in shape.parts if part.kind != "summary"]
        counts = [counted(part.full_length, _NOUNS[part.kind]) for part in parts]
    unsure = "" if shape.is_sure else "; code that is not recorded may have changed it"
    return f"{drawing.name(value)}, {', '.join(counts) or 'empty'}{unsure}"


def _parts(drawing: Drawing, found: Reached) -> _Page:
    value = found.value
    if isinstance(value, Atom) and isinstance(value.content, str | bytes):
        return _text(drawing, value.content)
    if isinstance(value, Cut) and value.kept is not None:
        return _text(drawing, value.kept)
    shape = drawing.trace.shape(value, found.at) if isinstance(value, Ref) else None
    if not isinstance(value, Ref) or shape is None:
        return 0, lambda _first, _last: []
    if (table := table_of(shape)) is not None:
        return _table(drawing, table, found.at)
    count = sum(len(part.items) for part in shape.parts)
    return count, lambda first, last: list(_rows(drawing, found, shape, first, last))


def _table(drawing: Drawing, table: Table, at: Moment) -> _Page:
    """Return the rows of a table, and below the last one the types of its columns."""
    pairs = [f"{name}: {kind}" for name, kind in zip(table.names, table.types, strict=True) if kind]
    types = (
        hanging(f"  types: {', '.join(pairs)}", drawing.width) if len({*table.types}) > 1 else []
    )

    def rows(first: int, last: int) -> list[Line]:
        room = drawing.width - 2
        drawn = table_lines(table, drawing.pictures, at, room, slice(first, last))
        is_end = last == len(table.rows)
        lost = table.count - len(table.rows)
        kept = [f"  {lost:,} more rows were not kept"] if lost and is_end else []
        below = [*kept, *(types if is_end else [])]
        return [*_in(drawn), *(line(Piece(each, Role.DIM)) for each in below)]

    return len(table.rows), rows


def _text(drawing: Drawing, content: str | bytes) -> _Page:
    """Break a text into rows; each is in quotes, so that spaces at its ends are seen."""
    room = drawing.width - 6
    pieces, start, used = [], 0, 0
    for position in range(len(content)):
        size = columns(repr(content[position : position + 1])) - (2 + isinstance(content, bytes))
        if used + size > room:
            pieces.append(content[start:position])
            start, used = position, 0
        used += size
    if content[start:]:
        pieces.append(content[start:])
    return len(pieces), lambda first, last: [line(f"  {each!r}") for each in pieces[first:last]]


def _rows(drawing: Drawing, found: Reached, shape: Shape, first: int, last: int) -> Iterator[Line]:
    value = found.value
    before = drawing.behaviour.first
    was = drawing.trace.shape(value, before) if isinstance(value, Ref) else None
    start = 0
    for part in shape.parts:
        stop = start + len(part.items)
        for number in range(max(first, start) - start, min(last, stop) - start):
            path = str(Path(found.path.start, found.path.steps, found.path.is_global))
            step = _step(drawing, shape, part, number, found.at)
            old = _old(was, part, number)
            yield from _row(drawing, f"{path}{step}", part.items[number], old, found.at)
        if not part.is_complete and first <= stop <= last:
            lost = part.full_length - len(part.items)
            yield line(Piece(f"  {lost:,} more were not kept", Role.DIM))
        start = stop


def _step(drawing: Drawing, shape: Shape, part: Part, number: int, at: Moment) -> str:
    if part.kind == "sequence":
        places = layout(shape)
        return f"[{number if places is None else places.key(number)}]"
    if part.kind == "cell":
        return ".cell_contents"
    if part.kind in ("mapping", "set"):
        key = part.keys[number] if part.keys else part.items[number]
        return str(Step("item", shown_key(key, drawing.trace.shape, at)))
    if not part.keys:
        return ""
    name = part.keys[number]
    return str(Step("attribute", str(name.content) if isinstance(name, Atom) else shown(name)))


def _old(was: Shape | None, part: Part, number: int) -> Value | None:
    """Return the item at the same place before the call, if it was another one."""
    before = was.part(part.kind) if was is not None else None
    if before is None or part.kind == "set":
        return None
    old: Value | None = None
    if part.keys:
        old = dict(before.pairs).get(part.keys[number])
    elif number < len(before.items):
        old = before.items[number]
    return None if old is None or old == part.items[number] else old


def _row(drawing: Drawing, path: str, value: Value, old: Value | None, at: Moment) -> list[Line]:
    def rows(left: int) -> list[Line]:
        if old is None:
            room = max(left - 3, _LEAST_ROOM)
            first, *rest = drawing.value_lines(value, at, room, _MOST_OPENED)
            return [line(f" = {first}"), *(line(f"   {each}") for each in rest)]
        before = drawing.behaviour.first
        room = max((left - _AROUND_OLD) // 3, _LEAST_ROOM)
        was = drawing.short(old, before, room)
        now = drawing.value(value, at, max(left - columns(was) - _AROUND_OLD, _LEAST_ROOM))
        if was == now or (was.endswith(MORE) and now.endswith(MORE)):
            whole = [drawing.pictures.whole(*each) for each in ((value, at), (old, before))]
            now, was = windows(whole[0], whole[1], (left - room - _AROUND_OLD, room))
        return [line(f" = {now}", Piece(f"  (was {was})", Role.OLD))]

    return [(Piece("  "), *row) for row in under_path(path, drawing.width - 2, rows)]
