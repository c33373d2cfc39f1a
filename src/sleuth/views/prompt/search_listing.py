"""Runs a search for calls, for a limited time, and lists the calls found."""

import time
from collections.abc import Iterator

from sleuth.trace.events import Call
from sleuth.trace.reader import Trace
from sleuth.trace.values import escaped
from sleuth.views.drawing.calls import call_text, neighbours
from sleuth.views.drawing.screen import Waiting
from sleuth.views.drawing.styled import MORE, Line, Piece, Role, fitted, line
from sleuth.views.drawing.styled import width as columns
from sleuth.views.prompt.call_search import Found, Searched, looks_inside
from sleuth.views.prompt.inquiry import Inquiry

_NUMBER = 8
"""Columns of a call's number."""
_CONTEXT = 12
"""Characters before the text that was looked for, in a value that is cut."""


def searched(
    search: Iterator[Found | Searched],
    waiting: Waiting | None,
    moments: int,
    *,
    most: int,
    seconds: float,
) -> tuple[list[Found], int | None]:
    """Continue a search for a while; return the calls found, and where it stopped if it did.

    Without `waiting` no progress is shown.
    """
    found: list[Found] = []
    end = time.monotonic() + seconds
    at: int | None = 0
    for each in search:
        if isinstance(each, Found):
            found.append(each)
            if len(found) >= most:
                break
            continue
        at = each.moment
        if waiting is not None:
            waiting.tell(f"searching: {at / max(moments, 1):.0%}")
        if time.monotonic() > end:
            break
    else:
        at = None
    if waiting is not None:
        waiting.done()
    return found, at


def found(
    inquiry: Inquiry, text: str, calls: list[Found], at: int | None, width: int
) -> Iterator[str | Line]:
    """List the calls that were found."""
    several = [inquiry.trace.call(each.call) for each in calls]
    for position, each in enumerate(calls):
        reason = "" if each.where == "its function" else escaped(each.where)
        yield from _found(
            inquiry.trace, several, position, _around(reason, text, width - _NUMBER), width
        )
    if not looks_inside(inquiry.trace):
        yield line(
            Piece(
                "(In a run this long, the contents of lists and objects are not searched.)",
                Role.DIM,
            )
        )
    if at is not None:
        share = at / max(inquiry.trace.event_count, 1)
        yield f"Stopped after {share:.0%} of the run. To search on: f {escaped(text)}"
    elif not calls:
        yield f"No call found with {escaped(text)}."
    if calls:
        best = min(calls, key=lambda each: len(each.where))
        yield f"Judge one of them: j {best.call}"


def _found(trace: Trace, calls: list[Call], position: int, reason: str, width: int) -> list[Line]:
    """Return a call, and the part of it in which the text is: beside it if there is room."""
    call, beside = calls[position], neighbours(calls, position)
    number, left = f"{call.id:>{_NUMBER - 2}}  ", width - _NUMBER
    room = left - columns(reason) - 2
    if reason and room < left // 2:
        about = call_text(trace, call, left, beside=beside)
        return [line(number, about), line(" " * _NUMBER, Piece(reason, Role.DIM))]
    about = call_text(trace, call, room, beside=beside)
    return [line(number, about, "  ", Piece(reason, Role.DIM))]


def _around(where: str, text: str, room: int) -> str:
    """Return the part that fits in a call, cut so that the text is still in it."""
    at = where.lower().find(text.lower())
    if at < 0 or columns(where[: at + len(text)]) <= room - len(MORE):
        return fitted(where, room)
    start = max(at - _CONTEXT, 0)
    return fitted(MORE + where[start:], room)
