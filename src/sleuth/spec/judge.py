"""Judges a call by a model or a predicate."""

import inspect
from collections.abc import Mapping
from typing import Any

from sleuth.spec.build import built
from sleuth.spec.call import Call, CannotSay, Change, Names, Raised
from sleuth.spec.compare import same
from sleuth.spec.declare import Specified

Reply = dict[str, Any]
_LONGEST = 200


def judged(specified: Specified, told: Mapping[str, Any]) -> Reply:
    """Return a verdict, or why there is none."""
    try:
        if specified.kind == "model":
            return _by_model(specified, told)
        return _by_predicate(specified, told)
    except CannotSay as reason:
        return _nothing(str(reason))


def _nothing(why: str) -> Reply:
    return {"verdict": None, "why": why}


def _names(told: Mapping[str, Any]) -> Names:
    return Names(built(told), told["unknown"])


def call_of(told: Mapping[str, Any]) -> Call:
    """Return a call as a predicate sees it."""
    outcome = built(told["outcome"])
    unknown = dict(told["outcome"]["unknown"])
    if told["how"] == "raised":
        outcome = {"raised": Raised(told["raised"], tuple(outcome.values()))}
    return Call(
        function=told["function"],
        inputs=_names(told["inputs"]),
        after=_names(told["after"]),
        used=_names(told["used"]),
        how=told["how"],
        changes=tuple(Change(path, how) for path, how in told["changes"]),
        output=tuple(told["output"]),
        outcome=Names(outcome, unknown),
    )


def _by_predicate(specified: Specified, told: Mapping[str, Any]) -> Reply:
    try:
        holds = specified.judge(call_of(told))
    except AssertionError as error:
        return {"verdict": "wrong", "note": _said(specified, str(error) or "an assert failed")}
    if holds is None:
        return {"verdict": None}
    if holds is not True and holds is not False:
        return {
            "problem": f"{specified.name} returned {_short(holds)}; it must return True or False"
        }
    if not holds:
        return {"verdict": "wrong", "note": _said(specified, "the predicate is false")}
    if not specified.is_total:
        return {"verdict": None}
    return {"verdict": "right", "note": _said(specified, "the predicate is true")}


def _by_model(specified: Specified, told: Mapping[str, Any]) -> Reply:
    recorded = call_of(told)
    given = built(told["inputs"])  # its own: a model may change them
    accepted = _accepted(specified, recorded, given)
    wanted: Any = None
    error: Exception | None = None
    try:
        wanted = specified.judge(**accepted)
    except CannotSay:
        raise
    except Exception as raised:  # noqa: BLE001 - a model may say that the call should raise
        error = raised
    if told["how"] == "stopped" and error is None:
        wanted = list(wanted)
    wrong = _differs(specified, recorded, wanted, error) or _changes(specified, recorded, given)
    if wrong is not None:
        return {
            "verdict": "wrong",
            **wrong,
            "note": _said(specified, "the model's result is different"),
        }
    if not specified.is_total:
        return {"verdict": None}
    if told["beyond"]:
        return _nothing(f"{specified.name} says nothing about {told['beyond']}")
    if recorded.changes and not specified.says_changes:
        return _nothing(f"{specified.name} says nothing about the changes")
    return {"verdict": "right", "note": _said(specified, "the model's result is the same")}


def _accepted(specified: Specified, recorded: Call, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the arguments that a model takes; CannotSay: one of them could not be rebuilt."""
    parameters = inspect.signature(specified.judge).parameters.values()
    takes_all = any(each.kind is inspect.Parameter.VAR_KEYWORD for each in parameters)
    names = [each.name for each in parameters if each.kind is not inspect.Parameter.VAR_KEYWORD]
    has_default = {each.name for each in parameters if each.default is not each.empty}
    for name in names:
        if name not in recorded.inputs and name not in has_default:
            raise CannotSay(f"{specified.name} takes {name}, which is not an argument of the call")
    wanted = [name for name in recorded.inputs if takes_all or name in names]
    for name in wanted:
        recorded.inputs[name]  # what could not be rebuilt says so
    return {name: given[name] for name in wanted}


def _differs(
    specified: Specified, recorded: Call, wanted: Any, error: Exception | None
) -> Reply | None:
    """Return the expected result, if the call had another."""
    raised = recorded.raised
    if error is not None:
        expected = type(error).__name__
        if raised is not None and raised.type.rpartition(".")[2] == expected:
            return None
        if raised is None and recorded.how not in ("returned", "stopped"):
            raise CannotSay(f"{specified.name} raises {expected}; the call {recorded.how}")
        return {"expected": expected}
    if raised is not None:
        return {"expected": _short(wanted)}
    return None if same(wanted, recorded.result) else {"expected": _short(wanted)}


def _changes(specified: Specified, recorded: Call, given: Mapping[str, Any]) -> Reply | None:
    """Return the expected state of an argument, if the call left another."""
    if not specified.says_changes or recorded.raised is not None:
        return None
    for name in recorded.after:
        if name in given and not same(given[name], recorded.after[name]):
            return {"path": name, "expected": _short(given[name])}
    return None


def _said(specified: Specified, what: str) -> str:
    return f"{specified.name}: {what}"


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
