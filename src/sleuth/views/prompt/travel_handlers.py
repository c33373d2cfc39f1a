"""The handlers of `v`, `why PATH` and `hist PATH`: from a question to the moments of its call."""

from itertools import islice
from typing import TYPE_CHECKING

from sleuth.trace.events import Call, CallId, Moment
from sleuth.trace.history.cursor import Cursor
from sleuth.tree.pointing import usual_call
from sleuth.views.prompt import messages
from sleuth.views.prompt.registry import Spot, handles
from sleuth.views.travel.conversation import Travel
from sleuth.views.words.origins import origin_lines
from sleuth.views.words.writes import write_line

if TYPE_CHECKING:
    from sleuth.views.prompt.conversation import Conversation

_MOST_WRITES = 40


@handles("travel")
def _travel(talk: "Conversation", spot: Spot, _: str) -> None:
    Travel(cursor_at(talk, spot), talk.lines, talk.screen).run()
    talk.show_again()


@handles("why")
def _why(talk: "Conversation", spot: Spot, path: str) -> None:
    if not path:
        talk.say(messages.explained(talk.inquiry, spot.asked, talk.width))
        return
    call, at = _looked_at(talk, spot)
    found = talk.inquiry.trace.why(path, call=call, at=at)
    talk.say(origin_lines(talk.inquiry.trace, found, talk.width))


@handles("history")
def _history(talk: "Conversation", spot: Spot, path: str) -> None:
    trace = talk.inquiry.trace
    call, at = _looked_at(talk, spot)
    writes = trace.history(path, call=call, at=at)
    talk.say([write_line(trace, write, talk.width) for write in islice(writes, _MOST_WRITES)])
    if next(writes, None) is not None:
        talk.say([f"... more than {_MOST_WRITES}; all of them: sleuth history"])


def cursor_at(talk: "Conversation", spot: Spot) -> Cursor:
    """Return the end of what a question is about; a turn is compared with its beginning."""
    trace = talk.inquiry.trace
    call, at = _looked_at(talk, spot)
    here = Cursor(trace, call.id, call.first).end()
    if at is None:
        return here
    first = talk.inquiry.tree.key(spot.node).first
    return here.choose_event(min(at, trace.event_count) - 1).choose_from(first)


def _looked_at(talk: "Conversation", spot: Spot) -> tuple[Call, Moment | None]:
    """Return the call of a question, and the moment behind its part; None: its end."""
    trace, key = talk.inquiry.trace, talk.inquiry.tree.key(spot.node)
    if key.call < 0:
        return usual_call(trace), None
    call = trace.call(CallId(key.call))
    is_all = key.first <= call.first and key.last in (-1, call.last)
    return call, None if is_all or key.last < 0 else Moment(key.last + 1)
