"""Footprints (locations that calls touch), and chains of calls that go on with the same state."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[3]))
from sleuth.trace.reader import Trace
from sleuth.tree.build import tree_of
from sleuth.tree.dependence.chains import Chains, stretches
from sleuth.tree.dependence.footprints import Footprints, Global, footprints
from sleuth.tree.flat import FlatTree
from tests.recorded import call_of, recorded

PROGRAM = """
total = 0
log = []


class Box:
    def __init__(self):
        self.x = 0
    def right(self):
        self.x += 1
    def twice(self):
        self.right()
        self.right()
    def peek(self):
        return self.x


def bump():
    global total
    total += 1


def show(text):
    print(text)


def numbers(box):
    box.x = 1
    yield box.x


def straight():
    box = Box()
    box.right()
    box.twice()
    log.append("not theirs")
    local = 5
    box.right()
    return local


def disturbed():
    box = Box()
    box.right()
    box.right()
    box.x = 5
    box.right()
    box.right()


def looking():
    box = Box()
    box.right()
    box.peek()
    box.right()
    box.right()


def turning():
    tower, king = Box(), Box()
    for _ in range(2):
        tower.right()
    for _ in range(2):
        king.right()


def printing():
    show("a")
    show("b")
    print("between")
    show("c")
    show("d")


def sharing():
    count = 0
    def add():
        nonlocal count
        count += 1
    add()
    add()
    count = 7
    add()
    add()


def waiting():
    box = Box()
    box.right()
    for _ in numbers(box):
        pass
    box.right()


straight()
disturbed()
looking()
turning()
printing()
sharing()
waiting()
bump()
bump()
other = 3
bump()
total = 5
bump()
"""


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    return recorded(tmp_path_factory.mktemp("chains"), PROGRAM)


@pytest.fixture(scope="module")
def tree(trace: Trace) -> FlatTree:
    return tree_of(trace)


def chains(trace: Trace, tree: FlatTree, name: str) -> list[list[str]]:
    node = tree.find_call(call_of(trace, name).id)
    assert node is not None
    children = tree.children(node)
    names = []
    for routine in tree.routine[children].tolist():
        function = trace.function(routine)
        names.append(function.name if function else "")
    found = stretches(Chains(trace).of(tree, node, children).is_linked)
    return [names[start:stop] for start, stop in found]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # A new object is no state that was there before; what the calls don't touch is no matter.
        ("straight", [["right", "twice", "right"]]),
        ("disturbed", [["right", "right"], ["right", "right"]]),
        # What only returns something changes nothing.
        ("looking", [["right", "right"]]),
        ("turning", [["right", "right", "right", "right"]]),
        ("printing", [["show", "show"], ["show", "show"]]),
        ("sharing", [["add", "add"], ["add", "add"]]),
        # A generator is not done when the next call begins.
        ("waiting", []),
        ("<module>", [["bump", "bump", "bump"]]),
    ],
)
def test_calls_are_chained_if_nothing_they_touch_is_written_between(
    trace: Trace, tree: FlatTree, name: str, expected: list[list[str]]
) -> None:
    found = chains(trace, tree, name)
    if name == "<module>":  # what the functions above printed is one chain as well
        found = [chain for chain in found if "bump" in chain]
    assert found == expected


def of(trace: Trace, tree: FlatTree, name: str) -> Footprints:
    node = tree.find_call(call_of(trace, name).id)
    assert node is not None
    return footprints(trace, tree, tree.children(node))


def test_a_footprint_is_what_a_call_was_given_uses_and_wrote(trace: Trace, tree: FlatTree) -> None:
    found = of(trace, tree, "disturbed")
    made, first, *_ = [found.of(call) for call in range(found.count)]
    (box,) = made[1]
    assert first == ({box}, {box})
    assert found.changes.tolist() == [False, True, True, True, True]
    printed = of(trace, tree, "printing").of(0)
    assert printed == (set(), {-1})
    module = of(trace, tree, "<module>")
    read, written = module.of(module.count - 1)
    names = {each.name for each in (*read, *written) if isinstance(each, Global)}
    assert names == {"total"}


def test_turns_of_loops_are_seen_between_members(trace: Trace, tree: FlatTree) -> None:
    node = tree.find_call(call_of(trace, "turning").id)
    assert node is not None
    links = Chains(trace).of(tree, node, tree.children(node))
    assert links.is_aligned.tolist()[2:] == [True, True, True]
    assert links.is_shared.tolist()[2:] == [True, False, True]
