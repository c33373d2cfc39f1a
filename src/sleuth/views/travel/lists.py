"""The event list and the state of a call in words."""

from collections.abc import Iterator

from sleuth.trace.events import Call, Moment
from sleuth.trace.history.cursor import Cursor
from sleuth.trace.history.writes import line_of
from sleuth.trace.origin.unrecorded import Given, Unrecorded
from sleuth.trace.reader import Trace
from sleuth.trace.values import Absent, Ref, escaped
from sleuth.tree.loops.shape import text_of_head
from sleuth.tree.travel.entries import Entry, Mark, Page, What
from sleuth.tree.travel.state import Changed, Held, parts_between, state_between
from sleuth.views.drawing.calls import call_text
from sleuth.views.drawing.picture import Pictures
from sleuth.views.drawing.styled import Line, counted, fitted, line
from sleuth.views.words.events import EventWords

_MOST_GLOBALS = 12
_MOST_PARTS = 24
_MARKS = {Mark.NONE: " ", Mark.WROTE: "*", Mark.BELOW: "+"}
_CHANGED = {Changed.NO: " ", Changed.YES: "*", Changed.BELOW: "+"}
_LEAST = 16
_ARROW = " -> "


# --- Events --------------------------------------------------------------------------------------


def event_list(here: Cursor, page: Page, width: int) -> Iterator[str | Line]:
    """Yield the entries of a page, numbered; `>` is the selected moment."""
    trace = here.trace
    call = trace.call(page.scope.call)
    words = EventWords(trace, is_counting=False)
    if page.scope.loop >= 0:
        part = "a turn of " if page.scope.is_turn else ""
        yield line(f"{part}{_head(trace, call, page.scope.loop)}, in call {call.id}")
    else:
        yield line(f"call {call.id}: {call_text(trace, call, max(width - 14, _LEAST))}")
    now = _current(here, page)
    for number, entry in enumerate(page.entries, 1):
        sign = ">" if entry is now else " "
        moment = "" if entry.what is What.UNRECORDED else str(entry.first)
        start = f"{sign}{_MARKS[entry.mark]}{number:>3}  {moment:>8}  "
        yield line(f"{start}{fitted(_entry(trace, call, entry, words), width - len(start))}")
    if not page.entries:
        yield "  nothing"
    elif not page.entries[-1].is_whole:
        yield f"The loop goes on behind moment {page.entries[-1].last:,}: ev MOMENT lists from one."
    elif not page.is_last:
        yield "  ... more"
    if here.path is not None:
        yield f"* writes to {escaped(here.path.path)}, + something inside does."


def _current(here: Cursor, page: Page) -> Entry | None:
    """Return the entry that the selected moment is in."""
    found = None
    for entry in page.entries:
        if entry.what is not What.UNRECORDED and entry.first <= here.to <= entry.last:
            found = entry
    return found


def _entry(trace: Trace, call: Call, entry: Entry, words: EventWords) -> str:
    if entry.what is What.CALL and entry.callee is not None:
        callee = trace.call(entry.callee)
        span = trace.call_site(callee)
        place = f"line {span.line}: " if span else ""
        return f"{place}calls {call_text(trace, callee, 200)}"
    if entry.what is What.LOOP:
        more = "" if entry.is_whole else "more than "
        return f"{_head(trace, call, entry.site)}: {more}{counted(entry.turns, 'turn')}"
    event = trace.event(entry.first)
    if entry.what is What.TURN:
        number = f" {entry.number}" if entry.number else ""
        item = Pictures(trace).of(event.values[0], entry.first + 1) if event.values else ""
        return f"turn{number}{f': {item}' if item else ''}"
    if entry.other is not None:
        return _unrecorded(trace, entry.other)
    known = line_of(trace, event) if event.site is None else None
    return f"{f'line {known}: ' if known else ''}{words.words(event)}"


