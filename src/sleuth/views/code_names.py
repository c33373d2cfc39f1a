"""Names for values that are code: functions, classes, modules, by the globals that hold them."""

from collections.abc import Mapping
from functools import lru_cache

from sleuth.trace import conventions
from sleuth.trace.reader import Trace
from sleuth.trace.values import Ref


@lru_cache(maxsize=4)
def code_names(trace: Trace) -> Mapping[int, str]:
    """Return object -> name, of what recorded modules define or import."""
    code = conventions.of(trace.meta.get("language")).code
    names: dict[int, str] = {}
    for module in trace.modules():
        if module.is_recorded:
            for name, value in trace.globals(module, trace.event_count).items():
                if isinstance(value, Ref) and value.type_name in code:
                    names.setdefault(value.id, name)
    return names
