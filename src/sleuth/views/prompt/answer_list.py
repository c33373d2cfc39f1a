"""Lists of the given answers: all of them, one in full, those that contradict each other."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from sleuth.oracles.table import ORACLES, source
from sleuth.search.question import USER, Alike, Answer, Clash, Contradiction, Given, Verdict
from sleuth.search.session import Session
from sleuth.trace.values import escaped
from sleuth.tree.node import Key
from sleuth.views.drawing.calls import neighbours
from sleuth.views.drawing.sections import beside, table
from sleuth.views.drawing.styled import Line, Piece, Role, counted, line, width_of, wrapped
from sleuth.views.prompt.inquiry import Inquiry
from sleuth.views.words.node_line import node_text
from sleuth.views.words.question import question_lines

SAID: Mapping[Verdict, str] = {
    Verdict.RIGHT: "right",
    Verdict.WRONG: "wrong",
    Verdict.UNKNOWN: "don't know",
    Verdict.INADMISSIBLE: "bad call",
    Verdict.TRUST_FUNCTION: "trust function",
    Verdict.TRUST_MODULE: "trust module",
    Verdict.DOUBT_FUNCTION: "doubt function",
    Verdict.DOUBT_MODULE: "doubt module",
    Verdict.SKIP: "another first",
}
_COUNTED: Mapping[Verdict, str] = {Verdict.INADMISSIBLE: "a bad call", Verdict.UNKNOWN: "unknown"}
_FEW = 3
"""More consecutive answers of one oracle are shown as one line."""
_LONGEST_NAME = 200
_MOST_REMARKS = 5
"""At most this many remarks of oracles are shown at once."""
_CLASHES: Mapping[Clash, str] = {
    Clash.SAME: "The same call was judged in two ways:",
    Clash.EQUAL: "Two calls that did exactly the same were judged in two ways:",
    Clash.TRUST: "A function is trusted, but a call of it was judged wrong:",
    Clash.NOTHING_LEFT: "This was judged wrong, but all of its parts were judged right:",
    Clash.REJECTED: "You said that this is not the bug, but these answers say that it is:",
}


def answer_lines(
    inquiry: Inquiry, given: Given, width: int, *, near: Sequence[Given] = ()
) -> list[Line]:
    """Return an answer on one line, on two where the terminal is narrow."""
    answer = given.answer
    by = "" if answer.by == USER else f"  ({escaped(answer.by)})"

    def about(room: int) -> str:
        # The name of the oracle is never cut.
        if inquiry.session.problem.find(answer.about) is None:
            return "(not in this tree)" + by
        keys = [each.answer.about for each in near]
        return (
            node_text(inquiry.trace, answer.about, inquiry.loop_names, room - len(by), beside=keys)
            + by
        )

    return beside(line(f"{given.number:>4}  {SAID[answer.verdict]:<14} "), about, width)


def without_node(inquiry: Inquiry, several: Sequence[Given]) -> Iterator[str]:
    """Say how many answers are about turns or groups that the tree does not have."""
    session = inquiry.session
    lost = [each.number for each in several if session.problem.find(each.answer.about) is None]
    judged = session.space.judged
    counting = {*judged.implied.values(), *(number for _, number in judged.verdicts.values())}
    count = len(counting.intersection(lost))
    if count:
        yield _lost(count, "Such answers count for the calls in them.")
    if count < len(lost):
        yield _lost(len(lost) - count, "Such answers have no effect; judge the calls instead.")


def _lost(count: int, what_follows: str) -> str:
    are = "is" if count == 1 else "are"
    about = f"{count:,} of them {are} about turns or groups that this tree does not have."
    return f"{about} {what_follows}"


def _more_of(answer: Answer) -> Iterator[str]:
    if answer.path:
        yield f"      wrong part: {answer.path}"
    if answer.expected:
        yield f"      should be: {escaped(answer.expected)}"
    if answer.note and answer.by != USER:
        yield f"      {escaped(answer.note)}"


def answers(inquiry: Inquiry, width: int) -> Iterator[str | Line]:
    """List the answers; many consecutive ones of one oracle are one line."""
    if not inquiry.session.answers:
        yield "There are no answers yet."
    for by, group in groupby(inquiry.session.answers, key=lambda given: given.answer.by):
        several = list(group)
        if by != USER and len(several) > _FEW:
            yield from _folded(by, several, width)
        else:
            yield from _listed(inquiry, several, width)


def answers_by(inquiry: Inquiry, name: str, width: int) -> Iterator[str | Line]:
    """List the answers of one oracle."""
    several = [each for each in inquiry.session.answers if each.answer.by == name]
    yield from _listed(inquiry, several, width)


def others(inquiry: Inquiry) -> list[str]:
    """Return the names of the oracles that answered."""
    return [by for by in dict.fromkeys(each.answer.by for each in inquiry.session.answers)
            if by != USER]  # fmt: skip


def _listed(inquiry: Inquiry, several: Sequence[Given], width: int) -> Iterator[str | Line]:
    for position, given in enumerate(several):
        yield from answer_lines(inquiry, given, width, near=neighbours(several, position))
        yield from _more_of(given.answer)


def _folded(by: str, several: Sequence[Given], width: int) -> Iterator[str | Line]:
    counts = Counter(given.answer.verdict for given in several)
    said = ", ".join(f"{count:,} {SAID[verdict]}" for verdict, count in counts.items())
    count = counted(len(several), "answer")
    numbers = f"{several[0].number}-{several[-1].number}"
    words = f"{numbers:>7}  {count} {escaped(source(by))}: {said} "
    hint = f"(a {escaped(by)} lists them)"
    whole = line(words, Piece(hint, Role.DIM))
    yield whole if width_of(whole) <= width else words + hint


def news(inquiry: Inquiry) -> Iterator[str]:
    """Report the new answers of oracles since the last report."""
    for name, given in inquiry.news.items():
        yield _answered(inquiry, name, list(given.items()))
    inquiry.news.clear()
    new = inquiry.helpers.remarks[inquiry.remarked :]
    inquiry.remarked += len(new)
    for remark in new[:_MOST_REMARKS]:
        yield f"({escaped(remark)})"
    if len(new) > _MOST_REMARKS:
        yield f"({len(new) - _MOST_REMARKS:,} more remarks of oracles; O lists them)"


def _answered(inquiry: Inquiry, name: str, given: list[tuple[Key, Answer]]) -> str:
    """Describe what an oracle answered: one answer with its reason, several as a number."""
    about, answer = given[0]
    if len(given) > 1 or not answer.note:
        return f"{counted(len(given), 'answer')} {escaped(source(name))}."
    node = inquiry.session.problem.find(about)
    text = node_text(inquiry.trace, about, inquiry.loop_names, _LONGEST_NAME)
    called = "One call" if node is None else re.sub(r"\(.*", "()", text)
    said = _COUNTED.get(answer.verdict, SAID[answer.verdict])
    return f"{called} counted as {said}: {escaped(answer.note)}."


def oracles(inquiry: Inquiry, width: int) -> Iterator[str]:
    """List the oracles and hints, with the number of answers that each gave."""
    counts = Counter(given.answer.by for given in inquiry.session.answers)
    off = inquiry.session.ledger.off
    names = dict.fromkeys((*inquiry.helpers.names, *(off & ORACLES.keys()), *others(inquiry)))
    if not names:
        yield "There are no oracles here. For options that add some: sleuth ask --help"
    rows = []
    for name in names:
        state = "off" if name in off else f"{counts[name]:,}"
        what = ORACLES[name].what if name in ORACLES else ""
        rows.append((f"{escaped(name):<14} {state:>6}", what))
    yield from table(rows, width)
    yield from (f"- {escaped(remark)}" for remark in inquiry.helpers.remarks)


def answer_in_full(inquiry: Inquiry, given: Given, width: int) -> Iterator[str | Line]:
    """Show an answer and what it is about."""
    yield from answer_lines(inquiry, given, width)
    yield from _more_of(given.answer)
    node = inquiry.session.problem.find(given.answer.about)
    if node is not None:
        yield from question_lines(inquiry.trace, inquiry.behaviour(node), width=width)


def repeated(before: Session, after: Session) -> Iterator[str]:
    """Report how many equal questions got the same answer."""
    new = after.entries[len(before.entries) :]
    said = {entry.about for entry in new if isinstance(entry, Answer)}
    alike = len({key for entry in new if isinstance(entry, Alike) for key in entry.also} - said)
    if alike:
        yield f"({counted(alike, 'equal question')} answered in the same way)"


def contradiction(inquiry: Inquiry, clash: Contradiction, width: int) -> Iterator[str | Line]:
    """Show answers that can't all be true."""
    yield ""
    yield from (line(Piece(each, Role.WRONG)) for each in wrapped(_CLASHES[clash.clash], width))
    known = {given.number: given for given in inquiry.session.answers}
    several = [known[number] for number in clash.answers if number in known]
    for position, given in enumerate(several):
        yield from answer_lines(inquiry, given, width, near=neighbours(several, position))
