"""A diagnosis in words: the guilty call, its code, the evidence, and how sure that is."""

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial

from sleuth.oracles.table import author, source
from sleuth.search.question import USER, Diagnosis, Given, Verdict
from sleuth.search.session import Session
from sleuth.trace.reader import Trace
from sleuth.trace.values import escaped
from sleuth.tree.dependence.needed import needed
from sleuth.tree.failing.test import Failure
from sleuth.tree.loops.items import SKIPPED, OddItem, odd_item
from sleuth.tree.node import Key
from sleuth.tree.observe.unseen import unseen_in
from sleuth.views.drawing.calls import neighbours
from sleuth.views.drawing.picture import Pictures
from sleuth.views.drawing.places import brief_place, files, shortened
from sleuth.views.drawing.sections import beside, is_narrow
from sleuth.views.drawing.styled import (
    EMPTY,
    Line,
    Piece,
    Role,
    counted,
    cut,
    fitted,
    hanging,
    line,
    width_of,
    wrapped,
)
from sleuth.views.guilty_code import Guilt, guilty
from sleuth.views.trace_files import typed
from sleuth.views.words.expected import Expected, expected_of
from sleuth.views.words.interleavings import interleaving_lines
from sleuth.views.words.loop_names import LoopNames, loop_names
from sleuth.views.words.node_line import node_text, node_texts
from sleuth.views.words.question import question_lines, ran_plain
from sleuth.views.words.source import code_lines
from sleuth.views.words.unjudged import unjudged_between
from sleuth.views.words.values_read import values_read

_MOST_NAMED = 8
_NUMBER = 10
"""Columns of a call's number in a list."""
_MOST_EVIDENCE = 12
_CODE_HEIGHT = 30
_CALL_HEIGHT = 14
_DIFFERENCE_HEIGHT = 20
"""Lines of a call of which an expected value is known, so that the difference is shown, too."""
_WIDEST_ITEM = 60
_SAID = {
    Verdict.RIGHT: "right",
    Verdict.WRONG: "wrong",
    Verdict.UNKNOWN: "don't know",
    Verdict.INADMISSIBLE: "bad call",
    Verdict.TRUST_FUNCTION: "function trusted",
    Verdict.TRUST_MODULE: "module trusted",
    Verdict.DOUBT_FUNCTION: "function doubted",
    Verdict.DOUBT_MODULE: "module doubted",
    Verdict.SKIP: "asked later",
}
_INTERLEAVING = (
    "Other tasks changed its data while it ran (see meanwhile): the fault may be that nothing "
    "kept them from doing so."
)
_INPUT = "This call is a bad call, and its caller was not recorded: check the input of the program."
_MAY_BE_THERE = "the fault may be in there."
_WHY_PLAIN = "See why: sleuth show --modules"
_IN_A_LOOP = "It is the head of {loop}: the turns are right by themselves, the loop is not."
_IS_A_LOOP = "It is {loop}, judged as a whole: its head, or what it does in each turn."
_IN_A_TURN = "It is the body of {loop}: it did wrong in the turn below."
_IN_A_STEP = "It is a generator: it did wrong in the step below."
_BETWEEN = "Not judged, between it and the run:"
_MOST_BETWEEN = 3


def diagnosis_lines(
    trace: Trace,
    found: Diagnosis,
    session: Session,
    *,
    width: int,
    failure: Failure | None = None,
) -> list[Line]:
    """Return the guilty code, given the answers of a session; failure: why a test failed."""
    tree, names = session.problem.tree, loop_names(trace, session.ledger.names)
    candidates = guilty(trace, found, session, most=_MOST_NAMED)
    best = candidates[0]
    expected = expected_of(
        trace, best.behaviour, best.about, answers=session.answers, failure=failure
    )
    lines = [
        *_verdict(trace, found, best, width),
        *_guilty_call(trace, best, expected, width),
        *_held(best, width),
        *_read(trace, best, width),
        *_others(trace, found, candidates[1:], names, width),
        *_evidence(trace, found, session.answers, names, width),
        *_between(trace, unjudged_between(trace, found, tree, failure), names, width),
        *_again(trace, best, width),
    ]
    return [cut(each, width) for each in lines]


