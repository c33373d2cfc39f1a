"""Differences between two moments, as paths from variables: `self.lines[0].price: 20 -> 18`.

Only objects that can be reached from the given variables are compared, each once, and only up to a
limit; the result says what was left out.  This is not the walk of `reachable.py`, as it goes
through two moments at once and follows what is at the same place in both.

What the standard library keeps in its objects is compared last: changes there are folded, up to
the first object of the program that is found in there.
"""

from collections import deque
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace

from sleuth.trace.conventions import Conventions, folded, is_of_library
from sleuth.trace.heap.alignment import aligned
from sleuth.trace.heap.arrays import HASH, Layout, is_column, is_derived, layout
from sleuth.trace.heap.causes import Cause, Causes
from sleuth.trace.heap.causes import Part as _Changed
from sleuth.trace.heap.keys import shown_key, written_key
from sleuth.trace.heap.objects import Heap
from sleuth.trace.heap.reachable import DIFFERENCE
from sleuth.trace.heap.truncated import tail_changes
from sleuth.trace.path import GLOBAL, Step, name_text
from sleuth.trace.values import (
    ABSENT,
    Absent,
    Atom,
    Constant,
    NotKept,
    Part,
    Ref,
    Shape,
    Value,
    shown,
)

_MOST_CHANGES = 1000
_MOST_ALIASES = 3
_MOST_KEYS = 12
"""Keys that are named where their order changed."""


@dataclass(frozen=True, slots=True)
class Change:
    """One difference between two moments."""

    path: str
    kind: str
    """set, added, removed; order: of the keys of a mapping; length, hash: for a container of which
    not all items are kept."""
    old: Value
    new: Value
    holder: Ref | None
    """The object that changed; None: a variable."""
    key: Value
    """Index, key, name of the attribute, or member of a set."""
    part: str
    """The kind of part of the holder; empty for a variable."""
    cause: Cause | None = None
    also: tuple[str, ...] = ()
    """Other paths to the holder."""


