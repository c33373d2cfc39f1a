"""The first screen of a session: the run, what is known about it, where the search starts."""

from collections.abc import Iterator, Sequence

from sleuth.search.question import USER, Given, Question
from sleuth.search.strategies import DEFAULT
from sleuth.trace.values import escaped
from sleuth.tree.failing.test import Failure
from sleuth.tree.observe.behaviour import RAISED
from sleuth.tree.transformations import DEFAULT_SHAPE
from sleuth.views.drawing.styled import Line, counted, fitted, line
from sleuth.views.prompt import answer_list
from sleuth.views.prompt.inquiry import OPTION, Inquiry
from sleuth.views.prompt.messages import sentence_about
from sleuth.views.prompt.wishes import holding
from sleuth.views.words.asserted import crash_lines
from sleuth.views.words.expected_rows import failure_difference
from sleuth.views.words.failure import INNERMOST, failure_lines
from sleuth.views.words.recording import ending, notices, program

_LAST_LINES = 3


def introduction(inquiry: Inquiry, width: int) -> Iterator[str | Line]:
    """Introduce the run: what is known about it, and what is assumed."""
    trace = inquiry.trace
    about = f": {counted(trace.call_count, 'call')}"
    if inquiry.failure is None:  # the lines about a failing test say it anyway
        about += f", {ending(trace.ending)}"
    yield fitted(program(trace.meta), max(width - len(about), width // 2)) + about
    yield from notices(trace)
    if inquiry.session.strategy != DEFAULT:
        yield f"Questions are chosen by {inquiry.session.strategy}; g changes that."
    shape = inquiry.session.problem.shape
    if shape not in ((), DEFAULT_SHAPE):
        yield f"The tree is transformed: {', '.join(shape)}; x changes that."
    yield from holding(inquiry)
    if inquiry.journal is not None and inquiry.journal.torn:
        yield "The last answer in the file was incomplete and is ignored. Give it again."
    yield from _taken_for_granted(inquiry, width)


def _taken_for_granted(inquiry: Inquiry, width: int) -> Iterator[str | Line]:
    """Describe what is known before the first question."""
    if inquiry.failure is not None and not inquiry.session.problem.root:
        yield from _failure(inquiry, inquiry.failure, width)
    before = [
        given
        for given in inquiry.session.answers
        if given.answer.by != OPTION and given.number <= inquiry.given_before
    ]
    if before:
        count = counted(len(before), "earlier answer")
        yield f"Continuing with {count}{_not_by_user(before)}; `a` lists them."
        yield from answer_list.without_node(inquiry, before)
    if not any(given.answer.by == USER for given in before):
        yield from _symptom(inquiry, width)


def _symptom(inquiry: Inquiry, width: int) -> Iterator[str | Line]:
    """Describe what shows that something is wrong, and where the search starts."""
    trace = inquiry.trace
    if inquiry.session.problem.root:
        yield from sentence_about(
            inquiry, "Assuming that this is wrong: ", inquiry.session.problem.root, width
        )
    elif inquiry.failure is not None:
        if inquiry.are_tests_trusted:
            yield "Tests and fixtures are trusted; --doubt-tests asks about them, too."
    elif inquiry.session.problem.is_inside_out:
        yield f"The program was interrupted while it ran; {INNERMOST}"
    elif inquiry.session.problem.path:
        outermost = inquiry.behaviour(inquiry.session.problem.path[0])
        if outermost.outcome.how == RAISED:
            yield from crash_lines(trace, outermost, _calls_left(inquiry), width)
        else:
            yield f"The test {outermost.name} failed, but no exception left it."
    elif trace.call_count:
        yield "Assuming that this run shows the bug."
        yield from _printed_last(inquiry, width)


def _not_by_user(answers: Sequence[Given]) -> str:
    """Say how many of some answers are those of oracles; empty: none."""
    others = sum(given.answer.by != USER for given in answers)
    if not others:
        return ""
    if others < len(answers):
        return f", {others:,} of them not by you"
    return ", not by you" if others == 1 else ", none of them by you"


def _calls_left(inquiry: Inquiry) -> list[int]:
    """Return the calls that the uncaught exception left, outermost first."""
    problem = inquiry.session.problem
    return [int(problem.tree.call[node]) for node in problem.path]


def _printed_last(inquiry: Inquiry, width: int) -> Iterator[Line]:
    """Show the last lines of the output, which may be all that is known to be wrong."""
    printed = inquiry.behaviour(0).printed
    if printed.lines:
        words = "It printed:" if len(printed.lines) <= _LAST_LINES else "The end of its output:"
        yield line(words)
        for each in printed.lines[-_LAST_LINES:]:
            yield line(fitted(f"  {escaped(each)}", width))


def _failure(inquiry: Inquiry, failure: Failure, width: int) -> Iterator[str | Line]:
    """Say why the test failed, with the difference unless the next question shows it."""
    yield from failure_lines(inquiry.trace, failure, width)
    pending = inquiry.session.pending
    if not (isinstance(pending, Question) and inquiry.is_tested(pending.node)):
        yield from failure_difference(inquiry.trace, failure, width)
