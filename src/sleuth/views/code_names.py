"""Names for values that are code: functions, classes, modules, by the globals that hold them."""

from collections.abc import Mapping
from functools import lru_cache

from sleuth.trace import conventions
from sleuth.trace.reader import Trace
from sleuth.trace.values import Ref

_MOST_MODULES = 50
"""So many are looked through; what others define is shown by its number."""


@lru_cache(maxsize=4)
def code_names(trace: Trace) -> Mapping[int, str]:
    """Return object -> name, of what recorded modules define or import; the user's own first."""
    code = conventions.of(trace.meta.get("language")).code
    names: dict[int, str] = {}
    recorded = [module for module in trace.modules() if module.is_recorded]
    for module in sorted(recorded, key=lambda module: module.is_foreign)[:_MOST_MODULES]:
        for name, value in trace.globals(module, trace.event_count).items():
            if isinstance(value, Ref) and value.type_name in code:
                names.setdefault(value.id, name)
    return names
