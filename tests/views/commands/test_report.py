"""Questions and reports as JSON, SARIF and Markdown."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from sleuth import opening
from sleuth.search.question import Answer, Diagnosis, Question, Verdict
from sleuth.search.session import Session
from sleuth.trace.reader import Trace
from sleuth.tree.build import tree_of
from sleuth.tree.node import Key
from sleuth.tree.observe.nodes import behaviour_at
from sleuth.views.cli import main
from sleuth.views.commands import report
from sleuth.views.guilty_code import KINDS
from sleuth.views.wire.questions import key_of, question, question_id
from sleuth.views.wire.reports import report as as_json
from tests import toy
from tests.hostile import hostile
from tests.recorded import PRICES, calls_of, recorded

pytestmark = pytest.mark.two_versions

REFERENCE = Path(__file__).parents[3] / "docs" / "reference"
SCHEMA = json.loads((REFERENCE / "asking.schema.json").read_text(encoding="utf-8"))
FIELDS = [
    "type",
    "id",
    "node",
    "kind",
    "function",
    "known_as",
    "module",
    "file",
    "line",
    "inputs",
    "outcome",
    "changes",
    "used",
    "output",
    "plain",
    "cached",
    "folded",
]
# What SARIF 2.1.0 requires of the parts that are used.
SARIF = {
    "type": "object",
    "required": ["version", "runs"],
    "properties": {
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["tool", "results"],
                "properties": {
                    "tool": {
                        "required": ["driver"],
                        "properties": {"driver": {"required": ["name"]}},
                    },
                    "results": {
                        "type": "array",
                        "items": {
                            "required": ["message", "ruleId", "locations"],
                            "properties": {
                                "level": {"enum": ["none", "note", "warning", "error"]},
                                "message": {"required": ["text"]},
                                "locations": {"items": {"$ref": "#/$defs/location"}},
                                "codeFlows": {
                                    "items": {
                                        "required": ["threadFlows"],
                                        "properties": {
                                            "threadFlows": {
                                                "minItems": 1,
                                                "items": {"required": ["locations"]},
                                            }
                                        },
                                    }
                                },
                            },
                        },
                    },
                },
            },
        },
    },
    "$defs": {
        "location": {
            "properties": {
                "physicalLocation": {
                    "required": ["artifactLocation", "region"],
                    "properties": {
                        "artifactLocation": {
                            "required": ["uri"],
                            "properties": {"uri": {"type": "string", "pattern": "^[!-~]+$"}},
                        },
                        "region": {
                            "required": ["startLine"],
                            "properties": {
                                "startLine": {"type": "integer", "minimum": 1},
                                "endLine": {"type": "integer", "minimum": 1},
                            },
                        },
                    },
                }
            }
        }
    },
}


def check(document: dict[str, Any], schema: dict[str, Any] = SCHEMA) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(json.dumps(document))
    jsonschema.Draft202012Validator(schema).validate(found)
    return found


def answered(trace: Trace, verdict: Callable[[str], Verdict]) -> Session:
    session = opening.Opened(trace).session(transform=())
    while isinstance(pending := session.pending, Question):
        function = trace.function(trace.call(pending.about.call).function)
        name = function.qualified_name if function else ""
        session = session.given(Answer(pending.about, verdict(name), path="return", expected="15"))
    return session


def wrong(*names: str) -> Callable[[str], Verdict]:
    return lambda name: Verdict.WRONG if name in names else Verdict.RIGHT


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    kinds = SCHEMA["$defs"]["diagnosis"]["properties"]["kind"]["enum"]
    assert tuple(kinds) == KINDS


def test_questions_have_just_the_fields_that_are_promised(shop: Trace, tmp_path: Path) -> None:
    traces = [
        shop,
        hostile(tmp_path / "hostile.trace"),
        Trace(toy.record(tmp_path / "arrays.trace", toy.ARRAYS, [])),
    ]
    for trace in traces:
        tree = tree_of(trace)
        for node in range(len(tree)):
            behaviour = behaviour_at(trace, int(tree.call[node]))
            document = check(question(trace, behaviour, tree.key(node)))
            assert [name for name in document if name != "took"] == FIELDS
            assert ("took" in document) is bool(behaviour.taken)
            assert key_of(document["id"]) == tree.key(node)


def test_an_id_is_read_back() -> None:
    for key in (Key(-1, 0, -1), Key(12, 340, 512)):
        assert key_of(question_id(key)) == key


def test_a_found_bug_as_json(tmp_path: Path) -> None:
    trace = recorded(tmp_path, PRICES)
    document = check(as_json(trace, answered(trace, wrong("<module>", "total"))))
    found = document["diagnosis"]
    assert {name: found[name] for name in ("function", "module", "file", "kind", "call")} == {
        "function": "total",
        "module": "__main__",
        "file": "prog.py",
        "kind": "call",
        "call": 1,
    }
    assert found["lines"] == [7, 8, 9, 10]
    assert (found["certain"], found["candidates"]) == (True, [])
    assert {answer["verdict"] for answer in document["answers"]} == {"right", "wrong"}
    assert all(answer["by"] in ("user", "equal question") for answer in document["answers"])


def test_of_several_candidates_the_best_comes_first(tmp_path: Path) -> None:
    trace = recorded(tmp_path, PRICES)

    def verdict(name: str) -> Verdict:
        return Verdict.UNKNOWN if name == "price" else Verdict.WRONG

    found = check(as_json(trace, answered(trace, verdict)))["diagnosis"]
    assert not found["certain"]
    assert len(found["candidates"]) == 3
    assert found["function"] not in (None, "")


def test_without_a_bug_there_is_no_diagnosis(tmp_path: Path) -> None:
    trace = recorded(tmp_path, PRICES)
    session = opening.Opened(trace).session(transform=())
    assert check(as_json(trace, session))["diagnosis"] is None
    assert check(as_json(trace, session))["state"] == "asking"


def test_a_confirmed_diagnosis_stays_what_was_found(tmp_path: Path) -> None:
    trace = recorded(tmp_path, PRICES)
    session = answered(trace, wrong("<module>", "total")).confirmed()
    assert not isinstance(session.pending, Diagnosis)
    found = check(as_json(trace, session))["diagnosis"]
    assert (found["function"], found["confirmed"]) == ("total", True)


def test_all_bugs_that_were_confirmed_are_told(tmp_path: Path) -> None:
    source = "def one():\n    return 2\n\ndef two():\n    return 1\n\none()\ntwo()\n"
    trace = recorded(tmp_path, source)
    session = answered(trace, wrong("one")).confirmed()
    while isinstance(pending := session.pending, Question):
        session = session.given(Answer(pending.about, Verdict.WRONG))
    session = session.confirmed()
    ended = check(as_json(trace, session))
    assert ended["diagnosis"]["function"] == "two"
    assert [each["function"] for each in ended["earlier"]] == ["one"]
    assert "- `one() -> 2` in `prog.py`, line 2" in report.lines(trace, session, "md")
    (run,) = json.loads("".join(report.lines(trace, session, "sarif")))["runs"]
    assert len(run["results"]) == 2


def test_any_candidate_that_was_confirmed_is_what_was_found(tmp_path: Path) -> None:
    trace = recorded(tmp_path, PRICES)

    def verdict(name: str) -> Verdict:
        return Verdict.UNKNOWN if name == "price" else Verdict.WRONG

    session = answered(trace, verdict)
    assert isinstance(session.pending, Diagnosis)
    _, other, *_ = session.pending.candidates
    session = session.confirmed(node=other)
    ended = check(as_json(trace, session))
    assert ended["state"] == "found"
    found = ended["diagnosis"]
    assert found["call"] == session.problem.tree.key(other).call
    assert (found["confirmed"], found["certain"]) == (True, True)
    assert found["candidates"] == []


def test_changes_by_other_tasks_make_the_kind_interleaving(shop: Trace) -> None:
    session = answered(shop, wrong("<module>", "threads", "slow"))
    assert check(as_json(shop, session))["diagnosis"]["kind"] == "interleaving"


def test_sarif_has_what_it_must(tmp_path: Path, shop: Trace) -> None:
    trace = recorded(tmp_path, PRICES)
    session = answered(trace, wrong("<module>", "total", "price"))
    (text,) = report.lines(trace, session, "sarif")
    (run,) = check(json.loads(text), SARIF)["runs"]
    (result,) = run["results"]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "prog.py"
    assert place["region"]["startLine"] == 3
    steps = result["codeFlows"][0]["threadFlows"][0]["locations"]
    assert [step["location"]["message"]["text"] for step in steps] == ["calls total", "calls price"]
    empty = json.loads(
        next(report.lines(shop, opening.Opened(shop).session(transform=()), "sarif"))
    )
    assert check(empty, SARIF)["runs"][0]["results"] == []


def test_markdown_says_it_all_and_breaks_nothing(tmp_path: Path) -> None:
    trace = recorded(tmp_path, PRICES)
    text = "\n".join(report.lines(trace, answered(trace, wrong("<module>", "total")), "md"))
    assert text.startswith("# Sleuth: `total`\n")
    assert (
        "Given the answers below: the wrong code is in `total` in `prog.py`, lines 7 to 10." in text
    )
    assert "| `15` |" in text
    assert text.count("```") % 2 == 0
    evil = hostile(tmp_path / "evil.trace")
    session = answered(evil, lambda _: Verdict.WRONG)
    lines = list(report.lines(evil, session, "md"))
    assert all(line.isprintable() for line in lines)


@pytest.mark.parametrize("form", report.FORMATS)
def test_the_command_reads_the_answers_next_to_the_trace(
    tmp_path: Path, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    trace = recorded(tmp_path, PRICES)
    with opening.opened(trace.path).resumed() as (session, journal):
        journal.follow(session, answered(trace, wrong("<module>", "total")))
    assert main(["report", str(trace.path), "--format", form]) == 0
    text = capsys.readouterr().out
    assert "total" in text
    if form != "md":
        json.loads(text)
    assert main(["report", str(trace.path), "--format", "x"]) == 2


def test_an_interleaving_is_told_in_every_format(tmp_path: Path) -> None:
    source = """
        import asyncio
        total = 0
        async def add(n):
            global total
            before = total
            await asyncio.sleep(0)
            total = before + n
        async def main():
            await asyncio.gather(add(1), add(2))
        asyncio.run(main())
        """
    trace = recorded(tmp_path, source)
    session = opening.Opened(trace).session(transform=())
    first, _ = calls_of(trace, "add")
    while isinstance(pending := session.pending, Question):
        verdict = Verdict.RIGHT if pending.about.call == first.id else Verdict.WRONG
        session = session.given(Answer(pending.about, verdict))
    told = check(as_json(trace, session))["diagnosis"]
    assert told["kind"] == "interleaving"
    found = told["interleaving"]
    assert [*found] == ["path", "read", "write", "other"]
    assert found["path"] == "total"
    assert [found[each]["line"] for each in ("read", "write", "other")] == [6, 8, 8]
    assert found["read"]["call"] == found["write"]["call"] != found["other"]["call"]
    assert [*found["read"]] == ["file", "line", "function", "call", "moment"]
    (text,) = report.lines(trace, session, "sarif")
    (result,) = check(json.loads(text), SARIF)["runs"][0]["results"]
    assert len(result["relatedLocations"]) == 3
    shown = "\n".join(report.lines(trace, session, "md"))
    assert "Another task wrote total between" in shown
