"""Changes in words, a row for each path: `self.lines[2].price  20 -> 18`."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from sleuth.trace.heap.contrast import is_same
from sleuth.trace.heap.difference import Change
from sleuth.trace.heap.nested import Nested, nested
from sleuth.trace.path import Step
from sleuth.trace.values import Atom, Constant, Ref, shown
from sleuth.views.drawing.broken import broken, is_short, limited
from sleuth.views.drawing.contrast_rows import CHANGED, ContrastRows
from sleuth.views.drawing.rows import MANY, Drawing
from sleuth.views.drawing.sections import under_path
from sleuth.views.drawing.styled import (
    MORE,
    Line,
    Piece,
    Role,
    fitted,
    line,
    width,
    width_of,
    windows,
)
from sleuth.views.drawing.value_text import WHOLE

_FEWEST = 3
"""The least number of items, added or removed together, that are told in one row."""
_INDEX = re.compile(r"\[-?\d+\]")
_TOGETHER = 3
"""Changes of one kind in front of those of another kind, where not all may be shown."""
_MOST_ROWS = 200
_MOST_LINES = 7
"""Rows of one change of a long text or of a table."""
_ANOTHER = "  (another object with the same contents)"
_LEAST_ROOM = 8
"""Columns that each value has, however little room there is."""


@dataclass(frozen=True, slots=True)
class _Run:
    """Changes that share one row."""

    changes: tuple[Change, ...]

    @property
    def path(self) -> str:
        first, last = self.changes[0].path, self.changes[-1].path
        return first if first == last else f"{first} to {last[last.rindex('[') :]}"


class ChangeRows:
    """Makes rows of changes of one behaviour."""

    def __init__(self, drawing: Drawing) -> None:
        self._drawing = drawing
        self._most = drawing.most

    def rows(self, changes: Sequence[Change], *, most: int = _MOST_ROWS) -> list[Line]:
        """Return a row for each change; items added or removed together share one."""
        runs = _mixed(list(_runs([self._meant(each) for each in changes])))[:most]
        if not runs:
            return []
        self._most = self._drawing.most if len(runs) <= MANY else 1
        column = self._column([run.path for run in runs])
        return [row for run in runs for row in self._rows(run, column)]

    def each(self, changes: Sequence[Change]) -> list[Line]:
        """Return a row for each change, none joined."""
        meant = [self._meant(each) for each in changes]
        column = self._column([each.path for each in meant])
        return [row for change in meant for row in self._rows(_Run((change,)), column)]

    def _meant(self, change: Change) -> Change:
        """Return a change of a library object's state in words: `self.ready  not set -> set`."""
        kind = change.holder.type_name if change.holder is not None else ""
        meaning = self._drawing.conventions.library.get(kind)
        name = change.key.content if isinstance(change.key, Atom) else None
        if meaning is None or not meaning.said or name != meaning.state:
            return change
        old, new = (meaning.words(shown(value)) for value in (change.old, change.new))
        if change.kind != "set" or not (old and new):
            return change
        path = change.path.removesuffix(str(Step("attribute", name)))
        return replace(change, path=path, old=Constant(old), new=Constant(new))

    def _column(self, paths: Sequence[str]) -> int:
        """Return the width of the column of paths; longer paths stand out of it."""
        widest = max(self._drawing.room // 2 - 2, 0)
        return max((width(path) for path in paths if width(path) <= widest), default=0) + 2

    def _rows(self, run: _Run, column: int) -> list[Line]:
        """Return one row; two if the old and the new value have no room on one."""
        change = run.changes[0]
        also = f"  (also {', '.join(change.also)})" if change.also else ""
        if change.cause is not None and change.cause.since is not None:
            also += "  (found later)"

        def rows(room: int) -> list[Line]:
            note = fitted(also, max(room // 2, 12)) if width(also) > room // 2 else also
            told = [line(*row) for row in self._told(run, room - width(note), room)]
            if note and len(told) > 1:  # there it would take room from the first row only
                told = [line(*row) for row in self._told(run, room, room)]
            if width_of(told[-1]) + width(note) > room:
                return [*told, line(Piece(note.lstrip(), Role.DIM))]
            return [*told[:-1], (*told[-1], Piece(note, Role.DIM))]

        return under_path(run.path + "  ", self._drawing.room, rows, column=column)

    def _told(self, run: _Run, room: int, below: int) -> list[list[Piece]]:
        """Return what changed; a second row has the room below the first."""
        change = run.changes[0]
        if change.kind == "added":
            # A variable that gets its first value is not added to anything.
            said = "added " if change.holder is not None else "= "
            return self._listed(said, run, room, below)
        if change.kind == "removed":
            return self._listed("removed ", run, room, below)
        before, after = self.pair(change, room, below - 3)
        old, new = Piece(before, Role.OLD), Piece(after, Role.NEW)
        if before == after and self.is_replaced(change):
            note = fitted(_ANOTHER, max(room - width(after), 0))
            return [[new, Piece(note, Role.DIM)]]
        if width(old.text) + 4 + width(new.text) <= room:
            return [[old, Piece(" -> "), new]]
        if block := self._block(change, below):
            return [[*row] for row in block]
        return self._below(change, below) or [[old], [Piece("-> "), new]]

    def _below(self, change: Change, room: int) -> list[list[Piece]]:
        """Return the old and the new value on several rows each; empty: one row each is enough."""
        most, left = self._most, room - 3
        sides = []
        for is_new in (False, True):
            text = self._picture(change, left * most * 7 // 8, is_new=is_new)
            sides.append(broken(text, left))
        if most == 1 or max(map(len, sides)) > most or "".join(sides[0]) == "".join(sides[1]):
            return []
        (first, *rest), (now, *more) = sides
        return [
            [Piece(first, Role.OLD)],
            *([Piece(each, Role.OLD)] for each in rest),
            [Piece("-> "), Piece(now, Role.NEW)],
            *([Piece("   "), Piece(each, Role.NEW)] for each in more),
        ]

    def is_replaced(self, change: Change) -> bool:
        """Whether another object with the same contents took the place of the old one."""
        return change.kind == "set" and is_same(*self._sides(change))

    def _sides(self, change: Change) -> tuple[Nested, Nested]:
        """Return the new and the old value with their contents."""
        look, behaviour = self._drawing.trace.shape, self._drawing.behaviour
        new, old = (change.new, behaviour.last), (change.old, behaviour.first)
        return nested(look, *new), nested(look, *old)

    def _block(self, change: Change, room: int) -> list[Line]:
        """Return how long texts or tables differ; empty: the values are something else."""
        if change.kind != "set" or isinstance(change.old, Ref) != isinstance(change.new, Ref):
            return []  # a look into all that an object contains takes long
        pictures, (new, old) = self._drawing.pictures, self._sides(change)
        return ContrastRows(pictures, CHANGED, room=room).block(new, old, most=_MOST_LINES)

    def pair(self, change: Change, room_for_old: int, room_for_new: int) -> tuple[str, str]:
        """Return the old and the new value; long ones around their first difference."""
        rooms = (max(room_for_old, _LEAST_ROOM), max(room_for_new, _LEAST_ROOM))
        old = self._picture(change, rooms[0], is_new=False)
        new = self._picture(change, rooms[1], is_new=True)
        if old != new and not (old.endswith(MORE) and new.endswith(MORE)):
            return old, new
        whole = [self._picture(change, WHOLE, is_new=is_new) for is_new in (False, True)]
        return (old, new) if whole[0] == whole[1] else windows(whole[0], whole[1], rooms)

    def _listed(self, said: str, run: _Run, room: int, below: int) -> list[list[Piece]]:
        """Return items that were added or removed, on a few rows if one cuts them."""
        is_new = run.changes[0].kind == "added"
        role = Role.NEW if is_new else Role.OLD
        first, most = room - len(said), self._most
        texts, more = self._fitting(run, first, is_new=is_new)
        if more or any(map(is_short, texts)):
            self._drawing.cut += most == 1
            wider = (first + (most - 1) * (below - 2)) * 7 // 8
            if most > 1:
                texts, more = self._fitting(run, wider, is_new=is_new)
        rows = limited(broken(", ".join([*texts, *more]), first), most, first)
        head, *rest = rows
        return [[Piece(said), Piece(head, role)], *([Piece("  "), Piece(e, role)] for e in rest)]

    def _fitting(self, run: _Run, room: int, *, is_new: bool) -> tuple[list[str], list[str]]:
        """Return as many items as there is room for, and how many more there are."""
        texts: list[str] = []
        for change in run.changes:
            more = f"... {len(run.changes) - len(texts):,} more"
            left = room - len(more) - 2 if len(run.changes) > 1 else room
            text = self._picture(change, left, is_new=is_new)
            is_last = len(texts) == len(run.changes) - 1
            if texts and width(", ".join([*texts, text])) > (room if is_last else left):
                return texts, [more]
            texts.append(text)
        return texts, []

    def _picture(self, change: Change, room: int, *, is_new: bool) -> str:
        behaviour = self._drawing.behaviour
        value = change.new if is_new else change.old
        at = behaviour.last if is_new else behaviour.first
        return self._drawing.short(value, at, max(room, _LEAST_ROOM))


def _runs(changes: Sequence[Change]) -> Iterator[_Run]:
    """Join items that were added to, or removed from, a sequence side by side."""
    waiting: list[Change] = []
    for change in changes:
        if waiting and not _follows(waiting[-1], change):
            yield from _joined(waiting)
            waiting = []
        waiting.append(change)
    yield from _joined(waiting)


def _joined(waiting: list[Change]) -> Iterator[_Run]:
    # All items of a set have the same path.
    if len(waiting) >= _FEWEST or {change.part for change in waiting} == {"set"}:
        yield _Run(tuple(waiting))
    else:
        yield from (_Run((change,)) for change in waiting)


def _follows(before: Change, change: Change) -> bool:
    if (before.holder, before.kind, before.part) != (change.holder, change.kind, change.part):
        return False
    if change.kind not in ("added", "removed") or change.holder is None:
        return False
    if change.part == "set":
        return True
    match before.key, change.key:
        case Atom(int() as first), Atom(int() as second):
            return change.part == "sequence" and second in (first, first + 1)
    return False


def _mixed(runs: list[_Run]) -> list[_Run]:
    """Put some of each kind in front, so that a long list of one kind hides no other."""
    counts: Counter[str] = Counter()
    ranks = []
    for run in runs:
        pattern = _pattern(run.path)
        ranks.append(counts[pattern] // _TOGETHER)
        counts[pattern] += 1
    order = sorted(range(len(runs)), key=lambda at: ranks[at])
    return [runs[at] for at in order]


def _pattern(path: str) -> str:
    return _INDEX.sub("[*]", path)


def patterns(changes: Sequence[Change], *, most: int = 3) -> str:
    """Return the most frequent kinds of paths: `orders[*].total x31`."""
    counts = Counter(_pattern(change.path) for change in changes)
    if len(counts) == len(changes):
        return ""
    words = [f"{path} x{count:,}" for path, count in counts.most_common(most)]
    return ", ".join([*words, *(["..."] if len(counts) > most else [])])
