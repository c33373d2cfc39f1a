"""The shape of toy procedures: each instruction is a statement and a step; some leave an event."""

from hashlib import sha256
from itertools import pairwise
from typing import Any

from sleuth.trace.events import EventKind
from sleuth.trace.flow.table import FlowRow

_BEFORE = {"store": EventKind.BIND, "set": EventKind.SET_ITEM, "return": EventKind.RETURN}
"""Instructions whose event comes before they do what they do."""
_Row = tuple[int, int, int, int, int, list[int], int]


class _Steps:
    """The steps of one procedure, as they are found."""

    def __init__(self, body: list[str], head: int, sites: dict[int, int]) -> None:
        self._body = body
        self._head = head
        self._sites = sites
        self._first = self._starts()
        self._end = self._first[-1]
        """The step that a procedure returns with which has no more instructions."""
        self.rows: list[_Row] = [(0, -1, 0, EventKind.ENTER, 0, [1], -1)]
        for at, instruction in enumerate(body):
            self._add(at, instruction.split())
        self.rows.append((len(body), -1, 0, EventKind.RETURN, 0, [], -1))
        self.rows.append((len(body), -1, 0, EventKind.UNWIND, 0, [], -1))

    def _starts(self) -> list[int]:
        found = [1]
        for instruction in self._body:
            word = instruction.split()[0]
            found.append(found[-1] + 1 + (word in _BEFORE or word == "jumpz"))
        return found

    def _add(self, at: int, words: list[str]) -> None:
        word, *rest = words
        here = len(self.rows)
        if word in _BEFORE:
            self._put(at, _BEFORE[word], [here + 1])
        if word == "jumpz":
            self._put(at, 0, [here + 2, here + 1])
            self._put(at, EventKind.ARM, [self._first[int(rest[0])]])
        elif word == "jump":
            self._put(at, 0, [self._first[int(rest[0])]])
        else:
            self._put(at, 0, [] if word in ("return", "fail") else [self._first[at + 1]])

    def _put(self, at: int, kind: int, following: list[int]) -> None:
        site = self._sites.get(at, 0) if kind and kind != EventKind.RETURN else 0
        row = (at, at, self._head + 1 + at, kind, site, following, self._end + 1)
        self.rows.append(row)


def flow_of(number: int, body: list[str], head: int, sites: dict[int, int]) -> FlowRow:
    """Describe a procedure; `sites`: those of its instructions that have one."""
    rows = _Steps(body, head, sites).rows
    distances = [after - before for before, after in pairwise([0, *(row[0] for row in rows)])]
    columns: list[list[Any]] = [[row[at] for row in rows] for at in range(1, 7)]
    lines = [head + 1 + at for at in range(len(body))]
    statements: list[list[object]] = [
        ["simple"] * len(body),
        [-1] * len(body),
        ["body"] * len(body),
        [*lines],
        [2] * len(body),
        [*lines],
        [2 + len(text) for text in body],
    ]
    steps: list[list[Any]] = [[*distances], *columns, [], []]
    digest = sha256("\n".join(body).encode()).hexdigest()[:16]
    return FlowRow(
        number, statements, steps, parameters=["plain", "plain"], wording={"digest": digest}
    )
