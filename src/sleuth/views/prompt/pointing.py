"""Pointing at a wrong value: what `w PATH` says, about the call in question or about the run."""

from typing import TYPE_CHECKING

from sleuth.search.question import Answer, Question, Verdict
from sleuth.trace.history.locations import pointed, program_call
from sleuth.trace.history.output import TEXT
from sleuth.trace.path import STDOUT, Path, PathError, parse
from sleuth.trace.values import escaped
from sleuth.tree.node import Key
from sleuth.tree.observe.inside import reached
from sleuth.views.prompt.grammar import NotUnderstood

if TYPE_CHECKING:
    from sleuth.views.prompt.conversation import Conversation
    from sleuth.views.prompt.inquiry import Inquiry

_BEFORE, _SHOULD = ("b", "before", "i"), ("s", "should", "w")


def about(inquiry: "Inquiry", node: int, path: str) -> Key:
    """Return what an answer with a path is about: the node, or the run that printed the line.

    PathError: the path leads to nothing, and what there is.
    """
    tree = inquiry.tree
    if _is_of_run(inquiry, node, path):
        pointed(inquiry.trace, path, program_call(inquiry.trace))
        return tree.key(inquiry.session.problem.root)
    behaviour = inquiry.behaviour(node)
    if path.startswith(TEXT):
        return tree.key(node)
    try:
        reached(inquiry.trace, behaviour, path)
    except PathError:
        # A part that the call removed can be wrong, too.
        try:
            reached(inquiry.trace, behaviour, path, before=True)
        except PathError:
            reached(inquiry.trace, behaviour, path)
    return tree.key(node)


def _is_of_run(inquiry: "Inquiry", node: int, path: str) -> bool:
    """Tell whether a path means output that the node did not print."""
    printed = inquiry.behaviour(node).printed
    if path.startswith(TEXT):
        wanted = path[len(TEXT) :].strip().strip("\"'")
        return not any(wanted in each for each in (*printed.lines, *printed.errors))
    start = parse(path).start
    lines = {STDOUT: printed.lines, "stderr": printed.errors}
    return start in lines and not lines[start]


def wrong_part(talk: "Conversation", question: Question, path: str, expected: str) -> Answer:
    """Return the answer that a part is wrong; a part that the call left alone needs a word more."""
    inquiry = talk.inquiry
    meant = about(inquiry, question.node, path)
    verdict = Verdict.WRONG
    if meant == question.about and is_untouched(inquiry, question.node, path):
        verdict = _before_or_now(talk, path)
    if meant != question.about:
        talk.say([f"{escaped(path)} of the whole run is wrong: the questions follow it now."])
    is_for_all = talk.is_for_all and meant == question.about
    return Answer(meant, verdict, path=path, expected=expected, is_for_all=is_for_all)


def bad_input(talk: "Conversation", question: Question, path: str) -> Answer:
    """Return the answer that a call was given something wrong."""
    reached(talk.inquiry.trace, talk.inquiry.behaviour(question.node), path, before=True)
    is_for_all = talk.is_for_all
    return Answer(question.about, Verdict.INADMISSIBLE, path=path, is_for_all=is_for_all)


def is_untouched(inquiry: "Inquiry", node: int, text: str) -> bool:
    """Tell whether a path leads into what a call was given, and the call changed nothing there."""
    if text.startswith(TEXT):
        return False
    behaviour, path = inquiry.behaviour(node), parse(text)
    if path.start not in {seen.path for seen in behaviour.given}:
        return False
    return not any(_overlap(parse(each.path), path) for each in behaviour.changes)


def _overlap(one: Path, other: Path) -> bool:
    count = min(len(one.steps), len(other.steps))
    return one.start == other.start and one.steps[:count] == other.steps[:count]


def _before_or_now(talk: "Conversation", path: str) -> Verdict:
    """Ask whether a value was wrong before the call, or the call should have changed it."""
    line = talk.lines.read(
        talk.prompt(
            f"This call did not change {escaped(path)}. Was it wrong before already, or should "
            "this call have changed it? [b s] "
        )
    )
    word = (line or "").strip().lower()
    if word in _BEFORE:
        return Verdict.INADMISSIBLE
    if word in _SHOULD:
        return Verdict.WRONG
    raise NotUnderstood(
        f"{word!r} is neither: type b if {escaped(path)} was wrong before already, s if this call "
        "should have changed it. Nothing was answered."
    )
