"""The end of a session as JSON.  Fields: docs/reference/asking.schema.json."""

from typing import Any

from sleuth.search.question import Contradiction, Diagnosis, Given, NoBug, Pending
from sleuth.search.session import Session
from sleuth.trace.reader import Trace
from sleuth.tree.failing.test import Failure
from sleuth.tree.observe.unseen import unseen_in
from sleuth.views.guilty_code import Guilt, concluded, earlier, guilty
from sleuth.views.wire.contrasts import expected_value
from sleuth.views.wire.questions import claims, question_id
from sleuth.views.words.expected import expected_of
from sleuth.views.words.interleavings import interleaving_json

VERSION = 1


def report(trace: Trace, session: Session, failure: Failure | None = None) -> dict[str, Any]:
    """Convert the result of a session; failure: why the recorded test failed."""
    ended = concluded(session)
    return {
        "type": "report",
        "version": VERSION,
        "trace": str(trace.path),
        "program": [str(word) for word in trace.meta.get("argv", ())],
        "state": _state(ended),
        "diagnosis": diagnosis(trace, ended, session, failure)
        if isinstance(ended, Diagnosis)
        else None,
        "earlier": [_guilt(each) for each in earlier(trace, session)],
        "answers": [answer(given) for given in session.answers],
    }


def _state(pending: Pending) -> str:
    match pending:
        case Diagnosis():
            return "found" if pending.is_only_one else "several"
        case NoBug():
            return "no bug"
        case Contradiction():
            return "contradiction"
    return "asking"


def diagnosis(
    trace: Trace, found: Diagnosis, session: Session, failure: Failure | None = None
) -> dict[str, Any]:
    """Convert a diagnosis: the best candidate, and the others."""
    best, *others = guilty(trace, found, session)
    tree = session.problem.tree
    expected = expected_of(
        trace, best.behaviour, best.about, answers=session.answers, failure=failure
    )
    return (
        _guilt(best)
        | {
            "certain": found.is_certain,
            "candidates": [_guilt(each) for each in others],
            "confirmed": found.is_confirmed,
            "traceable": found.is_traceable,
            "between": [tree.key(node).call for node in found.between],
            "evidence": list(found.evidence),
            "plain": list(unseen_in(trace, best.behaviour).plain),
            "interleaving": interleaving_json(trace, best.interleaving),
        }
        | {"behaviour": claims(trace, best.behaviour)}
        | expected_value(trace, best.behaviour, expected)
    )


def _guilt(subject: Guilt) -> dict[str, Any]:
    function = subject.behaviour.function
    known = subject.behaviour.known
    return {
        "function": function.qualified_name if function else None,
        "known_as": known.text if known else None,
        "module": function.module.name if function else None,
        "file": subject.file or None,
        "lines": list(subject.lines),
        "kind": subject.kind,
        "call": subject.call,
        "held": [
            {
                "function": each.function.qualified_name,
                "module": each.function.module.name,
                "file": each.file or None,
                "lines": list(each.lines),
                "calls": list(each.calls),
            }
            for each in subject.held
        ],
    }


def answer(subject: Given) -> dict[str, Any]:
    """Convert an answer."""
    given = subject.answer
    return {
        "question": question_id(given.about),
        "verdict": given.verdict.value,
        "by": given.by,
        "number": subject.number,
        "path": given.path or None,
        "expected": given.expected or None,
        "note": given.note or None,
    }
