"""Names in the code that ran: attributes that no code names are hardly used.

Reads are not recorded.  A call can have used those attributes of an object that are named by the
code that ran in it; a result can have been used by code that ran later, or in enclosing calls.  If
the names in a function are not recorded, all words of its text count.
"""

import re
from functools import cached_property

import numpy as np

from sleuth.trace import columns
from sleuth.trace.events import Call, Event, Function, Module, ModuleId, Span
from sleuth.trace.reader import Trace
from sleuth.tree.node import Small

_WORD = re.compile(r"\w+")


class Names:
    """Looks up the names in the functions of a run."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._of_function: dict[int, frozenset[str]] = {}
        self._of_several: dict[bytes, frozenset[str]] = {}
        self._lines: dict[ModuleId, list[str]] = {}

    @cached_property
    def _columns(self) -> columns.Columns:
        return columns.calls(self._trace)

    def ran_in(self, call: Call) -> list[int]:
        """Return the functions that ran during a call, its own included."""
        found: list[int] = self._inside(call).tolist()
        return found

    def _inside(self, call: Call) -> Small:
        stop = len(self._columns) if call.until is None else int(call.until)
        return np.unique(self._columns.function[call.id : max(stop, call.id + 1)])

    def inside(self, call: Call) -> frozenset[str]:
        """Return the names in the code that ran during a call."""
        return self._of(self._inside(call))

    def afterwards(self, call: Call) -> frozenset[str]:
        """Return the names in the code that ran after a call, or in enclosing calls."""
        function, stop = self._columns.function, call.until
        around = []
        above = -1 if call.parent is None else int(call.parent)
        while above >= 0:
            around.append(int(function[above]))
            above = int(self._columns.parent[above])
        later = function[stop:] if stop is not None else function[:0]
        return self._of(np.unique(np.concatenate((later, np.array(around, later.dtype)))))

    def _of(self, functions: Small) -> frozenset[str]:
        key = functions.tobytes()
        if key not in self._of_several:
            self._of_several[key] = frozenset().union(*map(self.named_by, functions.tolist()))
        return self._of_several[key]

    def named_by(self, number: int) -> frozenset[str]:
        """Return the names in a function and in those nested in it."""
        if number not in self._of_function:
            self._of_function[number] = self._named_by(number)
        return self._of_function[number]

    def _named_by(self, number: int) -> frozenset[str]:
        found: set[str] = set()
        work, seen = [number], {number}
        while work:
            each = work.pop()
            said = self._trace.names_said(each)
            if said is None:
                found |= self._words(each)
            else:
                found |= said.names
                inside = {*said.functions} - seen
                seen |= inside
                work += inside
        return frozenset(found)

    def _words(self, number: int) -> set[str]:
        function = self._trace.function(number)
        return set() if function is None else set(_WORD.findall(self._text(function)))

    def _text(self, function: Function) -> str:
        lines = self._lines_of(function.module)
        return "\n".join(lines[function.first_line - 1 : function.last_line])

    def line(self, event: Event, place: Span | None) -> str:
        """Return the source line of an event, without indentation."""
        module = None
        if event.call is not None:
            module = self._trace.module_of(self._trace.call(event.call).function)
        if module is None or place is None:
            return ""
        return "".join(self._lines_of(module)[place.line - 1 : place.line]).strip()

    def _lines_of(self, module: Module) -> list[str]:
        if module.id not in self._lines:
            self._lines[module.id] = self._trace.source(module).splitlines()
        return self._lines[module.id]
