"""What a line does that is about the loop or the group of a question."""

import sys
from typing import TYPE_CHECKING

from sleuth.views.drawing.styled import WIDTH
from sleuth.views.prompt import loop_views
from sleuth.views.prompt.grammar import NotUnderstood, Typed
from sleuth.views.prompt.loop_views import Wanted
from sleuth.views.words.loop import member_lines
from sleuth.views.words.turns import table_lines

if TYPE_CHECKING:
    from sleuth.views.prompt.conversation import Conversation

_LONGEST_NUMBER = 12
_MOST_NUMBERS = 2
_NO_NAME = "-"
_BLOCK = "\u2581"


def reply(talk: "Conversation", node: int, typed: Typed) -> None:
    """Do what was typed about the loop or the group of a node."""
    COMMANDS[typed.command.name](talk, node, typed.text)


def _first(talk: "Conversation", node: int, text: str) -> None:
    numbers = _numbers(text)
    if len(numbers) != 1:
        raise NotUnderstood(
            f"Behind first stands the number of a turn: first 37. {text!r} is none."
        )
    loop_views.first_wrong(talk.inquiry, node, numbers[0])
    talk.wanted = None
    talk.show_again()


def _turns(talk: "Conversation", node: int, text: str) -> None:
    numbers = _numbers(text)
    if len(numbers) > _MOST_NUMBERS or (text and not numbers):
        raise NotUnderstood(
            f"Behind turns stand the first and the last turn to be seen: turns 1 100. {text!r} is "
            "neither."
        )
    for table in loop_views.tables(talk.inquiry, node, Wanted(*numbers)):
        talk.say(table_lines(talk.inquiry.trace, table, is_ascii=not _shows(_BLOCK)))


def _calls(talk: "Conversation", node: int, text: str) -> None:
    numbers = _numbers(text)
    if len(numbers) > _MOST_NUMBERS or (text and not numbers):
        raise NotUnderstood(
            "Behind calls stand the first and the last member to be seen: calls 1 100. "
            f"{text!r} is neither."
        )
    first, members, count = loop_views.members(talk.inquiry, node, Wanted(*numbers))
    talk.say(member_lines(talk.inquiry.trace, members, WIDTH))
    last = first + len(members) - 1
    if len(members) < count:
        further = f"; calls {last + 1} shows more" if last < count else ""
        talk.say([f"({first:,} to {last:,} of {count:,}{further})"])


def _name(talk: "Conversation", node: int, text: str) -> None:
    words = " ".join(text.split())
    loop_views.name(talk.inquiry, node, "" if words == _NO_NAME else words)
    talk.show_again()


def _numbers(text: str) -> list[int]:
    """Return numbers of turns; none: that is something else."""
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


COMMANDS = {"first": _first, "turns": _turns, "name": _name, "calls": _calls}
"""By the names that `answers` gives them."""
