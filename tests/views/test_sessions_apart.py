"""Two sessions over one trace: what one of them says, names or sees, the other does not."""

from pathlib import Path

import pytest

import sleuth
from sleuth.opening import Opened
from sleuth.search.question import Answer, Question, Verdict
from sleuth.trace.store.encode import Segment
from sleuth.tree.node import NodeKind
from sleuth.tree.transformations.outline import Wish
from sleuth.views.drawing.styled import plain
from sleuth.views.prompt import loop_views, messages
from sleuth.views.prompt.first_screen import introduction
from sleuth.views.prompt.inquiry import Inquiry
from sleuth.views.prompt.wishes import wished
from tests.recorded import call_of, recorded
from tests.trace.test_growing import calls_in
from tests.trace.test_trace import writer_at

pytestmark = pytest.mark.two_versions

LOOP = """
def total(lines):
    result = 0
    for line in lines:
        result += line
    return result

print(total(range(20)))
"""
CALLS = """
def leaf(x): return x + 1

def helper(x): return x

def main():
    return [leaf(0), helper(1), leaf(2), leaf(3), helper(4), leaf(5)]

main()
"""


def asked(inquiry: Inquiry) -> Question:
    assert isinstance(inquiry.session.pending, Question)
    return inquiry.session.pending


def shown(inquiry: Inquiry) -> str:
    """Return what the prompt shows of the pending question."""
    lines = messages.question(inquiry, asked(inquiry), 80)
    return "\n".join(plain(each for each in lines if not isinstance(each, str)))


def inquiry_into(found: Opened, *transform: str) -> Inquiry:
    session = found.session(strategy="top-down", transform=transform)
    return Inquiry(found.trace, session, None)


def test_a_name_that_one_session_gives_to_a_loop_is_not_shown_in_another(tmp_path: Path) -> None:
    found = sleuth.open(recorded(tmp_path, LOOP).path)
    first, second = (inquiry_into(found, "loops") for _ in range(2))
    total = call_of(found.trace, "total")
    for each in (first, second):
        each.search_in(each.node_of_call(total.id))
    loop_views.name(first, asked(first).node, "adding up")
    assert "\nadding up: loop of 20 turns" in shown(first)
    assert "\nloop of 20 turns" in shown(second)
    third = inquiry_into(found, "loops")
    assert "\nadding up: loop of 20 turns" in shown(first)
    assert not third.loop_names


def test_answers_and_wishes_of_one_session_do_not_change_the_tree_of_another(
    tmp_path: Path,
) -> None:
    found = sleuth.open(recorded(tmp_path, CALLS).path)
    first, second = (inquiry_into(found, "balance:min=2") for _ in range(2))
    before = second.tree, shown(second)
    wished(first, Wish.INLINE, "helper", None)
    first.give(Answer(asked(first).about, Verdict.WRONG))
    assert first.tree is not second.tree
    assert (second.tree, shown(second)) == before
    while first.session.entries:
        first.undo()
    assert (len(first.tree), shown(first)) == (len(second.tree), shown(second))


def test_a_session_over_a_trace_that_grew_shows_more_and_the_one_before_the_same(
    tmp_path: Path,
) -> None:
    path = tmp_path / "t.trace"
    writer = writer_at(path)
    segment = calls_in(Segment(), range(3))
    writer.write_segment(0, segment.data, closed=False)
    found = sleuth.open(path)
    first, second = inquiry_into(found), inquiry_into(found)
    right = Answer(asked(second).about, Verdict.RIGHT)
    before = shown(first), list(introduction(first, 80))
    writer.write_segment(0, calls_in(segment, range(3, 8)).data, closed=True)
    writer.finish({"how": "exited", "status": 0})
    grown = Opened(found.trace.refreshed())
    later = Inquiry(grown.trace, second.session.on(grown.problem()), None)
    for each in (first, second, later):
        each.give(right)
    assert [len(each.tree) for each in (first, second, later)] == [4, 4, 9]
    assert later.session.answers == first.session.answers
    first.undo()
    assert (shown(first), list(introduction(first, 80))) == before
    assert list(introduction(later, 80)) != before[1]
    assert (first.trace.is_running, later.trace.is_running) == (True, False)


def test_a_group_has_the_members_that_it_has_in_the_tree_of_now(tmp_path: Path) -> None:
    found = sleuth.open(recorded(tmp_path, CALLS).path)
    inquiry = inquiry_into(found, "balance:min=2")
    inquiry.search_in(inquiry.node_of_call(call_of(found.trace, "main").id))

    def members() -> dict[int, set[str]]:
        """Return the functions of each group's members, as they are shown."""
        tree = inquiry.tree
        groups = [n for n in range(len(tree.parent)) if tree.node(n).kind is NodeKind.GROUP]
        calls = {n: inquiry.behaviour(n).group for n in groups}
        return {
            n: {getattr(found.trace.function(call.function), "name", "") for call in group.members}
            for n, group in calls.items()
            if group is not None
        }

    assert any("helper" in names for names in members().values())
    wished(inquiry, Wish.INLINE, "helper", None)
    assert members()
    assert all(names == {"leaf"} for names in members().values())
