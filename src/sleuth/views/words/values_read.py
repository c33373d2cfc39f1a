"""The values of a module that guilty code read: the fault may be in a table or a constant."""

import ast
from collections.abc import Iterator

from sleuth.trace.events import EventKind, Moment
from sleuth.trace.heap.keys import shown_key
from sleuth.trace.history.locations import Inside
from sleuth.trace.history.writes import MADE
from sleuth.trace.path import literal
from sleuth.trace.reader import Trace
from sleuth.trace.values import Atom, Part, Ref, Shape, Value
from sleuth.tree.failing.operands import Checking
from sleuth.views.drawing.picture import Pictures
from sleuth.views.drawing.places import where
from sleuth.views.drawing.styled import fitted
from sleuth.views.drawing.styled import width as columns
from sleuth.views.guilty_code import Guilt
from sleuth.views.words.tables_read import Table, inside, tables

_MOST_NAMES = 4
_MOST_READS = 3
"""Reads of one table that are shown."""
_LEAST = 12
_WIDEST_KEY = 30
_GET = "get"
_PARTS = ("mapping", "sequence")
Key = Value | tuple["Key", ...]


def values_read(trace: Trace, best: Guilt, width: int) -> Iterator[str]:
    """Yield a line for each value that was set by a module's body and read by guilty code."""
    function = best.behaviour.function
    if function is None or function.module.template is not None or best.behaviour.group:
        return
    tree = _parsed(trace.source(function.module))
    if tree is None:
        return
    pictures = Pictures(trace)
    for table in list(tables(trace, best, function, tree))[:_MOST_NAMES]:
        found = list(_entries(trace, best, table, tree))
        for path, value, line in found or [(table.name, table.value, table.line)]:
            place = f"  ({where(trace, table.function, line)})" if table.function and line else ""
            start = f"  {path} = "
            room = max(width - columns(start) - columns(place), _LEAST)
            yield fitted(f"{start}{pictures.deep(value, table.at, room)}{place}", width)


def _parsed(source: str) -> ast.Module | None:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None


# --- Which part was read -------------------------------------------------------------------------


def _entries(
    trace: Trace, best: Guilt, table: Table, tree: ast.Module
) -> Iterator[tuple[str, Value, int | None]]:
    """Yield the entries that were looked up by a key: path, value, line; none: not known."""
    shape = trace.shape(table.value, table.at) if isinstance(table.value, Ref) else None
    part = next((each for each in shape.parts if each.kind in _PARTS), None) if shape else None
    looked_up = [node for node in inside(tree, best) if _key_in(node, table) is not None]
    if shape is None or part is None or not part.is_complete or not looked_up:
        return
    if _is_read_otherwise(tree, best, table, len(looked_up)):
        return
    lines = _lines_of(trace, tree, table, len(part.items))
    seen: set[int] = set()
    for node in looked_up:
        key = _key_in(node, table)
        for moment in _moments(trace, best, node.lineno):
            wanted = (
                None if key is None else _value(Checking(trace, best.behaviour.call, moment), key)
            )
            at = None if wanted is None else _position(trace, shape, wanted, moment)
            if at is None or at in seen or len(seen) >= _MOST_READS:
                continue
            seen.add(at)
            keys = part.keys or tuple(map(Atom, range(len(part.items))))
            path = f"{table.name}[{_key_text(trace, keys[at], moment)}]"
            yield (
                path,
                part.items[at],
                lines[at] if lines else _set_at(trace, table, part, keys[at]),
            )


def _set_at(trace: Trace, table: Table, part: Part, key: Value) -> int | None:
    """Return the line of the module that set an entry after the table was made; else its own."""
    if not isinstance(table.value, Ref):
        return table.line
    location = Inside(table.value, part.kind, key)
    write = next(iter(trace.writes(location, 0, table.at - 1, back=True)), None)
    setter = None if write is None or write.call is None else trace.call(write.call)
    if write is None or setter is None or write.how == MADE:
        return table.line
    is_same = table.function is not None and setter.function == table.function.id
    return write.line if is_same else None


