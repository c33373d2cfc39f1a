"""Edited functions: which functions differ between two runs, without comments and annotations.

The recorder writes a digest of each function's code.  Functions with equal digests are the same.
Different digests count as an edit only if the same version of Python made them.  Otherwise, or
without digests, the texts are compared, apart from indentation.
"""

import itertools
from collections.abc import Hashable, Iterator, Mapping
from difflib import SequenceMatcher
from functools import cached_property

from sleuth.oracles.compare.mentioned import Names
from sleuth.oracles.compare.version_texts import is_called_version
from sleuth.trace.events import Function
from sleuth.trace.flow.operations import Operation
from sleuth.trace.flow.table import Flow
from sleuth.trace.reader import Trace

_MODULE_BODY = "module body"
_SET_IN_BODIES = ("global", "class")
"""Kinds of sites at which a body sets its own variables."""


def name_of(function: Function) -> Hashable:
    """Return the name that a function has in any version of the program."""
    return function.module.name, function.qualified_name


def is_body(function: Function) -> bool:
    """Whether it is the body of a module or class, or a text that was compiled."""
    return function.kind.endswith(" body") or function.kind == "expression"


class Edition:
    """The functions of a run compared with those of another: which were edited, and where."""

    def __init__(self, trace: Trace, other: Trace) -> None:
        self._trace = trace
        self.other = other
        self._names = Names(trace)
        versions = [_minor_version(each) for each in (trace, other)]
        self._is_comparable = versions[0] == versions[1]
        """Whether different digests mean different code."""

    @cached_property
    def _twins(self) -> Mapping[Hashable, list[Function]]:
        """The functions of the other run by name; several can share one, such as lambdas."""
        found: dict[Hashable, list[Function]] = {}
        for function in self.other.functions():
            found.setdefault(name_of(function), []).append(function)
        return found

    def _twin(self, function: Function) -> Function | None:
        """Return the function of the other run that corresponds to this one."""
        able = self._twins.get(name_of(function), [])
        same = [each for each in able if each.identity == function.identity]
        near = sorted(able, key=lambda each: abs(each.first_line - function.first_line))
        return next(iter(same or near), None)

    @cached_property
    def is_same(self) -> Mapping[int, bool]:
        """Function -> whether it is the same in the other run, called or not."""
        return {int(each.id): self._reads_the_same(each) for each in self._trace.functions()}

    def _reads_the_same(self, function: Function) -> bool:
        twin = self._twin(function)
        if twin is None:
            return False
        if twin.identity == function.identity:
            return True
        one, two = self._trace.wording(function.id), self.other.wording(twin.id)
        if one is not None and two is not None and one.digest and two.digest:
            if one.digest == two.digest:
                return True
            if self._is_comparable:
                return False
        return _stripped(_lines(self._trace, function)) == _stripped(_lines(self.other, twin))

    @cached_property
    def is_affected(self) -> Mapping[int, bool]:
        """Function -> whether it names a variable that an edited body sets differently.

        Variables of a class are used by its own functions, those of a module by all that name them.
        """
        found = dict.fromkeys(self.is_same, False)
        for body in filter(is_body, self._trace.functions()):
            names = {*itertools.filterfalse(is_called_version, self._set_otherwise(body))}
            for each in self._trace.functions() if names else ():
                is_near = body.kind == _MODULE_BODY or _is_within(each, body)
                if is_near and not is_body(each) and self._names.named_by(each.id) & names:
                    found[int(each.id)] = True
        return found

    def is_unedited(self, function: int) -> bool:
        """Whether neither a function nor the variables that it names were edited."""
        return self.is_same.get(function, False) and not self.is_affected.get(function, False)

    @property
    def is_other_version(self) -> bool:
        """Whether anything was edited."""
        return not all(self.is_same.values())

    def edited_lines(self, function: Function) -> frozenset[int]:
        """Return the lines of a function that were edited, or are next to inserted lines."""
        twin = self._twin(function)
        mine = _lines(self._trace, function)
        theirs = [] if twin is None else _lines(self.other, twin)
        start = 1 if function.kind == _MODULE_BODY else function.first_line
        matcher = SequenceMatcher(None, _stripped(mine), _stripped(theirs), autojunk=False)
        found: set[int] = set()
        for tag, low, high, put_in, _ in matcher.get_opcodes():
            if tag == "insert" and twin is not None:
                depth = self._depth(self.other, twin, put_in)
                around = [each for each in (low - 1, low) if 0 <= each < len(mine)]
                same = [e for e in around if self._depth(self._trace, function, e) == depth]
                found |= {*(same or around)}
            elif tag != "equal":
                found |= set(range(low, high))
        return frozenset(start + each for each in found if 0 <= each < len(mine))

    @staticmethod
    def _depth(trace: Trace, function: Function, at: int) -> int:
        """Return how many statements contain a line of a function; -1: none, or not known.

        An inserted line is next to lines of the same block.
        """
        flow = trace.flow(function.id)
        line = at + (1 if function.kind == _MODULE_BODY else function.first_line)
        here = [
            number
            for number, each in enumerate(flow.statements if flow else ())
            if each.span.line <= line <= each.span.end_line
        ]
        statement, depth = here[-1] if here else -1, -1
        while flow is not None and statement >= 0:
            statement = flow.statements[statement].parent
            depth += 1
        return depth

    def _set_otherwise(self, function: Function) -> Iterator[str]:
        """Yield the variables that an edited body may set differently; without digests all."""
        twin = self._twin(function)
        if not is_body(function) or twin is None or self.is_same[int(function.id)]:
            return
        flow = self._trace.flow(function.id)
        one, two = self._trace.wording(function.id), self.other.wording(twin.id)
        if flow is None or one is None or two is None:
            yield from (
                site.name for site in self._trace.sites_of(function) if site.kind in _SET_IN_BODIES
            )
            return
        there = {*two.digests.values()}
        edited = {number for number, digest in one.digests.items() if digest not in there}
        imported = _imports(self.other.flow(twin.id)) if edited else {}
        for operation in flow.operations if edited else ():
            if operation.kind == "store" and flow.outermost(operation.statement) in edited:
                # A statement that imports one name more imports the others as before.
                origin = _origin(flow, operation)
                if not origin or imported.get(operation.name) != origin:
                    yield operation.name


