"""Models, predicates and functions of the user answer from a process of their own, or abstain."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sleuth.errors import UsageError
from sleuth.opening import Opened
from sleuth.oracles.custom import Custom
from sleuth.oracles.specification import Specification
from sleuth.search.question import Answer, Question

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.recorded import call_of, recorded

PROGRAM = """
    from collections import deque
    from dataclasses import dataclass
    from enum import Enum
    COUNT = 0
    class Colour(Enum):
        RED = 1
    @dataclass(frozen=True)
    class Item:
        name: str
        price: int
    def double(n): return n * 2
    def triple(n): return n * 2
    def total(items): return sum(item.price for item in items)
    def put(xs, n): xs.append(n)
    def putted(xs, n): xs.append(n); return xs
    def divide(a, b): return a / b
    def counted(n):
        global COUNT
        COUNT += 1
        return n
    def printed(n): print(n); return n
    def kinds(where, colour, things): return colour
    def big(data): return len(data)
    def cheap(items, data): return 3
    def evens(n):
        for i in range(n):
            if i % 2 == 0:
                yield [i]
    def ring(node): return node
    double(2); triple(2); total([Item("tea", 2), Item("cup", 3)])
    put([1], 2); putted([1], 2); counted(1); printed(1)
    kinds({Item("a", 1): deque([1])}, Colour.RED, ({1}, frozenset([2]), b"x", 2.5, 1j, None))
    big(list(range(20000))); cheap([1], list(range(20000)))
    list(evens(5))
    a = [1]
    a.append(a)
    ring(a)
    try:
        divide(1, 0)
    except ZeroDivisionError:
        pass
    """
SPEC = """
from sleuth.spec import model, predicate, CannotSay, Record
import sys, time, os

@model("double", total=True)
def double(n): return n * 2
@model("prog.triple")
def triple(n): return n * 3
@model("__main__.total")
def total(items): return items[0].price + items[1].price
@model("put", total=True)
def put(xs, n): xs.insert(0, n)
@model("putted", total=True, changes=False)
def putted(xs, n): return [*xs, n]
@model("divide", total=True)
def divide(a, b): return a / b
@model("counted", total=True)
def counted(n): return n
@model("printed", total=True)
def printed(n): return n
@predicate("kinds", total=True)
def kinds(call):
    (item, queue), = call.inputs.where.items()
    assert type(item).__name__ == "Item" and (item.name, list(queue)) == ("a", [1])
    assert call.inputs.colour.name == "RED" and call.result == call.inputs.colour
    assert call.inputs.things == ({1}, frozenset([2]), b"x", 2.5, 1j, None)
    assert isinstance(call.inputs.colour, Record)
    return True
@model("big", total=True)
def big(data): return len(data)
@predicate("cheap")
def cheap(call): return call.result > len(call.inputs.items) + 5
@model("evens", total=True)
def evens(n):
    for i in range(0, n, 2):
        yield [i]
@predicate("ring", total=True)
def ring(call): return call.result[1] is call.result
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Opened:
    folder = tmp_path_factory.mktemp("specified")
    trace = recorded(folder, PROGRAM)
    (folder / "spec_prog.py").write_text(SPEC)
    (folder / "bad_spec.py").write_text(BAD)
    (folder / "checks.py").write_text(CHECKS)
    return Opened(trace)


@pytest.fixture(scope="module")
def specification(run: Opened) -> Specification:
    return Specification(run.trace, [str(run.trace.path.with_name("spec_prog.py"))])


def question(run: Opened, name: str) -> Question:
    session = run.session(transform=())
    return session.question(run.node_of(call_of(run.trace, name).id))


def said(oracle: Specification | Custom, run: Opened, name: str) -> tuple[str, str, str]:
    answer = oracle.answer(question(run, name))
    return _told(answer)


def _told(answer: Answer | None) -> tuple[str, str, str]:
    return ("", "", "") if answer is None else (answer.verdict.value, answer.path, answer.expected)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("double", ("right", "", "")),
        ("triple", ("wrong", "", "6")),
        ("total", ("", "", "")),  # it is the same, but the model is not total
        ("put", ("wrong", "xs", "[2, 1]")),
        ("putted", ("", "", "")),  # the result is the same; of changes it says nothing
        ("divide", ("right", "", "")),  # it should raise that
        ("counted", ("", "", "")),  # it changed a global, of which a model says nothing
        ("printed", ("", "", "")),
        ("kinds", ("right", "", "")),
        ("big", ("", "", "")),  # too long to be rebuilt
        ("cheap", ("wrong", "", "")),  # what can't be rebuilt was not looked at
        ("evens", ("right", "", "")),
        ("ring", ("right", "", "")),
    ],
)
def test_what_a_specification_says(
    run: Opened, specification: Specification, name: str, expected: tuple[str, str, str]
) -> None:
    assert said(specification, run, name) == expected


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("counted", "says nothing about globals, which it changed"),
        ("printed", "says nothing about what it printed"),
        ("putted", "says nothing about the changes"),
        ("big", "data was too long to be kept whole"),
    ],
)
def test_why_it_abstains_is_said(
    run: Opened, specification: Specification, name: str, why: str
) -> None:
    said(specification, run, name)
    assert any(name in remark and why in remark for remark in specification.remarks)


