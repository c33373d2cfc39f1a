"""A diagnosis as SARIF 2.1.0, the format in which code hosts and editors take findings."""

from collections.abc import Iterator
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from sleuth import __version__
from sleuth.search.question import Diagnosis
from sleuth.search.session import Session
from sleuth.trace.events import Call, Function, Span
from sleuth.trace.reader import Trace
from sleuth.trace.values import escaped
from sleuth.tree.dependence.interleaving import Interleaving
from sleuth.views.drawing.calls import function_name
from sleuth.views.drawing.places import file_of
from sleuth.views.guilty_code import Guilt, concluded, earlier, guilty
from sleuth.views.words.interleavings import place_text, places, said, sentence
from sleuth.views.words.loop_names import LoopNames, loop_names
from sleuth.views.words.node_line import node_title

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_BASE = "SRCROOT"
_MOST_STEPS = 50
_RULES = {
    "call": "Code that is wrong, given the answers to questions about a run",
    "input": "A bad call: the caller is at fault",
    "interleaving": "Code that was disturbed by other tasks or threads while it ran",
}


def sarif(trace: Trace, session: Session) -> dict[str, Any]:
    """Convert the result of a session; without a diagnosis the list of results is empty."""
    ended = concluded(session)
    names = loop_names(trace, session.ledger.names)
    found = guilty(trace, ended, session) if isinstance(ended, Diagnosis) else ()
    is_certain = isinstance(ended, Diagnosis) and ended.is_certain
    others = earlier(trace, session)
    results = [_result(trace, each, names, is_certain=is_certain) for each in found]
    results += [_result(trace, each, names, is_certain=True) for each in others]
    rules = dict.fromkeys(each.kind for each in (*found, *others))
    run: dict[str, Any] = {
        "tool": {
            "driver": {
                "name": "sleuth",
                "version": __version__,
                "rules": [
                    {"id": kind, "shortDescription": {"text": _RULES.get(kind, kind)}}
                    for kind in rules
                ],
            }
        },
        "results": [result for result in results if result["locations"]],
        "columnKind": "unicodeCodePoints",
    }
    cwd = trace.meta.get("cwd")
    if isinstance(cwd, str) and cwd.startswith("/"):
        run["originalUriBaseIds"] = {_BASE: {"uri": f"file://{quote(cwd.rstrip('/'))}/"}}
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _result(trace: Trace, guilt: Guilt, names: LoopNames, *, is_certain: bool) -> dict[str, Any]:
    function = guilt.behaviour.function
    name = escaped(guilt.behaviour.name)
    sure = "Given the answers, the wrong code is in" if is_certain else "The wrong code may be in"
    result: dict[str, Any] = {
        "ruleId": guilt.kind,
        "level": "error" if is_certain else "warning",
        "message": {"text": f"{sure} {name}: {node_title(trace, guilt.about, names)}"},
        "locations": [],
    }
    if function is None:
        return result
    first, last = (guilt.lines[0], guilt.lines[-1]) if guilt.lines else _extent(function)
    result["locations"] = [_location(trace, function, Span(first, 0, last, 0))]
    result["partialFingerprints"] = {"functionText/v1": function.identity}
    if guilt.interleaving is not None:
        result["message"]["text"] += f". {sentence(trace, guilt.interleaving)}"
        result["relatedLocations"] = [*_related(trace, guilt.interleaving)]
    steps = _steps(trace, guilt.behaviour.call)
    if len(steps) > 1:
        result["codeFlows"] = [{"threadFlows": [{"locations": steps}]}]
    return result


def _related(trace: Trace, found: Interleaving) -> Iterator[dict[str, Any]]:
    for name, place in places(found).items():
        function = trace.function(trace.call(place.call).function)
        if function is not None and place.line:
            location = _location(trace, function, Span(place.line, 0, place.line, 0))
            text = f"{said(found, name)}: {place_text(trace, place)}"
            yield location | {"message": {"text": text}}


def _extent(function: Function) -> tuple[int, int]:
    return function.first_line, function.last_line


def _location(trace: Trace, function: Function, span: Span) -> dict[str, Any]:
    return {
        "physicalLocation": {
            "artifactLocation": _artifact(file_of(trace, function)),
            "region": {"startLine": max(span.line, 1), "endLine": max(span.end_line, span.line, 1)},
        },
        "logicalLocations": [
            {
                "fullyQualifiedName": f"{function.module.name}.{function.qualified_name}",
                "kind": "function",
            }
        ],
    }


def _artifact(file: str) -> dict[str, str]:
    uri = quote(file)
    if PurePath(file).is_absolute():
        return {"uri": f"file://{uri}"}
    return {"uri": uri, "uriBaseId": _BASE}


def _steps(trace: Trace, call: Call) -> list[dict[str, Any]]:
    """Return the calls from the run to the guilty one, each with the place that made it."""
    steps = []
    for _ in range(_MOST_STEPS):
        if call.parent is None:
            break
        parent = trace.call(call.parent)
        span, function = trace.call_site(call), trace.function(parent.function)
        if span is not None and function is not None:
            location = _location(trace, function, span)
            called = function_name(trace.function(call.function), call.function)
            location["message"] = {"text": f"calls {called}"}
            steps.append({"location": location})
        call = parent
    return steps[::-1]
