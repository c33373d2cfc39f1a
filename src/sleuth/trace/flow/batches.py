"""Splits the flows of a module into batches small enough for readers to accept."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sleuth.trace.flow.table import FlowRow

_MOST = 200_000
"""Items in a batch, at most and roughly; readers refuse twice as many."""


def flow_batches(flows: Sequence[FlowRow]) -> Iterator[list[FlowRow]]:
    """Yield the flows in batches of consecutive functions.

    The operations of a function that is too long for any batch are left out.
    """
    batch: list[FlowRow] = []
    size = 0
    for each in sorted(flows, key=lambda row: row.id):
        row, more = each, _size(each)
        if more > _MOST:
            row = replace(each, operations=())
            more = _size(row)
        if batch and size + more > _MOST:
            yield batch
            batch, size = [], 0
        batch.append(row)
        size += more
    if batch:
        yield batch


def _size(row: FlowRow) -> int:
    """Count the items of a row, roughly: a list counts as one more than its items."""
    columns = (*row.statements, *row.steps, *row.loops, *row.operations)
    return _inner(row.wording) + sum(
        len(column) + sum(_inner(each) for each in column) for column in columns
    )


def _inner(item: object) -> int:
    if isinstance(item, (list, tuple)):
        return 1 + sum(1 + _inner(each) for each in item)
    if isinstance(item, dict):
        return 1 + sum(1 + _inner(each) for each in item.values())
    return 0
