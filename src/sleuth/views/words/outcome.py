"""The outcome of a call in words: returned, raised, yielded and then stopped, never ended."""

from collections.abc import Iterator

from sleuth.trace.path import RETURN
from sleuth.trace.values import Absent, Ref, Value, escaped
from sleuth.tree.failing.interrupted import was_interrupted
from sleuth.tree.observe import behaviour as words
from sleuth.views.drawing.rows import Drawing
from sleuth.views.drawing.sections import Section
from sleuth.views.drawing.styled import Line, Piece, Role, counted, fitted, line
from sleuth.views.drawing.styled import width as columns
from sleuth.views.words.expected import Expected
from sleuth.views.words.expected_rows import against_expected, expected_sections
from sleuth.views.words.recording import ending

_ENDINGS = {
    words.CLOSED: ("then", "closed early: no more values were wanted"),
    words.NEVER_STARTED: ("then", "it was never started"),
    words.UNFINISHED: ("ended", "never, while the run was recorded"),
    words.LOST: ("ended", "not seen how"),
    words.LEFT: ("left", "the loop: its last turn ended with break"),
}
_CANCELLED = "cancelled"
_MOST_ROWS = 10
"""Rows of a stream; the rest can be opened."""
_MAKES = (words.CONSTRUCTOR, words.CLASS_BODY, words.MODULE_BODY, words.CODE_BODY, words.RUN)
"""Kinds of behaviour that never return a value."""


def outcome_sections(drawing: Drawing, expected: Expected | None = None) -> Iterator[Section]:
    """Yield the outcome of a call: its result, its exception, its end; what was expected."""
    behaviour = drawing.behaviour
    outcome = behaviour.outcome
    if behaviour.kind == words.GENERATOR or (behaviour.part and behaviour.stream):
        yield from _yielded(drawing)
    if was_interrupted(drawing.trace, outcome):
        yield Section("ended", [line(Piece(_interrupted(drawing), Role.WRONG))], "raised")
    elif outcome.how == words.RETURNED:
        yield from _returned(drawing, expected)
    elif outcome.how == words.RAISED:
        label = ended_by(drawing) if outcome.is_thrown else "raised"
        yield Section(label, [_raised(drawing)], "raised")
    elif outcome.how == words.STOPPED:
        yield Section("then", _stopped(drawing, outcome.value), "return")
    elif outcome.how == words.NOT_REQUESTED:
        is_stream = behaviour.kind == words.GENERATOR
        said = "nothing more was requested" if is_stream else "it waited, and was never resumed"
        yield Section("then", [line(said)])
    elif outcome.how != words.PASSED:
        label, said = _ENDINGS[outcome.how]
        yield Section(label, [line(said)])
    yield from expected_sections(drawing, expected)
    if behaviour.kind == words.RUN:
        yield Section("ended", [line(ending(drawing.trace.ending))])
    stream = behaviour.stream
    if stream is not None and behaviour.kind == words.COROUTINE and stream.resumed > 1:
        yield Section("waited", [line(_times(stream.resumed - 1))])


def _interrupted(drawing: Drawing) -> str:
    """Say that a call was still running, and where, when the program was stopped."""
    at = drawing.behaviour.outcome.line
    return f"interrupted while it ran{f', at line {at}' if at else ''}"


def ended_by(drawing: Drawing) -> str:
    """Return the word for an exception that was thrown into the call where it waited."""
    value = drawing.behaviour.outcome.value
    is_told = isinstance(value, Ref) and value.type_name in drawing.conventions.cancelling
    return _CANCELLED if is_told else "thrown in"


def error_text(drawing: Drawing) -> str:
    """Return an exception with its arguments."""
    behaviour = drawing.behaviour
    value = behaviour.outcome.value
    if not isinstance(value, Ref):
        return drawing.pictures.name(value)
    kind = value.type_name.removeprefix("builtins.").removeprefix("__main__.")
    given = ", ".join(
        drawing.short(each, behaviour.last, 60) for each in behaviour.outcome.arguments
    )
    return f"{escaped(kind)}({given})"


def _returned(drawing: Drawing, expected: Expected | None) -> Iterator[Section]:
    behaviour = drawing.behaviour
    value = behaviour.outcome.value
    is_nothing = drawing.is_nothing(value) or isinstance(value, Absent)
    if is_nothing and (behaviour.kind in _MAKES or behaviour.is_set):
        return
    same = dict(behaviour.aliases).get("return")
    note = f"  (the same object as {same})" if same else ""
    if expected is not None and expected.path == RETURN:
        text, _ = against_expected(drawing, expected)
        texts, note = [text], fitted(note, drawing.room - columns(text))
    else:
        texts = drawing.value_lines(value, behaviour.last, drawing.room)
        if drawn := drawing.table_rows(value, behaviour.last, drawing.room):
            start, *below = drawn
            yield Section("returned", [(*start, Piece(note, Role.DIM)), *below], "return")
            return
    if columns(texts[-1]) + columns(note) > drawing.room:
        texts, note = [*texts, ""], note.lstrip()
    label = "gave" if behaviour.kind == words.PROPERTY else "returned"
    rows = [line(Piece(text, Role.NEW)) for text in texts]
    yield Section(label, [*rows[:-1], (*rows[-1], Piece(note, Role.DIM))], "return")


def _raised(drawing: Drawing) -> Line:
    outcome = drawing.behaviour.outcome
    at = f"at line {outcome.line}" if outcome.line else ""
    place = f"  {at}" if at else ""
    if outcome.is_thrown:
        where = f"where it waited{f', {at}' if at else ''}"
        if ended_by(drawing) == _CANCELLED and not outcome.arguments:
            return line(Piece(where, Role.WRONG))
        place = f"  {where}"
    text = fitted(error_text(drawing), drawing.room - columns(place))
    return line(Piece(text, Role.WRONG), Piece(place, Role.DIM))


def _stopped(drawing: Drawing, value: Value) -> list[Line]:
    if drawing.is_nothing(value) or isinstance(value, Absent):
        return [line("stopped")]
    start = "stopped, and returned "
    left = drawing.room - len(start)
    first, *rest = drawing.value_lines(value, drawing.behaviour.last, left)
    below = [line(" " * len(start), Piece(text, Role.NEW)) for text in rest]
    return [line(start, Piece(first, Role.NEW)), *below]


def _yielded(drawing: Drawing) -> Iterator[Section]:
    stream = drawing.behaviour.stream
    if stream is None or not stream.count:
        yield Section("yielded", [line("nothing")])
    else:
        least = "" if stream.is_whole else "at least "
        rows = drawing.flow(stream.given, stream.count)
        rest = f"{least}{counted(stream.count, 'value')} in all"
        more = len(rows[_MOST_ROWS:]) + (not stream.is_whole)
        yield Section("yielded", rows[:_MOST_ROWS], "yielded", more, rest)
    if stream is not None and stream.sent:
        yield Section("sent", drawing.flow(stream.sent, len(stream.sent)), "sent")


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"
