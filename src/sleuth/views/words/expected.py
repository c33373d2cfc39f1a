"""The value that a call should have given, and who says so: a test, the user, an oracle."""

import ast
from collections.abc import Sequence
from dataclasses import dataclass, replace

from sleuth.search.question import USER, Given, Verdict
from sleuth.trace import conventions
from sleuth.trace.heap.nested import Nested, nested, plain_data
from sleuth.trace.path import RETURN, PathError
from sleuth.trace.reader import Trace
from sleuth.trace.values import Absent, Ref, escaped, shown
from sleuth.tree.failing.operands import Side
from sleuth.tree.failing.test import Failure
from sleuth.tree.node import Key
from sleuth.tree.node_kinds import text_at
from sleuth.tree.observe.behaviour import RETURNED, Behaviour
from sleuth.tree.observe.inside import reached
from sleuth.views.drawing.picture import Pictures
from sleuth.views.drawing.value_text import WHOLE

BY_TEST = "the test"
_PLAIN = {"list", "tuple", "dict", "set", "frozenset"}
"""Types whose picture shows the whole value."""
_LONGEST = 400


@dataclass(frozen=True, slots=True)
class Expected:
    """An expected value."""

    text: str
    """As it is written."""
    by: str
    """Who expects it: the test, you, the name of an oracle."""
    path: str = RETURN
    """The part of the behaviour that should have it."""
    data: Nested | None = None
    """The value itself; None: only its text is known."""


def by_test(trace: Trace, failure: Failure) -> Expected | None:
    """Return the value that a failed check expects; None: it does not say."""
    text = expectation(trace, failure)
    return Expected(text, BY_TEST, data=_side(trace, failure)) if text else None


def expectation(trace: Trace, failure: Failure) -> str:
    """Return the value that the check expects; empty: the check does not tell it."""
    written = _literal(trace, failure)
    if written is not None:
        # The text of a check is on one line: a text of several lines would not be itself.
        is_itself = written_data(failure.wanted) == written
        return escaped(failure.wanted if is_itself else _written(written))
    if failure.wanted:
        return escaped(failure.wanted)
    if failure.expected is None:
        return ""
    return drawn(trace, failure.expected, _LONGEST)


def drawn(trace: Trace, side: Side, width: int) -> str:
    """Return an operand's value, or its text where a picture would say less."""
    value = side.value
    notations = conventions.of(trace.meta.get("language")).notations
    is_told = not isinstance(value, Ref) or value.type_name in {*_PLAIN, *notations}
    # The text of an expression says more than an object's number, that of a variable less.
    is_told = is_told or (isinstance(value, Ref) and side.text.isidentifier())
    if value is None or (not is_told and side.call is None):
        return escaped(side.text)
    return Pictures(trace).deep(value, side.at, width)


def _side(trace: Trace, failure: Failure) -> Nested | None:
    """Return the expected side of a check; a literal as it is written, if it is one of data."""
    written = _literal(trace, failure)
    if written is not None:
        return written
    if failure.wanted:
        return written_data(failure.wanted)
    return side_data(trace, failure.expected)


def _literal(trace: Trace, failure: Failure) -> Nested | None:
    """Return the literal that a check expects, as the test's source has it; None: it has none."""
    check, expected = failure.check, failure.expected
    module = trace.module_of(trace.call(failure.check_call).function)
    if check is None or expected is None or not expected.is_literal or module is None:
        return None
    spans = [each.span for each in check.operands if each.text == expected.text]
    # Texts that are joined by standing in several lines have parentheses around them.
    return written_data(f"({text_at(trace.source(module), spans[0])})") if spans else None


def shown_expectation(trace: Trace, failure: Failure) -> str:
    """Return the expected value as values are shown, so that it can be compared with another."""
    written = _literal(trace, failure)
    return expectation(trace, failure) if written is None else escaped(_written(written))


def _written(data: Nested) -> str:
    return data.written if data.value is None else shown(data.value, width=WHOLE)


def side_data(trace: Trace, side: Side | None) -> Nested | None:
    """Return an operand with its contents; None: its value is not known."""
    if side is None or side.value is None:
        return None
    return nested(trace.shape, side.value, side.at)


def written_data(text: str) -> Nested | None:
    """Return a literal as data; None: the text is something else.  Nothing is run."""
    try:
        return plain_data(ast.literal_eval(text.strip()))
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError, KeyError):
        return None


def expected_of(
    trace: Trace,
    behaviour: Behaviour,
    about: Key,
    *,
    answers: Sequence[Given] = (),
    failure: Failure | None = None,
) -> Expected | None:
    """Return what a node should have given: as an answer says, else as the failed test says."""
    said = [
        each.answer
        for each in answers
        if each.answer.about == about
        and each.answer.verdict is Verdict.WRONG
        and each.answer.expected
    ]
    tested = _tested(trace, behaviour, failure)
    if said:
        last = max(said, key=lambda answer: answer.by == USER)
        if tested is not None and last.path in ("", RETURN) and last.expected == tested.text:
            return tested
        by = "you" if last.by == USER else last.by
        text = escaped(last.expected)
        return Expected(text, by, last.path or RETURN, written_data(last.expected))
    return tested


def _tested(trace: Trace, behaviour: Behaviour, failure: Failure | None) -> Expected | None:
    """Return what the failed check expects of a call, if it is about the call's result."""
    actual = failure.actual if failure is not None else None
    is_call = behaviour.part is None and behaviour.group is None
    if failure is None or actual is None or not is_call:
        return None
    if behaviour.call.id == actual.part_of:
        found = by_test(trace, failure)
        return None if found is None else replace(found, path=f"{RETURN}{actual.steps}")
    return by_test(trace, failure) if behaviour.call.id == actual.call else None


def actual_of(trace: Trace, behaviour: Behaviour, expected: Expected) -> Nested | None:
    """Return the value that a node gave instead; None: it has none there."""
    if expected.path == RETURN:
        outcome = behaviour.outcome
        if outcome.how != RETURNED or isinstance(outcome.value, Absent):
            return None
        return nested(trace.shape, outcome.value, behaviour.last)
    try:
        found = reached(trace, behaviour, expected.path)
    except PathError:
        return None
    return nested(trace.shape, found.value, behaviour.last)
