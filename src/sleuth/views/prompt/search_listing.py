"""Runs a search for calls, for a limited time, and lists the calls found."""

import time
from collections.abc import Iterator

from sleuth.trace.values import escaped
from sleuth.views.drawing.screen import Waiting
from sleuth.views.drawing.styled import Line, Piece, Role, fitted, line
from sleuth.views.prompt.call_search import Found, Searched, looks_inside
from sleuth.views.prompt.inquiry import Inquiry
from sleuth.views.words.call_line import call_line


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


def found(inquiry: Inquiry, text: str, calls: list[Found], at: int | None) -> Iterator[str | Line]:
    """List the calls that were found."""
    for each in calls:
        about = call_line(inquiry.trace, each.call, width=44)
        where = "" if each.where == "its function" else escaped(each.where)
        yield line(
            f"{each.call:>6}  {about}  ", Piece(fitted(where, max(70 - len(about), 8)), Role.DIM)
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
