"""The handlers of the commands about a loop or a group of calls."""

import sys
from typing import TYPE_CHECKING

from sleuth.views.prompt import loop_views
from sleuth.views.prompt.grammar import NotUnderstood
from sleuth.views.prompt.loop_views import Wanted
from sleuth.views.prompt.registry import Spot, handles
from sleuth.views.words.loop import member_lines
from sleuth.views.words.turns import table_lines

if TYPE_CHECKING:
    from sleuth.views.prompt.conversation import Conversation

_LONGEST_NUMBER = 12
_MOST_NUMBERS = 2
_NO_NAME = "-"
_BLOCK = "\u2581"


@handles("first")
def _first(talk: "Conversation", spot: Spot, text: str) -> None:
    numbers = _numbers(text)
    if len(numbers) != 1:
        raise NotUnderstood(f"first takes the number of a turn: first 37, not {text!r}.")
    loop_views.first_wrong(talk.inquiry, spot.node, numbers[0])
    talk.wanted = None
    talk.show_again()


@handles("turns")
def _turns(talk: "Conversation", spot: Spot, text: str) -> None:
    numbers = _numbers(text)
    if len(numbers) > _MOST_NUMBERS or (text and not numbers):
        raise NotUnderstood(
            f"turns takes the first and the last turn to show: turns 1 100, not {text!r}."
        )
    trace, is_ascii = talk.inquiry.trace, not _shows(_BLOCK)
    for table in loop_views.tables(talk.inquiry, spot.node, Wanted(*numbers)):
        talk.say(table_lines(trace, table, width=talk.width, is_ascii=is_ascii))


@handles("calls")
def _calls(talk: "Conversation", spot: Spot, text: str) -> None:
    numbers = _numbers(text)
    if len(numbers) > _MOST_NUMBERS or (text and not numbers):
        raise NotUnderstood(
            f"calls takes the first and the last call to show: calls 1 100, not {text!r}."
        )
    first, members, count = loop_views.members(talk.inquiry, spot.node, Wanted(*numbers))
    talk.say(member_lines(talk.inquiry.trace, members, talk.width))
    last = first + len(members) - 1
    if len(members) < count:
        further = f"; calls {last + 1} shows more" if last < count else ""
        talk.say([f"({first:,} to {last:,} of {count:,}{further})"])


@handles("name")
def _name(talk: "Conversation", spot: Spot, text: str) -> None:
    words = " ".join(text.split())
    loop_views.name(talk.inquiry, spot.node, "" if words == _NO_NAME else words)
    talk.show_again()


def _numbers(text: str) -> list[int]:
    """Parse the numbers of turns or calls; return an empty list for any other text."""
    words = text.replace(",", "").split()
    is_right = all(word.isdecimal() and len(word) <= _LONGEST_NUMBER for word in words)
    return [int(word) for word in words] if is_right else []


def _shows(sign: str) -> bool:
    """Whether standard output can show a sign."""
    try:
        sign.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
