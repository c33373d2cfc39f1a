"""A program with loops of all kinds, and the nodes that are wrong if one of its events is."""

import numpy as np

from sleuth.search.question import Answer, Verdict
from sleuth.trace.reader import Trace
from sleuth.tree.flat import FlatTree
from sleuth.tree.node import Key, NodeKind

PROGRAM = """
import asyncio


def work(x):
    return x + 1


def nested(n):
    total = 0
    for i in range(n):
        if i == 1:
            continue
        for j in "ab":
            total += work(i)
        if i == 3:
            break
    else:
        total = work(-1)
    return total


def whiles(total):
    while total > 5 and work(total):
        total -= 3
        try:
            if total == 4:
                raise ValueError(total)
        except ValueError:
            total = 2
    work(total)
    return total


def comprehensions(n):
    xs = sorted([work(k) for k in range(n)], key=work)
    pairs = {(a, b) for a in range(n) for b in range(a)}
    return xs, sum(work(k) for k in range(2)), len(pairs)


def leaves(xs):
    for x in xs:
        if work(x) > 2:
            return x
    return None


def raises(xs):
    for x in xs:
        work(1 // x)


def stream(n):
    for i in range(n):
        yield work(i)


def reads():
    out = []
    for x in stream(3):
        out.append(x)
    return out


def prints(xs):
    for x in xs:
        print(x)
    print("done")


async def numbers(n):
    for i in range(n):
        yield i


async def reads_async():
    total = 0
    async for x in numbers(3):
        total += work(x)
    return total


def deep(n):
    if n == 0:
        return 0
    total = 0
    for _ in range(2):
        total += deep(n - 1)
    return total


def long(n):
    total = 0
    for i in range(n):
        total += i
    return total


def main():
    nested(5)
    nested(2)
    whiles(16)
    comprehensions(3)
    leaves([0, 1, 2, 3])
    try:
        raises([1, 0])
    except ZeroDivisionError:
        pass
    reads()
    prints("ab")
    prints("a")
    asyncio.run(reads_async())
    deep(2)
    long(300)


main()
"""


def owner_is(tree: FlatTree, key: Key, kind: NodeKind, bug: tuple[int, int]) -> bool:
    """Tell whether a node contains an event: of itself, or of a call that it made."""
    call, moment = bug
    if kind is NodeKind.RUN:
        return True
    while call >= 0 and call != key.call:
        moment, call = made_by(tree, call)
    if kind is NodeKind.GROUP and call == bug[0]:
        return False  # it has no code of its own
    return call == key.call and (kind is NodeKind.CALL or key.first <= moment <= key.last)


def made_by(tree: FlatTree, call: int) -> tuple[int, int]:
    """Return when a call began, and which call made it or has its code; -1: none."""
    node = tree.find_call(call)
    if node is not None:
        return int(tree.first[node]), int(tree.call[tree.parent[node]])
    row = np.flatnonzero((tree.merged.call == call) & (tree.merged.kind == NodeKind.CALL))[0]
    return int(tree.merged.first[row]), int(tree.call[tree.merged.owner[row]])


def judged(tree: FlatTree, node: int, bug: tuple[int, int]) -> Answer:
    """Answer as somebody who knows which event is wrong."""
    found = tree.node(node)
    is_wrong = owner_is(tree, found.key, found.kind, bug)
    return Answer(found.key, Verdict.WRONG if is_wrong else Verdict.RIGHT)


def own_events(trace: Trace) -> dict[int, list[int]]:
    """Return call -> the moments that are its own."""
    found: dict[int, list[int]] = {}
    for event in trace.events(0, trace.event_count - 1):
        if event.call is not None:
            found.setdefault(event.call, []).append(event.moment)
    return found


def owners(trace: Trace, tree: FlatTree) -> dict[int, list[int]]:
    """Return moment -> the nodes that own it: in their interval and in none of their parts."""
    found: dict[int, list[int]] = {}
    for call, moments in own_events(trace).items():
        # (What was between neighbours that were taken together is not theirs.)
        is_together = np.isin(tree.kind, (NodeKind.GROUP, NodeKind.MERGED))
        nodes = np.flatnonzero((tree.call == call) & ~is_together).tolist()
        for moment in moments:
            inside = [
                node
                for node in nodes
                if tree.kind[node] == NodeKind.CALL or tree.first[node] <= moment <= tree.last[node]
            ]
            above = {each for node in inside for each in tree.path(node)[:-1]}
            holder = tree.holder(call)
            merged = [] if inside or holder is None else [holder]
            found[moment] = [node for node in inside if node not in above] or merged
    return found