def _key_text(trace: Trace, key: Value, at: int) -> str:
    """Return a key as it stands between brackets; enums and the like by their names."""
    shape = trace.shape(key, at) if isinstance(key, Ref) and "tuple" in key.type_name else None
    items = shape.parts[0].items if shape is not None and shape.parts else ()
    pictures = Pictures(trace)
    if not any(isinstance(item, Ref) for item in items):
        return shown_key(key, trace.shape, at)
    return ", ".join(pictures.short(item, at, _WIDEST_KEY) for item in items)


def _key_in(node: ast.AST, table: Table) -> ast.expr | None:
    """Return the key of `TABLE[key]` or `TABLE.get(key)`; None: it is something else."""
    match node:
        case ast.Subscript(ast.Name() | ast.Attribute() as value, key):
            return key if ast.unparse(value) == table.name else None
        case ast.Call(ast.Attribute(ast.Name() | ast.Attribute() as value, method), [key, *_]):
            return key if method == _GET and ast.unparse(value) == table.name else None
    return None


def _is_read_otherwise(tree: ast.Module, best: Guilt, table: Table, known: int) -> bool:
    """Tell whether the code reads more of the table than some keys, as a loop over it does."""
    names = [
        node
        for node in inside(tree, best)
        if isinstance(node, ast.Name | ast.Attribute) and ast.unparse(node) == table.name
    ]
    return len(names) > known


def _moments(trace: Trace, best: Guilt, line: int) -> list[Moment]:
    """Return when a line ran, by the variables that it set; else the end."""
    behaviour = best.behaviour
    found = []
    events = trace.events(
        behaviour.first, behaviour.last, call=behaviour.call.id, kind=EventKind.BIND
    )
    for event in events:
        site = trace.site(event.site) if event.site is not None else None
        if site is not None and site.span.line == line:
            found.append(event.moment)
        if len(found) == _MOST_READS:
            break
    return found or [behaviour.last]


def _value(checking: Checking, node: ast.expr) -> Key | None:
    """Return the value of a key, as far as it is recorded; no code is run."""
    if isinstance(node, ast.Tuple):
        items = [_value(checking, each) for each in node.elts]
        known = [each for each in items if each is not None]
        return tuple(known) if len(known) == len(items) else None
    text = ast.unparse(node)
    found = literal(text)
    return found if found is not None else checking.at_path(text)


def _position(trace: Trace, shape: Shape, wanted: Key, at: int) -> int | None:
    for part in shape.parts:
        if part.kind == "mapping":
            keys = enumerate(part.keys)
            return next((n for n, key in keys if _is_same(trace, key, wanted, at)), None)
        if part.kind == "sequence" and isinstance(wanted, Atom) and isinstance(wanted.content, int):
            count = len(part.items)
            return wanted.content % count if -count <= wanted.content < count else None
    return None


def _is_same(trace: Trace, key: Value, wanted: Key, at: int) -> bool:
    if not isinstance(wanted, tuple):
        return key == wanted
    shape = trace.shape(key, at) if isinstance(key, Ref) and "tuple" in key.type_name else None
    items = shape.parts[0].items if shape is not None and shape.parts else ()
    return len(items) == len(wanted) and all(
        _is_same(trace, item, each, at) for item, each in zip(items, wanted, strict=True)
    )


def _lines_of(trace: Trace, tree: ast.Module, table: Table, count: int) -> list[int]:
    """Return the line of each entry, if the table is as it is written; empty: it may not be."""
    if not isinstance(table.value, Ref):
        return []
    written = list(trace.written(table.value, 0, table.at))
    last_name = table.name.rpartition(".")[2]
    for node in ast.walk(tree):
        match node:
            case ast.Assign([ast.Name(name)], value) | ast.AnnAssign(ast.Name(name), _, value) if (
                name == last_name and node.lineno == table.line
            ):
                entries = _entries_of(value)
                return (
                    [each.lineno for each in entries]
                    if len(entries) == count and len(written) == 1
                    else []
                )
    return []


def _entries_of(value: ast.expr | None) -> list[ast.expr]:
    match value:
        case ast.Dict(keys) if all(keys):
            return [key for key in keys if key is not None]
        case ast.List(items) | ast.Tuple(items):
            return [] if any(isinstance(each, ast.Starred) for each in items) else items
    return []
