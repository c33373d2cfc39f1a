"""The handlers of the prompt's commands, and the commands that each prompt accepts."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING, TypeAlias

from sleuth.errors import UsageError
from sleuth.search.question import Answer, Contradiction, Diagnosis, Question, Verdict
from sleuth.trace import path as paths
from sleuth.trace.history.output import TEXT
from sleuth.trace.path import PathError
from sleuth.views.drawing.screen import Waiting
from sleuth.views.prompt import (
    answer_list,
    call_search,
    grammar,
    label_handlers,  # noqa: F401 - registers its handlers
    loop_handlers,  # noqa: F401 - registers its handlers
    messages,
    name_lookup,
    search_listing,
    travel_handlers,  # noqa: F401 - registers its handlers
)
from sleuth.views.prompt.grammar import NotUnderstood, Prompt, Typed, Where
from sleuth.views.prompt.pointing import bad_input, wrong_part
from sleuth.views.prompt.registry import HANDLERS, Spot, handles
from sleuth.views.prompt.typed_lines import FileLines
from sleuth.views.prompt.wishes import wished

if TYPE_CHECKING:
    from sleuth.views.prompt.conversation import Conversation

Act: TypeAlias = Callable[[], None]
_MOST_FOUND = 12
_PATIENCE = 3.0
"""Seconds that a search may take before it asks whether to go on."""


@dataclass(slots=True)
class Search:
    """A stopped search for calls, which can be resumed."""

    text: str
    found: Iterator[call_search.Found | call_search.Searched]


# --- At a question -------------------------------------------------------------------------------


def reply(talk: "Conversation", question: Question, typed: Typed) -> None:
    """Carry out a line that was typed at a question."""
    if typed.command.verdict is not None:
        _give(talk, _answer(talk, question, typed))
    else:
        _do(talk, typed, Spot(question.node, question))


@handles("alike")
def _alike(talk: "Conversation", spot: Spot, text: str) -> None:
    question = spot.asked
    count = talk.inquiry.equal_count(question.node)
    if text:
        typed = grammar.understood(text)
        if typed.command.verdict is None:
            raise NotUnderstood(f"A takes an answer: A y, A n or A d, not {text!r}.")
        talk.is_for_all = True
        _give(talk, _answer(talk, question, typed))
        return
    talk.is_for_all = not talk.is_for_all
    if talk.is_for_all:
        calls = (
            "this call only: no other call is equal to it"
            if count == 1
            else f"all {count:,} equal calls"
        )
        talk.say([f"The next answer holds for {calls}."])
    else:
        talk.say(["The next answer holds for this question only."])


@handles("explain")
def _explain(talk: "Conversation", spot: Spot, _: str) -> None:
    talk.say(messages.explained(talk.inquiry, spot.asked, talk.width))


@handles("open")
def _open(talk: "Conversation", spot: Spot, text: str) -> None:
    talk.say(messages.opened(talk.inquiry, spot.node, text, talk.width))


@handles("code")
def _code(talk: "Conversation", spot: Spot, _: str) -> None:
    talk.say(messages.code(talk.inquiry, spot.node, talk.width))


def _answer(talk: "Conversation", question: Question, typed: Typed) -> Answer:
    """Return the answer that a line gives."""
    path, expected = "", typed.text
    if typed.is_part_or_value and not _is_path(talk, question, typed.text):
        pass
    elif typed.command.name == "part":
        return wrong_part(talk, question, *_part(talk, question, typed.text))
    elif typed.command.name == "inadmissible" and typed.text:
        return bad_input(talk, question, typed.text)
    elif typed.command.name == "wrong" and not expected:
        expected = talk.inquiry.expected_by_test(question.node)
    return Answer(
        question.about,
        typed.command.verdict or Verdict.UNKNOWN,
        path=path,
        expected=expected,
        is_for_all=talk.is_for_all,
    )


def _is_path(talk: "Conversation", question: Question, text: str) -> bool:
    """Tell whether a text after `wrong` is a path, such as `c[2] = 4`, or a value, such as 4.5.

    A path into a variable that leads nowhere counts as one, so that a slip is reported.
    """
    start = text.partition(" = ")[0]
    if start.startswith(TEXT):
        return True
    try:
        path = paths.parse(start)
    except PathError:
        return False
    try:
        talk.inquiry.about(question.node, start)
    except PathError:
        return bool(path.steps) and path.start.isidentifier()
    return True


def _part(talk: "Conversation", question: Question, text: str) -> tuple[str, str]:
    """Split a path from its expected value: `self.price = 3`."""
    words = text.split(" = ")
    problem: PathError | None = None
    for count in range(1, len(words) + 1):
        path = " = ".join(words[:count])
        try:
            if not path.startswith(TEXT):
                paths.parse(path)
        except PathError as error:
            problem = problem or error
            continue
        talk.inquiry.about(question.node, path)
        return path, " = ".join(words[count:]).strip()
    raise problem or PathError("w needs a path, for example: w return")


def _give(talk: "Conversation", answer: Answer) -> None:
    before = talk.inquiry.session
    talk.inquiry.give(answer)
    talk.wanted = None
    talk.is_for_all = False
    talk.show_again()
    talk.say(answer_list.repeated(before, talk.inquiry.session))


@handles("strategy")
def _use(talk: "Conversation", _: Spot, name: str) -> None:
    if not name:
        talk.say(messages.strategies(talk.width, talk.inquiry.session.strategy))
        return
    talk.inquiry.use(name_lookup.strategy(name))
    talk.wanted = None
    talk.show_again()
    talk.say([f"Questions are now chosen by {talk.inquiry.session.strategy}."])


@handles("shape")
def _shape(talk: "Conversation", _: Spot, text: str) -> None:
    """Transform the tree; the answers hold in any shape."""
    if not text:
        talk.say(messages.transformations(talk.width, talk.inquiry.session.problem.shape))
        return
    talk.inquiry.reshape(text)
    _went(talk)
    shape = ", ".join(talk.inquiry.session.problem.shape) or "none, the tree is as recorded"
    talk.say([f"Transformations of the tree from now on: {shape}."])


# --- Anywhere ------------------------------------------------------------------------------------


def _do(talk: "Conversation", typed: Typed, spot: Spot) -> None:
    """Carry out a command that is not an answer."""
    if typed.command.wish is None:
        HANDLERS[typed.command.name](talk, spot, typed.text)
        return
    about = None if spot.question is None else spot.question.about
    said = wished(talk.inquiry, typed.command.wish, typed.text, about)
    _went(talk)
    talk.say(said)


@handles("undo")
def _undo(talk: "Conversation", _spot: Spot, _: str) -> None:
    talk.inquiry.undo()
    _went(talk)


@handles("redo")
def _redo(talk: "Conversation", _spot: Spot, _: str) -> None:
    talk.inquiry.redo()
    _went(talk)


@handles("judge")
def _judge(talk: "Conversation", _: Spot, text: str) -> None:
    talk.wanted = name_lookup.node(talk.inquiry, text)
    talk.show_again()


@handles("leave")
def _leave(talk: "Conversation", _spot: Spot, _: str) -> None:
    talk.is_over = True


@handles("help")
def _help(talk: "Conversation", _: Spot, text: str) -> None:
    talk.say(grammar.help_lines(talk.width, text))


def _went(talk: "Conversation") -> None:
    talk.wanted = None
    talk.show_again()


@handles("find")
def _find(talk: "Conversation", _: Spot, text: str) -> None:
    """Search for calls for a limited time; the same text again resumes the search."""
    if talk.search is None or talk.search.text != text:
        talk.search = Search(text, call_search.calls_with(talk.inquiry.trace, text))
    # Lines from a file have no time limit, so that the output does not depend on the machine.
    is_played = isinstance(talk.lines, FileLines)
    found, at = search_listing.searched(
        talk.search.found,
        None if is_played else Waiting(plain=not talk.screen.can_move),
        talk.inquiry.trace.event_count,
        most=_MOST_FOUND,
        seconds=inf if is_played else _PATIENCE,
    )
    talk.say(search_listing.found(talk.inquiry, text, found, at, talk.width))
    if at is None:
        talk.search = None


@handles("answers")
def _answers(talk: "Conversation", _: Spot, text: str) -> None:
    """List the answers, or change or clear one."""
    if not text:
        talk.say(answer_list.answers(talk.inquiry, talk.width))
        return
    if text in answer_list.others(talk.inquiry):
        talk.say(answer_list.answers_by(talk.inquiry, text, talk.width))
        return
    word, _gap, wish = text.partition(" ")
    number = name_lookup.answer_number(talk.inquiry, word)
    given = next(each for each in talk.inquiry.session.answers if each.number == number)
    if not wish.strip():
        talk.say(answer_list.answer_in_full(talk.inquiry, given, talk.width))
        keys = grammar.brief_keys(Prompt.CHANGE)
        line = talk.lines.read(
            talk.prompt(f"The new answer? [{keys} ... - clears it, = keeps it] ")
        )
        wish = "=" if line is None or not line.strip() else line
    wish = wish.strip()
    if wish == "=":
        talk.show_again()
        return
    changed: Answer | None = None
    if wish.lower() not in ("-", "clear"):
        question = talk.inquiry.question_about(given.answer.about)
        typed = grammar.understood(wish)
        if typed.command.verdict is None:
            keys = grammar.answer_keys()
            raise NotUnderstood(f"{wish!r} can't replace an answer. Type {keys}, or - to clear it.")
        changed = replace(_answer(talk, question, typed), is_for_all=given.answer.is_for_all)
    talk.inquiry.change(number, changed)
    _went(talk)


@handles("oracles")
def _oracles(talk: "Conversation", _: Spot, name: str) -> None:
    """List the oracles, or switch one off or on."""
    if not name:
        talk.say(answer_list.oracles(talk.inquiry, talk.width))
        return
    is_on = talk.inquiry.switch(name)
    _went(talk)
    talk.say([f"{name} answers again." if is_on else f"{name} is off; its answers are taken back."])


# --- At a diagnosis, a contradiction, the end ----------------------------------------------------


def reject(talk: "Conversation") -> None:
    """Reject the diagnosis."""
    talk.inquiry.reject()
    talk.show_again()
    if isinstance(talk.inquiry.session.pending, Question):
        talk.say(["Then one of the answers is not true. The least certain ones are asked again."])


def reply_to_diagnosis(talk: "Conversation", diagnosis: Diagnosis, line: str) -> None:
    """Carry out a line that was typed at a diagnosis."""
    word, _, which = line.strip().partition(" ")
    if word.lower() in ("y", "yes", "right"):
        _confirm(talk, diagnosis, which)
        return
    if line.strip().lower() in ("n", "no", "wrong"):
        reject(talk)
        return
    typed = _allowed(line, Where.DIAGNOSIS, "y if it is the bug, n if it is not")
    _do(talk, typed, Spot(diagnosis.node))


def _confirm(talk: "Conversation", diagnosis: Diagnosis, which: str) -> None:
    """Confirm the diagnosis, or another one of its candidates."""
    node = name_lookup.node(talk.inquiry, which) if which.strip() else diagnosis.node
    if node not in diagnosis.candidates:
        raise UsageError(f"Call {which.strip()} is not a candidate. To judge it: j {which.strip()}")
    talk.inquiry.confirm(node)


def reply_to_contradiction(talk: "Conversation", clash: Contradiction, line: str) -> None:
    """Take back the answer that is not true, or carry out another command."""
    word = line.strip()
    if word.isdigit():
        if int(word) not in clash.answers:
            among = ", ".join(map(str, clash.answers))
            raise UsageError(
                f"{word} is not one of these answers: {among}. Type one of their numbers."
            )
        talk.inquiry.change(int(word), None)
        talk.say([f"Answer {word} is taken back; it will be asked again if it matters."])
        _went(talk)
        return
    typed = _allowed(line, Where.ANYWHERE, "the number of the answer that is not true")
    _do(talk, typed, Spot())


def reply_to_the_end(talk: "Conversation", line: str) -> None:
    """Carry out a line that was typed when no question is left."""
    if line.strip().lower() in ("", "n", "no", "y", "yes"):
        talk.is_over = True
        return
    _do(talk, _allowed(line, Where.ANYWHERE, "q to leave"), Spot())


def _allowed(line: str, where: Where, hint: str) -> Typed:
    """Parse a line; refuse a command that this prompt does not accept."""
    if not line.strip():
        raise NotUnderstood(f"Type {hint}.")
    typed = grammar.understood(line)
    if typed.command.where < where:
        keys = grammar.keys_at(where)
        raise NotUnderstood(f"{line.strip()!r} is not an answer here. Type {hint}; or {keys}.")
    return typed
