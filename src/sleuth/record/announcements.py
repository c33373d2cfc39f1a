"""Writes the rows about modules into traces: source, functions, sites, flows.

A trace of a whole run gets the rows of a module at once.  If each test has a trace of its own, the
rows of a recorded module are kept here, and go only into the traces that have a call of it: most
tests use few modules.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from sleuth.trace.store.writer import FlowRow, FunctionRow, SiteRow, Writer


@dataclass(slots=True)
class _Module:
    about: dict[str, Any]
    functions: Sequence[FunctionRow] = field(default_factory=list)
    sites: Sequence[SiteRow] = field(default_factory=list)
    flows: Sequence[FlowRow] = field(default_factory=list)


class Announcements:
    """Takes the rows about modules, as a `Writer` does, and passes them on to the right traces."""

    def __init__(self, writer: Writer | None) -> None:
        self._only = writer
        """The trace of the whole run; None: each test has a trace of its own."""
        self._writer: Writer | None = None
        """The trace of the present test; None: no test is running."""
        self._modules: list[_Module] = []
        self._owners: list[tuple[int, int]] = []
        """The number of a module's first function, and the index of the module; ascending."""
        self._told: set[int] = set()

    def move_to(self, writer: Writer | None) -> None:
        """Write to the trace of another test from now on; None: no test is running."""
        self._writer = writer
        self._told = set()
        if writer is None:
            return
        writer.announce = partial(self._tell, writer)
        with writer.together():
            for module in self._modules:
                if not module.about["recorded"]:
                    writer.add_module(**module.about)

    def together(self) -> AbstractContextManager[object]:
        """Write all rows that are added meanwhile in one transaction."""
        return nullcontext() if self._only is None else self._only.together()

    def add_module(self, **about: Any) -> int:
        """Announce a module and return its number; see `Writer.add_module`."""
        if self._only is not None:
            return self._only.add_module(**about)
        self._modules.append(_Module(about))
        if self._writer is not None and not about["recorded"]:
            self._writer.add_module(**about)
        return len(self._modules)

    def add_functions(self, module: int, functions: Sequence[FunctionRow]) -> None:
        """Announce functions of a module."""
        if self._only is not None:
            self._only.add_functions(module, functions)
        elif functions:
            self._modules[module - 1].functions = functions
            self._owners.append((functions[0].id, module - 1))

    def add_sites(self, module: int, sites: Sequence[SiteRow]) -> None:
        """Announce sites of a module."""
        if self._only is not None:
            self._only.add_sites(module, sites)
        else:
            self._modules[module - 1].sites = sites

    def add_flows(self, module: int, flows: Sequence[FlowRow]) -> None:
        """Announce the shape of a module's functions."""
        if self._only is not None:
            self._only.add_flows(module, flows)
        else:
            self._modules[module - 1].flows = flows

    def _tell(self, writer: Writer, functions: Iterable[int]) -> None:
        """Write the modules of these functions into a test's trace, each once."""
        for number in functions:
            place = bisect_right(self._owners, (number, len(self._modules)))
            owner = self._owners[place - 1][1] if place else -1
            if owner >= 0 and owner not in self._told:
                self._told.add(owner)
                module = self._modules[owner]
                row = writer.add_module(**module.about)
                writer.add_functions(row, module.functions)
                writer.add_sites(row, module.sites)
                writer.add_flows(row, module.flows)
