"""Names for values that are code: functions, classes, modules, by the globals that hold them."""

from collections.abc import Mapping

from sleuth.trace import conventions
from sleuth.trace.events import Module
from sleuth.trace.kept import kept
from sleuth.trace.reader import Trace
from sleuth.trace.values import Ref

_MOST_MODULES = 50
"""Modules that are searched; code of further ones has no name."""


@kept(most=1)
def named_code(trace: Trace) -> Mapping[int, tuple[Module, str]]:
    """Return object -> (module, name) for the code that recorded modules define or import.

    The user's own modules come first.
    """
    code = conventions.of(trace.meta.get("language")).code
    found: dict[int, tuple[Module, str]] = {}
    recorded = [module for module in trace.modules() if module.is_recorded]
    for module in sorted(recorded, key=lambda module: module.is_foreign)[:_MOST_MODULES]:
        for name, value in trace.globals(module, trace.event_count).items():
            if isinstance(value, Ref) and value.type_name in code:
                found.setdefault(value.id, (module, name))
    return found
