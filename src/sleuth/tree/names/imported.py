"""The origin of a variable that is set by imports alone, found in the flow tables."""

from collections.abc import Iterator
from pathlib import PurePath
from typing import NamedTuple

from sleuth.trace import conventions
from sleuth.trace.events import Function, Module, Span
from sleuth.trace.flow.operations import Operation
from sleuth.trace.flow.table import Flow
from sleuth.trace.kept import kept
from sleuth.trace.reader import Trace

_MOST_STEPS = 8
"""Modules through which a name is followed."""
_BODY = "module body"


class Source(NamedTuple):
    """The origin of a name."""

    module: Module
    name: str
    """The dotted name in the module; empty: the module itself."""


class Imports:
    """Follows imports through the modules of one trace."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._package = conventions.of(trace.meta.get("language")).package
        modules = trace.modules()
        self._by_name = {each.name: each for each in modules}
        self._by_path = {each.path: each for each in modules if each.path}

    def of_variable(self, flow: Flow, module: Module, name: str) -> Source | None:
        """Return the origin of a variable that the code of a module sets by imports alone.

        None: it is also set otherwise, or its origin is not known.
        """
        return self._of_variable(flow, module, name, _MOST_STEPS)

    def of_global(self, module: Module, name: str, set_at: Span | None = None) -> Source | None:
        """Return the origin of a global of a module, by the module's body.

        set_at: the span where it was last set; None: not known.
        """
        return self._of_global(module, name, _MOST_STEPS, set_at)

    def attribute(self, source: Source, name: str) -> Source | None:
        """Return the origin of an attribute of an imported module."""
        return self._inside(source, name, _MOST_STEPS)

    def defined(self, module: Module, name: str) -> Function | None:
        """Return the undecorated function that a module's body defines under a name."""
        body = _bodies(self._trace).get(module.id)
        flow = None if body is None else self._trace.flow(body.id)
        if flow is None:
            return None
        stores = [each for each in flow.operations if each.kind == "store" and each.name == name]
        made = [_maker(flow, each, "value") for each in stores]
        found = {each.value if each and each.kind == "function" else None for each in made}
        number = found.pop() if len(found) == 1 else None
        return self._trace.function(number) if isinstance(number, int) else None

    def by_name(self, name: str) -> Module | None:
        """Return the module with a name; None: there is none."""
        return self._by_name.get(name)

    # --- Inside ----------------------------------------------------------------------------------

    def _of_global(
        self, module: Module, name: str, steps: int, set_at: Span | None = None
    ) -> Source | None:
        body = _bodies(self._trace).get(module.id)
        flow = None if body is None else self._trace.flow(body.id)
        return None if flow is None else self._of_variable(flow, module, name, steps, set_at)

    def _of_variable(
        self, flow: Flow, module: Module, name: str, steps: int, set_at: Span | None = None
    ) -> Source | None:
        found = {
            self._imported(flow, module, each, steps)
            for each in flow.operations
            if each.kind == "store" and each.name == name and each.scope != "inner"
            if set_at is None or each.span == set_at
        }
        return found.pop() if len(found) == 1 else None

    def _imported(self, flow: Flow, module: Module, store: Operation, steps: int) -> Source | None:
        value = _maker(flow, store, "value")
        if value is None or value.kind != "import" or steps <= 0:
            return None
        of = _maker(flow, value, "module")
        if of is None:
            found = self._by_name.get(value.name.partition(".")[0])
            return None if found is None else Source(found, "")
        if of.kind != "import":
            return None
        whole = self._module(module, of.name)
        if whole is None:
            return None
        inner = self._inside(Source(whole, ""), value.name, steps - 1)
        # `import a.b as c` looks like `from a.b import b`.
        is_last = of.name.rpartition(".")[2] == value.name and store.name != value.name
        return Source(whole, "") if is_last and inner and inner.name else inner

    def _inside(self, source: Source, name: str, steps: int) -> Source | None:
        module, before = source
        if before:
            return Source(module, f"{before}.{name}")
        below = self._by_name.get(f"{module.name}.{name}")
        if below is not None:
            return Source(below, "")
        if module.is_recorded and steps > 0:
            return self._of_global(module, name, steps - 1)
        return Source(module, name)

    def _module(self, module: Module, name: str) -> Module | None:
        """Return the module that an import in another module names."""
        inner = name.lstrip(".")
        if inner == name:
            return self._by_name.get(name)
        folder = PurePath(module.path).parent
        for _ in range(len(name) - len(inner) - 1):
            folder = folder.parent
        base = folder.joinpath(*inner.split(".")) if inner else folder
        files = (
            base / self._package,
            base.with_name(f"{base.name}{PurePath(self._package).suffix}"),
        )
        return next(
            (self._by_path[str(each)] for each in files if str(each) in self._by_path), None
        )


@kept(most=1)
def _bodies(trace: Trace) -> dict[int, Function]:
    """Return the body of each recorded module."""
    return {each.module.id: each for each in trace.functions() if each.kind == _BODY}


def _maker(flow: Flow, operation: Operation, role: str) -> Operation | None:
    """Return the operation that makes an input, if there is just one."""
    return next(makers(flow, operation, role), None)


def makers(flow: Flow, operation: Operation, role: str) -> Iterator[Operation]:
    """Yield the operations that make the inputs in a role, for inputs with just one maker."""
    for each in operation.inputs:
        if each.role == role and len(each.made) == 1:
            yield flow.operations[each.made[0].operation]
