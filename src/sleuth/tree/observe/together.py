"""Effects of the calls of a group: what each did, under the names of their caller."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from sleuth.trace import columns, conventions
from sleuth.trace.columns import Touch
from sleuth.trace.events import Call, Function, Moment
from sleuth.trace.heap.difference import Change, Difference
from sleuth.trace.heap.roots import end_of, given_to, global_path
from sleuth.trace.path import GLOBAL, name_text
from sleuth.trace.reader import Trace
from sleuth.trace.values import ABSENT, Ref, Value
from sleuth.tree.node import Key
from sleuth.tree.observe import behaviour as words
from sleuth.tree.observe.attribution import by_whom
from sleuth.tree.observe.behaviour import Gaps, Seen

_MOST_CALLS = 12
"""Calls whose changes are looked up one by one; of more, only what they changed together."""
_MOST_WRITES = 2_000
"""Writes of calls that are not looked at one by one."""
_BODY = " body"
"""End of the kinds of code whose variables are its result."""
_AROUND = ("len(", "hash(")


@dataclass(slots=True)
class Together:
    """The effects of several calls."""

    changes: list[Change] = field(default_factory=list)
    meanwhile: list[Change] = field(default_factory=list)
    folded: list[Change] = field(default_factory=list)
    used: dict[str, Seen] = field(default_factory=dict)
    """Variables of the calls that lead to what they changed, where the caller has none."""
    not_kept: dict[str, tuple[str, int, int]] = field(default_factory=dict)
    unsure: dict[str, None] = field(default_factory=dict)
    is_whole: bool = True

    def gaps(self, trace: Trace) -> Gaps:
        """Return what is not known."""
        return Gaps(
            not_kept=tuple(self.not_kept.values()),
            unsure=tuple(self.unsure),
            is_whole=self.is_whole,
            has_contents=trace.has_contents,
        )


def together(trace: Trace, key: Key, members: Sequence[Call], count: int) -> Together:
    """Return what the calls of a group did; there are `count` of them."""
    writes = Writes(trace, key)
    is_all = count == len(members) or not writes.are_more(end_of(trace, members[-1]))
    found = Together(is_whole=is_all)
    writing = writes.by(members)
    if len(writing) > _MOST_CALLS:
        _in_all(trace, key, writing, found)
        return found
    if not writing:
        return found
    caller = _Caller(trace, key)
    for member in writing:
        _add(trace, caller, member, found)
    found.changes = list(joined(found.changes))
    found.meanwhile = list(joined(found.meanwhile))
    found.folded = list(joined(found.folded))
    return found


def _add(trace: Trace, caller: "_Caller", member: Call, found: Together) -> None:
    """Add what one call did."""
    function = trace.function(member.function)
    difference = trace.changed(member)
    own, others = difference.changes, difference.changes[:0]
    if function is None or not function.kind.endswith(_BODY):
        own, others = by_whom(trace, member, function, difference)
    names = _Names(caller, member, function, difference)
    found.changes += map(names.renamed, _shown(trace, function, own))
    found.meanwhile += map(names.renamed, others)
    found.folded += map(names.renamed, difference.folded)
    found.used |= {seen.path: seen for seen in names.used if seen.path not in found.used}
    for each in difference.not_kept:
        path = names.path(each[0])
        found.not_kept[path] = (path, *each[1:])
    found.unsure |= dict.fromkeys(map(names.path, difference.unsure))
    found.is_whole &= difference.is_whole


def _in_all(trace: Trace, key: Key, members: Sequence[Call], found: Together) -> None:
    """Add what many calls changed together, as far as their caller can reach it."""
    call = trace.call(key.call)
    function = trace.function(call.function)
    after = Moment(min(key.last + 1, trace.event_count))
    difference = trace.changed_between(call, key.first, after)
    firsts = [each.first for each in members]

    def is_theirs(change: Change) -> bool:
        moment = change.cause.moment if change.cause else None
        if change.holder is None and function is not None:
            moment = trace.global_set(function.module, change.path, key.first, after)
        at = bisect_right(firsts, moment) - 1 if moment is not None else -1
        return at >= 0 and moment is not None and moment <= end_of(trace, members[at])

    found.changes = [change for change in difference.changes if is_theirs(change)]
    found.folded = [change for change in difference.folded if is_theirs(change)]
    found.unsure |= dict.fromkeys(difference.unsure)
    found.is_whole = False


class Writes:
    """The writes in the interval of a group to anything that is not local to one of its calls."""

    def __init__(self, trace: Trace, key: Key) -> None:
        self._trace = trace
        self._caller = key.call
        bound = trace.bound_sites(key.first, key.last + 1)
        sites = ((number, trace.site(number)) for number in bound)
        shared = frozenset(number for number, site in sites if site is None or site.kind != "local")
        rows = columns.touches(trace, trace.begins_segment(key.first), key.last, shared)
        is_object = rows.what <= Touch.SEEN
        numbers, which = np.unique(rows.number, return_inverse=True)
        seen = np.full(len(numbers), np.iinfo(np.int64).max)
        np.minimum.at(seen, which[is_object], rows.moment[is_object])
        seen[numbers <= int(trace.latest_object(key.first))] = -1
        is_write = np.isin(rows.what, (Touch.WRITTEN, Touch.SEEN, Touch.BOUND))
        self._moments = rows.moment[is_write]
        self._since = np.where(is_object, seen[which], -1)[is_write]
        """When what was written was first seen."""

    def are_in(self, first: int, last: int) -> bool:
        """Tell whether something that was there at a moment was written from then on."""
        is_in = (self._moments >= first) & (self._moments <= last)
        return bool((is_in & (self._since <= first)).any())

    def are_more(self, first: int) -> bool:
        """Tell whether calls wrote something after a moment; their caller is not meant."""
        after = self._moments[self._moments > first].tolist()
        is_much = len(after) > _MOST_WRITES
        return is_much or any(self._trace.event(each).call != self._caller for each in after)

    def by(self, calls: Sequence[Call]) -> list[Call]:
        """Return the calls that wrote to anything that was there before them."""
        return [each for each in calls if self.are_in(each.first, end_of(self._trace, each))]


def _shown(trace: Trace, function: Function | None, own: Sequence[Change]) -> Iterator[Change]:
    """Leave out the code that the body of a module or class defines: it is its result."""
    code = conventions.of(trace.meta.get("language")).code
    is_class = function is not None and function.kind == words.CLASS_BODY
    is_body = function is not None and function.kind.endswith(_BODY)
    for change in own:
        is_code = isinstance(change.new, Ref) and change.new.type_name in code
        if not is_body or change.holder or not (is_class or is_code or change.path[:2] == "__"):
            yield change


def joined(changes: Sequence[Change]) -> Iterator[Change]:
    """Join changes of the same part that follow each other: 1 -> 2 and 2 -> 3 are 1 -> 3.

    Changes that undo each other stay apart: each may be wrong.
    """
    found: list[Change] = []
    latest: dict[object, int] = {}
    for change in changes:
        part = change.holder.id if change.holder else change.path, change.part, change.key
        at = latest.get(part)
        before = None if at is None else found[at]
        if at is not None and before is not None and _follows(before, change):
            found[at] = replace(change, old=before.old, kind=_kind(before.old, change))
        else:
            latest[part] = len(found)
            found.append(change)
    return iter(found)


def _follows(before: Change, change: Change) -> bool:
    return before.new == change.old and before.old != change.new


def _kind(old: Value, change: Change) -> str:
    if change.kind not in ("set", "added", "removed"):
        return change.kind
    return "added" if old == ABSENT else "removed" if change.new == ABSENT else "set"


class _Caller:
    """The caller of a group, and the names that it has for objects."""

    def __init__(self, trace: Trace, key: Key) -> None:
        self.trace = trace
        self.first = Moment(key.first)
        call = trace.call(key.call)
        after = Moment(min(key.last + 1, trace.event_count))
        function = trace.function(call.function)
        self.module = function.module if function else None
        self.variables = {} if _is_module(function) else trace.variables(call, after)
        self._paths: dict[int, str] = {}
        for at in (self.first, after):  # the names at the end count, if there are any
            self._paths |= trace.changed_between(call, at, at).paths
        self.taken: dict[str, int] = {}
        """Names for objects of members -> the objects."""
        known = trace.globals(self.module, after) if self.module else {}
        for name, value in {**known, **trace.variables(call, after)}.items():
            self.taken[name_text(name)] = value.id if isinstance(value, Ref) else -1

    def path(self, number: int) -> str | None:
        """Return the caller's path of an object; None: it has none."""
        return self._paths.get(number)


