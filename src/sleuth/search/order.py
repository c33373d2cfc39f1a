"""The order of questions: a call comes before its loops, and a loop before its turns."""

from collections.abc import Iterator

from sleuth.search.space import SearchSpace
from sleuth.tree.node import NodeKind

_PARTS = (NodeKind.LOOP, NodeKind.TURN)


def around(space: SearchSpace, node: int) -> Iterator[int]:
    """Yield the call and the loop that a loop or turns are a part of, the call first.

    Only those are meant that can be asked about next.  Nodes are counted from the focus.
    """
    tree, number = space.tree, node + space.focus
    call, found = int(tree.call[number]), []
    while number > space.focus and tree.kind[number] in _PARTS and tree.call[number] == call:
        if _is_whole_loop(space, number):
            found.append(number - space.focus)
        number = int(tree.parent[number])
    if number > space.focus and number == tree.find_call(call):
        found.append(number - space.focus)
    yield from (each for each in reversed(found) if each != node and each in space.candidates)


def _is_whole_loop(space: SearchSpace, number: int) -> bool:
    """Tell whether a node is a whole loop; a loop below a loop is an interval of its turns."""
    kind, above = space.tree.kind, int(space.tree.parent[number])
    return bool(kind[number] == NodeKind.LOOP and kind[above] != NodeKind.LOOP)