def _unrecorded(trace: Trace, other: Unrecorded) -> str:
    given = ", ".join(_given(trace, other, each) for each in other.given if not each.is_receiver)
    result = ""
    if not isinstance(other.result, Absent):
        result = f"{_ARROW}{Pictures(trace).of(other.result, other.seen + 1, width=30)}"
    return f"line {other.span.line}: (not recorded) {escaped(other.name)}({given}){result}"


def _given(trace: Trace, other: Unrecorded, each: Given) -> str:
    name = each.name if each.name in ("", "*", "**") else f"{each.name}="
    if isinstance(each.value, Absent):
        return f"{name}{escaped(each.text) or '?'}"
    return f"{name}{Pictures(trace).of(each.value, other.seen, width=30)}"


def _head(trace: Trace, call: Call, number: int) -> str:
    site, function = trace.site(number), trace.function(call.function)
    if site is None or function is None:
        return "a loop"
    return f"line {site.span.line}: {escaped(text_of_head(trace, function, site))}"


# --- State ---------------------------------------------------------------------------------------


def state(here: Cursor, path: str, width: int) -> Iterator[str | Line]:
    """Yield the state of the call at two moments, or what an object contains."""
    trace, call = here.trace, here.trace.call(here.call)
    if path:
        found = trace.pointed(path, call=call, at=here.seen)
        if not isinstance(found.value, Ref):
            yield from _rows(here, [Held(found.path, found.value, found.value, Changed.NO)], width)
            return
        since = min(here.begin + 1, here.seen)
        rows, is_whole = parts_between(trace, found.path, found.value, Moment(since), here.seen)
        yield line(f"{escaped(found.path)} from moment {here.begin:,} to {here.to:,}")
        yield from _rows(here, list(rows[:_MOST_PARTS]), width)
        if len(rows) > _MOST_PARTS:
            yield f"    ... {len(rows) - _MOST_PARTS:,} more"
    else:
        since = Moment(min(here.begin + 1, here.seen))
        found_state = state_between(trace, call, since, here.seen)
        is_whole = found_state.is_whole
        yield line(f"call {call.id} from moment {here.begin:,} to {here.to:,}")
        yield from _rows(here, list(found_state.variables), width)
        if not found_state.variables:
            yield "    no variables yet"
        for title, rows in (
            ("of enclosing functions", found_state.closure),
            ("globals", found_state.globals),
            ("attributes of classes", found_state.classes),
        ):
            # What changed comes first where not all is shown.
            order = sorted(rows, key=lambda row: row.changed is Changed.NO)
            if rows:
                yield f"  {title}"
            yield from _rows(here, order[:_MOST_GLOBALS], width)
            if len(order) > _MOST_GLOBALS:
                yield f"    ... {len(order) - _MOST_GLOBALS:,} more"
    if not is_whole:
        yield "Not all objects were compared: there may be more changes inside."


def _rows(here: Cursor, rows: list[Held], width: int) -> Iterator[Line]:
    pictures = Pictures(here.trace)
    since = min(here.begin + 1, here.seen)
    for row in rows:
        start = f"  {_CHANGED[row.changed]} {escaped(row.path)}  "
        room = max(width - len(start), _LEAST)
        if row.changed is Changed.NO or (row.changed is Changed.BELOW and row.old == row.new):
            old = pictures.of(row.old, since, width=room // 2)
            new = pictures.of(row.new, here.seen, width=room)
            if row.changed is Changed.BELOW:
                new = pictures.of(row.new, here.seen, width=room // 2)
                if old != new:
                    new = f"{old}{_ARROW}{new}"
            yield line(f"{start}{new}")
            continue
        both = [
            "-" if isinstance(each, Absent) else pictures.of(each, at, width=room // 2 - 2)
            for each, at in ((row.old, since), (row.new, here.seen))
        ]
        yield line(f"{start}{both[0]}{_ARROW}{both[1]}")
