"""The handlers of the prompt's commands, by the name of the row in `grammar.py`."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from sleuth.search.question import Question
from sleuth.views.prompt import grammar

if TYPE_CHECKING:
    from sleuth.views.prompt.conversation import Conversation


@dataclass(frozen=True, slots=True)
class Spot:
    """The prompt at which a command was typed."""

    node: int = 0
    """The node of the question or diagnosis; elsewhere the whole run."""
    question: Question | None = None

    @property
    def asked(self) -> Question:
        """The question, for commands that can only be typed at one."""
        if self.question is None:
            raise grammar.NotUnderstood("There is no question here. Type ? for help.")
        return self.question


Handler: TypeAlias = Callable[["Conversation", Spot, str], None]
"""Carries out a command; the text is its argument."""
HANDLERS: dict[str, Handler] = {}


def handles(name: str) -> Callable[[Handler], Handler]:
    """Mark a function as the handler of a command."""

    def marked(handler: Handler) -> Handler:
        HANDLERS[grammar.BY_NAME[name].name] = handler
        return handler

    return marked