def _is_module(function: Function | None) -> bool:
    return function is not None and function.kind == words.MODULE_BODY


class _Names:
    """Renames the paths of one member, which begin at its own variables."""

    def __init__(
        self, caller: _Caller, member: Call, function: Function | None, difference: Difference
    ) -> None:
        trace = caller.trace
        self._caller = caller
        self._member = member
        self._function = function
        self._paths = difference.paths
        self._objects = {path: number for number, path in difference.paths.items()}
        self._closure = trace.closure(member, member.first)
        end = trace.event_count if member.last is None else member.last
        values: Mapping[str, Value] = (
            {}
            if _is_module(function)
            else {**trace.variables(member, end), **self._closure, **given_to(trace, member)}
        )
        self._own = {name_text(name): value for name, value in values.items()}
        self.used: list[Seen] = []

    def renamed(self, change: Change) -> Change:
        """Return a change under the caller's name of what changed."""
        if change.holder is None:
            return replace(change, path=self._variable(change.path))
        mine = self._paths.get(change.holder.id)
        if mine is None:
            return change
        theirs, start = self.path(mine), 0
        for sign in _AROUND:
            if change.path == f"{sign}{mine})":
                start = len(sign)
        rest = change.path[start + len(mine) :]
        return replace(change, path=f"{change.path[:start]}{theirs}{rest}", also=())

    def path(self, mine: str) -> str:
        """Return the caller's path of an object, by the member's path; or one that is clear."""
        number = self._objects.get(mine)
        theirs = None if number is None else self._caller.path(number)
        if theirs is not None or mine.startswith(GLOBAL):
            return theirs or mine
        root = _root(mine)
        if root not in self._own:
            return self._variable(root) + mine[len(root) :]
        value = self._own[root]
        if not isinstance(value, Ref):
            return mine
        if self._caller.taken.setdefault(root, value.id) != value.id:
            name = value.type_name.rpartition(".")[2]
            return f"<{name} #{value.id}>{mine[len(root) :]}"
        scope = "closure" if root in self._closure else words.LOCAL
        self.used.append(Seen(root, value, self._caller.first, scope))
        return mine

    def _variable(self, name: str) -> str:
        """Return the path of a variable that a member set: a global, or one it shares."""
        module = self._function.module if self._function else None
        if name.startswith(GLOBAL) or name in self._own or module is None:
            return name
        is_clear = module == self._caller.module and name not in self._caller.variables
        return name if is_clear else global_path(module, name)


def _root(path: str) -> str:
    """Return the variable that a path starts from."""
    ends = [at for sign in ".[" if (at := path.find(sign, 1)) > 0]
    return path[: min(ends, default=len(path))]
