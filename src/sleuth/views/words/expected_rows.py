"""An expected value in words: under what was returned, with the first difference first."""

from collections.abc import Iterator

from sleuth.trace.heap.contrast import Differing, contrast
from sleuth.trace.heap.nested import Nested
from sleuth.trace.path import RETURN
from sleuth.trace.reader import Trace
from sleuth.trace.values import Atom, escaped
from sleuth.tree.failing.test import Failure
from sleuth.views.drawing.contrast_rows import EXPECTED, ContrastRows
from sleuth.views.drawing.line_difference import pointer
from sleuth.views.drawing.picture import Pictures
from sleuth.views.drawing.rows import Drawing
from sleuth.views.drawing.sections import INDENT, Section
from sleuth.views.drawing.styled import Line, Piece, Role, fitted, line, windows, wrapped
from sleuth.views.drawing.styled import width as columns
from sleuth.views.words.expected import Expected, actual_of, by_test, side_data

_LEAST_POINTED = 12
"""Columns of a text below which the first difference is pointed at."""
_FIRST_SCREEN = 8
_SAME = (
    "no difference in what is recorded: they are different objects, or their class decides "
    "by something else"
)


def expected_sections(drawing: Drawing, expected: Expected | None) -> Iterator[Section]:
    """Yield what was expected, and how the value differs from it."""
    if expected is None:
        return
    actual = actual_of(drawing.trace, drawing.behaviour, expected)
    rows = ContrastRows(drawing.pictures, EXPECTED, room=drawing.room)
    if expected.path != RETURN:
        yield _of_a_part(drawing, expected, actual, rows)
    else:
        yield Section("expected", list(_expected_row(drawing, expected)))
    if actual is not None and expected.data is not None:
        start = expected.path
        found = rows.rows(actual, expected.data, start=start)
        yield Section("differs", found or _no_difference(drawing, actual, expected.data))


def _no_difference(drawing: Drawing, actual: Nested, data: Nested) -> list[Line]:
    """Say so if two objects differ although nothing of what is recorded does."""
    if contrast(actual, data).count or not actual.type_name:
        return []
    return [line(Piece(each, Role.DIM)) for each in wrapped(_SAME, drawing.room)]


def _expected_row(drawing: Drawing, expected: Expected) -> Iterator[Line]:
    value, last = drawing.behaviour.outcome.value, drawing.behaviour.last
    note = f"  ({expected.by})"
    returned, text = against_expected(drawing, expected)
    note = fitted(note, drawing.room - columns(text))
    yield line(Piece(text, Role.OLD), Piece(note, Role.DIM))
    is_text = isinstance(value, Atom) and isinstance(value.content, str)
    is_whole = returned == drawing.pictures.whole(value, last)
    if is_text and is_whole and "\\n" not in returned and columns(returned) > _LEAST_POINTED:
        yield line(Piece(fitted(pointer(returned, text), drawing.room), Role.WRONG))


def against_expected(drawing: Drawing, expected: Expected) -> tuple[str, str]:
    """Return the result of a call and the expected one: long ones around the first difference."""
    behaviour, room = drawing.behaviour, drawing.room
    text = drawing.value(behaviour.outcome.value, behaviour.last, room)
    whole = drawing.pictures.whole(behaviour.outcome.value, behaviour.last)
    data = expected.data
    if data is not None and data.value is not None:
        wanted = drawing.value(data.value, data.at, room)
        all_wanted = drawing.pictures.whole(data.value, data.at)
    else:
        # Written as recorded values are, so that different quotes are no difference.
        all_wanted = expected.text if data is None else escaped(data.written)
        wanted = fitted(all_wanted, room)
    if text == whole and wanted == all_wanted:
        return text, wanted
    return windows(whole, all_wanted, (room, room))


def _of_a_part(
    drawing: Drawing, expected: Expected, actual: Nested | None, rows: ContrastRows
) -> Section:
    note = Piece(f"  ({expected.by})", Role.DIM)
    if actual is not None and expected.data is not None and not actual.type_name:
        return Section("differs", rows.pair(Differing("", actual, expected.data), expected.path))
    text = fitted(f"{expected.path} = {expected.text}", drawing.room - len(note.text))
    return Section("expected", [line(Piece(text, Role.OLD), note)])


def failure_difference(trace: Trace, failure: Failure, width: int) -> Iterator[Line]:
    """Yield how the checked value of a failed test differs from the expected one."""
    expected, actual = by_test(trace, failure), side_data(trace, failure.actual)
    if expected is None or expected.data is None or actual is None or failure.actual is None:
        return
    rows = ContrastRows(Pictures(trace), EXPECTED, room=width - INDENT)
    name = failure.actual.text
    start = name if name.isidentifier() else ""
    for row in rows.rows(actual, expected.data, start=start, most=_FIRST_SCREEN):
        yield (Piece(" " * INDENT), *row)
