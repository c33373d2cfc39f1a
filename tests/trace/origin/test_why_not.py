"""Decisions because of which a location was not written."""

from pathlib import Path

import pytest

from sleuth.trace.origin.decision import Decision
from sleuth.trace.path import PathError
from sleuth.trace.values import ABSENT, Atom, Constant
from tests.recorded import call_of, recorded

FALSE = Constant("False")


def told(decision: Decision) -> tuple[str, str, object, str]:
    return decision.text, decision.how, decision.value, decision.would


def test_a_branch_that_went_the_other_way_is_named_with_its_values(tmp_path: Path) -> None:
    source = """\
def best(xs):
    found = 0
    for x in xs:
        if x > 10:
            found = x
    return found
best([3, 12, 7])
"""
    trace = recorded(tmp_path, source)
    decisions = trace.why_not("found", call=call_of(trace, "best")).decisions
    assert [told(each) for each in decisions] == [
        ("for x in xs:", "ended", ABSENT, "line 5: found = x (perhaps)"),
        ("x > 10", "gave", FALSE, "line 5: found = x"),
    ]
    assert [(each.path, each.value) for each in decisions[1].inputs] == [
        ("x", Atom(7)),
        ("10", Atom(10)),
    ]


def test_only_stores_to_the_same_item_count_where_the_key_is_known(tmp_path: Path) -> None:
    source = """\
def fill(c, i, j, k):
    if k:
        c[i] = 1
    if k:
        c[j] = 2
fill([0, 0, 0], 1, 2, 0)
"""
    trace = recorded(tmp_path, source)
    call = call_of(trace, "fill")
    (decision,) = trace.why_not("c[2]", call=call).decisions
    assert told(decision) == ("k", "gave", Atom(0), "line 5: c[j] = 2")
    assert trace.why_not("c[0]", call=call).decisions == ()


def test_an_early_return_and_an_exception_are_decisions(tmp_path: Path) -> None:
    source = """\
def early(x):
    if x is None:
        return
    y = x + 1
def late(d):
    z = d["q"]
    y = 2
early(None)
try:
    late({})
except KeyError:
    pass
"""
    trace = recorded(tmp_path, source)
    (first,) = trace.why_not("y", call=call_of(trace, "early")).decisions
    assert (first.line, first.would) == (2, "line 4: y = x + 1")
    (second,) = trace.why_not("y", call=call_of(trace, "late")).decisions
    assert (second.text, second.how, second.would) == ('d["q"]', "raised", "line 7: y = 2")


def test_a_handler_that_was_not_entered_is_a_decision(tmp_path: Path) -> None:
    source = """\
def get(d, k):
    try:
        v = d[k]
    except KeyError:
        v = None
    return v
get({1: 2}, 1)
"""
    trace = recorded(tmp_path, source)
    (decision,) = trace.why_not("v", call=call_of(trace, "get")).decisions
    assert (decision.text, decision.how, decision.line) == ("except KeyError:", "not entered", 4)


def test_each_operand_of_and_decides_by_itself(tmp_path: Path) -> None:
    source = """\
def f(a, b):
    if a > 0 and b > 0:
        r = 1
f(1, 0)
f(0, 1)
"""
    trace = recorded(tmp_path, source)
    (first,) = trace.why_not("r", call=call_of(trace, "f", 0)).decisions
    assert told(first) == ("b > 0", "gave", FALSE, "line 3: r = 1")
    (second,) = trace.why_not("r", call=call_of(trace, "f", 1)).decisions
    assert told(second) == ("a > 0", "gave", FALSE, "line 3: r = 1 (perhaps)")


def test_a_negated_condition_is_not_said_to_have_given_what_it_did_not(tmp_path: Path) -> None:
    source = """\
def f(xs):
    if not len(xs):
        r = 1
    if len(xs) < 1:
        r = 2
f([1])
"""
    trace = recorded(tmp_path, source)
    second, first = trace.why_not("r", call=call_of(trace, "f")).decisions
    assert (first.value, first.unknown) == (ABSENT, "What it gave is not known.")
    assert (second.value, second.unknown) == (FALSE, None)


def test_a_call_that_was_not_made_leads_to_the_function_that_writes(tmp_path: Path) -> None:
    source = """\
class Order:
    def __init__(self):
        self.total = 0
    def pay(self, amount):
        self.total = amount
def settle(order, amount):
    if amount > 5:
        order.pay(amount)
order = Order()
settle(order, 3)
"""
    trace = recorded(tmp_path, source)
    (decision,) = trace.why_not("order.total").decisions
    assert told(decision) == (
        "amount > 5",
        "gave",
        FALSE,
        "line 8: order.pay(amount), which may write it",
    )
    (above,) = trace.why_not("order.total", call=call_of(trace, "settle")).decisions
    assert above.call == decision.call


def test_an_attribute_a_global_a_result_and_output_that_were_never_written(
    tmp_path: Path,
) -> None:
    source = """\
class Box:
    pass
def work(box, n):
    global done
    if n > 3:
        box.size = n
        done = True
        print("large")
        return "large"
    return "small"
box = Box()
work(box, 2)
"""
    trace = recorded(tmp_path, source)
    call = call_of(trace, "work")
    lines = {"box.size": 6, "done": 7, "stdout": 8, "return": 9}
    for path, line in lines.items():
        (decision,) = trace.why_not(path, call=call).decisions
        assert (decision.text, decision.value) == ("n > 3", FALSE), path
        assert decision.would.startswith(f"line {line}: "), path


def test_a_write_that_is_not_in_the_code_has_no_decisions(tmp_path: Path) -> None:
    trace = recorded(tmp_path, "def f(x):\n    y = 1\n    if x:\n        z = 2\nf(0)\n")
    assert trace.why_not("y", call=call_of(trace, "f")).decisions == ()
    with pytest.raises(PathError):
        trace.why_not("nothing", call=call_of(trace, "f"))


@pytest.mark.parametrize("end", ["it.close()", "os._exit(0)"])
def test_a_generator_that_was_not_resumed_is_a_decision(tmp_path: Path, end: str) -> None:
    source = f"""\
import os
def gen():
    yield 1
    last = 2
it = gen()
next(it)
{end}
"""
    trace = recorded(tmp_path, source)
    (decision,) = trace.why_not("last", call=call_of(trace, "gen")).decisions
    assert decision.line == 3
    # Up to 3.12 `close` resumes a generator with an exception; later it need not.
    possible = {"not resumed"} if "exit" in end else {"not resumed", "raised"}
    assert decision.how in possible


def test_a_sum_of_numbers_is_no_write_to_a_list_and_one_of_a_list_is(tmp_path: Path) -> None:
    source = """\
def f(xs, more, n):
    if n:
        n += 1
    if n:
        k = len(xs)
        k += 1
    if n:
        xs += more
f([1], [2], 0)
"""
    trace = recorded(tmp_path, source)
    (decision,) = trace.why_not("xs[1]", call=call_of(trace, "f")).decisions
    assert decision.would == "line 8: xs += more (perhaps another one)"