@dataclass(frozen=True, slots=True)
class Difference:
    """All changes, and what is known of the rest."""

    changes: tuple[Change, ...]
    same: tuple[str, ...]
    """Variables of which nothing changed, nor anything that can be reached from them."""
    unsure: tuple[str, ...]
    """Paths of objects that may have been changed by code that is not recorded."""
    not_kept: tuple[tuple[str, int, int], ...]
    """Paths of objects of which only some items are kept, how many, and of how many."""
    is_whole: bool
    """False: the limit was reached, so that there may be more changes."""
    folded: tuple[Change, ...] = ()
    """Changes inside objects of the standard library that mean nothing to the program."""
    paths: Mapping[int, str] = field(default_factory=dict)
    """The path under which each object was compared, by its number."""


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two values to compare, and their path."""

    path: str
    old: Value
    new: Value
    root: str
    is_folded: bool = False
    """Whether it is what the standard library keeps in its objects."""

    def to(self, path: str, old: Value, new: Value) -> "_Pair":
        """Return the pair of two values inside."""
        return _Pair(path, old, new, self.root, self.is_folded)


class Comparison:
    """Compares all that can be reached from variables at two moments."""

    def __init__(self, heap: Heap, first: int, last: int, known: Conventions) -> None:
        self._heap = heap
        self._conventions = known
        self._first = first
        self._last = last
        self._queue: deque[_Pair] = deque()
        self._folded_queue: deque[_Pair] = deque()
        self._paths: dict[int, str] = {}
        self._aliases: dict[int, list[str]] = {}
        self._changes: list[Change] = []
        self._folded: list[Change] = []
        self._roots: dict[str, bool] = {}
        """Variable -> whether nothing changed that was compared under it."""
        self._seen_from: dict[int, str] = {}
        self._leans: dict[str, set[str]] = {}
        """Variable -> variables under which some of its objects were compared."""
        self._unsure: list[str] = []
        self._not_kept: list[tuple[str, int, int]] = []
        self._is_whole = True
        self._tells_also = True

    def compare(
        self, before: Mapping[str, Value], after: Mapping[str, Value], *, also: bool = True
    ) -> None:
        """Compare all that can be reached from these variables.

        also: whether they are further paths to what was compared under others.
        """
        self._tells_also = also
        for name in dict.fromkeys((*before, *after)):
            path = name if name.startswith(GLOBAL) else name_text(name)
            old, new = before.get(name, ABSENT), after.get(name, ABSENT)
            if isinstance(old, Ref) and isinstance(new, Ref):
                self._roots.setdefault(path, True)
            self._values(_Pair(path, old, new, path), None, Atom(name), "")
        self._work_off()

    def result(self) -> Difference:
        """Return the difference."""
        while self._folded_queue:
            self._queue.append(self._folded_queue.popleft())
            self._work_off()
        causes = self._causes()
        changes = []
        for change in (*self._changes, *self._folded):
            holder = change.holder
            also = tuple(self._aliases.get(holder.id, ())) if holder else ()
            cause = causes.get((holder.id, _Changed(change.part, change.key))) if holder else None
            changes.append(replace(change, cause=cause, also=also))
        same = tuple(name for name in self._roots if self._is_same(name))
        unsure, not_kept = tuple(self._unsure), tuple(self._not_kept)
        own, folded = changes[: len(self._changes)], changes[len(self._changes) :]
        found = tuple(own), same, unsure, not_kept, self._is_whole, tuple(folded)
        return Difference(*found, paths=self._paths)

    def _causes(self) -> dict[tuple[int, _Changed], Cause]:
        wanted: dict[int, tuple[Ref, list[_Changed]]] = {}
        for change in (*self._changes, *self._folded):
            if change.holder is not None:
                _, parts = wanted.setdefault(change.holder.id, (change.holder, []))
                parts.append(_Changed(change.part, change.key))
        finder = Causes(self._heap, self._first, self._last)
        return {
            (holder.id, part): cause
            for holder, parts in wanted.values()
            for part, cause in finder.of(holder, parts).items()
        }

    def _is_same(self, root: str) -> bool:
        """Whether nothing changed that can be reached from a variable, also via others."""
        waiting, seen = [root], {root}
        while waiting:
            name = waiting.pop()
            if not self._roots.get(name, True):
                return False
            waiting += self._leans.get(name, set()) - seen
            seen |= self._leans.get(name, set())
        return True

    def _work_off(self) -> None:
        while self._queue:
            pair = self._queue.popleft()
            ref = pair.new
            assert isinstance(ref, Ref)  # noqa: S101 - only those are put there
            if ref.id in self._paths:
                aliases = self._aliases.setdefault(ref.id, [])
                is_more = self._tells_also and pair.path != self._paths[ref.id]
                if is_more and len(aliases) < _MOST_ALIASES:
                    aliases.append(pair.path)
                self._leans.setdefault(pair.root, set()).add(self._seen_from[ref.id])
                continue
            if len(self._paths) >= DIFFERENCE.objects:
                self._is_whole = False
                self._roots[pair.root] = False
                continue
            self._paths[ref.id] = pair.path
            self._seen_from[ref.id] = pair.root
            is_folded = pair.is_folded and is_of_library(self._conventions, ref.type_name)
            self._object(ref, replace(pair, is_folded=is_folded))

    def _values(self, pair: _Pair, holder: Ref | None, key: Value, part: str) -> None:
        """Compare two values; an object that is on both sides is looked into later."""
        old, new = pair.old, pair.new
        if isinstance(old, Ref) and isinstance(new, Ref) and old.id == new.id:
            (self._folded_queue if pair.is_folded else self._queue).append(pair)
        elif old != new:
            kind = "added" if old == ABSENT else "removed" if new == ABSENT else "set"
            self._change(Change(pair.path, kind, old, new, holder, key, part), pair)

    def _change(self, change: Change, at: _Pair) -> None:
        self._roots[at.root] = False
        found = self._folded if at.is_folded else self._changes
        if len(found) < _MOST_CHANGES:
            found.append(change)
        else:
            self._is_whole = False

    def _object(self, ref: Ref, at: _Pair) -> None:
        path, root = at.path, at.root
        old, new = self._heap.shape(ref, self._first), self._heap.shape(ref, self._last)
        if new is None:
            # Nothing is known of it, not even whether it changed.
            if path == root:
                self._roots[path] = False
            return
        if not new.is_sure:
            if not at.is_folded:
                self._unsure.append(path)
            self._roots[root] = False
        places = layout(new)
        if old is not None and places is not None:
            self._array(ref, (old, layout(old)), (new, places), at)
        for part in new.parts:
            # (An array of which only some items are kept is compared by its hash.)
            if not part.is_complete and (places is None or part.kind != "sequence"):
                if not at.is_folded:
                    self._not_kept.append((path, len(part.items), part.full_length))
                self._roots[root] = False
            before = old.part(part.kind) if old else None
            is_done = places is not None and part.kind in ("summary", "sequence")
            if before is not None and not is_done:
                self._part(ref, before, part, at)

    def _part(self, ref: Ref, old: Part, new: Part, at: _Pair) -> None:
        found = len(self._changes)
        self._kept(ref, old, new, at)
        if not (old.is_complete and new.is_complete):
            self._tail(ref, old, new, at, is_told=len(self._changes) > found)

    def _tail(self, ref: Ref, old: Part, new: Part, at: _Pair, *, is_told: bool) -> None:
        """Report changes among the items that are not kept."""
        span = self._first, self._last
        happened = tail_changes(self._heap, ref, old, span)
        unknown = NotKept(f"beyond item {len(old.items):,}")
        for key, value in happened.stored:
            pair = at.to(self._item(at.path, key, old.kind), unknown, value)
            self._values(pair, ref, key, old.kind)
        if not happened.is_more or is_told:
            return
        if old.digest is None or new.digest is None:
            self._unsure.append(at.path)
        elif old.digest != new.digest:
            hashes = Atom(old.digest), Atom(new.digest)
            change = Change(f"hash({at.path})", "hash", *hashes, ref, ABSENT, new.kind)
            self._change(change, at)

    def _item(self, path: str, key: Value, kind: str) -> str:
        if kind == "sequence" and isinstance(key, Atom):
            return f"{path}[{key.content!r}]"
        return self._step(path, key, kind)

    def _kept(self, ref: Ref, old: Part, new: Part, at: _Pair) -> None:
        if not (old.is_complete and new.is_complete) and old.full_length != new.full_length:
            lengths = Atom(old.full_length), Atom(new.full_length)
            change = Change(f"len({at.path})", "length", *lengths, ref, ABSENT, new.kind)
            self._change(change, at)
        match new.kind:
            case "sequence":
                self._sequence(ref, old, new, at)
            case "set":
                self._set(ref, old, new, at)
            case "cell" | "bytes" | "value":
                path = f"{at.path}.cell_contents" if new.kind == "cell" else at.path
                pair = at.to(path, _only(old), _only(new))
                self._values(pair, ref, ABSENT, new.kind)
            case _:
                self._mapping(ref, old, new, at)

    def _array(
        self, ref: Ref, old: tuple[Shape, Layout | None], new: tuple[Shape, Layout], at: _Pair
    ) -> None:
        """Compare an array's items by position, and its facts where not all items are kept."""
        before, after = _placed(*old), _placed(*new)
        sides = [shape.part("sequence") for shape, _ in (old, new)]
        is_known = all(part is not None and part.is_complete for part in sides)
        changes = len(self._changes)
        for key, (number, now) in after.items():
            _, was = before.get(key, (0, ABSENT))
            if (was is not now or isinstance(now, Ref)) and (is_known or key in before):
                pair = at.to(f"{at.path}[{key}]", was, now)
                self._values(pair, ref, Atom(number), "sequence")
        for key, (number, was) in before.items():
            if is_known and key not in after:
                pair = at.to(f"{at.path}[{key}]", was, ABSENT)
                self._values(pair, ref, Atom(number), "sequence")
        self._facts(ref, old[0], new[0], at, is_known=is_known)
        was, now = (_facts_of(shape).get(Atom(HASH), ABSENT) for shape, _ in (old, new))
        # Labels of rows and items that are not kept are only visible in the hash.
        if len(self._changes) == changes and ABSENT not in (was, now):
            self._values(at.to(f"{at.path}.{HASH}", was, now), ref, Atom(HASH), "summary")

    def _facts(self, ref: Ref, old: Shape, new: Shape, at: _Pair, *, is_known: bool) -> None:
        before, after = _facts_of(old), _facts_of(new)
        for key in dict.fromkeys((*before, *after)):
            # Changes that show in the items or the columns are not repeated.
            if key == Atom(HASH) or (is_known and (is_derived(key) or is_column(key))):
                continue
            was, now = before.get(key, ABSENT), after.get(key, ABSENT)
            path = self._step(at.path, key, "summary")
            self._values(at.to(path, was, now), ref, key, "summary")

    def _mapping(self, ref: Ref, old: Part, new: Part, at: _Pair) -> None:
        before = {self._heap.key_of(key): (key, value) for key, value in old.pairs}
        after = {self._heap.key_of(key): (key, value) for key, value in new.pairs}
        is_known = old.is_complete and new.is_complete
        names = {_text(key) for key in new.keys} if new.kind == "attributes" else set()
        inside = folded(self._conventions, ref.type_name, names)
        meaning = self._conventions.library.get(ref.type_name) if names else None
        for known in dict.fromkeys((*before, *after)):
            key = (before.get(known) or after[known])[0]
            was, now = (side[known][1] if known in side else ABSENT for side in (before, after))
            if not is_known and (known not in before or known not in after):
                continue
            pair = at.to(self._step(at.path, key, new.kind), was, now)
            if inside and _text(key) in inside:
                pair = replace(pair, is_folded=True)
            elif meaning is not None and meaning.items == _text(key) and was == now:
                pair = replace(pair, path=at.path)  # its items are those of the object
            self._values(pair, ref, key, new.kind)
        if is_known and new.kind == "mapping":
            self._order(ref, (list(before), list(after)), before | after, at)

    def _order(
        self,
        ref: Ref,
        sides: tuple[list[Hashable], list[Hashable]],
        pairs: Mapping[Hashable, tuple[Value, Value]],
        at: _Pair,
    ) -> None:
        """Report keys that are there before and after, but in another order."""
        both = set(sides[0]) & set(sides[1])
        old, new = ([known for known in side if known in both] for side in sides)
        if old == new:
            return
        first = next(at for at in range(len(old)) if old[at] != new[at])
        words: list[Value] = []
        for side in (old, new):
            some = side[first : first + _MOST_KEYS]
            texts = [written_key(pairs[known][0], self._heap.shape, self._last) for known in some]
            more = ["..."] if len(side) > first + len(some) else []
            words.append(Constant(", ".join([*["..."][: bool(first)], *texts, *more])))
        path = f"order({at.path})"
        was, now = words
        self._change(Change(path, "order", was, now, ref, ABSENT, "mapping"), at)

    def _set(self, ref: Ref, old: Part, new: Part, at: _Pair) -> None:
        before = {self._heap.key_of(item): item for item in old.items}
        after = {self._heap.key_of(item): item for item in new.items}
        if not (old.is_complete and new.is_complete):
            return
        for known in before.keys() - after.keys():
            item = before[known]
            self._change(Change(at.path, "removed", item, ABSENT, ref, item, "set"), at)
        for known, item in after.items():
            if known not in before:
                self._change(Change(at.path, "added", ABSENT, item, ref, item, "set"), at)

    def _sequence(self, ref: Ref, old: Part, new: Part, at: _Pair) -> None:
        before, after = old.items, new.items
        is_known = old.is_complete and new.is_complete
        if len(before) == len(after) or not is_known:
            for index, (was, now) in enumerate(zip(before, after, strict=False)):
                if was is not now or isinstance(now, Ref):
                    pair = at.to(f"{at.path}[{index}]", was, now)
                    self._values(pair, ref, Atom(index), "sequence")
            return
        for i, j in aligned(before, after):
            was = ABSENT if i is None else before[i]
            now = ABSENT if j is None else after[j]
            place = (i or 0) if j is None else j
            pair = at.to(f"{at.path}[{place}]", was, now)
            self._values(pair, ref, Atom(place), "sequence")

    def _step(self, path: str, key: Value, kind: str) -> str:
        if kind == "mapping":
            return f"{path}{Step('item', shown_key(key, self._heap.shape, self._last))}"
        return f"{path}{Step('attribute', _text(key))}"


def _placed(shape: Shape, places: Layout | None) -> dict[str, tuple[int, Value]]:
    """Return the items of an array by the text between the brackets."""
    part = shape.part("sequence")
    if part is None or places is None:
        return {}
    keys = ((places.key(number), number, item) for number, item in enumerate(part.items))
    return {key: (number, item) for key, number, item in keys if key is not None}


def _text(key: Value) -> str:
    content = key.content if isinstance(key, Atom) else None
    return content if isinstance(content, str) else shown(key)


def _facts_of(shape: Shape) -> dict[Value, Value]:
    part = shape.part("summary")
    return {} if part is None else dict(part.pairs)


def _only(part: Part) -> Value:
    return part.items[0] if part.items else ABSENT


def changed_before(heap: Heap, change: Change, first: int, last: int) -> Change | None:
    """Return an earlier change of the same part, made between two moments; None: there is none."""
    if change.holder is None:
        return None
    finder, part = Causes(heap, first, last), _Changed(change.part, change.key)
    cause = finder.of(change.holder, [part]).get(part)
    value = finder.value(change.holder, part, last)
    if cause is None or isinstance(value, Absent) or value == change.old:
        return None
    return replace(change, kind="set", new=value, cause=cause)
