"""Messages of the conversation around questions and diagnoses, which are in `words/`."""

from collections.abc import Iterator
from functools import partial

from sleuth.oracles.table import ORACLES
from sleuth.search.question import (
    USER,
    Answer,
    Contradiction,
    Diagnosis,
    NoBug,
    Question,
    Reason,
    Verdict,
)
from sleuth.search.session import Session
from sleuth.search.strategies import DEFAULT, STRATEGIES
from sleuth.trace.values import escaped
from sleuth.tree.dependence.needed import needed
from sleuth.tree.failing.interrupted import was_interrupted
from sleuth.tree.observe.behaviour import LOOP, TURNS
from sleuth.tree.transformations import (
    DEFAULT_SHAPE,
    NO_TRANSFORMATION,
    TRANSFORMATIONS,
    USUAL,
)
from sleuth.tree.transformations.loops import LOOPS, STREAMS
from sleuth.tree.transformations.parameters import name_of
from sleuth.views.drawing.sections import beside, table
from sleuth.views.drawing.styled import Line, Piece, Role, counted, line, wrapped
from sleuth.views.guilty_code import part_called_wrong
from sleuth.views.prompt import answer_list, grammar, loop_views
from sleuth.views.prompt.answer_list import SAID
from sleuth.views.prompt.grammar import Prompt
from sleuth.views.prompt.inquiry import Inquiry
from sleuth.views.prompt.loop_views import Wanted
from sleuth.views.trace_files import typed
from sleuth.views.words.diagnosis import diagnosis_lines
from sleuth.views.words.failure import why_suspected
from sleuth.views.words.node_line import node_text
from sleuth.views.words.opened_value import opened_lines
from sleuth.views.words.question import ASKED_INTERRUPTED, asked, question_lines
from sleuth.views.words.running_loop import running_loop_lines
from sleuth.views.words.source import code_lines
from sleuth.views.words.turns import turn_rows

_STILL_RUNNING = " It was running when the program was stopped."
_MANY = 40
"""A forecast of more questions than this comes with advice."""
_FEWEST_TURNS, _MOST_TURNS = 2, 9
"""A loop's question shows its turns: from so many on, and at most so many."""


# --- The beginning and the end -------------------------------------------------------------------


def sentence_about(inquiry: Inquiry, start: str, node: int, width: int) -> list[Line]:
    """Return a sentence that ends with a call."""
    key = inquiry.tree.key(node)
    return beside(
        line(start),
        partial(node_text, inquiry.trace, key, inquiry.loop_names),
        width,
        role=Role.PLAIN,
    )


def for_nobody(inquiry: Inquiry, width: int) -> Iterator[str | Line]:
    """Show what is pending and how to answer, when standard input is not a terminal."""
    if inquiry.just_confirmed:
        yield from found_before(inquiry, width)
        yield "To look for another bug in this run: sleuth ask in a terminal."
        return
    yield from what_is_pending(inquiry, width)
    if isinstance(inquiry.session.pending, NoBug):
        return
    yield ""
    yield (
        "Standard input is not a terminal. To answer, run sleuth ask in a terminal, use "
        "--answers FILE (one answer a line: y, n, ...), or use --json."
    )


def ended_unattended(inquiry: Inquiry, width: int) -> Iterator[str | Line]:
    """Show the result of an unattended inquiry."""
    yield from answer_list.news(inquiry)
    yield from what_is_pending(inquiry, width)


def what_is_pending(inquiry: Inquiry, width: int) -> Iterator[str | Line]:
    """Show what comes next."""
    match inquiry.session.pending:
        case Question() as pending:
            yield from question(inquiry, pending, width)
            yield prompt(inquiry, pending).rstrip()
        case Diagnosis() as pending:
            yield from diagnosis(inquiry, pending, width)
        case Contradiction() as pending:
            yield from answer_list.contradiction(inquiry, pending, width)
        case NoBug() as pending:
            yield from no_bug(
                pending,
                inquiry.trace.call_count,
                are_tests_trusted=inquiry.are_tests_trusted,
            )


def found_before(inquiry: Inquiry, width: int) -> Iterator[str | Line]:
    """Show the diagnosis that the user confirmed last."""
    for key in inquiry.session.ledger.confirmed:
        node = inquiry.session.problem.find(key)
        if node is not None:
            yield from sentence_about(inquiry, "Found before, and confirmed by you: ", node, width)


def left(inquiry: Inquiry) -> Iterator[str]:
    """Say how many answers of the user are kept, and how to go on."""
    count = sum(given.answer.by == USER for given in inquiry.session.answers)
    if count:
        kept = f"{counted(count, 'answer')} kept."
        yield f"{kept} Go on: sleuth ask {typed(inquiry.trace.path)}"


