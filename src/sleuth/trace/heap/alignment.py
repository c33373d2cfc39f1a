"""Alignment of two versions of a sequence: which items were kept, removed and added."""

from collections.abc import Hashable, Sequence
from difflib import SequenceMatcher

from sleuth.trace.values import Value

_MOST_TO_ALIGN = 1500
"""Longer stretches that differ are not aligned: it would take too long."""


def aligned(
    before: tuple[Value, ...], after: tuple[Value, ...]
) -> list[tuple[int | None, int | None]]:
    """Return pairs of (old index, new index); None instead of an index: added, or removed."""
    head = 0
    while head < min(len(before), len(after)) and before[head] == after[head]:
        head += 1
    tail = 0
    while tail < min(len(before), len(after)) - head and before[~tail] == after[~tail]:
        tail += 1
    stop, end = len(before) - tail, len(after) - tail
    found: list[tuple[int | None, int | None]] = [(at, at) for at in range(head)]
    for tag, a, b, c, d in _opcodes(before[head:stop], after[head:end]):
        olds, news = range(head + a, head + b), range(head + c, head + d)
        if tag == "equal":
            found += zip(olds, news, strict=True)
            continue
        # Items in the same place count as replaced, the rest as removed or added.
        both = set(olds) & set(news)
        found += [(i, i if i in both else None) for i in olds]
        found += [(None, j) for j in news if j not in both]
    found += zip(range(stop, len(before)), range(end, len(after)), strict=True)
    return found


def _opcodes(
    before: tuple[Value, ...], after: tuple[Value, ...]
) -> list[tuple[str, int, int, int, int]]:
    if not before or not after or max(len(before), len(after)) > _MOST_TO_ALIGN:
        return [("replace", 0, len(before), 0, len(after))]
    return list(SequenceMatcher(None, before, after, autojunk=False).get_opcodes())


def hunks(one: Sequence[Hashable], other: Sequence[Hashable]) -> list[tuple[range, range]]:
    """Return the stretches in which two sequences differ, in order: their indices in each."""
    head = 0
    while head < min(len(one), len(other)) and one[head] == other[head]:
        head += 1
    tail = 0
    while tail < min(len(one), len(other)) - head and one[~tail] == other[~tail]:
        tail += 1
    stop, end = len(one) - tail, len(other) - tail
    if max(stop, end) - head > _MOST_TO_ALIGN:
        return [(range(head, stop), range(head, end))]
    inside = one[head:stop], other[head:end]
    codes = SequenceMatcher(None, *inside, autojunk=False).get_opcodes()
    return [
        (range(head + a, head + b), range(head + c, head + d))
        for tag, a, b, c, d in codes
        if tag != "equal"
    ]