_MOST_IMPORTS = 8
"""Operations that importing one name takes at most."""


def _imports(flow: Flow | None) -> dict[str, tuple[str, ...]]:
    """Return the names that a body imports, and what each of them is."""
    stores = [each for each in flow.operations if each.kind == "store"] if flow else []
    return {each.name: origin for each in stores if flow and (origin := _origin(flow, each))}


def _origin(flow: Flow, store: Operation) -> tuple[str, ...]:
    """Return the module and the name in it that a store imports; empty: it imports nothing."""
    found: list[str] = []
    makers = flow.makers(store, "value")
    while len(makers) == 1 and makers[0].kind == "import" and len(found) < _MOST_IMPORTS:
        found.append(makers[0].name)
        makers = flow.makers(makers[0], "module")
    return tuple(found)


def _is_within(function: Function, body: Function) -> bool:
    return (
        function.module.id == body.module.id
        and body.first_line <= function.first_line <= function.last_line <= body.last_line
    )


def _lines(trace: Trace, function: Function) -> list[str]:
    lines = trace.source(function.module).splitlines()
    if function.kind == _MODULE_BODY:
        return lines
    return lines[function.first_line - 1 : function.last_line]


def _stripped(lines: list[str]) -> list[str]:
    return [line.strip() for line in lines]


def _minor_version(trace: Trace) -> Hashable:
    """Return the language version, as far as it affects digests."""
    told = trace.meta.get("python")
    return tuple(str(told).split(".")[:2]) if told else None
