"""Folding, regions and inlining: commands, output, and kept wishes."""

import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))
from sleuth.errors import UsageError
from sleuth.search.question import Answer, Diagnosis, Question, Reason, Verdict
from sleuth.tree.flat import FlatTree
from sleuth.tree.node import NodeKind
from sleuth.tree.transformations.outline import Wish
from sleuth.views.drawing.styled import plain
from sleuth.views.guilty_code import guilt_of, guilty
from sleuth.views.prompt import name_lookup
from sleuth.views.prompt.first_screen import introduction
from sleuth.views.prompt.inquiry import Inquiry, opened
from sleuth.views.prompt.messages import question
from sleuth.views.prompt.wishes import holding, wished
from sleuth.views.wire import machine
from sleuth.views.wire.reports import report
from sleuth.views.words.diagnosis import diagnosis_lines
from sleuth.views.words.node_line import node_title
from tests.recorded import call_of, recorded

pytestmark = pytest.mark.two_versions

PROGRAM = """
def leaf(x):
    return x + 1

def fact(n):
    if n < 2:
        return 1
    return n * fact(n - 1)

def helper(x):
    y = leaf(x)
    return y * 2

def main():
    helper(1)
    helper(2)
    return fact(4)

main()
"""


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return recorded(tmp_path_factory.mktemp("wishes"), PROGRAM).path


@pytest.fixture
def inquiry(path: Path) -> Iterator[Inquiry]:
    path.with_name("prog.answers.jsonl").unlink(missing_ok=True)
    with opened(path) as found:
        found.shape(())
        found.search_in(found.node_of_call(call_of(found.trace, "main").id))
        found.use("top-down")
        yield found


def names(inquiry: Inquiry) -> list[str]:
    """Return what the tree consists of."""
    assert isinstance(inquiry.tree, FlatTree)
    trace = inquiry.trace
    functions = (trace.function(number) for number in inquiry.tree.routine.tolist())
    return [function.qualified_name for function in functions if function]


def asked(inquiry: Inquiry) -> str:
    pending = inquiry.session.pending
    assert isinstance(pending, Question)
    function = inquiry.behaviour(pending.node).function
    assert function is not None
    return function.qualified_name


PLAIN = ["<module>", "main", "helper", "leaf", "helper", "leaf", "fact", "fact", "fact", "fact"]


def test_a_function_is_folded_by_name_a_call_by_number(inquiry: Inquiry) -> None:
    said = wished(inquiry, Wish.FOLD, "helper", None)
    assert said == ["Folded, and asked about last: helper."]
    assert names(inquiry) == ["<module>", "main", "helper", "helper", *["fact"] * 4]
    assert asked(inquiry) == "fact"
    wished(inquiry, Wish.UNFOLD, "all", None)
    assert names(inquiry) == PLAIN
    wished(inquiry, Wish.FOLD, str(call_of(inquiry.trace, "helper").id), None)
    assert names(inquiry).count("leaf") == 1
    inquiry.undo()
    assert names(inquiry) == PLAIN


def test_what_is_asked_about_is_folded_where_nothing_is_named(inquiry: Inquiry) -> None:
    pending = inquiry.session.pending
    assert isinstance(pending, Question)
    wished(inquiry, Wish.FOLD, "", pending.about)
    assert asked(inquiry) == "helper"
    assert inquiry.session.pending != pending
    with pytest.raises(UsageError, match="Name a call or a function"):
        wished(inquiry, Wish.FOLD, "", None)
    with pytest.raises(UsageError, match="Did you mean helper"):
        wished(inquiry, Wish.FOLD, "helpr", None)


def test_one_region_is_searched_first(inquiry: Inquiry) -> None:
    wished(inquiry, Wish.ONLY, "fact", None)
    assert asked(inquiry) == "fact"
    assert "only fact" in " ".join(map(str, introduction(inquiry, 80)))
    inquiry.shape(())
    assert asked(inquiry) == "helper"
    assert names(inquiry) == PLAIN


def test_a_diagnosis_names_the_lines_of_inlined_code(inquiry: Inquiry) -> None:
    wished(inquiry, Wish.INLINE, "leaf", None)
    wished(inquiry, Wish.INLINE, "leaf", None)
    assert len(inquiry.session.ledger.wishes) == 1, "once is enough"
    about = inquiry.key_of_call(call_of(inquiry.trace, "helper").id)
    inquiry.give(Answer(about, Verdict.WRONG))
    found = inquiry.session.pending
    assert isinstance(found, Diagnosis)
    (guilt,) = guilty(inquiry.trace, found, inquiry.session)
    assert (guilt.lines, [each.lines for each in guilt.held]) == ((11, 12), [(3,)])
    shown = list(plain(diagnosis_lines(inquiry.trace, found, inquiry.session, width=80)))
    at = shown.index("Also check leaf, which counts as part of it.")
    assert shown[at + 1].split() == ["leaf", "prog.py,", "line", "3"]
    (held,) = report(inquiry.trace, inquiry.session)["diagnosis"]["held"]
    assert (held["function"], held["lines"]) == ("leaf", [3])


def test_a_merged_call_can_be_judged_by_its_number(inquiry: Inquiry) -> None:
    inquiry.shape(("compress-all",))
    assert names(inquiry).count("fact") == 1
    fact = call_of(inquiry.trace, "fact", 2).id
    node = name_lookup.node(inquiry, str(fact))
    assert inquiry.tree.key(node).call == fact
    assert names(inquiry).count("fact") == 2
    first = inquiry.node_of_call(call_of(inquiry.trace, "fact").id)
    lines = question(inquiry, inquiry.session.question(first), 80)
    shown = [each if isinstance(each, str) else next(plain([each])) for each in lines]
    assert any(each.startswith("With 1 call merged into it;") for each in shown)


