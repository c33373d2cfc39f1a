"""A diagnosis as Markdown, to be pasted into an issue."""

import re
from collections.abc import Iterable, Iterator

from sleuth.search.question import USER, Contradiction, Diagnosis, Given, NoBug, Pending
from sleuth.search.session import Session
from sleuth.trace.reader import Trace
from sleuth.trace.values import escaped
from sleuth.tree.dependence.interleaving import Interleaving
from sleuth.tree.dependence.needed import needed
from sleuth.tree.failing.test import Failure
from sleuth.tree.node import Key
from sleuth.views.drawing.screen import USUAL_WIDTH
from sleuth.views.drawing.styled import Line, counted, plain
from sleuth.views.guilty_code import Guilt, concluded, earlier, guilty
from sleuth.views.words.expected import Expected, expected_of
from sleuth.views.words.interleavings import place_text, places, said, sentence
from sleuth.views.words.loop_names import LoopNames, loop_names
from sleuth.views.words.node_line import node_title
from sleuth.views.words.question import question_lines
from sleuth.views.words.recording import ending, notices, program
from sleuth.views.words.source import code_lines
from sleuth.views.words.unjudged import unjudged_between

_SIGNS = re.compile(r"([\\`*_{}\[\]<>()#+!|~-])")


def markdown(trace: Trace, session: Session, failure: Failure | None = None) -> Iterator[str]:
    """Yield the lines of a report; failure: why the recorded test failed."""
    ended = concluded(session)
    names = loop_names(trace, session.ledger.names)
    if isinstance(ended, Diagnosis):
        found = list(guilty(trace, ended, session))
        best = found[0]
        expected = expected_of(
            trace, best.behaviour, best.about, answers=session.answers, failure=failure
        )
        yield from _found(trace, ended, found, session, expected)
        between = unjudged_between(trace, ended, session.problem.tree, failure)
        yield from _between(trace, between, names)
        yield from _again(trace, best)
    else:
        yield from _nothing(ended)
    if others := earlier(trace, session):
        yield from ["", "## Also found", "", "The user confirmed these bugs, too:", ""]
        yield from _listed(trace, others, names)
    yield from ["", "## The run", ""]
    yield f"- {_code(program(trace.meta))}: {_text(ending(trace.ending))}"
    yield f"- recorded {_text(str(trace.meta.get('started', 'at an unknown time')))}"
    yield from (f"- {_text(each)}" for each in notices(trace))
    yield from _answers(trace, session.answers, names)


def _found(
    trace: Trace,
    ended: Diagnosis,
    found: list[Guilt],
    session: Session,
    expected: Expected | None,
) -> Iterator[str]:
    best = found[0]
    names = loop_names(trace, session.ledger.names)
    name, place = escaped(best.behaviour.name), _place(best)
    sure = "The wrong code is in" if ended.is_certain else "The wrong code may be in"
    yield f"# Sleuth: {_code(name)}"
    yield ""
    yield f"Given the answers below: {sure[0].lower()}{sure[1:]} {_code(name)}{place}."
    confirmed = " The user confirmed this." if ended.is_confirmed else ""
    yield f"Kind: {best.kind}.{confirmed}"
    if best.interleaving is not None:
        yield from _interleaved(trace, best.interleaving)
    if len(found) > 1:
        yield ""
        yield f"The answers leave {counted(len(ended.candidates), 'call')}. It may also be:"
        yield ""
        yield from _listed(trace, found[1:], names)
    yield from ["", "## The call", ""]
    called = question_lines(trace, best.behaviour, width=USUAL_WIDTH, height=40, expected=expected)
    yield from _fenced(called)
    if best.behaviour.function is not None:
        yield from ["", "## The code", ""]
        code = code_lines(
            trace,
            best.behaviour.call,
            width=USUAL_WIDTH,
            covered=best.coverage,
            needed=needed(trace, best.behaviour, best.wrong_part),
            height=80,
        )
        yield from _fenced(code)


def _interleaved(trace: Trace, found: Interleaving) -> Iterator[str]:
    yield from ["", _text(sentence(trace, found)), ""]
    for name, place in places(found).items():
        yield f"- {said(found, name)}: {_code(place_text(trace, place))}"


def _between(trace: Trace, between: list[Key], names: LoopNames) -> Iterator[str]:
    if between:
        yield from ["", "Not judged, between it and the run:", ""]
        yield from (f"- {_code(node_title(trace, key, names))}" for key in between[:20])


def _again(trace: Trace, best: Guilt) -> Iterator[str]:
    if best.call >= 0:
        again = f"sleuth show {trace.path.name} --call {best.call}"
        yield from ["", f"See it again: {_code(escaped(again))}"]


def _listed(trace: Trace, several: Iterable[Guilt], names: LoopNames) -> Iterator[str]:
    for each in several:
        yield f"- {_code(node_title(trace, each.about, names))}{_place(each)}"


def _nothing(ended: Pending) -> Iterator[str]:
    yield "# Sleuth: no diagnosis"
    yield ""
    match ended:
        case NoBug():
            yield "No bug in what was recorded, given the answers below."
        case Contradiction():
            yield "Some of the answers below contradict each other."
        case _:
            yield "The search has not ended: go on with `sleuth ask`."


def _answers(trace: Trace, answers: Iterable[Given], names: LoopNames) -> Iterator[str]:
    rows = list(answers)
    yield from ["", "## The answers", ""]
    if not rows:
        yield "None yet."
        return
    yield "| number | call | verdict | by | wrong part | should be |"
    yield "|---|---|---|---|---|---|"
    for given in rows:
        answer = given.answer
        by = "the user" if answer.by == USER else answer.by
        cells = [
            str(given.number),
            _code(node_title(trace, answer.about, names)),
            answer.verdict.value,
            _text(by),
            _code(answer.path) if answer.path else "",
            _code(answer.expected) if answer.expected else "",
        ]
        yield f"| {' | '.join(cells)} |"


def _place(guilt: Guilt) -> str:
    if not guilt.file:
        return ""
    noun = "line" if len(guilt.lines) == 1 else "lines"
    lines = f", {noun} {_ranges(guilt.lines)}" if guilt.lines else ""
    return f" in {_code(escaped(guilt.file))}{lines}"


def _ranges(lines: tuple[int, ...]) -> str:
    """Return `3 to 5, 9`."""
    runs: list[list[int]] = []
    for number in lines:
        if runs and number == runs[-1][-1] + 1:
            runs[-1][1:] = [number]
        else:
            runs.append([number])
    return ", ".join(" to ".join(map(str, run)) for run in runs)


def _fenced(lines: Iterable[Line]) -> Iterator[str]:
    """Yield a fenced block; the fence is longer than any in the text."""
    texts = list(plain(lines))
    longest = max((len(run) for text in texts for run in re.findall(r"`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    yield from [f"{fence}text", *texts, fence]


def _code(text: str) -> str:
    """Return a text as code that is also valid inside a table."""
    text = escaped(text).replace("|", "\\|")
    runs = re.findall(r"`+", text)
    fence = "`" * (max(map(len, runs), default=0) + 1)
    pad = " " if runs else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def _text(text: str) -> str:
    """Return a text with all Markdown signs escaped."""
    return _SIGNS.sub(r"\\\1", escaped(text))
