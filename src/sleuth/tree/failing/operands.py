"""The operands of a failed check: their values, and the calls that these came from."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from sleuth.trace.events import Call, CallId, Check, EventKind, Moment, Operand, Outcome, Span
from sleuth.trace.history.steps import stepped
from sleuth.trace.path import Path, PathError, parse
from sleuth.trace.reader import Trace
from sleuth.trace.values import Atom, Ref, Value
from sleuth.tree.failing.operand_calls import is_of_tests, is_operand, is_within
from sleuth.tree.failing.variables_named import variables_in
from sleuth.tree.loops.shape import COMPREHENSION
from sleuth.tree.node_kinds import kind_of
from sleuth.tree.observe.stream import stream_of

_EXPECTED = re.compile(r"(self\.)?_*(expect|exp\b|want|correct|desired|reference)", re.IGNORECASE)
"""Usual names of expected values that are no literals."""
_CONSTANT = re.compile(r"(\w+\.)*_*[A-Z][A-Z0-9_]+")
"""Names of constants: a test compares results with them."""
_PATH = re.compile(r"""[^\W\d]\w*(\.[^\W\d]\w*|\[(-?\d+|'[^'\\]*'|"[^"\\]*")\])*""")
"""A variable, or a part of one that the text itself names."""
_LENGTH = re.compile(r"len\((.*)\)")
_CONTAINERS = ("list", "tuple", "dict", "set", "frozenset", "deque")
_NEAR = 20_000
"""Moments before a check that are searched for the assignment of a variable."""


@dataclass(frozen=True, slots=True)
class Side:
    """One operand of a failed check."""

    text: str
    value: Value | None
    """None: it is not known."""
    at: Moment
    is_literal: bool
    call: CallId | None
    """The call whose result it is; None: it is no result, or that of a function of the test."""
    part_of: CallId | None = None
    """The call of tested code in whose result it is."""
    steps: str = ""
    """The way to it from that result: `['shops']`."""


class Checking:
    """A call of test code, at the moment when its check failed."""

    def __init__(self, trace: Trace, call: Call, at: Moment) -> None:
        self.trace = trace
        self.call = call
        self.at = at

    def side(self, operand: Operand) -> Side:
        """Return the value and the call of an operand."""
        trace = self.trace
        value = None
        if operand.variable:
            value = self.held(operand.variable)
        source = self._result_at(operand, value)
        if source is not None:
            value = trace.result(source)
        elif value is not None:
            source = self._bound_result(operand.variable, value)
            source = source or self._passed_on(operand.variable, value)
            source = source or self._collected(operand, value)
        made = source.id if source is not None and _is_tested(trace, source) else None
        side = Side(operand.text, value, self.at, operand.is_literal, made)
        return side if made is not None or operand.is_literal else self._by_path(side)

    def at_path(self, text: str) -> Value | None:
        """Return the value of a variable or a part of one; None: it is not known."""
        found = self._reached(parse(text)) if _PATH.fullmatch(text) else None
        return None if found is None else found.value

    def _by_path(self, side: Side) -> Side:
        """Return the side with the value of a part of a variable, or the length of a value."""
        length = _LENGTH.fullmatch(side.text)
        text = length[1] if length else side.text
        found = self._reached(parse(text)) if _PATH.fullmatch(text) else None
        if found is None or not (found.steps or length):
            return side
        if side.value is not None and (length or found.value != side.value):
            return side
        if length:
            counted = self._length(found.value)
            return side if counted is None else replace(side, value=counted)
        return replace(side, value=found.value, part_of=found.part_of, steps=found.steps)

    def _reached(self, path: Path) -> "_Reached | None":
        """Return the value of a path, and the call in whose result it is."""
        start = value = self.held(path.start)
        done = path.start
        for step in path.steps:
            if value is None:
                return None
            try:
                value = stepped(self.trace, value, step, self.at, done).value
            except PathError:  # a property, for example
                return None
            done = f"{done}{step}"
        if value is None or start is None:
            return None
        source = self._bound_result(path.start, start)
        is_tested = source is not None and _is_tested(self.trace, source)
        made = source.id if source is not None and is_tested else None
        return _Reached(value, made, "".join(map(str, path.steps)))

    def _length(self, value: Value) -> Atom | None:
        """Return how many items a container has; None: it is no plain container."""
        if isinstance(value, Atom) and isinstance(value.content, str | bytes):
            return Atom(len(value.content))
        if not isinstance(value, Ref) or value.type_name.rpartition(".")[2] not in _CONTAINERS:
            return None
        shape = self.trace.shape(value, self.at)
        return Atom(shape.parts[0].full_length) if shape is not None and shape.parts else None

    def held(self, name: str) -> Value | None:
        """Return the value of a variable of the call, else of its module."""
        held = self.trace.variables(self.call, self.at)
        module = self.trace.module_of(self.call.function)
        if name in held or module is None or not name.isidentifier():
            return held.get(name)
        return self.trace.globals(module, self.at).get(name)

    def made_for(self, check: Check) -> tuple[CallId, ...]:
        """Return the calls of tested code that made the operands."""
        return tuple(dict.fromkeys(self._calls_for(check)))

    def _calls_for(self, check: Check) -> Iterator[CallId]:
        """Yield the calls written in the operands, else those that made the variables there."""
        found = [
            child.id
            for child, site in self._sited
            if any(is_within(site, each.span) for each in check.operands)
            and child.first > self._turn
            and _is_tested(self.trace, child)
        ]
        yield from found
        function = self.call.function
        named = [variables_in(self.trace, function, each.span) for each in check.operands]
        # Variables of a test tool have names that can't be written in Python.
        names = sorted(name for name in frozenset().union(*named) if name.isidentifier())
        for name in names if not found else ():
            binding = self._binding(name)
            if binding is not None:
                yield from (each.id for each in self._made_with(binding))

    def _made_with(self, binding: "_Binding") -> list[Call]:
        """Return the calls made by the statement that set a variable, wherever they ran.

        Without a call written there, those made since the test's previous event.
        """
        made = [
            (child, site)
            for child, site in self._sited
            if binding.is_made_by(child, site) and _is_tested(self.trace, child)
        ]
        flow = self.trace.flow(self.call.function)
        spans = [] if flow is None else [each.span for each in flow.statements]
        around = [each for each in spans if is_within(binding.span, each)]
        here = max(around, key=lambda each: (each.line, each.column), default=binding.span)
        written = [child for child, site in made if is_within(site, here)]
        return written or [child for child, _ in made]

    @cached_property
    def _turn(self) -> int:
        """When the last turn of a loop around the check began: earlier checks there held."""
        trace, found = self.trace, self.call.first
        for event in trace.events(max(self.at - _NEAR, found), self.at, call=self.call.id):
            site = trace.site(event.site) if event.kind is EventKind.TURN and event.site else None
            if site is not None and not site.kind.endswith(COMPREHENSION):
                found = event.moment
        return found

    @cached_property
    def _sited(self) -> list[tuple[Call, Span]]:
        """The calls made before the check, in order, with their spans."""
        found = [
            (each, self.trace.call_site(each))
            for each in self.trace.children(self.call.id)
            if each.first <= self.at
        ]
        return [(each, site) for each, site in found if site is not None]

    def _result_at(self, operand: Operand, value: Value | None) -> Call | None:
        """Return the last call that is written as an operand."""
        found = [
            each
            for each, site in self._sited
            if site.end_line == operand.span.end_line and is_operand(self.trace, each, operand)
        ]
        done = [each for each in found if each.outcome is Outcome.RETURNED]
        if not done or (value is not None and self.trace.result(done[-1]) != value):
            return None
        return done[-1]

    # --- Variables -------------------------------------------------------------------------------

    def _bound_result(self, name: str, value: Value) -> Call | None:
        """Return the call whose result was stored in a variable."""
        binding = self._binding(name)
        if binding is None:
            return None
        for child, site in reversed(self._sited):
            if child.last is not None and child.last < binding.moment:
                is_there = site.line <= binding.line <= site.end_line
                return child if is_there and self.trace.result(child) == value else None
        return None

    def _binding(self, name: str) -> "_Binding | None":
        """Return how a variable was last set; None: it was not, or long ago."""
        trace, found = self.trace, None
        since = first = max(self.at - _NEAR, self.call.first)
        for event in trace.events(first, self.at, call=self.call.id):
            site = trace.site(event.site) if event.kind is EventKind.BIND and event.site else None
            if site is not None and site.name == name:
                found = _Binding(event.moment, since, site.span)
            since = event.moment
        return found

    def _collected(self, operand: Operand, value: Value) -> Call | None:
        """Return the generator whose values were collected in a list: `list(pairs(items))`."""
        shape = self.trace.shape(value, self.at) if isinstance(value, Ref) else None
        items = shape.part("sequence") if shape is not None else None
        if items is None or not items.is_complete or not items.items:
            return None
        binding = self._binding(operand.variable)
        for child, site in reversed(self._sited):
            is_for_it = binding is not None and binding.is_made_by(child, site)
            if child.is_resumable and (is_for_it or is_within(site, operand.span)):
                function = self.trace.function(child.function)
                kind = kind_of(self.trace, child, function)
                given = stream_of(self.trace, child, function, kind).given
                if tuple(each.value for each in given) == items.items:
                    return child
        return None

    def _passed_on(self, name: str, value: Value) -> Call | None:
        """Return the call whose result the test passed to a helper that checks it."""
        trace, call = self.trace, self.call
        function = trace.function(call.function)
        while function is not None and name in function.parameters:
            if call.parent is None:
                return self._from_fixture(name, value)
            caller, site = trace.call(call.parent), trace.call_site(call)
            if site is None or not is_of_tests(trace, caller):
                return None
            above = Checking(trace, caller, call.first)
            for child, where in reversed(above._sited):
                is_given = child.id != call.id and is_within(where, site)
                if is_given and trace.result(child) == value:
                    return child
            name = above._name_of(value)
            found = above._bound_result(name, value)
            if found is not None:
                return found
            call, function = caller, trace.function(caller.function)
        return None

    def _name_of(self, value: Value) -> str:
        """Return a variable that has a value; empty: there is none."""
        held = self.trace.variables(self.call, self.at).items()
        return next((name for name, each in held if each == value), "")

    def _from_fixture(self, name: str, value: Value) -> Call | None:
        """Return the call whose result the test got from a fixture of this name."""
        trace = self.trace
        for each in reversed([*trace.children(None)]):
            function = trace.function(each.function)
            is_before = each.first < self.call.first and is_of_tests(trace, each)
            if is_before and function is not None and function.name == name:
                made = [child for child in trace.children(each.id) if trace.result(child) == value]
                return made[-1] if made else None
        return None


class _Reached(NamedTuple):
    """The value at the end of a path."""

    value: Value
    part_of: CallId | None
    steps: str


class _Binding(NamedTuple):
    """How a variable was set."""

    moment: Moment
    since: int
    """The moment of the test's previous event."""
    span: Span

    @property
    def line(self) -> int:
        """The line of the variable."""
        return self.span.line

    def is_made_by(self, call: Call, site: Span) -> bool:
        """Tell whether a call was made by the statement that set the variable."""
        is_meanwhile = self.since < call.first < self.moment
        return is_meanwhile or (site.line == self.line and call.first < self.moment)


def _is_tested(trace: Trace, call: Call) -> bool:
    """Tell whether a call is of tested code; if only tests were recorded, all code is."""
    recorded = (module for module in trace.modules() if module.is_recorded)
    return not is_of_tests(trace, call) or all(
        module.is_test or module.is_foreign for module in recorded
    )


def told_apart(sides: list[Side]) -> tuple[Side | None, Side | None]:
    """Return the tested side and the expected side: a literal is the expected one."""
    if not sides:
        return None, None
    first, second = sides[0], sides[1] if len(sides) > 1 else None
    if second is None or second.is_literal:
        return first, second
    return (second, first) if _is_expected(first, second) else (first, second)


def is_told_apart(sides: list[Side]) -> bool:
    """Tell whether it is known which of two sides is expected, and not only guessed by order."""
    first, second = sides
    return _is_expected(first, second) or _is_expected(second, first)


def _is_expected(side: Side, other: Side) -> bool:
    """Tell whether a side is expected of the other one: by its text, else by the calls."""
    if side.is_literal or other.is_literal:
        return side.is_literal and not other.is_literal
    for pattern in (_EXPECTED.match, _CONSTANT.fullmatch):
        named = bool(pattern(side.text)), bool(pattern(other.text))
        if named[0] != named[1]:
            return named[0]
    return side.call is None and other.call is not None