def sent(inquiry: Inquiry, *documents: dict[str, Any]) -> list[dict[str, Any]]:
    sink = io.StringIO()
    machine.loop(inquiry, io.StringIO("\n".join(map(json.dumps, documents))), sink)
    return [json.loads(line) for line in sink.getvalue().splitlines()]


def test_programs_fold_and_inline_as_well(inquiry: Inquiry) -> None:
    heard = sent(
        inquiry,
        {"verdict": "inline", "function": "leaf"},
        {"verdict": "fold"},
        {"verdict": "only", "function": "fact"},
        {"verdict": "unfold", "function": "nobody"},
        {"verdict": "undo"},
    )
    functions = [each.get("function") for each in heard[:4]]
    assert functions == ["helper", "helper", "helper", "fact"]
    assert heard[0]["id"] == heard[1]["id"] != heard[2]["id"]
    assert heard[4]["type"] == "error"
    assert heard[5]["id"] == heard[2]["id"]
    inquiry.shape(("compress-all",))
    assert sent(inquiry, {"verdict": "only", "function": "fact"})[1]["merged"] == 3


def test_wishes_are_kept(path: Path, inquiry: Inquiry) -> None:
    wished(inquiry, Wish.INLINE, "leaf", None)
    wished(inquiry, Wish.FOLD, "fact", None)
    before = names(inquiry)
    assert inquiry.journal is not None
    inquiry.journal.close()
    with opened(path) as again:
        assert names(again) == before
        again.undo()
        assert names(again).count("fact") == 4
        again.undo()
        assert names(again) == PLAIN


GROUPED = """
def logged(f):
    def wrapper(*args):
        return f(*args)
    return wrapper

@logged
def put(where, n):
    where.append(n)
    return n * 2

def main():
    where = []
    put(where, 1)
    put(where, 2)
    put(where, 3)
    put(where, 4)
    return where

main()
"""


def test_a_group_of_wrapped_calls_lists_what_was_wrapped(tmp_path: Path) -> None:
    with opened(recorded(tmp_path, GROUPED).path) as found:
        found.search_in(found.node_of_call(call_of(found.trace, "main").id))
        found.shape(("forward", "balance"))
        kinds = found.tree.kind.tolist()
        group = kinds.index(NodeKind.GROUP)
        behaviour = found.behaviour(group)
        assert behaviour.group is not None
        members = [found.trace.function(call.function) for call in behaviour.group.members]
        assert [each.name for each in members if each] == ["put", "put"]
        about = found.tree.key(group)
        found.give(Answer(about, Verdict.RIGHT))
        assert node_title(found.trace, about, {}) == "group of 2 calls of put made by main"
        # The answer holds where the group is no node: what it consists of is right.
        found.shape(())
        right = {int(found.tree.call[node]) for node in found.session.space.judged.implied}
        assert right >= {call_of(found.trace, "put").id, call_of(found.trace, "put", 1).id}
        space = found.session.space
        asked = {int(found.tree.call[node]) for node in space.candidates + space.focus}
        assert not asked & right


def test_what_is_not_folded_can_not_be_unfolded(inquiry: Inquiry) -> None:
    before = inquiry.session
    assert wished(inquiry, Wish.UNFOLD, "helper", None) == [
        "Nothing is folded or merged in this: helper."
    ]
    assert wished(inquiry, Wish.UNFOLD, "all", None) == ["Nothing is folded or merged."]
    assert inquiry.session is before
    wished(inquiry, Wish.FOLD, "helper", None)
    assert wished(inquiry, Wish.UNFOLD, "helper", None) == ["No longer folded: helper."]
    wished(inquiry, Wish.ONLY, "fact", None)
    assert wished(inquiry, Wish.UNFOLD, "all", None) == ["No longer folded: everything."]


MANY = """
def leaf(x):
    return x + 1

def helper(x):
    return leaf(x) + leaf(-x)

def main():
    for_all = [leaf(0), helper(1), leaf(2), leaf(3), helper(4), leaf(5)]
    return for_all

main()
"""


_REASON = Reason("top-down", 1, 1, 1, 0.0, is_on_path=False)


def test_a_group_with_inlined_calls_has_the_same_members_whoever_asks(tmp_path: Path) -> None:
    path = recorded(tmp_path, MANY).path
    with opened(path) as inquiry:
        inquiry.shape(("balance:min=2",))
        inquiry.search_in(inquiry.node_of_call(call_of(inquiry.trace, "main").id))
        wished(inquiry, Wish.INLINE, "helper", None)
        tree = inquiry.tree
        groups = [
            node
            for node in range(len(tree.parent))
            if tree.node(node).kind is NodeKind.GROUP and inquiry.behaviour(node).group
        ]
        assert groups
        for node in groups:
            shown = inquiry.behaviour(node).group
            told = guilt_of(inquiry.trace, inquiry.session, node).behaviour.group
            asked_now = Question(1, node, tree.key(node), _REASON)
            sent = inquiry._described(asked_now)
            assert shown is not None
            assert told == shown
            functions = {inquiry.trace.function(call.function) for call in shown.members}
            assert {function.name for function in functions if function} == {"leaf"}
            assert sent["calls"]["members"] == [call.id for call in shown.members]


def test_what_the_search_is_restricted_to_is_said_at_the_start(inquiry: Inquiry) -> None:
    wished(inquiry, Wish.ONLY, "helper", None)
    assert list(holding(inquiry)) == ["Searching only helper; `x none` lifts that."]
