"""What is asked about last: code that is seldom wrong, and questions that show nothing."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from sleuth.opening import Opened
from sleuth.search.question import Answer, Verdict
from sleuth.tree.late import Late
from sleuth.tree.node import NodeKind
from sleuth.tree.observe.calls import behaviour_of
from sleuth.tree.observe.silence import shows_nothing
from tests.recorded import recorded

SOURCE = """
    class Box:
        def __init__(self, size, name=None):
            self.size = size
            self.name = name
            self.items = []
        @property
        def width(self):
            return self.size
        @property
        def area(self):
            return self.size * self.size
        def find(self, wanted):
            for each in self.items:
                if each == wanted:
                    return each
        def put(self, item):
            self.items.append(item)
        def nothing(self):
            pass
        def give_up(self, item):
            if item > 3:
                return
            twice = 2 * item

    class Counted:
        def __init__(self, size):
            self.size = size + 1

    def squares(box):
        return [each * box.area for each in range(4)]

    def fill(box):
        for each in range(3): box.put(each)
        for each in range(3):
            box.put(each)

    def main():
        box = Box(2)
        Counted(3)
        box.find(1)
        box.nothing()
        box.give_up(1)
        box.width
        fill(box)
        print(squares(box))

    main()
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Opened:
    return Opened(recorded(Path(tmp_path_factory.mktemp("late")), SOURCE))


def names(run: Opened, calls: Sequence[int]) -> set[str]:
    found = (run.trace.function(run.trace.call(call).function) for call in calls)
    return {each.qualified_name for each in found if each is not None}


def test_bodies_storing_constructors_and_getters_are_late(run: Opened) -> None:
    late = run.tree.call[Late(run.trace)(run.tree)].tolist()
    assert names(run, late) == {"<module>", "Box", "Counted", "Box.__init__", "Box.width"}


def test_what_has_no_result_no_change_and_no_output_shows_nothing(run: Opened) -> None:
    calls = [
        call.id
        for call in run.trace.calls()
        if shows_nothing(run.trace, behaviour_of(run.trace, call))
    ]
    # A function that can return something tells something by returning nothing.
    assert names(run, calls) == {"Box.nothing", "Box.give_up"}


def loops_in(run: Opened, name: str) -> Sequence[int]:
    """Return how many parts there are below each loop of a function judged wrong."""
    call = next(call.id for call in run.trace.calls() if names(run, [call.id]) == {name})
    session = run.session(transform=("loops",))
    session = session.given(Answer(run.tree.key(run.node_of(call)), Verdict.WRONG))
    tree = session.problem.tree
    node = tree.find_call(call)
    assert node is not None
    loops = [each for each in tree.children(node).tolist() if tree.kind[each] == NodeKind.LOOP]
    kinds = (NodeKind.LOOP, NodeKind.TURN)
    return [sum(tree.kind[part] in kinds for part in tree.children(each)) for each in loops]


def test_a_loop_on_one_line_has_no_turns(run: Opened) -> None:
    assert loops_in(run, "squares") == [0]
    assert loops_in(run, "fill") == [0, 3]
