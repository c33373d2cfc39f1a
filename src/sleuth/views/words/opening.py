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
from sleuth.views.drawing.styled import WIDTH, Line, Piece, Role, cut, fitted, line
from sleuth.views.drawing.styled import width as columns
from sleuth.views.drawing.text import counted
from sleuth.views.words.change_rows import ChangeRows

HEIGHT = 20
"""Rows of a page."""
_SECTIONS = ("given", "changed", "used", "printed", "stderr", "yielded", "sent", "meanwhile")
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
"""How many rows there are, and what makes those from one to another."""


def opened_lines(
    trace: Trace, behaviour: Behaviour, text: str, *, height: int = HEIGHT, width: int = WIDTH
) -> list[Line]:
    """Return what `o TEXT` shows: PATH, a section's name, either with the number of a page."""
    words, page = _split(text)
    drawing = Drawing(trace, behaviour, width=width)
    if words in _SECTIONS and words not in {seen.path for seen in behaviour.given}:
        lines = _paged(words, None, _section(drawing, words), page, height)
    else:
        found, was = _looked_up(drawing, words)
        shown_value = f" = {_title(drawing, found)}"
        title = line(Piece(str(found.path), Role.PATH), shown_value, Piece(was, Role.OLD))
        lines = _paged(str(found.path), title, _parts(drawing, found), page, height)
    return [cut(each, width) for each in lines]


def _looked_up(drawing: Drawing, path: str) -> tuple[Reached, str]:
    """Return what is there after the call, and what to say of what was there before."""
    trace, behaviour = drawing.trace, drawing.behaviour
    before: Reached | None = None
    with suppress(PathError):
        before = reached(trace, behaviour, path, before=True)
    try:
        found = reached(trace, behaviour, path)
    except PathError:
        if before is None or isinstance(before.value, Absent):
            raise
        return before, "  (before the call; it is gone now)"
    if before is None or isinstance(before.value, Absent) or before.value == found.value:
        return found, ""
    return found, f"  (was {drawing.short(before.value, before.at, 20)})"


def _split(text: str) -> tuple[str, int]:
    words = text.strip()
    path, _, number = words.rpartition(" ")
    if path and number.isascii() and number.isdigit() and len(number) < 10:
        return path.strip(), int(number)
    return words, 1


def _paged(name: str, title: Line | None, found: _Page, page: int, height: int) -> list[Line]:
    count, rows = found
    pages = max(-(-count // height), 1)
    if not 1 <= page <= pages:
        raise PathError(f"{name} has {pages:,} page{'s' if pages > 1 else ''}, not {page}.")
    first = (page - 1) * height
    lines = [title] if title is not None else []
    lines += rows(first, min(first + height, count))
    if not count and title is None:
        lines.append(line(Piece("  nothing", Role.DIM)))
    if pages > page:
        left = count - first - height
        lines.append(
            line(Piece(f"  ... {left:,} more, `o {name} {page + 1}` opens them", Role.DIM))
        )
    return lines


# --- Sections ------------------------------------------------------------------------------------


def _section(drawing: Drawing, name: str) -> _Page:
    behaviour = drawing.behaviour
    stream = behaviour.stream
    if name in ("changed", "meanwhile"):
        changes = behaviour.changes if name == "changed" else behaviour.meanwhile
        rows = ChangeRows(drawing)
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
    counts = [counted(part.full_length, _NOUNS[part.kind]) for part in shape.parts]
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
    count = sum(len(part.items) for part in shape.parts)
    return count, lambda first, last: list(_rows(drawing, found, shape, first, last))


def _text(drawing: Drawing, content: str | bytes) -> _Page:
    """Cut a text into rows; each is in quotes, so that spaces at its ends are seen."""
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
            yield _row(drawing, f"{path}{step}", part.items[number], old, found.at)
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
    """Return what stood there before the call, if it was something else."""
    before = was.part(part.kind) if was is not None else None
    if before is None or part.kind == "set":
        return None
    old: Value | None = None
    if part.keys:
        old = dict(before.pairs).get(part.keys[number])
    elif number < len(before.items):
        old = before.items[number]
    return None if old is None or old == part.items[number] else old


def _row(drawing: Drawing, path: str, value: Value, old: Value | None, at: Moment) -> Line:
    was = f"  (was {drawing.short(old, drawing.behaviour.first, 20)})" if old is not None else ""
    name = fitted(path, drawing.width // 2)
    left = drawing.width - columns(name) - columns(was) - 5
    text = drawing.value(value, at, max(left, 12))
    return line("  ", Piece(name, Role.PATH), f" = {text}", Piece(was, Role.OLD))