def no_bug(ended: NoBug, calls: int, *, are_tests_trusted: bool = False) -> Iterator[str]:
    """Say that no bug was found."""
    if not calls:
        yield "No calls were recorded. See why: sleuth show --modules"
    elif ended.is_running:
        yield "No bug in what was recorded so far; the run has not ended."
    elif ended.confirmed:
        yield "No other bug in what was recorded, given these answers."
    else:
        yield "No bug in what was recorded: by your answers, every call did what it should."
        if are_tests_trusted:
            yield (
                "So a test or a fixture is wrong (these are trusted), or code that was not "
                "recorded. To be asked about tests: sleuth ask --doubt-tests"
            )
    if ended.unjudged:
        yield (
            f"{counted(ended.unjudged, 'call')} could not be judged: "
            "they contain a bug that you confirmed."
        )


def confirmed(inquiry: Inquiry) -> Iterator[str]:
    """Say what to do next with a confirmed diagnosis."""
    yield f"Report: sleuth report {typed(inquiry.trace.path)}"


# --- Questions -----------------------------------------------------------------------------------


def progress(session: Session, question: Question) -> str:
    """Return the progress of the search."""
    tree, root = session.problem.tree, session.problem.root
    has_code = tree.mass[root + 1 : tree.end[root]] > 0
    total = max(int(has_code.sum()), 1)
    out = max(total - question.reason.suspects, 0)
    calls = _counted(session, total)
    return f"question {question.number}, {_more(session)}{out:,} of {calls} ruled out"


def _counted(session: Session, number: int) -> str:
    """Return the number of nodes in words."""
    has_turns = not {LOOPS, STREAMS}.isdisjoint(session.problem.shape)
    if has_turns:
        return "1 call or turn" if number == 1 else f"{number:,} calls and turns"
    return counted(number, "call")


def _more(session: Session) -> str:
    """Forecast how many questions will follow; "at most" only where that is proven."""
    about, most = session.expected_questions, session.most_questions
    if most is not None:
        # The question itself is one of them.
        return f"at most {most - 1} more, " if most > 1 else "the last one, "
    return f"about {_rounded(about - 1):,} more, " if about > 1 else ""


def _rounded(number: int) -> int:
    """Round a forecast to two digits: it is not more exact."""
    return round(number, min(2 - len(str(number)), 0))


def question(inquiry: Inquiry, asked_now: Question, width: int) -> Iterator[str | Line]:
    """Return a question with its progress."""
    yield ""
    words = progress(inquiry.session, asked_now)
    yield from _dim(words[:1].upper() + words[1:], width)
    if asked_now.number == 1 and inquiry.session.expected_questions > _MANY:
        yield "To shorten this: f TEXT finds calls by value, j CALL judges one, t trusts."
    for given in inquiry.session.answers:
        if given.number == asked_now.again:
            said, by = SAID[given.answer.verdict], given.answer.by
            who = "You" if by == USER else f"The oracle {escaped(by)}"
            yield f'{who} said "{said}" before (answer {given.number}). Is that still so?'
    yield from _merged(inquiry, asked_now.node, width)
    behaviour = inquiry.behaviour(asked_now.node)
    expected = inquiry.expected(asked_now.node)
    yield from question_lines(inquiry.trace, behaviour, width=width, expected=expected)
    if behaviour.kind in (LOOP, TURNS):
        yield from _turns(inquiry, asked_now.node, width)
    if behaviour.part is None and was_interrupted(inquiry.trace, behaviour.outcome):
        yield from running_loop_lines(inquiry.trace, behaviour.call, width=width)
    for name, reason in inquiry.hints(asked_now.node).items():
        if ORACLES[name].is_told:
            yield f"Note: {escaped(reason)}"


def _turns(inquiry: Inquiry, node: int, width: int) -> Iterator[Line]:
    """Show the turns of a loop with the question about it: often the wrong one stands out."""
    part = inquiry.behaviour(node).part
    if part is None or part.last - part.first + 1 < _FEWEST_TURNS:
        return
    for turns in loop_views.tables(inquiry, node, Wanted(), most=_MOST_TURNS):
        yield from turn_rows(inquiry.trace, turns, width=width)
    for words in wrapped("first TURN names the first wrong one; turns shows more", width - 2):
        yield line("  ", Piece(words, Role.DIM))


def _dim(words: str, width: int) -> Iterator[Line]:
    yield from (line(Piece(each, Role.DIM)) for each in wrapped(words, width))


def _merged(inquiry: Inquiry, node: int, width: int) -> Iterator[Line]:
    """Say that a question is about a call and others that were merged into it."""
    if inquiry.tree.is_merged(node):
        count = counted(len(inquiry.tree.calls_in(node)), "call")
        words = f"With {count} merged into it; unfold (or d) splits them."
        yield from _dim(words, width)


