"""The name by which a person knows a call, where its code has another one.

A decorator's wrapper is known as the function that it wraps; a function that is called `_` by what
it was registered with; the code that a template was compiled to as the template.
"""

from functools import lru_cache

from sleuth.trace import conventions
from sleuth.trace.events import Call
from sleuth.trace.reader import Trace
from sleuth.tree.behaviour import Known
from sleuth.tree.decorated import decorations_of


@lru_cache(maxsize=4096)
def known_as(trace: Trace, call: Call) -> Known | None:
    """Return the name of a call, if it has another one than its code."""
    function = trace.function(call.function)
    words = conventions.of(trace.meta.get("language"))
    if function is None:
        return None
    if function.module.template is not None:
        name = dict(function.module.template.names).get(function.qualified_name)
        return None if name is None else Known(name)
    if function.name in words.nameless:
        found = decorations_of(trace).decorators(function.id)
        return Known(function.qualified_name, found[-1]) if found else None
    if not function.free and function.name not in words.callers:
        return None
    decorated = decorations_of(trace).of(call)
    return None if decorated is None else Known(decorated.function.qualified_name, decorated.by)