def test_an_answer_names_who_gave_it_and_by_what(run: Opened, specification: Specification) -> None:
    answer = specification.answer(question(run, "triple"))
    assert answer is not None
    assert (answer.by, answer.note) == ("specification", "triple: the model's result is different")


def test_only_calls_that_are_specified_are_worth_asking(
    run: Opened, specification: Specification
) -> None:
    tree = run.tree
    found = specification.may_answer(tree, tree.children(tree.children(0)[0]))
    names = {run.trace.function(int(tree.routine[node])).name for node in found.tolist()}  # type: ignore[union-attr]
    assert {"double", "ring"} <= names
    assert "Item" not in names


BAD = """
import os, time
from sleuth.spec import model, predicate
@model("double", total=True)
def hangs(n): time.sleep(60)
@predicate("triple", total=True)
def crashes(call): os._exit(3)
@predicate("total", total=True)
def garbage(call): print("}{"); return "maybe"
@predicate("put", total=True)
def raises(call): return call.nonsense
@predicate("putted", total=True)
def prints(call): os.write(1, b"not json\\n"); return True
@predicate("misspelt")
def nowhere(call): return True
"""


def test_crashes_hangs_and_nonsense_are_no_answers_and_are_said(run: Opened) -> None:
    path = str(run.trace.path.with_name("bad_spec.py"))
    oracle = Specification(run.trace, [path], seconds=0.5)
    for name in ("double", "triple", "total", "put"):
        assert said(oracle, run, name) == ("", "", ""), name
    assert said(oracle, run, "putted")[0] == "right"
    remarks = " ".join(oracle.remarks)
    assert "nowhere is about misspelt, but no call of that was recorded" in remarks
    assert "hangs failed on double (call " in remarks
    assert "longer than 0.5 seconds" in remarks
    assert "crashes failed on triple" in remarks
    assert "its process ended (status 3)" in remarks
    assert "garbage returned 'maybe'; it must return True or False" in remarks
    assert "AttributeError" in remarks


@pytest.mark.parametrize("name", ["no_such_module", "no_such.py"])
def test_a_specification_that_is_not_there_is_a_usage_error(run: Opened, name: str) -> None:
    with pytest.raises(UsageError, match="can't be used"):
        Specification(run.trace, [name])


CHECKS = """
def judge(question):
    value = (question["outcome"]["value"] or {}).get("value")
    return {
        "double": True,
        "triple": {"verdict": "wrong", "expected": 6, "note": "three times"},
        "total": None,
        "put": "inadmissible",
        "putted": "perhaps",
        "counted": 17,
        "printed": value == 2,
    }[question["function"]]
"""


def test_a_function_is_asked_with_the_data_of_the_question(run: Opened, tmp_path: Path) -> None:
    from sleuth.views.prompt.inquiry import Inquiry  # noqa: PLC0415

    trace = run.trace
    oracle = Custom(trace, f"{trace.path.with_name('checks.py')}:judge")
    oracle.describe_with(Inquiry(trace, run.session(transform=()), None)._described)
    names = ("double", "triple", "total", "put", "putted", "counted", "printed", "divide")
    found = [said(oracle, run, name)[0] for name in names]
    assert found == ["right", "wrong", "", "inadmissible", "", "", "wrong", ""]
    assert said(oracle, run, "triple") == ("wrong", "", "6")
    remarks = " ".join(oracle.remarks)
    assert "'perhaps' is not a verdict" in remarks
    assert "it returned 17, which is not a verdict" in remarks
    assert "KeyError: 'divide'" in remarks


@pytest.mark.parametrize("named", ["checks", ":judge", "checks:", "checks:nothing"])
def test_a_function_that_is_not_there_is_a_usage_error(run: Opened, named: str) -> None:
    with pytest.raises(UsageError, match="--oracle"):
        Custom(run.trace, named)


def test_importing_the_declarations_loads_nothing_else() -> None:
    code = "import sys, sleuth.spec; print([n for n in sys.modules if n.startswith('sleuth')])"
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    loaded: list[Any] = json.loads(found.replace("'", '"'))
    others = {"sleuth", "sleuth.errors", "sleuth.spec", "sleuth.spec.call", "sleuth.spec.declare"}
    assert {*loaded} == others