def prompt(inquiry: Inquiry, asked_now: Question) -> str:
    """Return the prompt of a question."""
    behaviour = inquiry.behaviour(asked_now.node)
    is_stopped = was_interrupted(inquiry.trace, behaviour.outcome)
    words = ASKED_INTERRUPTED if is_stopped else asked(behaviour)
    return f"{words} [{grammar.brief_keys(Prompt.QUESTION)}] "


# --- Around a question ---------------------------------------------------------------------------


def explained(inquiry: Inquiry, asked_now: Question, width: int) -> Iterator[str]:
    """Say why this question is asked and what each answer would exclude."""
    reason = asked_now.reason
    why = f"Chosen by {reason.strategy}. {STRATEGIES[reason.strategy].when}"
    if reason.is_on_path:
        is_running = inquiry.session.problem.is_inside_out
        because = why_suspected(inquiry.trace, inquiry.failure, asked_now.about.call)
        why += _STILL_RUNNING if is_running else f" {because[0].upper()}{because[1:]}."
    yield why
    if said := _ease(reason):
        yield said
    suspects = _counted(inquiry.session, reason.suspects)
    inside = f"{reason.share:.0%} of the suspicion is in this one and the calls below it."
    yield f"{suspects} may hold the bug; {inside}"
    for words in inquiry.hints(asked_now.node).values():
        yield f"Also: {escaped(words)}."
    rows = [
        ("y or i", f"rules out {reason.if_right:,}"),
        ("n or w", f"rules out {reason.if_wrong:,}"),
    ]
    for key, verdict in (("t", Verdict.TRUST_FUNCTION), ("T", Verdict.TRUST_MODULE)):
        after = inquiry.session.given(Answer(asked_now.about, verdict))
        left_over = int(after.space.remaining[0])
        rows.append((key, f"rules out {max(reason.suspects - left_over, 0):,}"))
    rows.append(("d", "rules out none; the diagnosis may name several calls"))
    yield from table(rows, width, gap=3)


def _ease(reason: Reason) -> str:
    """Say why it was preferred to a question that is as good or a little better."""
    if reason.is_before_parts:
        return (
            "A call is asked about before its loops and the calls that it made, a loop before its "
            "turns, and one call before a group of them."
        )
    if reason.ease is None or reason.ease.among < 2:
        return ""
    return (
        f"Of {reason.ease.among} questions within 5 % of the best it is the fastest to answer: "
        f"its work is {reason.ease.work:.1f} (the least possible is 1)."
    )


def strategies(width: int, current: str = DEFAULT) -> Iterator[str]:
    """List the strategies; the one in use has a star."""
    rows = [
        (f"{'*' if name == current else ' '} {name}", described.when)
        for name, described in STRATEGIES.items()
    ]
    yield from table(rows, width, indent=0)


def transformations(width: int, current: tuple[str, ...] = ()) -> Iterator[str]:
    """List the transformations; those in use have a star."""
    rows = []
    for name, described in TRANSFORMATIONS.items():
        word = next((word for word in current if name_of(word) == name), None)
        mark = " " if word is None else "*"
        what = [described.what, *(f"{each.name}=N: {each.what}" for each in described.parameters)]
        if word is not None and word != name:
            what.append(f"Now: {word}.")
        rows += [(f"{mark} {name}", what[0]), *(("", each) for each in what[1:])]
    rows.append((f"  {USUAL}", f"What is on by itself: {', '.join(DEFAULT_SHAPE)}."))
    mark = " " if current else "*"
    rows.append((f"{mark} {NO_TRANSFORMATION}", "The tree of calls as it was recorded."))
    yield from table(rows, width, indent=0)


def opened(inquiry: Inquiry, node: int, path: str, width: int) -> Iterator[str | Line]:
    """Show a value in full."""
    yield from opened_lines(inquiry.trace, inquiry.behaviour(node), path, width=width)


def code(inquiry: Inquiry, node: int, width: int) -> Iterator[str | Line]:
    """Show the code of a node."""
    behaviour = inquiry.behaviour(node)
    found = needed(inquiry.trace, behaviour, part_called_wrong(inquiry.session, node))
    yield from code_lines(inquiry.trace, behaviour.call, needed=found, width=width)


def diagnosis(inquiry: Inquiry, found: Diagnosis, width: int) -> Iterator[str | Line]:
    """Show a diagnosis."""
    yield ""
    yield from diagnosis_lines(
        inquiry.trace, found, inquiry.session, width=width, failure=inquiry.failure
    )


def diagnosis_prompt(found: Diagnosis) -> str:
    """Return the prompt of a diagnosis."""
    # At a diagnosis y and n are not the answers of the table: they confirm it, or reject it.
    both = "y n" if found.is_only_one else "y n, y CALL for another,"
    return f"Is this the bug? [{both} {grammar.brief_keys(Prompt.DIAGNOSIS)}] "