def _verdict(trace: Trace, found: Diagnosis, best: Guilt, width: int) -> Iterator[Line]:
    behaviour, part = best.behaviour, best.behaviour.part
    head = part.site.span.line if part else None
    place = brief_place(trace, behaviour.call, head) if behaviour.function else ""
    place = shortened(place, width // 2, files(trace))
    start = "Found, given these answers: " if found.is_only_one else "Best guess: "
    name = Piece(fitted(behaviour.name, width - 2), Role.WRONG)
    yield from _in_rows(
        [line(Piece(start, Role.STRONG)), line(name, "  "), line(Piece(place))], width
    )
    if part is not None:
        sentence = _IN_A_LOOP if part.is_loop else _IN_A_STEP if part.is_stream else _IN_A_TURN
        sentence = _IS_A_LOOP if best.kind == "loop" else sentence
        loop = f"the loop {part.name}" if part.name else "a loop"
        yield from _sentence(sentence.format(loop=loop), width)
        odd = odd_item(trace, best.about, part)
        if odd is not None:
            yield from _sentence(_odd(trace, odd, behaviour.last), width)
    if not found.is_only_one:
        count = counted(len(found.candidates), "call")
        yield from _sentence(f"The answers leave {count} that may be the bug.", width)
    if plain := ran_plain(behaviour, unseen_in(trace, behaviour)._replace(below=())):
        yield from _sentence(f"{plain[0].upper()}{plain[1:]}: {_MAY_BE_THERE}", width)
        yield from _sentence(_WHY_PLAIN, width, Role.DIM)
    if best.interleaving is not None:
        yield from interleaving_lines(trace, best.interleaving, width)
    elif best.kind == "interleaving":
        yield from _sentence(_INTERLEAVING, width)
    if best.kind == "input":
        yield from _sentence(_INPUT, width)


def _in_rows(parts: Sequence[Line], width: int) -> Iterator[Line]:
    """Yield parts on one line; those for which there is no room follow on lines below."""
    row: Line = EMPTY
    for part in parts:
        if row and width_of((*row, *part)) > width:
            yield row
            row = line("  ")
        row = (*row, *part)
    text = "".join(piece.text for piece in row)
    yield from [row] if width_of(row) <= width else map(line, hanging(text, width))


def _odd(trace: Trace, odd: OddItem, at: int) -> str:
    """Name the item that was skipped, or came twice."""
    value = Pictures(trace).deep(odd.value, at, _WIDEST_ITEM)
    if odd.how == SKIPPED:
        return f"Item {odd.position:,} ({value}) of what it went through never came in turn."
    return f"Item {odd.position:,} ({value}) of what it went through came twice."


def _guilty_call(
    trace: Trace, best: Guilt, expected: Expected | None, width: int
) -> Iterator[Line]:
    yield EMPTY
    height = _CALL_HEIGHT if expected is None else _DIFFERENCE_HEIGHT
    if is_narrow(width):
        height *= 2
    yield from question_lines(trace, best.behaviour, height=height, width=width, expected=expected)
    if best.behaviour.function is None:
        return
    yield EMPTY
    yield from code_lines(
        trace,
        best.behaviour.call,
        covered=best.coverage,
        needed=needed(trace, best.behaviour, best.wrong_part),
        height=_CODE_HEIGHT,
        width=width,
    )


def _held(best: Guilt, width: int) -> Iterator[Line]:
    """List the functions whose code counts as part of the guilty one."""
    if not best.held:
        return
    yield EMPTY
    names = [escaped(each.function.qualified_name) for each in best.held]
    is_one = len(names) == 1
    counts = f"{names[0]}, which counts" if is_one else "these functions, which count"
    yield from _sentence(f"Also check {counts} as part of it{'.' if is_one else ':'}", width)
    for name, each in zip(names[:_MOST_NAMED], best.held, strict=False):
        lines = ", ".join(map(str, each.lines[:_MOST_NAMED]))
        more = ", ..." if len(each.lines) > _MOST_NAMED else ""
        noun = "line" if len(each.lines) == 1 else "lines"
        place = Piece(f"{escaped(each.file)}, {noun} {lines}{more}", Role.DIM)
        yield from _in_rows([line(f"  {name}  "), line(place)], width)
    more_held = len(best.held) - _MOST_NAMED
    if more_held > 0:
        yield line(Piece(f"  ... {more_held:,} more", Role.DIM))


def _read(trace: Trace, best: Guilt, width: int) -> Iterator[Line]:
    """List the constants and tables that the guilty code read."""
    found = list(values_read(trace, best, width))
    if found:
        yield EMPTY
        which = "this value" if len(found) == 1 else "one of these values"
        yield from _sentence(f"It may also be {which}, which it read, that is wrong:", width)
        yield from map(line, found)


def _others(
    trace: Trace, found: Diagnosis, others: Sequence[Guilt], names: LoopNames, width: int
) -> Iterator[Line]:
    if not others:
        return
    yield EMPTY
    yield line("It may also be:")
    yield from _listed(trace, [each.about for each in others], names, width)
    more = len(found.candidates) - 1 - len(others)
    if more > 0:
        yield line(Piece(f"  ... {more:,} more", Role.DIM))


def _evidence(
    trace: Trace, found: Diagnosis, answers: Sequence[Given], names: LoopNames, width: int
) -> Iterator[Line]:
    known = {given.number: given for given in answers}
    evidence = [known[number] for number in found.evidence if number in known]
    yield EMPTY
    if not evidence:
        yield line("No answer was needed: it is all that there is.")
        return
    yield line("This rests on:")
    # Answers of the user and "wrong" answers are listed; "right" answers of oracles are counted.
    told = [given for given in evidence if not _is_folded(given)]
    keys = [given.answer.about for given in told[:_MOST_EVIDENCE]]
    for position, given in enumerate(told[:_MOST_EVIDENCE]):
        answer = given.answer
        by = author(answer.by)
        said = f"  {given.number:>3}. {_SAID[answer.verdict]} ({by})  "
        near = neighbours(keys, position)
        text = partial(node_text, trace, answer.about, names, beside=near)
        yield from beside(line(said), text, width)
    more = len(told) - _MOST_EVIDENCE
    if more > 0:
        yield line(Piece(f"  ... {more:,} more: a lists them", Role.DIM))
    counts = Counter(given.answer.by for given in evidence if _is_folded(given))
    for by, count in counts.items():
        head = line(f"  {counted(count, 'answer')} {source(by)}")
        yield from _in_rows([head, line(Piece(f"; a {by} lists them", Role.DIM))], width)


def _is_folded(given: Given) -> bool:
    return given.answer.by != USER and given.answer.verdict is not Verdict.WRONG


def _between(trace: Trace, between: Sequence[Key], names: LoopNames, width: int) -> Iterator[Line]:
    """List the calls around the guilty one that may be right; then the run has another bug."""
    if not between:
        return
    yield EMPTY
    yield line(_BETWEEN)
    yield from _listed(trace, between[:_MOST_BETWEEN], names, width)
    more = len(between) - _MOST_BETWEEN
    if more > 0:
        yield line(Piece(f"  ... {more:,} more", Role.DIM))
    it = "it is" if len(between) == 1 else "one of them is"
    said = f"  If {it} right, the run has another bug, too: j {between[0].call} asks about it."
    yield from (line(Piece(each, Role.DIM)) for each in hanging(said, width))


def _again(trace: Trace, best: Guilt, width: int) -> Iterator[Line]:
    """Name the command that shows the call again, where there is room for all of it."""
    names = (typed(trace.path), escaped(shlex.quote(trace.path.name)))
    commands = [f"sleuth show {name} --call {best.call}" for name in names]
    told = [[f"See it again: {each}"] for each in commands]
    told.append(["See it again:", f"  {commands[-1]}"])
    fitting = (lines for lines in told if max(map(len, lines)) <= width)
    if best.call >= 0 and (shown := next(fitting, None)):
        yield EMPTY
        yield from (line(Piece(each, Role.DIM)) for each in shown)


def _listed(trace: Trace, keys: Sequence[Key], names: LoopNames, width: int) -> Iterator[Line]:
    """Yield a line for each node, with the number of its call."""
    texts = node_texts(trace, keys, names, width - _NUMBER)
    for key, text in zip(keys, texts, strict=True):
        number = f"{key.call:>{_NUMBER - 2}}  " if key.call >= 0 else " " * _NUMBER
        yield line(number, text)


def _sentence(text: str, width: int, role: Role = Role.PLAIN) -> Iterator[Line]:
    for words in wrapped(text, width):
        yield line(Piece(words, role))
